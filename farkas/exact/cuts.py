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

from farkas.exact.node_bounds import ZERO, BoundProblem
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


class Rounding:
    """Derivations on one program within given ends.

    ``program``: With the cuts so far; new ones may use them.  ``lower``, ``upper``: Ends of the
    columns.
    """

    def __init__(self, program: BoundProblem, lower: Sequence[Side], upper: Sequence[Side]) -> None:
        self.program, self.lower, self.upper = program, lower, upper
        self.whole = program.form.integer.tolist()
        units = program.form.linear.units.columns
        self.units: list[int] = np.where(program.form.integer, 0, units).tolist()
        matrix = program.matrix
        self.rows: list[list[tuple[int, int]]] = [[] for _ in range(program.num_rows)]
        self._entries: list[dict[int, int] | None] = [None] * program.num_rows
        entries = zip(
            matrix.rows.tolist(), matrix.columns.tolist(), matrix.values.tolist(), strict=True
        )
        for i, j, v in entries:
            self.rows[i].append((j, int(v)))

    def entry(self, row: int, column: int) -> int:
        """Coefficient of a column in a row."""
        known = self._entries[row]
        if known is None:
            known = self._entries[row] = dict(self.rows[row])
        return known.get(column, 0)

    def side(self, row: int, upper: bool) -> Side:
        """Return a side of a row."""
        return (self.program.row_upper if upper else self.program.row_lower)[row]

    def slack_is_whole(self, row: int, upper: bool) -> bool:
        """Whether the slack of a row's side is whole at every whole point."""
        side = self.side(row, upper)
        return (
            side is not None
            and side.denominator == 1
            and all(self.whole[j] for j, _ in self.rows[row])
        )

    def cut(
        self,
        weights: Sequence[tuple[int, Fraction]],
        divisor: Fraction,
        complemented: frozenset[int],
        across: frozenset[int] = frozenset(),
    ) -> Cut | None:
        """Derive a cut; None where there is none.

        The rows add up to ``a x + e s = b`` with slacks s >= 0, whose e is negative only for rows
        in ``across``.  Measured from the ends and divided, whole columns and slacks are rounded
        with F(d) = floor(d) + max(0, frac(d) - f) / (1 - f), where f is the fraction of b; others
        stay where their coefficient is below 0, divided by 1 - f.  A whole column whose coefficient
        is whole after division may lack its end; any whole number in its place gives the same cut.
        """
        total: dict[int, Fraction] = {}
        b = ZERO
        slacks: list[tuple[int, Fraction, bool, Fraction]] = []
        for i, w in weights:
            upper = (w > 0) != (i in across)
            end = self.side(i, upper)
            if end is None:
                return None
            b += w * end
            slacks.append((i, w if upper else -w, upper, end))
            for j, v in self.rows[i]:
                total[j] = total.get(j, ZERO) + w * v
        ends: dict[int, Fraction] = {}
        for j, a in total.items():
            if a:
                end = self.upper[j] if j in complemented else self.lower[j]
                if end is None and self.whole[j] and (a / divisor).denominator == 1:
                    end = ZERO
                if end is None or (self.whole[j] and end.denominator != 1):
                    return None
                ends[j] = end
                b -= a * end
        level = b / divisor
        f = level - math.floor(level)
        if not f:
            return None
        found: dict[int, Fraction] = {}
        bound = Fraction(math.floor(level))
        for j, end in ends.items():
            turned = j in complemented
            d = (-total[j] if turned else total[j]) / divisor
            value = rounded(d, f) if self.whole[j] else min(d, ZERO) / (1 - f)
            if value:
                found[j] = -value if turned else value
                bound += found[j] * end
        for i, e, upper, end in slacks:
            d = e / divisor
            value = rounded(d, f) if self.slack_is_whole(i, upper) else min(d, ZERO) / (1 - f)
            if value:  # s = side - row for the upper side, row - side for the lower
                sign = value if upper else -value
                bound -= sign * end
                for j, v in self.rows[i]:
                    found[j] = found.get(j, ZERO) - sign * v
        found = {j: v for j, v in found.items() if v}
        if not found or len(found) > LONGEST:
            return None
        times = whole_factor(found, self.units)
        made = self.made_whole(found, bound, times)
        if made is None:
            return None
        return Cut(
            rows=tuple(weights),
            across=tuple(sorted(across)),
            divisor=divisor,
            complemented=tuple(sorted(complemented & total.keys())),
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
    unit = Fraction(2) ** -places
    return math.ceil(side / unit) * unit


def rounded(d: Fraction, f: Fraction) -> Fraction:
    """F(d) of mixed-integer rounding with the fraction f, 0 < f < 1."""
    floor = math.floor(d)
    rest = d - floor - f
    return floor + (rest / (1 - f) if rest > 0 else ZERO)


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
    scaled = [abs(v) * Fraction(2) ** (units[j] - top) for j, v in found.items()]
    largest = max(scaled)
    if (largest * exact) < 2**COEFFICIENT_BITS:
        return exact
    order = (largest.numerator // largest.denominator).bit_length()
    if largest < 1:
        order = -(largest.denominator // largest.numerator).bit_length() + 1
    power = COEFFICIENT_BITS - 1 - order
    return Fraction(1 << power) if power >= 0 else Fraction(1, 1 << -power)
