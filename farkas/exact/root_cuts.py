"""Rounds of cuts at the root: proposed in doubles, derived exactly, the deepest ones kept."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from farkas.exact.cuts import Cut, Rounding
from farkas.exact.node_bounds import BoundProblem, Deadline, moved
from farkas.exact.separation import CutProposal, Separation
from farkas.forms.rational import Side
from farkas.numbers import Floats
from farkas.solvers.simplex import BASIC, Basis, End, Simplex
from farkas.tolerances import DROPPED, WHOLE

MOST_ROUNDS = 40
MOST_CUTS = 40  #: Cuts that are added in a round.
MOST_DERIVED = 150  #: Proposals of a round that are derived exactly.
SHORT = 10**5  #: Largest denominator of a weight of a tableau row, for the row in its unit.
LONGEST_ROW = 100  #: Rows that a tableau row may add up.
#: Distance of the point from a cut, in units of the columns, below which it is not added.
LEAST_VIOLATION = 1e-3
LEAST_RISE = 1e-4  #: Share by which the bound rises in a round that was worth it.
PARALLEL = 0.9  #: Cosine of two cuts of which a round takes one.


def root_cuts(
    program: BoundProblem,
    lower: Sequence[Side],
    upper: Sequence[Side],
    simplex: Simplex,
    clock: Deadline,
    enough: float | None,
) -> list[Cut]:
    """Add cuts to the program and to the solver, round by round; returns them in order.

    ``simplex``: Holds the program as a minimum, at whatever basis.  ``enough``: Objective at which
    no more cuts are needed.
    """
    kept: list[Cut] = []
    whole = np.array(program.form.integer, dtype=bool)
    stalled, last = 0, -math.inf
    for _ in range(MOST_ROUNDS):
        if simplex.run(seconds=clock.left) is not End.OPTIMAL:
            break
        value = simplex.value
        if enough is not None and value >= enough:
            break
        stalled = stalled + 1 if value <= last + LEAST_RISE * abs(last) else 0
        if stalled > 2:
            break
        among = simplex.point[whole]
        if (np.abs(among - np.rint(among)) <= WHOLE).all():
            break  # no cut excludes a point of the program
        last = max(last, value)
        found = _round(program, lower, upper, simplex, clock)
        if not found:
            break
        program.add_rows([cut.terms for cut in found], [cut.side for cut in found])
        simplex.add_upper_rows([cut.terms for cut in found], [float(cut.side) for cut in found])
        kept += found
    return kept


def _round(
    program: BoundProblem,
    lower: Sequence[Side],
    upper: Sequence[Side],
    simplex: Simplex,
    clock: Deadline,
) -> list[Cut]:
    """Cuts of one round that the point violates most, near-parallel ones left out."""
    rounding = Rounding(program, lower, upper)
    point = simplex.point
    proposals: list[CutProposal] = []
    for proposal in Separation(rounding, point).proposals(_starts(program, simplex, point)):
        proposals.append(proposal)
        if not clock.left:
            break
    proposals.sort(key=lambda proposal: -proposal.depth)
    deep: list[tuple[float, int, Cut, dict[int, float]]] = []
    seen: set[object] = set()
    for proposal in proposals[:MOST_DERIVED]:
        if not clock.left:
            break
        cut = rounding.cut(
            proposal.weights, proposal.divisor, proposal.complemented, proposal.across
        )
        if cut is None:
            continue
        key = (frozenset(cut.terms.items()), cut.side)
        normal, depth = seen_from(point, cut, rounding.units)
        if depth > LEAST_VIOLATION and key not in seen:
            seen.add(key)
            deep.append((-depth, len(deep), cut, normal))
    deep.sort(key=lambda each: each[:2])
    chosen: list[tuple[Cut, dict[int, float]]] = []
    for _, _, cut, normal in deep:
        if all(_cosine(normal, other) < PARALLEL for _, other in chosen):
            chosen.append((cut, normal))
        if len(chosen) == MOST_CUTS:
            break
    return [cut for cut, _ in chosen]


def seen_from(point: Floats, cut: Cut, units: Sequence[int]) -> tuple[dict[int, float], float]:
    """Return the normal of a cut, of length 1, and how far a point lies beyond; negative within.

    ``units``: binary exponents of the columns' units, in which both are measured.
    """
    top = max(v.bit_length() + units[j] for j, v in cut.terms.items())
    normal = {j: moved(v, units[j] - top) for j, v in cut.terms.items()}
    length = math.sqrt(sum(v * v for v in normal.values()))
    reached = sum(v * math.ldexp(point[j], -units[j]) for j, v in normal.items())
    return {j: v / length for j, v in normal.items()}, (reached - moved(cut.side, -top)) / length


def _starts(
    program: BoundProblem, simplex: Simplex, point: Floats
) -> Iterator[dict[int, Fraction]]:
    """Weights of the tableau rows of whole columns that are broken, shortened."""
    whole = np.flatnonzero(program.form.integer)
    values = point[whole]
    fractional = whole[np.abs(values - np.rint(values)) > WHOLE]
    for weights in tableau_rows(program, simplex.basis, fractional.tolist()):
        scaled = np.ldexp(weights, simplex.row_units)
        used = np.flatnonzero(np.abs(scaled) > DROPPED)
        if len(used) <= LONGEST_ROW:
            short = {
                i: Fraction(float(scaled[i])).limit_denominator(SHORT)
                / Fraction(2) ** int(simplex.row_units[i])
                / program.factors[i]
                for i in used.tolist()
            }
            if kept := {i: w for i, w in short.items() if w}:
                yield kept


def tableau_rows(
    program: BoundProblem, basis: Basis | None, columns: Sequence[int]
) -> Iterator[Floats]:
    """Weights of the source's rows in the tableau row of each column that is basic; shape (rows,).

    Only the square system of nonbasic rows and basic columns counts: basic rows have weight 0.
    HiGHS offers the same, and crashes where it holds no factors.
    """
    if basis is None:
        return
    rows = np.flatnonzero(basis.rows != BASIC)
    basic = np.flatnonzero(basis.columns == BASIC)
    if not len(rows) or len(rows) != len(basic):
        return
    matrix = program.matrix
    try:
        scale = np.array([float(f) for f in program.factors])
        entries = (matrix.values / scale[matrix.rows]).astype(np.float64)
    except (OverflowError, ZeroDivisionError):  # whole entries beyond doubles, or their factors
        return
    whole = sp.csr_array((entries, (matrix.rows, matrix.columns)), shape=matrix.shape)
    try:
        factors = splu(sp.csc_array(whole[rows][:, basic]))
    except RuntimeError:
        return
    for place in np.flatnonzero(np.isin(basic, columns)).tolist():
        unit = np.zeros(len(basic))
        unit[place] = 1.0
        weights = np.zeros(matrix.shape[0])
        weights[rows] = factors.solve(unit, "T")
        if np.isfinite(weights).all():
            yield weights


def _cosine(one: dict[int, float], other: dict[int, float]) -> float:
    return sum(v * other.get(j, 0.0) for j, v in one.items())
