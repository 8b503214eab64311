"""How far a value can be from the optimum: certified ratios, all in exact arithmetic."""

from __future__ import annotations

import decimal
import math
from fractions import Fraction
from typing import TYPE_CHECKING

from farkas.certificates.doubles import double_of
from farkas.certificates.proof import rounded
from farkas.errors import NotACertificate
from farkas.tolerances import FEASIBLE, OPTIMAL

if TYPE_CHECKING:
    from farkas.forms import Sense


def certified_ratio(
    sense: Sense, value: Fraction | float, bound: Fraction, *, exact: bool
) -> Fraction | None:
    """Return how far ``value`` can be from the optimum at most; None when that says nothing.

    Every certified ratio is computed here, in exact arithmetic.  Raises `NotACertificate` when the
    value is better than the bound allows: one of the two is wrong.  ``value`` is what decisions
    cost at most, or earn at least; ``exact``: whether it is exact and all requirements are kept
    exactly.  Otherwise it may be better than the bound by a share of the larger of the two,
    `FEASIBLE`; its ratio is 1 then.

    >>> certified_ratio("min", 12.0, Fraction(8), exact=True)
    Fraction(3, 2)
    >>> certified_ratio("max", Fraction(0), Fraction(3), exact=True) is None
    True
    """
    found = _parts(sense, value, bound, exact)
    return None if found is None else Fraction(*found)


def _parts(
    sense: Sense, value: Fraction | float | tuple[int, int], bound: Fraction, exact: bool
) -> tuple[int, int] | None:
    """Return numerator and denominator of the `certified_ratio`, not in lowest terms."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    top, bottom = value if isinstance(value, tuple) else value.as_integer_ratio()
    more, less = top * bound.denominator, bound.numerator * bottom
    if sense == "max":
        more, less = less, more
    if less < more:
        return (more, less) if less > 0 else None
    share = Fraction(0 if exact else FEASIBLE)
    if less - more > share * max(abs(less), abs(more)):
        raise beaten(sense, bound, Fraction(top, bottom))
    return 1, 1


def beaten(sense: Sense, bound: Fraction, value: Fraction | float) -> NotACertificate:
    """Error about a value that is better than a bound that was proved."""
    low, high = sorted((bound, Fraction(value)))
    digits = 9
    while Fraction(rounded(low, up=True, digits=digits)) >= Fraction(
        rounded(high, up=False, digits=digits)
    ):
        digits *= 2  # the sentence must not say the opposite
    said, reached = (rounded(x, up=x == low, digits=digits) for x in (bound, Fraction(value)))
    return NotACertificate(
        f"the bound {said} is worse than the value {reached} that a {sense}imisation reached:"
        " bound or decisions are wrong"
    )


def ratio_at_most(
    sense: Sense, value: Fraction | float | tuple[int, int], bound: Fraction, *, exact: bool
) -> float | None:
    """Return the smallest double that is at least the `certified_ratio`; None beyond all doubles.

    ``value`` may be a numerator and a denominator > 0, in whatever terms.

    >>> ratio_at_most("max", Fraction(1), Fraction(1, 10) * 11, exact=True)
    1.1
    """
    found = _parts(sense, value, bound, exact)
    return None if found is None else double_of(*found, up=True)


def ratio_words(ratio: Fraction | float) -> str:
    """Six digits of a certified ratio, rounded up: it promises "at most"; near 1 what is beyond it.

    >>> ratio_words(1.0132201), ratio_words(1.0), ratio_words(1.00000124)
    ('1.01323', '1', '1 + 1.3E-6')
    """
    infinite = isinstance(ratio, float) and not math.isfinite(ratio)
    beyond = Fraction(1) if infinite else Fraction(ratio) - 1
    if 0 < beyond < Fraction(1, 10**5):
        return f"1 + {decimal.Decimal(rounded(beyond, up=True, digits=2)):E}"
    return rounded(ratio, up=True, digits=6)


def is_optimal(ratio: Fraction | float | None) -> bool:
    """Whether roundings alone leave a certified ratio above 1."""
    return ratio is not None and ratio <= 1 + OPTIMAL


def ratio_or_optimal(ratio: Fraction | float) -> str:
    """Words for a certified ratio, ``optimal`` where roundings alone leave it above 1."""
    return "optimal" if is_optimal(ratio) else ratio_words(ratio)
