"""Rounds of cuts at the root: proposed in doubles, derived exactly, the deepest ones kept."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from farkas.exact.bounding import Bounding
from farkas.exact.cuts import Cut, Rounding
from farkas.exact.deadline import Deadline
from farkas.exact.separation import CutProposal, Separation
from farkas.forms.rational import Side
from farkas.numbers import Floats
from farkas.solvers.simplex import BASIC, Basis, End, Simplex
from farkas.tolerances import DROPPED, WHOLE

MOST_ROUNDS = 40
MOST_CUTS = 40
"""Cuts that are added in a round."""
MOST_DERIVED = 150
"""Proposals of a round that are derived exactly."""
SHORT = 10**5
"""Largest denominator of a weight of a tableau row."""
LONGEST_ROW = 100
"""Rows that a tableau row may add up."""
LEAST_VIOLATION = 1e-3
"""Distance of the point from a cut, in the cut's own length, below which it is not added."""
LEAST_RISE = 1e-4
"""Share by which the bound rises in a round that was worth it."""
PARALLEL = 0.9
"""Cosine of two cuts of which a round takes one."""


def root_cuts(
    program: Bounding,
    lower: Sequence[Side],
    upper: Sequence[Side],
    simplex: Simplex,
    clock: Deadline,
    enough: float | None,
) -> list[Cut]:
    """Add cuts to the program and to the solver, round by round; returns them in order.

    Parameters
    ----------
    simplex
        Holds the program as a minimum, at whatever basis.
    enough
        Objective at which no more cuts are needed.
    """
    kept: list[Cut] = []
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
        last = max(last, value)
        found = _round(program, lower, upper, simplex, clock)
        if not found:
            break
        program.add_rows([cut.terms for cut in found], [cut.side for cut in found])
        simplex.add_upper_rows([cut.terms for cut in found], [float(cut.side) for cut in found])
        kept += found
    return kept


def _round(
    program: Bounding,
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
    scored: list[tuple[float, int, Cut]] = []
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
        try:
            violation = violation_of(cut, point)
        except OverflowError:  # a side beyond all doubles
            continue
        if violation > LEAST_VIOLATION and key not in seen:
            seen.add(key)
            scored.append((-violation, len(scored), cut))
    chosen: list[Cut] = []
    for _, _, cut in sorted(scored):
        if all(_cosine(cut, other) < PARALLEL for other in chosen):
            chosen.append(cut)
        if len(chosen) == MOST_CUTS:
            break
    return chosen


def violation_of(cut: Cut, point: Floats) -> float:
    """Distance of a point beyond a cut, in the cut's length; negative within."""
    over = sum(v * float(point[j]) for j, v in cut.terms.items()) - float(cut.side)
    return over / _length(cut)


def _starts(program: Bounding, simplex: Simplex, point: Floats) -> Iterator[dict[int, Fraction]]:
    """Weights of the tableau rows of whole columns that are broken, shortened."""
    whole = np.flatnonzero(program.form.integer)
    values = point[whole]
    fractional = whole[np.abs(values - np.rint(values)) > WHOLE]
    for weights in tableau_rows(program, simplex.basis, fractional.tolist()):
        used = np.flatnonzero(np.abs(weights) > DROPPED)
        if len(used) <= LONGEST_ROW:
            short = {
                i: Fraction(float(weights[i])).limit_denominator(SHORT) / program.factors[i]
                for i in used.tolist()
            }
            if kept := {i: w for i, w in short.items() if w}:
                yield kept


def tableau_rows(
    program: Bounding, basis: Basis | None, columns: Sequence[int]
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
    scale = np.array([float(f) for f in program.factors])
    entries = (matrix.values / scale[matrix.rows]).astype(np.float64)
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


def _length(cut: Cut) -> float:
    return math.sqrt(sum(float(v) ** 2 for v in cut.terms.values()))


def _cosine(one: Cut, other: Cut) -> float:
    shared = sum(v * other.terms.get(j, 0) for j, v in one.terms.items())
    return shared / (_length(one) * _length(other))
