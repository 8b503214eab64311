"""How a rounding cut of a tree follows from two cases, for VIPR files."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from farkas.certificates.doubles import long_rational
from farkas.certificates.tree import CutStep
from farkas.certificates.tree_program import ZERO, MeasuredTerm, measured, rounded_sum

if TYPE_CHECKING:
    from farkas.certificates.vipr import TreeWriter


class CutSplit:
    """The whole expression of a rounding cut, and how the cut follows in both cases.

    With ``d t + e s = b`` after division, f the fraction of b, ``w = η t + η s``:
    cut - floor(b) = (w - floor(b)) + Σ (F - η) t, and
    cut - floor(b) = -f/(1 - f) (w - floor(b) - 1) + Σ γ t with γ = F - (d - f η)/(1 - f) <= 0.
    """

    def __init__(self, writer: TreeWriter, cut: CutStep) -> None:
        self.writer, self.times = writer, long_rational(cut.times, "times")
        weights = [(i, long_rational(text, "weight")) for i, text in cut.rows]
        divisor = long_rational(cut.divisor, "divisor")
        self.terms, level = measured(
            writer, weights, set(cut.across), divisor, set(cut.complemented)
        )
        #: Side of ``w`` in x, which stands for floor(b).
        self.floor = Fraction(math.floor(level))
        self.part = level - self.floor
        self.expression: dict[int, Fraction] = {}
        for one in self.terms:
            near = self._near(one)
            self.floor -= near * one.constant
            for j, v in one.terms.items():
                self.expression[j] = self.expression.get(j, ZERO) + near * one.sign * v
        self.expression = {j: v for j, v in self.expression.items() if v}
        self._state(cut, *rounded_sum(writer, self.terms, level))

    def _near(self, one: MeasuredTerm) -> Fraction:
        """Floor or ceiling of a whole term's coefficient, 0 for another: η."""
        if not one.whole:
            return ZERO
        down = Fraction(math.floor(one.factor))
        return down if one.factor - down <= self.part else down + 1

    def _state(self, cut: CutStep, found: dict[int, Fraction], side: Fraction) -> None:
        """Find the stated cut, its side before rounding, and the ends it is weakened at."""
        side *= self.times
        self.stated = {j: long_rational(text, "cut") for j, text in cut.terms}
        self.weakened: dict[int, Fraction] = {}
        for j in sorted({*found, *self.stated}):
            off = found.get(j, ZERO) * self.times - self.stated.get(j, ZERO)
            if off:
                end, number = self.writer.stated("lower" if off > 0 else "upper", j)
                self.weakened[number] = self.weakened.get(number, ZERO) - off
                side -= off * end
        self.exact_side = side

    def below(self, assumption: int) -> dict[int, Fraction]:
        """Factors that give the cut from ``w <= floor(b)``."""
        return self._factors(assumption, Fraction(1), lambda d, near, value: value - near)

    def above(self, assumption: int) -> dict[int, Fraction]:
        """Factors that give the cut from ``w >= floor(b) + 1``."""
        f = self.part
        return self._factors(
            assumption, -f / (1 - f), lambda d, near, value: value - (d - f * near) / (1 - f)
        )

    def _factors(
        self,
        assumption: int,
        weight: Fraction,
        slack: Callable[[Fraction, Fraction, Fraction], Fraction],
    ) -> dict[int, Fraction]:
        found = {assumption: weight * self.times}
        for one in self.terms:
            factor = slack(one.factor, self._near(one), one.rounded(self.part))
            if factor:  # else it may be measured from no end
                number = self.writer.numbers[one.place]
                found[number] = found.get(number, ZERO) + factor * one.sign * self.times
        for number, factor in self.weakened.items():
            found[number] = found.get(number, ZERO) + factor
        return {number: factor for number, factor in found.items() if factor}
