"""Linear programs solved over the rationals: optimal with gap 0, infeasible, or unbounded.

A solver's basis gives an exact vertex.  Where that misses by a little, the program around it is
solved again, enlarged until the solver sees what it missed.  Infeasibility follows from the exact
optimum of the elastic program, unboundedness from an exact point and an exact direction.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from farkas.errors import NoAnswer
from farkas.exact.bound_propagation import Nearby, Vertex, VertexFinder, dual_value, reduced_costs
from farkas.exact.node_bounds import ZERO, Deadline, Matrix, ScaledVector, divided
from farkas.exact.refinement import Singular
from farkas.forms.rational import RationalForm, Side, rational_form
from farkas.numbers import Floats
from farkas.solvers.simplex import Basis, End, Simplex

#: Entries up to which presolve saves nothing, and what it undoes may make HiGHS complain aloud.
FEW_ENTRIES = 5_000

MOST_ROUNDS = 12  #: Rounds of solving around a vertex.


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ExactLinear:
    """What is exactly true of a linear program."""

    #: ``"optimal"``, ``"infeasible"`` or ``"unbounded"``.
    status: Literal["optimal", "infeasible", "unbounded"]
    value: Fraction | None = None  #: Optimal value; None unless optimal.
    #: Optimal point; of an unbounded program a feasible one; None of an infeasible one.
    point: list[Fraction] | None = None
    #: Shape (rows,): optimal multipliers, or a ray of an infeasible program.
    multipliers: list[Fraction] | None = None
    #: Shape (columns,): improves for ever from ``point``; of an unbounded program.
    direction: list[Fraction] | None = None
    basis: Basis | None = None  #: The last basis of the solver, where there is one.
    rounds: int = 1  #: Solver runs that were needed.


def solve_linear(
    form: RationalForm,
    *,
    deadline: Deadline | None = None,
    basis: Basis | None = None,
    excluded: tuple[End, ...] = (),
) -> ExactLinear:
    """Solve a linear program exactly; integrality is ignored.

    Raises `OutOfTime`: the deadline came first; `NoAnswer`: the simplex method and refinement
    failed in every way that is known.

    ``basis``: From another solver; found here if left out.  Where it is optimal exactly, no solver
    is asked, which may see another program in units of its own.  ``excluded``: Ends that are known
    to be impossible, and are not believed.
    """
    clock = deadline or Deadline()
    known = _crossed(form) or _without_columns(form)
    if known is not None:
        return known
    known = None if basis is None else _at_once(form, basis, clock)
    if known is not None:
        return known
    failures: list[str] = []
    solver = Simplex(form.linear)
    attempts = _ATTEMPTS if form.num_entries > FEW_ENTRIES else [*_ATTEMPTS[1:], _ATTEMPTS[0]]
    for attempt in attempts if basis is None else [{}, *attempts]:
        clock.check()
        if basis is not None and not attempt:
            solver.start(basis)
        end = solver.run(seconds=clock.left, **attempt)
        if end is End.STOPPED:
            clock.check()
        try:
            found = _concluded(form, solver, end, clock, excluded)
        except Singular as failure:
            failures.append(str(failure))
            continue
        if found is not None:
            return found
        failures.append(f"the solver says {end.value}")
    # what the solver cannot say, the elastic program does: it has an optimum always
    for end in (End.INFEASIBLE, End.UNBOUNDED):
        if end not in excluded:
            found = _decided(form, end, None, clock)
            if found is not None:
                return found
    raise NoAnswer(f"{form.name}: no exact vertex: {'; '.join(dict.fromkeys(failures))}")


_ATTEMPTS: list[dict[str, Any]] = [
    {"presolve": True},
    {"presolve": False},
    {"presolve": False, "primal": True},
    {"method": "ipm"},
]


def _crossed(form: RationalForm) -> ExactLinear | None:
    """Infeasible where a bound or row lies above its other end."""
    pairs = [*zip(form.lower, form.upper, strict=True)]
    pairs += zip(form.row_lower, form.row_upper, strict=True)
    if any(a is not None and b is not None and a > b for a, b in pairs):
        return ExactLinear(status="infeasible", multipliers=[ZERO] * form.num_rows, rounds=0)
    return None


def _without_columns(form: RationalForm) -> ExactLinear | None:
    """Decide a program that has no columns: every row is 0."""
    if form.num_columns:
        return None
    multipliers = [ZERO] * form.num_rows
    for i, (low, high) in enumerate(zip(form.row_lower, form.row_upper, strict=True)):
        if (low is not None and low > 0) or (high is not None and high < 0):
            multipliers[i] = Fraction(1 if low is not None and low > 0 else -1)
            return ExactLinear(status="infeasible", multipliers=multipliers, rounds=0)
    return ExactLinear(
        status="optimal", value=form.offset, point=[], multipliers=multipliers, rounds=0
    )


def _concluded(
    form: RationalForm, solver: Simplex, end: End, clock: Deadline, excluded: tuple[End, ...]
) -> ExactLinear | None:
    if end in excluded:
        return None
    if end in (End.INFEASIBLE, End.UNBOUNDED):
        return _decided(form, end, solver.ray if end is End.INFEASIBLE else None, clock)
    basis = solver.basis
    if basis is None or end is not End.OPTIMAL:
        return None
    return _around(form, basis, clock, excluded)


def _decided(
    form: RationalForm, end: End, ray: Floats | None, clock: Deadline
) -> ExactLinear | None:
    if end is End.INFEASIBLE:
        return _infeasible(form, ray, clock)
    return _unbounded(form, clock)


def _at_once(form: RationalForm, basis: Basis, clock: Deadline) -> ExactLinear | None:
    """Vertex of the basis as it is, where that is optimal."""
    try:
        return _optimal(form, VertexFinder(form, clock).vertex(basis), basis, 1)
    except Singular:
        return None


def _around(
    form: RationalForm, basis: Basis, clock: Deadline, excluded: tuple[End, ...]
) -> ExactLinear | None:
    """Exact vertex of the basis, and of those found around it, until one is optimal."""
    finder, nearby = VertexFinder(form, clock), None
    for rounds in range(1, MOST_ROUNDS + 1):
        clock.check()
        vertex = finder.vertex(basis)
        found = _optimal(form, vertex, basis, rounds)
        if found is not None:
            return found
        nearby = nearby or Nearby(form)
        end, basis = nearby.solve(vertex, basis, clock)
        if end is not End.OPTIMAL:
            return None if end in excluded else _decided(form, end, None, clock)
    return None


def _optimal(form: RationalForm, vertex: Vertex, basis: Basis, rounds: int) -> ExactLinear | None:
    if vertex.primal or vertex.dual:
        return None
    value = form.objective(vertex.point)
    if dual_value(form, vertex.multipliers, vertex.reduced) != value:
        return None
    return ExactLinear(
        status="optimal",
        value=value,
        point=vertex.point,
        multipliers=vertex.multipliers,
        basis=basis,
        rounds=rounds,
    )


def _infeasible(form: RationalForm, ray: Floats | None, clock: Deadline) -> ExactLinear | None:
    """Prove that there is no point: by the solver's ray, else by the elastic program."""
    if ray is not None and np.isfinite(ray).all():
        top = float(np.abs(ray).max(initial=0.0))
        if top:
            # in the rows of the source; the form's are multiples
            near = np.rint(np.ldexp(ray / top, 40)).astype(np.int64).tolist()
            snapped = [Fraction(y) / f for y, f in zip(near, form.factors, strict=True)]
            if infeasibility(form, snapped) > 0:
                return ExactLinear(status="infeasible", multipliers=snapped)
    stretched = elastic(form)
    found = solve_linear(stretched, deadline=clock, excluded=(End.INFEASIBLE, End.UNBOUNDED))
    if not found.value or found.multipliers is None:
        return None
    factors = zip(found.multipliers, stretched.factors, form.factors, strict=True)
    exact = [y * new / old for y, new, old in factors]
    return ExactLinear(status="infeasible", multipliers=exact, rounds=found.rounds + 1)


