"""Audit of the dual that mlBroker prints: every difference from the derived one, by label."""

import dataclasses
from collections.abc import Iterator
from fractions import Fraction

from farkas.algebra import Program, programs
from farkas.certificates import exact_bound
from farkas.certificates.proof import rounded
from farkas.duals.dualize import DualForm, dualize
from farkas.duals.mlbroker import Dual, DualAsPrinted
from farkas.forms import LinearForm
from farkas.forms.feasibility import find_block, index_in, short_name
from farkas.instances.mlbroker import Brokerage
from farkas.solvers import solve
from farkas.tolerances import TIE

#: Slips of notation that had to be repaired before (11) could be read as a program at all.
REPAIRS = {
    "11": "sums over jobs run over all of them; only jobs active in the slot have variables",
    "11b": "α carries both sites r and r'; (8a) has one row per receiving site, so α has r' only",
    "11c": "α carries both sites; the worker's own site is meant",
    "11d": "the inner sum over r uses the letter of the row; it is the constant Y of the job-slot",
    "11e": "η carries both sites; (8j) has one row per server site, so η has r' only",
    "11f": "μ(t+1) after departure is not defined; it is 0",
    "11j": "signs are given for φ_k and μ_k; φ_i and μ_i are meant",
}

#: A row or variable of a dual, whatever its name: its label or primal variable, and its index.
Key = tuple[str, tuple[int, ...]]


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """One way in which the printed dual differs from the derived one."""

    label: str  #: Equation of the paper.
    words: str  #: What differs.
    places: int  #: How many coefficients or rows of the instance it concerns.
    example: str  #: One of them, with numbers.

    def __str__(self) -> str:
        return f"({self.label}) {self.words}; {self.places} places, for example {self.example}"


@dataclasses.dataclass(frozen=True, slots=True)
class Audit:
    """Result of :func:`audit`."""

    #: Between (11) with repaired notation and the mechanical dual, by label.
    differences: tuple[Difference, ...]
    #: primal, derived: optimal values of (9) and of its derived dual; equal.
    primal: float
    derived: float
    #: Optimal value of ``mlbroker.dual``, which differs from the derived dual nowhere.
    corrected: float
    proved: Fraction  #: Bound on (9) that the derived dual's solution proves, exact.
    printed: float  #: Value of (11) as printed.

    def __str__(self) -> str:
        lines = [
            f"(9) {self.primal:.6g}, derived dual {self.derived:.6g} "
            f"(proved {rounded(self.proved, up=False)}), (11) as printed {self.printed:.6g}",
            *map(str, self.differences),
            *(f"({label}) repaired: {words}" for label, words in REPAIRS.items()),
        ]
        return "\n".join(lines)


def audit(instance: Brokerage) -> Audit:
    """Compare (11) with the dual that follows from (9), and solve both.

    Raises `NoAnswer` when (9) or its derived dual is not solved.
    """
    relaxed = programs.build("mlbroker.relaxed[printed]")
    assert isinstance(relaxed, Program)
    primal = relaxed.form(instance)
    derived = dualize(primal)
    printed = DualAsPrinted().form(instance)
    of_derived = solve(derived.form).require_optimal()
    return Audit(
        tuple(differences(derived, printed)),
        solve(primal).require_optimal().objective,
        of_derived.objective,
        solve(Dual().form(instance)).require_optimal().objective,
        exact_bound(primal, derived.lift(of_derived.point)),
        solve(printed).require_optimal().objective,
    )


def differences(derived: DualForm, written: LinearForm) -> Iterator[Difference]:
    """Differences of a dual written by hand from the derived one, objective first.

    ``written`` is of ``mlbroker.dual`` or ``mlbroker.dual_as_printed`` on the same instance.
    """
    columns = _columns_by_family(derived)
    yield from _missing(derived.form, written, columns)
    yield from _objective(derived.form, written, columns)
    yield from _signs(derived.form, written, columns)
    yield from _rows(derived.form, written, columns)


def _columns_by_family(derived: DualForm) -> dict[Key, int]:
    """Columns of the derived dual by the names that a written dual uses."""
    found: dict[Key, int] = {}
    for j, i in enumerate(derived.row_of):
        block = find_block(derived.primal.rows, int(i))
        # (8h) is written as two families, one multiplier μ each
        name = "started_when_new" if block.label == "8h" else block.name
        found[name, index_in(block, int(i))] = j
    return found


