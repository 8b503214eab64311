"""What solvers and searches leave, and when they end: pure numbers, as in `farkas.tolerances`.

No instance, replay or certificate is judged by them, so that a check does not load them.
"""

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
"""As `SOLVER_GAP`, where errors of several solves add up or an interior-point method ends early."""

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
