"""Prove a linear or integer program: optimal, infeasible, unbounded, or as much as the time allows.

A solver is asked first, since its point and basis save work; what it says is kept as a claim beside
what was proved, and never believed.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal

from farkas.certificates import Certificate
from farkas.certificates.doubles import double, text_of
from farkas.certificates.proof import rounded
from farkas.certificates.tree import TreeCertificate
from farkas.certificates.unbounded import UnboundedCertificate
from farkas.errors import NoAnswer, NotACertificate
from farkas.exact.bounding import Bounding, Weights
from farkas.exact.certificate import one_leaf, tree_certificate, unbounded_certificate
from farkas.exact.deadline import Deadline, OutOfTime
from farkas.exact.ends import derived
from farkas.exact.linear import ExactLinear, solve_linear
from farkas.exact.nodes import ProofTree
from farkas.exact.tree import Progress, search
from farkas.exact.whole import ZERO
from farkas.forms.rational import RationalForm, Side
from farkas.search_tolerances import SOLVER_GAP
from farkas.solvers import Answer, Claimed, solve
from farkas.solvers.interrupt import CtrlC
from farkas.solvers.simplex import Basis, End, Simplex
from farkas.words import named

Status = Literal["optimal", "infeasible", "unbounded", "bound"]

SEARCH_SHARE = 0.7
"""Of the time that is left, for searching; the checker has to see every leaf again."""
SOLVERS_SHARE = 0.5
"""Share of a time limit that the asked solver may use of an integer program."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Proved:
    """What was proved of a program.

    Parameters
    ----------
    form
        The program.
    status
        ``"optimal"``, ``"infeasible"``, ``"unbounded"``; ``"bound"``: a limit came first.
    value, point
        Value of the best point that is feasible exactly, and the point; None without.
    bound
        No point is better; None where nothing was proved, or there is no bound.
    nodes
        Nodes of the tree that were solved; 1 of a linear program.
    seconds
        Wall time, the solver's included.
    solver, answer
        The solver that was asked first, and what it says: a claim.  None where none was asked.
    certificate
        Of all of this; None where nothing was proved.
    interrupted
        Whether Ctrl-C came first, as a limit does.
    """

    form: RationalForm
    status: Status
    value: Fraction | None = None
    point: list[Fraction] | None = None
    bound: Fraction | None = None
    nodes: int = 1
    seconds: float = math.nan
    solver: str = "highs"
    answer: Answer | None = None
    certificate: Certificate | None = None
    interrupted: bool = False

    def __repr__(self) -> str:
        sides = (("value", self.value), ("bound", self.bound))
        said = [f", {word} {_number(x)}" for word, x in sides if x is not None]
        return f"<proved of {named(self.form.name)}: {self.status}{''.join(said)}>"

    @property
    def gap(self) -> float | None:
        """Distance of value and bound as a share of the larger, rounded up; None without both."""
        if self.value is None or self.bound is None:
            return None
        size = max(abs(self.value), abs(self.bound))
        share = abs(self.value - self.bound) / size if size else ZERO
        return double(share, up=True)

    def within(self, gap: float) -> bool:
        """Whether value and bound are at most a share of the value apart, exactly."""
        if self.value is None or self.bound is None:
            return False
        return abs(self.value - self.bound) <= Fraction(gap) * abs(self.value)

    def values(self) -> dict[str, Fraction]:
        """Entries of the point that are not 0, by name of the source."""
        return {self.form.column_name(j): x for j, x in enumerate(self.point or ()) if x}

    @property
    def claim(self) -> str | None:
        """What became of the solver's claim, in words; None where it claims nothing."""
        answer = self.answer
        if answer is None or answer.claim is Claimed.NONE:
            return None
        who = answer.solver
        if answer.claim in (Claimed.INFEASIBLE, Claimed.UNBOUNDED):
            if self.status == "bound":
                return f"{who} says {answer.claim}; that is not proved"
            right = "right" if self.status == answer.claim.value else f"wrong: proved {self.status}"
            return f"{who} says {answer.claim}, which is {right}"
        if answer.claim is not Claimed.OPTIMAL or self.status == "bound" or self.value is None:
            said = f"{who} says {answer.claim} at {answer.objective:.12g}"
            wrong = self.status in ("infeasible", "unbounded")
            return f"{said}, which is wrong: proved {self.status}" if wrong else said
        off = Fraction(answer.objective) - self.value
        said = f"{who} says optimal at {answer.objective:.12g}"
        if not off:
            return f"{said}, which is right"
        size = max(abs(self.value), abs(Fraction(answer.objective)))
        share = rounded(abs(off) / size, up=True, digits=2)
        right = "right" if abs(off) <= Fraction(SOLVER_GAP) * size else "wrong"
        return (
            f"{said}, which is {right} within {share} of it"
            if right == "right"
            else (f"{said}, which is wrong by {share} of it")
        )

    def contradiction(self) -> list[str]:
        """Names of the rows and bounds that contradict each other; empty unless infeasible."""
        from farkas.exact.contradiction import contradicting

        return contradicting(self.form, self.certificate) if self.status == "infeasible" else []

    @property
    def statement(self) -> str:
        """What is proved, in one sentence; digits are cut so that it stays true."""
        read = ", read as decimals," if self.form.numbers == "decimal" else ", read as doubles,"
        name, least = named(self.form.name), self.form.sense == "min"
        if self.status == "optimal" and self.value is not None:
            return f"The optimal value of {name}{read} is {_number(self.value)}."
        if self.status == "infeasible":
            return f"{name}{read} has no point."
        if self.status == "unbounded":
            return f"{name}{read} is unbounded."
        parts = []
        if self.bound is not None:
            side = "at least" if least else "at most"
            parts.append(f"{side} {rounded(self.bound, up=not least)}")
        if self.value is not None:
            side = "at most" if least else "at least"
            parts.append(f"{side} {rounded(self.value, up=least)}")
        said = " and ".join(parts) or "not bounded so far"
        return f"The optimal value of {name}{read} is {said}."

    def to_builtins(self, *, point: bool = False) -> dict[str, Any]:
        """Plain data for JSON; with ``point`` also the entries of the point by name."""
        up = self.form.sense == "max"
        data: dict[str, Any] = {
            "program": self.form.name,
            "sense": self.form.sense,
            "numbers": self.form.numbers,
            "rows": self.form.num_rows,
            "columns": self.form.num_columns,
            "integers": int(self.form.integer.sum()),
            "status": self.status,
            "value": _double(self.value),
            "value_exact": _exact(self.value),
            "bound": _double(self.bound, up=up),
            "bound_exact": _exact(self.bound),
            "gap": self.gap,
            "nodes": self.nodes,
            "seconds": self.seconds,
            "solver": self.solver,
            "claim": self.claim,
            "contradiction": self.contradiction(),
            "statement": self.statement,
        }
        if point:
            data["point"] = {name: text_of(x) for name, x in self.values().items()}
        return data


