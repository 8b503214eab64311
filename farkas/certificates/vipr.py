"""Bounds and infeasibility proofs as VIPR 1.0 files, which other people's checkers read.

Numbers are the exact rational values of the stored doubles.  The format has no constant in the
objective: a last variable, fixed at 1, has it as its cost, so that a file is about the program's
own values.
"""

import dataclasses
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from farkas.certificates.bound import project, prove_bound
from farkas.certificates.linear import prove_infeasible
from farkas.certificates.points import exact_feasibility, exact_value
from farkas.certificates.repair import exact_reduced_costs
from farkas.errors import UnsupportedForm
from farkas.files.writing import Target, replacing
from farkas.forms import LinearForm
from farkas.forms.writers import column_names, row_names, unused
from farkas.messages import cleaned
from farkas.numbers import Floats


@dataclasses.dataclass(slots=True)
class _Constraints:
    """Lines of the CON section and where each side stands."""

    lines: list[str] = dataclasses.field(default_factory=list)  #: In the constraint format.
    #: lower, upper: number of the constraint that holds a lower or upper side, by position.
    lower: dict[tuple[str, int], int] = dataclasses.field(default_factory=dict)
    upper: dict[tuple[str, int], int] = dataclasses.field(default_factory=dict)

    def add(self, key: tuple[str, int], name: str, low: float, high: float, terms: str) -> None:
        if low == high:
            self.lower[key] = self.upper[key] = len(self.lines)
            self.lines.append(f"{name} E {_number(low)} {terms}")
            return
        if np.isfinite(low):
            self.lower[key] = len(self.lines)
            self.lines.append(f"{name}.lower G {_number(low)} {terms}")
        if np.isfinite(high):
            self.upper[key] = len(self.lines)
            self.lines.append(f"{name}.upper L {_number(high)} {terms}")


def write_vipr(
    form: LinearForm, multipliers: Floats, path: Target, *, point: Floats | None = None
) -> Fraction:
    """Write the bound that ``multipliers`` prove; return it.

    Implied bounds, where the form has any, are written as constraints, and a comment says so.

    Parameters
    ----------
    multipliers
        Shape (rows,), derivatives of the optimal value with respect to each right-hand side.
    path
        Replaced whole or not at all.
    point
        Shape (columns,), exactly feasible; the file then claims its value as well.

    Raises
    ------
    NotACertificate
        When the multipliers prove nothing or the point is not exactly feasible.
    FileProblem
        When the file cannot be written.
    """
    bound = prove_bound(form, multipliers).value
    solution: list[str] = []
    reached = "inf" if form.sense == "min" else "-inf"
    if point is not None:
        exact_feasibility(form, point)
        reached = str(exact_value(form, point))
        solution = [f"point {_with_constant(form, point, 1.0)}"]
    ends = (bound, reached) if form.sense == "min" else (reached, bound)
    letter = "G" if form.sense == "min" else "L"
    claim = (f"RTP range {ends[0]} {ends[1]}", f"bound {letter} {bound} OBJ")
    _write(form, project(form, np.asarray(multipliers, np.float64)), path, claim, solution)
    return bound


def write_vipr_infeasible(form: LinearForm, ray: Floats, path: Target) -> Fraction:
    """Write the proof that ``form`` has no point; return the violation.

    Parameters
    ----------
    ray
        Shape (rows,), signs as the multipliers of a minimisation.
    path
        Replaced whole or not at all.

    Raises
    ------
    NotACertificate
        When the ray proves nothing.
    """
    violation = prove_infeasible(form, ray)
    zero = form.replace(cost=np.zeros(form.num_columns), offset=0.0, sense="min")
    claim = ("RTP infeas", f"absurd G {violation} 0")
    _write(form, project(zero, np.asarray(ray, np.float64)), path, claim, [], zero)
    return violation


