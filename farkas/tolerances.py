"""How far two numbers may differ and still count as the same: every tolerance, once.

Each is a pure number, and what it is relative to stands in its docstring; none is an amount of
money, data, time or reward, so that an instance written in other units is decided alike.  Those by
which solvers and searches go, and no data, point or bound is judged, stand in
`farkas.search_tolerances`.
"""

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