def infeasibility(form: RationalForm, ray: Sequence[Fraction]) -> Fraction:
    """``ray`` times row sides minus the most that ``ray' A x`` reaches; > 0 proves no point.

    ``ray``: shape (rows,); positive factors use the lower side, negative ones the upper side.

    Returns: at most 0 where an end is infinite.
    """
    empty = form.replace(cost=(ZERO,) * form.num_columns, offset=ZERO, sense="min")
    reduced = reduced_costs(empty.cost, Matrix.of(form), ScaledVector.of(ray))
    found = dual_value(empty, list(ray), reduced)
    return ZERO if found is None else found


def elastic(form: RationalForm) -> RationalForm:
    """Least sum of violations of rows; feasible and bounded wherever no bounds are crossed."""
    n, rows = form.num_columns, []
    more = 0
    for i in range(form.num_rows):
        terms = [(j, v / form.factors[i]) for j, v in form.row(i)]
        for side, entry in ((form.row_lower[i], 1), (form.row_upper[i], -1)):
            if side is not None:
                terms.append((n + more, Fraction(entry)))
                more += 1
        rows.append(terms)
    one = Fraction(1)
    return rational_form(
        name=form.name,
        sense="min",
        numbers=form.numbers,
        cost=[ZERO] * n + [one] * more,
        offset=ZERO,
        rows=rows,
        row_lower=[divided(x, f) for x, f in zip(form.row_lower, form.factors, strict=True)],
        row_upper=[divided(x, f) for x, f in zip(form.row_upper, form.factors, strict=True)],
        lower=[*form.lower, *[ZERO] * more],
        upper=[*form.upper, *[None] * more],
        integer=[False] * (n + more),
    )


def _unbounded(form: RationalForm, clock: Deadline) -> ExactLinear | None:
    """Prove that there is a point and a direction that improves for ever."""
    free = form.replace(cost=(ZERO,) * form.num_columns)
    still = solve_linear(free, deadline=clock, excluded=(End.UNBOUNDED,))
    if still.status != "optimal":
        return still
    found = solve_linear(recession(form), deadline=clock, excluded=(End.INFEASIBLE, End.UNBOUNDED))
    if found.value is None or found.value == 0:
        return None
    return ExactLinear(
        status="unbounded",
        point=still.point,
        direction=found.point,
        rounds=still.rounds + found.rounds + 1,
    )


def recession(form: RationalForm) -> RationalForm:
    """Best direction among those that leave no row or bound, entries within [-1, 1]."""

    def side(end: Side) -> Side:
        return None if end is None else ZERO

    one = Fraction(1)
    return form.replace(
        offset=ZERO,
        row_lower=tuple(map(side, form.row_lower)),
        row_upper=tuple(map(side, form.row_upper)),
        lower=tuple(-one if end is None else ZERO for end in form.lower),
        upper=tuple(one if end is None else ZERO for end in form.upper),
    )
