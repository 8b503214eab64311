"""How far two numbers may differ and still count as the same: every tolerance, once.

Each is a pure number, and what it is relative to stands in its docstring; none is an amount of
money, data, time or reward, so that an instance written in other units is decided alike.  Those at
the end are of solvers and searches: no data, point or bound is judged by them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FEASIBLE = 1e-6
"""Violation of a requirement that counts as kept.

Of a form: a share of the side, or of the unit that the form's own numbers give the row or column
(`farkas.forms.scale`), whichever is larger.  Of a fractional run: a share of the capacity.  Of a
convex problem, which has no arrays to read: a share of the largest number that meets the variables
of a constraint (`farkas.solvers.convex.units_of`).
Solvers promise 1e-6 at best and are held to it.  `farkas.forms.check_point`, the audit of answers,
the points of certificates and fractional runs rely on it, and `farkas.certificates.proof`: a value
that rests on such violations, or on rounded sums, may be better than a proved bound by as much of
the larger of the two.
"""

ROUNDING = 1e-9
"""What the rounding of data and of short sums may add, relative to the limit compared with.

Data are decimals on disk: 0.3 holds three workers of 0.1 although 0.3 / 0.1 < 3 in doubles.  Counts
of workers, chunks or slots use it as it is.  Instances, policies and environments rely on it.
"""

OPTIMAL = 1e-8
"""What a certified ratio may have beyond 1 and is printed as optimal: roundings of data, each a
`ROUNDING`, and of multipliers leave it.  It is a share of the bound."""

FORGIVEN = 65 / 64
"""Times what counts as kept that a replay lets pass, so that no rounded sum of others matters."""

FLOORS = 1e-8
"""Share of a capacity by which rings may fill it beyond: `ROUNDING` that several floors were each
forgiven.  Environment, replay and the bound by whole sizes of kind gadget rely on it."""

TIE = 1e-12
"""Relative difference of doubles that are equal but for thousands of roundings.  Probabilities that
should sum to 1, products in another order and the best of equal choices rely on it."""

BRANCHED = 2.0**-20
"""Share of the cost of placed workers that branchings on whole workers leave open."""

FINER = 2.0**-30
"""Share added to a corrected multiplier, so that its product rounds to the right side."""

OUTWARD = 2.0**-40
"""Share by which a certificate's number is moved to the safe side, where little is lost by it."""

OUTWARD_CLOSE = 2.0**-44
"""As `OUTWARD`, where the loss shows in the bound; a hundred times what rounding needs."""

ULP = 2.0**-52
"""Twice the relative error of one rounded operation.  Certificates round outwards by it."""

TINY = 1e-290
"""Positive numbers below this round to a safe side as a whole, so that underflow spoils nothing."""

NORMAL = 2.0**-900
"""Parts of numbers below this may be subnormal; their rounding errors may exceed `ULP`."""


N = TypeVar("N", float, "npt.NDArray[np.float64]")


def allowed(limit: N, tolerance: float = ROUNDING) -> N:
    """Return the most that still counts as within ``limit``, in whatever unit, any shape.

    >>> 0.1 + 0.2 <= 0.3, 0.1 + 0.2 <= allowed(0.3)
    (False, True)
    """
    return limit + tolerance * abs(limit)


def close(left: float, right: float, tolerance: float = ROUNDING) -> bool:
    """Whether two numbers differ by at most a share ``tolerance`` of the larger.

    >>> close(0.1 + 0.2, 0.3), close(1e-12, 0.0)
    (True, False)
    """
    return abs(left - right) <= tolerance * max(abs(left), abs(right))


def relative(difference: float, *sizes: float) -> float:
    """Return ``difference`` as a share of the largest of ``sizes``, at most 1; 0 stays 0.

    >>> relative(1.0, 4.0, -5.0), relative(0.0, 0.0), relative(-1.0, 0.0)
    (0.2, 0.0, -1.0)
    """
    return difference / max(abs(difference), *map(abs, sizes)) if difference else 0.0


# Of solvers and searches: what they leave, and when they end.

WHOLE = 1e-6
"""Distance from a whole number that counts as none: what solvers leave in a whole column."""

SOLVERS_WHOLE = 1e-5
"""Distance from a whole number at which a solver's own claim is still believed.

Looser than `WHOLE`: Gurobi's integrality tolerance is 1e-5, and its optima are not lies.
"""

SHARE = 1e-9
"""Share of a whole, in [0, 1], that counts as none: noise of the solver or of a sum of shares."""

SIMPLEX = 1e-7
"""What a simplex method leaves, relative to the size of the numbers; HiGHS's own tolerance.

Values of vertices, entering columns and rays rely on it; exact arithmetic decides later.
"""

DROPPED = 1e-9
"""Size of a matrix entry, in the units of its row and column, at which HiGHS takes it as 0."""

SOLVER_GAP = 1e-6
"""Relative difference of two values that should agree when a solver found one of them.

The gap at which integer programs and column generation end.
"""

LOOSE_GAP = 1e-5
"""As `SOLVER_GAP`, where errors of several solves add up or an interior-point method ends early.

The gap at which what only directs a search ends.
"""

FINE_GAP = 1e-9
"""As `SOLVER_GAP`, where bound and value are recomputed here and iterations go on until then."""

SLOPE = 3.2e-5
"""Share of the value by which a slope may be off where the value is optimal to a `FINE_GAP`: a
smooth term is flat at its least point, so that its slope is off by the root of the gap."""

LOOSE_SLOPE = 1e-4
"""As `SLOPE`, of a sum of slopes over the slots of a run: the root of ten times a `FINE_GAP`."""

LEVEL = 1e-11
"""Relative shortfall at which a recomputed optimal level counts as reached: tighter than a
`FINE_GAP`, since bisection repeats the comparison, and ten times a `TIE`."""
