"""How a rounding cut of a tree follows from two cases, for VIPR files."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from farkas.certificates.doubles import long_rational
from farkas.certificates.tree import CutStep
from farkas.certificates.tree_program import ZERO, stepped

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
        divisor = long_rational(cut.divisor, "divisor")
        terms: dict[int, Fraction] = {}
        total, across = ZERO, set(cut.across)
        weights = [
            (i, w, 1 if (w > 0) != (i in across) else -1)
            for i, w in ((i, long_rational(text, "weight")) for i, text in cut.rows)
        ]
        for i, w, way in weights:
            total += w * (writer.row_upper if way > 0 else writer.row_lower)[i][0]
            for j, v in writer.rows[i].items():
                terms[j] = terms.get(j, ZERO) + w * v
        turned = set(cut.complemented)
        # where a whole d needs no end, t enters neither case: its d, η and F are the same
        ends = {
            j: (writer.upper if j in turned else writer.lower).get(j, (ZERO, -1))
            for j, v in terms.items()
            if v
        }
        total -= sum((terms[j] * end for j, (end, _) in ends.items()), ZERO)
        level = total / divisor
        self.floor = Fraction(math.floor(level))
        self.part = level - self.floor
        # measured variables: how they read in x, the number of "t >= 0", d, whether whole
        self.measured: list[tuple[dict[int, Fraction], Fraction, int, int, Fraction, bool]] = []
        for j, (end, number) in ends.items():
            way = -1 if j in turned else 1
            coefficients = {j: Fraction(way)}
            self.measured.append(
                (coefficients, -way * end, number, way, way * terms[j] / divisor, writer.whole[j])
            )
        for i, w, way in weights:
            side, number = (writer.row_upper if way > 0 else writer.row_lower)[i]
            row = {j: Fraction(-way * v) for j, v in writer.rows[i].items()}
            whole = side.denominator == 1 and all(writer.whole[j] for j in row)
            self.measured.append((row, way * side, number, -way, way * w / divisor, whole))
        self._expression()
        self._state(cut)

    def _near(self, d: Fraction) -> Fraction:
        """Floor or ceiling of a whole variable's coefficient: η."""
        down = Fraction(math.floor(d))
        return down if d - down <= self.part else down + 1

    def _rounded(self, d: Fraction, whole: bool) -> Fraction:
        return stepped(d, self.part) if whole else min(d, ZERO) / (1 - self.part)

    def _expression(self) -> None:
        """``w`` in x: terms, and the side that stands for floor(b)."""
        self.expression: dict[int, Fraction] = {}
        for row, constant, _, _, d, whole in self.measured:
            near = self._near(d) if whole else ZERO
            self.floor -= near * constant
            for j, v in row.items():
                self.expression[j] = self.expression.get(j, ZERO) + near * v
        self.expression = {j: v for j, v in self.expression.items() if v}

    def _state(self, cut: CutStep) -> None:
        """Find the stated cut, its side before rounding, and the ends it is weakened at."""
        found: dict[int, Fraction] = {}
        near_constant = ZERO
        side = self.floor
        for row, constant, _, _, d, whole in self.measured:
            near = self._near(d) if whole else ZERO
            value = self._rounded(d, whole)
            near_constant += near * constant
            side -= value * constant
            for j, v in row.items():
                found[j] = found.get(j, ZERO) + value * v
        side += near_constant  # the floor of b itself
        side *= self.times
        self.stated = {j: long_rational(text, "cut") for j, text in cut.terms}
        self.weakened: dict[int, Fraction] = {}
        for j in sorted({*found, *self.stated}):
            off = found.get(j, ZERO) * self.times - self.stated.get(j, ZERO)
            if off:
                end, number = (self.writer.lower if off > 0 else self.writer.upper)[j]
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
        for _, _, number, way, d, whole in self.measured:
            near = self._near(d) if whole else ZERO
            factor = slack(d, near, self._rounded(d, whole)) * way * self.times
            if factor:
                found[number] = found.get(number, ZERO) + factor
        for number, factor in self.weakened.items():
            found[number] = found.get(number, ZERO) + factor
        return {number: factor for number, factor in found.items() if factor}