def prove_form(
    form: RationalForm,
    *,
    solver: str = "highs",
    answer: Answer | None = None,
    time_limit: float | None = None,
    gap: float = 0.0,
    embed: bool = True,
    about: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Proved:
    """Prove what is true of a program; Ctrl-C ends the search and keeps what was proved.

    Parameters
    ----------
    solver
        Asked first; see :func:`farkas.solvers.solve`.
    answer
        What a solver has said already; none is asked then.
    time_limit
        Seconds; what is proved by then is returned with status ``"bound"``.
    gap
        Distance of value and bound, as a share of the value, that is small enough.
    embed
        Put the program into the certificate.
    about
        Origin of the program for its certificate: ``kind``, ``options``, ``instance``.
    progress
        Called now and then with nodes, bound and value.
    """
    begin = time.perf_counter()
    clock = Deadline(math.inf if time_limit is None else time_limit)
    origin = {"program": form.name, **(about or {})}
    solver = solver if answer is None else answer.solver
    answer = answer or _asked(form, solver, clock)
    with CtrlC() as keys:
        clock = Deadline(clock.left, lambda: keys.pressed)
        if form.is_mip:
            found = _integer(form, answer, clock.part(SEARCH_SHARE), gap, _signed(form, progress))
        else:
            found = _linear(form, answer, clock)
    if isinstance(found, ExactLinear):
        assert found.point is not None
        assert found.direction is not None
        proved = Proved(
            form=form,
            status="unbounded",
            value=form.objective(found.point),
            point=found.point,
            certificate=unbounded_certificate(
                form, found.point, found.direction, embed=embed, about=origin
            ),
        )
    else:
        proved = _proved(form, found, embed=embed, about=origin)
    _require_consent(proved)
    seconds = time.perf_counter() - begin
    stopped = keys.pressed and proved.status == "bound"
    return dataclasses.replace(
        proved, seconds=seconds, solver=solver, answer=answer, interrupted=stopped
    )


def _require_consent(proved: Proved) -> None:
    """Let the checker prove what the search says it has proved; raises `NotACertificate`."""
    if isinstance(proved.certificate, TreeCertificate | UnboundedCertificate):
        proof = proved.certificate.prove_of(proved.form, "form", math.inf)
        said = (proved.bound, proved.value, proved.status == "infeasible")
        if (proof.bound, proof.value, proof.infeasible) != said:
            raise NotACertificate(f"{named(proved.form.name)}: less is proved than was found")


def _signed(form: RationalForm, progress: Progress | None) -> Progress | None:
    """Progress of a search, which sees a minimum, in the sense of the program."""
    if progress is None or form.sense == "min":
        return progress

    def told(nodes: int, bound: Side, value: Side) -> None:
        progress(nodes, None if bound is None else -bound, None if value is None else -value)

    return told


def _asked(form: RationalForm, solver: str, clock: Deadline) -> Answer | None:
    """Ask a solver; a linear program in HiGHS's hands is solved where its basis is read."""
    if solver == "highs" and not form.is_mip:
        return None
    left = None if math.isinf(clock.left) else clock.left * (SOLVERS_SHARE if form.is_mip else 1.0)
    return solve(form.linear, solver, time_limit=left).unless_interrupted()


def _proved(
    form: RationalForm, tree: ProofTree, *, embed: bool, about: Mapping[str, Any]
) -> Proved:
    sign = 1 if form.sense == "min" else -1
    value = None if tree.value is None else sign * tree.value
    bound = None if tree.bound is None else sign * tree.bound
    if tree.complete and value is None and bound is None:
        status: Status = "infeasible"
    elif value is not None and bound == value:
        status = "optimal"
    else:
        status = "bound"
    known = status == "infeasible" or bound is not None
    return Proved(
        form=form,
        status=status,
        value=value,
        point=tree.point,
        bound=bound,
        nodes=tree.searched,
        certificate=tree_certificate(form, tree, embed=embed, about=about) if known else None,
    )


def _linear(form: RationalForm, answer: Answer | None, clock: Deadline) -> ProofTree | ExactLinear:
    """Solve a linear program exactly; at the deadline what rounded multipliers prove."""
    basis = None
    if answer is not None and answer.has_point:
        basis = _crossed_over(form, answer)
    try:
        found = solve_linear(form, deadline=clock, basis=basis)
    except OutOfTime:
        return _at_limit(form, answer)
    if found.status == "unbounded":
        return found
    assert found.multipliers is not None
    ray = found.status == "infeasible"
    sign = 1 if ray or form.sense == "min" else -1
    program = Bounding(form)
    weights = program.exact([sign * y for y in found.multipliers], ray=ray)
    value = None if found.value is None else sign * found.value
    return one_leaf(weights, value, value, found.point)


def _crossed_over(form: RationalForm, answer: Answer) -> Basis | None:
    if answer.raw_row_duals is None:
        return None
    return Simplex(form.linear).cross_over(answer.point, answer.raw_row_duals)


def _at_limit(form: RationalForm, answer: Answer | None) -> ProofTree:
    """Bound by the multipliers there are, rounded; by those of no row where there are none."""
    program = Bounding(form)
    lower, upper, steps = derived(program, None)
    sign = 1.0 if form.sense == "min" else -1.0
    best: Weights = program.weighted({}, 1, ray=False)
    if answer is not None and answer.raw_row_duals is not None:
        best = program.rounded(sign * answer.raw_row_duals) or best
    bound = best.value(lower, upper)
    return dataclasses.replace(one_leaf(best, bound, None, None), steps=steps, complete=False)


def _integer(
    form: RationalForm,
    answer: Answer | None,
    clock: Deadline,
    gap: float,
    progress: Progress | None,
) -> ProofTree | ExactLinear:
    near = answer.point if answer is not None and answer.has_point else None
    unbounded = _maybe_unbounded(form, clock)
    if unbounded is not None:
        return unbounded
    return search(form, near=near, deadline=clock, gap=gap, progress=progress)


def _maybe_unbounded(form: RationalForm, clock: Deadline) -> ProofTree | ExactLinear | None:
    """Decide an integer program with an unbounded relaxation: infeasible or unbounded itself."""
    end = Simplex(form.linear).run(seconds=clock.left)
    if end in (End.OPTIMAL, End.INFEASIBLE):
        return None
    try:
        relaxed = solve_linear(form, deadline=clock)
    except NoAnswer:
        return None
    if relaxed.status != "unbounded":
        return None
    still = search(form.replace(cost=(ZERO,) * form.num_columns), deadline=clock)
    if still.point is None:
        # where there is no point, the costs do not matter: rays prove it
        return dataclasses.replace(still, gain=ZERO) if still.complete else still
    return dataclasses.replace(relaxed, point=still.point)


def _number(value: Fraction) -> str:
    """Write a fraction whole where that is short, else its decimals too."""
    text = text_of(value)
    if value.denominator == 1:
        return text
    near = rounded(value, up=False, digits=12)
    if len(text) <= 60:
        return f"{text}, about {near}"
    return f"about {near}, exactly a fraction of {len(text)} characters"


def _double(value: Side, up: bool | None = None) -> float | None:
    """Nearest double; with ``up`` the nearest on that side."""
    if value is None:
        return None
    if up is not None:
        return double(value, up=up)
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return None


def _exact(value: Side) -> str | None:
    return None if value is None else text_of(value)