def _write(
    form: LinearForm,
    multipliers: Floats,
    path: Target,
    claim: tuple[str, str],
    solution: list[str],
    combined: LinearForm | None = None,
) -> None:
    constraints, num_bounds = _constraints(form)
    reason = _reason(combined or form, multipliers, constraints)
    with replacing(path) as stream:
        for line in (
            *_head(form),
            f"CON {len(constraints.lines)} {num_bounds}",
            *constraints.lines,
            claim[0],
            f"SOL {len(solution)}",
            *solution,
            "DER 1",
            f"{claim[1]} {reason} -1",
        ):
            stream.write(line.encode("ascii") + b"\n")


def _head(form: LinearForm) -> Iterator[str]:
    for what, values in (("cost", form.cost), ("offset", np.array([form.offset]))):
        if not np.isfinite(values).all():
            raise UnsupportedForm(f"{form.name}: the {what} is not finite")
    yield f"% {cleaned(form.name).encode('ascii', 'replace').decode()}, form {form.sha256}"
    yield "% every number is the exact value of a binary double"
    if form.offset:
        yield "% the last variable stands for the constant of the objective"
    changed = (form.safe_lower != form.lower) | (form.safe_upper != form.upper)
    if changed.any():
        yield f"% implied bounds of {int(changed.sum())} variables are among the constraints"
    yield "VER 1.0"
    names = column_names(form)
    if form.offset:
        names.append(unused("constant", set(names)))
    yield f"VAR {len(names)}"
    yield from names
    integers = np.flatnonzero(form.integer).tolist()
    yield f"INT {len(integers)}"
    yield " ".join(map(str, integers))
    yield f"OBJ {form.sense}"
    yield _with_constant(form, form.cost, form.offset)


def _constraints(form: LinearForm) -> tuple[_Constraints, int]:
    """All constraints, bounds first, and the number of bounds."""
    found = _Constraints()
    lower, upper = form.safe_lower.tolist(), form.safe_upper.tolist()
    for j, name in enumerate(column_names(form)):
        found.add(("column", j), f"bound:{name}", lower[j], upper[j], f"1 {j} 1")
    if form.offset:
        j = form.num_columns
        found.add(("column", j), "bound:constant", 1.0, 1.0, f"1 {j} 1")
    num_bounds = len(found.lines)
    low, high = form.row_lower.tolist(), form.row_upper.tolist()
    for i, name in enumerate(row_names(form)):
        where, values = form.matrix.row(i)
        terms = " ".join(
            f"{j} {_number(v)}" for j, v in zip(where.tolist(), values.tolist(), strict=True)
        )
        found.add(("row", i), name, low[i], high[i], f"{len(where)} {terms}".rstrip())
    return found, num_bounds


def _reason(form: LinearForm, multipliers: Floats, constraints: _Constraints) -> str:
    """Linear combination: multipliers of row sides and reduced costs of bounds."""
    rising = constraints.lower if form.sense == "min" else constraints.upper
    falling = constraints.upper if form.sense == "min" else constraints.lower
    factors: dict[int, Fraction] = {}
    for key, factor in _factors(form, multipliers):
        factors[(rising if factor > 0 else falling)[key]] = factor
    terms = " ".join(f"{k} {factor}" for k, factor in sorted(factors.items()))
    return f"{{ lin {len(factors)} {terms} }}"


def _factors(form: LinearForm, multipliers: Floats) -> Iterator[tuple[tuple[str, int], Fraction]]:
    for i in np.flatnonzero(multipliers).tolist():
        yield ("row", i), Fraction(float(multipliers[i]))
    reduced = exact_reduced_costs(form, multipliers)
    for j in np.flatnonzero(reduced.nonzero).tolist():
        yield ("column", j), reduced.exact(j)
    if form.offset:
        yield ("column", form.num_columns), Fraction(form.offset)


def _with_constant(form: LinearForm, values: Floats, constant: float) -> str:
    """Nonzero values by column, and one of the variable for the constant where there is one."""
    values = np.append(values, constant if form.offset else 0.0)
    return _terms(np.flatnonzero(values), values)


def _terms(where: np.ndarray[tuple[int], np.dtype[np.int64]], values: Floats) -> str:
    pairs = " ".join(f"{j} {_number(float(values[j]))}" for j in where.tolist())
    return f"{len(where)} {pairs}".rstrip()


def _number(value: float) -> str:
    return str(Fraction(value))
