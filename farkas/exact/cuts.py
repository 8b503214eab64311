"""Mixed-integer rounding cuts with derivations that a checker repeats.

A cut adds rows with weights, complements columns at an end, divides, and rounds.  Its validity does
not depend on where the weights came from: `separation` chooses them in doubles, and everything that
follows is exact.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from farkas.certificates.doubles import Work
from farkas.certificates.sums import scaled
from farkas.certificates.tree_program import TreeProgram, measured, rounded_sum
from farkas.errors import NotACertificate
from farkas.exact.node_bounds import BoundProblem
from farkas.forms.rational import Side

COEFFICIENT_BITS = 24
SIDE_BITS = 256  #: Bits of a cut's side, powers of two left out, above which it is rounded up.
LONGEST = 1000  #: Columns in a cut.


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """``terms x <= side``, derived by rounding."""

    #: Row and weight; a positive weight takes the upper side, a negative one the lower.
    rows: tuple[tuple[int, Fraction], ...]
    #: Rows that take the other side instead: their slack has a negative coefficient.
    across: tuple[int, ...]
    divisor: Fraction  #: > 0.
    complemented: tuple[int, ...]  #: Columns that are measured from their upper end.
    times: Fraction  #: Factor after which coefficients were made whole.
    #: terms, side: the cut.
    terms: dict[int, int]
    side: Fraction


class Rounding(TreeProgram):
    """Derivations on one program within given ends, as the checker repeats them.

    ``program``: With the cuts so far; new ones may use them.  ``lower``, ``upper``: Ends of the
    columns.
    """

    def __init__(self, program: BoundProblem, lower: Sequence[Side], upper: Sequence[Side]) -> None:
        super().__init__(program.form, Work(math.inf))
        self.program, self.lower, self.upper = program, list(lower), list(upper)
        self.row_lower, self.row_upper = program.row_lower, program.row_upper
        self.rows += program.added
        units = program.form.linear.units.columns
        self.units: list[int] = np.where(program.form.integer, 0, units).tolist()

    def slack_is_whole(self, row: int, upper: bool) -> bool:
        """Whether the slack of a row's side is whole at every whole point."""
        side = (self.row_upper if upper else self.row_lower)[row]
        whole = side is not None and side.denominator == 1
        return whole and all(self.whole[j] for j in self.rows[row])

    def cut(
        self,
        weights: Sequence[tuple[int, Fraction]],
        divisor: Fraction,
        complemented: frozenset[int],
        across: frozenset[int] = frozenset(),
    ) -> Cut | None:
        """Derive a cut; None where there is none.

        The rows add up to ``a x + e s = b`` with slacks s >= 0, whose e is negative only for rows
        in ``across``; see `farkas.certificates.tree` for the rest.
        """
        try:
            terms, level = measured(self, weights, across, divisor, complemented)
        except NotACertificate:  # an end or side is infinite, or broken
            return None
        if level.denominator == 1:
            return None
        found, bound = rounded_sum(self, terms, level)
        found = {j: v for j, v in found.items() if v}
        if not found or len(found) > LONGEST:
            return None
        times = whole_factor(found, self.units)
        made = self.made_whole(found, bound, times)
        if made is None:
            return None
        columns = {j for one in terms if one.place[0] in ("lower", "upper") for j in one.terms}
        return Cut(
            rows=tuple(weights),
            across=tuple(sorted(across)),
            divisor=divisor,
            complemented=tuple(sorted(complemented & columns)),
            times=times,
            terms=made[0],
            side=made[1],
        )

    def made_whole(
        self, found: dict[int, Fraction], bound: Fraction, times: Fraction
    ) -> tuple[dict[int, int], Fraction] | None:
        """Multiply, and weaken to whole coefficients over the ends of the columns."""
        terms: dict[int, int] = {}
        side = bound * times
        largest = max(self.units[j] for j in found)
        for j, v in found.items():
            exact = v * times
            step = 1 << (largest - self.units[j])  # columns in small units have large coefficients
            near = exact.numerator if exact.denominator == 1 else round(exact / step) * step
            if exact != near:
                # (exact - near) x is at least its value at one end
                end = self.lower[j] if exact > near else self.upper[j]
                if end is None:
                    below = math.floor(exact / step) * step
                    near = below if exact < near else below + step
                    end = self.lower[j] if exact > near else self.upper[j]
                if end is None:
                    return None
                side -= (exact - near) * end
            if near:
                terms[j] = near
        if not terms:
            return None
        if all(self.whole[j] for j in terms):
            side = Fraction(math.floor(side))
        return terms, short_above(side)


def short_above(side: Fraction) -> Fraction:
    """Return the side, or one little above it where that takes many digits.

    Cuts of cuts would double them round by round.  Digits are counted without powers of two, and
    places from the first, so that the cut is the same in every unit.
    """
    digits = sum((n & -n).bit_length() for n in (side.numerator, side.denominator))
    if side.numerator.bit_length() + side.denominator.bit_length() - digits <= SIDE_BITS:
        return side
    places = SIDE_BITS // 2 + side.denominator.bit_length() - side.numerator.bit_length()
    unit = scaled(1, -places)
    return math.ceil(side / unit) * unit


def whole_factor(found: Mapping[int, Fraction], units: Sequence[int]) -> Fraction:
    """Factor that makes coefficients whole where they are short, else of at most 24 bits.

    ``found``: Coefficients by column.  ``units``: Binary exponents of the units of columns, in
    which coefficients are compared.
    """
    numbers = list(found.values())
    below = math.lcm(*(v.denominator for v in numbers))
    divisor = math.gcd(*(int(v * below) for v in numbers))
    exact = Fraction(below, divisor)
    top = max(units[j] for j in found)
    largest = max(abs(v) * scaled(1, units[j] - top) for j, v in found.items())
    if (largest * exact) < 2**COEFFICIENT_BITS:
        return exact
    order = (largest.numerator // largest.denominator).bit_length()
    if largest < 1:
        order = -(largest.denominator // largest.numerator).bit_length() + 1
    return scaled(1, COEFFICIENT_BITS - 1 - order)