def _key(form: LinearForm, j: int) -> Key:
    block = find_block(form.columns, j)
    return block.name, index_in(block, j)


def _missing(
    derived: LinearForm, written: LinearForm, columns: dict[Key, int]
) -> Iterator[Difference]:
    """Variables and constraints of the derived dual that the written one does not have."""
    have = {columns[_key(written, j)] for j in range(written.num_columns)}
    lost = sorted(set(range(derived.num_columns)) - have)
    for block in derived.columns:
        here = [derived.column_name(j) for j in lost if block.start <= j < block.stop]
        if here:
            yield Difference("11", f"no variable for rows {block.name}", len(here), here[0])
    for block in derived.rows:
        families = [b for b in written.rows if Dual.column_of[b.name] == block.name]
        width = len(index_in(block, block.start)) if block.size else 0
        met = {index_in(b, i)[:width] for b in families for i in range(b.start, b.stop)}
        unmet = [i for i in range(block.start, block.stop) if index_in(block, i) not in met]
        if unmet:
            words = f"no constraint for the variable {block.name}"
            yield Difference("11", words, len(unmet), derived.row_name(unmet[0]))


def _objective(
    derived: LinearForm, written: LinearForm, columns: dict[Key, int]
) -> Iterator[Difference]:
    wrong: dict[str, list[str]] = {}
    for j in range(written.num_columns):
        name, index = _key(written, j)
        ours, theirs = float(derived.cost[columns[name, index]]), float(written.cost[j])
        if ours != theirs:
            place = f"{name}{list(index)}: derived {ours:g}, written {theirs:g}"
            wrong.setdefault(name, []).append(place)
    for name, places in wrong.items():
        words = f"the objective has other coefficients of {name} than derived"
        if not any(written.values(written.cost, name).ravel()):
            words = f"the objective lacks the sum over {name}"
        yield Difference("11", words, len(places), places[0])


def _signs(
    derived: LinearForm, written: LinearForm, columns: dict[Key, int]
) -> Iterator[Difference]:
    for block in written.columns:
        wrong = []
        for j in range(block.start, block.stop):
            at = columns[_key(written, j)]
            ours = (float(derived.lower[at]), float(derived.upper[at]))
            theirs = (float(written.lower[j]), float(written.upper[j]))
            if ours != theirs:
                wrong.append(f"{short_name(block, j)}: derived {ours}, written {theirs}")
        if wrong:
            yield Difference("11j", f"{block.name} has another sign", len(wrong), wrong[0])


def _rows(
    derived: LinearForm, written: LinearForm, columns: dict[Key, int]
) -> Iterator[Difference]:
    """Compare constraint by constraint; both belong to the same primal variable and index."""
    for block in written.rows:
        target = derived.row_block(Dual.column_of[block.name])
        width = len(index_in(target, target.start)) if target.size else 0
        start = {index_in(target, i): i for i in range(target.start, target.stop)}
        wrong = []
        for i in range(block.start, block.stop):
            words = _row(derived, start[index_in(block, i)[:width]], written, i, columns)
            if words:
                wrong.append(f"{short_name(block, i)}: {words}")
        if not wrong:
            continue
        extra = [word for axis in block.axes for word in axis.labels][width:]
        words = f"{block.name} has other coefficients than derived"
        if extra:
            per = ", ".join(extra)
            words = f"{block.name} is written once per {per}; the derived row sums over {per}"
        yield Difference(block.label, words, len(wrong), wrong[0])


def _row(derived: LinearForm, at: int, written: LinearForm, i: int, columns: dict[Key, int]) -> str:
    """Say what row ``i`` of the written dual lacks or has too much; empty when nothing."""
    places, values = written.matrix.row(i)
    theirs = {columns[_key(written, int(j))]: float(v) for j, v in zip(places, values, strict=True)}
    places, values = derived.matrix.row(at)
    ours = dict(zip(places.tolist(), values.tolist(), strict=True))
    for j in sorted(ours.keys() | theirs.keys()):
        # equal products of doubles, perhaps in another order
        if abs(ours.get(j, 0.0) - theirs.get(j, 0.0)) > TIE * abs(ours.get(j, 0.0)):
            name = short_name(find_block(derived.columns, j), j)
            return f"derived {ours.get(j, 0.0):g} {name}, written {theirs.get(j, 0.0):g}"
    if written.row_upper[i] != derived.row_upper[at]:
        return f"derived right side {derived.row_upper[at]:g}, written {written.row_upper[i]:g}"
    return ""
