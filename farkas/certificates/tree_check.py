"""Checks trees in fractions; the argument stands in :mod:`farkas.certificates.tree`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from farkas.certificates.long_numbers import long_rational
from farkas.errors import NotACertificate
from farkas.forms.rational import RationalForm, Side

if TYPE_CHECKING:
    from farkas.certificates.tree import CutStep, EndStep, LeafWeights, TreeCertificate

ZERO = Fraction(0)
Pairs = Sequence[tuple[int, str]]


class TreeChecker:
    """One check: the program as a minimum, with ends and rows that grow by derivations."""

    def __init__(self, form: RationalForm) -> None:
        self.sign = 1 if form.sense == "min" else -1
        self.cost = [self.sign * c for c in form.cost]
        self.offset = self.sign * form.offset
        self.whole = form.integer.tolist()
        self.rows: list[dict[int, int]] = [dict(form.row(i)) for i in range(form.num_rows)]
        self.row_lower, self.row_upper = list(form.row_lower), list(form.row_upper)
        self.lower, self.upper = list(form.lower), list(form.upper)
        self.gain = ZERO

    def check(self, file: TreeCertificate, bound: Side) -> Side:
        """Check everything; return the point's value in the program's sense."""
        value = self.point_value(file.point, file.value)
        known = None if value is None else self.sign * value
        self.take_gain(long_rational(file.gain, "gain"))
        for step in file.ends:
            self.take_end(step, known)
        for cut in file.cuts:
            self.take_cut(cut)
        least = self.least_bound(file)
        if bound is None:
            require(
                least is None and known is None,
                "a leaf or the point contradicts that there is none",
            )
        else:
            claimed = self.sign * bound
            require(least is None or claimed <= least, "a leaf proves less than the bound")
            require(known is not None or least is not None, "there is no point to bound")
            require(known is None or claimed <= known, "the point is better than the bound")
        return value

    def point_value(self, pairs: Pairs | None, value: str | None) -> Side:
        """Exact value of a point that keeps everything, in the program's sense."""
        require((pairs is None) == (value is None), "a value needs a point")
        if pairs is None or value is None:
            return None
        point = self.sparse(pairs, "point")
        for j in range(len(self.cost)):
            inside(point.get(j, 0), self.lower[j], self.upper[j], f"the point's column {j}")
            whole = not self.whole[j] or point.get(j, ZERO).denominator == 1
            require(whole, f"the point's column {j} is not whole")
        for i, row in enumerate(self.rows):
            total = sum((v * point[j] for j, v in row.items() if j in point), ZERO)
            inside(total, self.row_lower[i], self.row_upper[i], f"the point's row {i}")
        found = sum((c * point.get(j, 0) for j, c in enumerate(self.cost)), self.offset)
        require(self.sign * found == long_rational(value, "value"), "the point has another value")
        return self.sign * found

    def sparse(self, pairs: Pairs, what: str) -> dict[int, Fraction]:
        """Numbers by ascending column."""
        found = {j: long_rational(text, what) for j, text in pairs}
        ascending = all(a[0] < b[0] for a, b in itertools.pairwise(pairs))
        require(ascending and all(j < len(self.cost) for j in found), f"{what}: wrong columns")
        return found

    def take_gain(self, gain: Fraction) -> None:
        """Costs must be multiples of the gain, on whole columns alone."""
        fits = gain >= 0 and all(
            self.whole[j] and (c / gain).denominator == 1
            for j, c in enumerate(self.cost)
            if c and gain
        )
        require(fits, "the gain does not divide a cost, or a column with a cost is not whole")
        self.gain = gain

    def take_end(self, step: EndStep, known: Side) -> None:
        """One more end, if row and other ends give it."""
        value, j = long_rational(step.value, "end"), step.column
        require(step.row < len(self.rows), "an end names no row")
        if step.row < 0:
            best = given(known, "an end uses the cost of a point, and there is none")
            terms: dict[int, Fraction | int] = {k: c for k, c in enumerate(self.cost) if c}
            sides: list[tuple[Side, int]] = [(best - self.offset, 1)]
        else:
            terms = dict(self.rows[step.row])
            sides = [(self.row_upper[step.row], 1), (self.row_lower[step.row], -1)]
        require(j in terms, "an end names a column that its row does not hold")
        reached = False
        for side, sign in sides:
            own = sign * terms[j]
            if side is None or (own > 0) != step.upper:
                continue
            rest = [(sign * v, k) for k, v in terms.items() if k != j]
            ends = [self.lower[k] if v > 0 else self.upper[k] for v, k in rest]
            finite = [end for end in ends if end is not None]
            if len(finite) == len(ends):
                least = sum((v * e for (v, _), e in zip(rest, finite, strict=True)), ZERO)
                exact = (sign * side - least) / own
                if self.whole[j]:
                    exact = Fraction(math.floor(exact) if step.upper else math.ceil(exact))
                reached |= value >= exact if step.upper else value <= exact
        require(reached, "an end does not follow from its row")
        before = (self.upper if step.upper else self.lower)[j]
        if before is None or (value < before if step.upper else value > before):
            (self.upper if step.upper else self.lower)[j] = value

    def take_cut(self, cut: CutStep) -> None:
        """One more row, if rounding gives it."""
        divisor, times = long_rational(cut.divisor, "divisor"), long_rational(cut.times, "times")
        require(divisor > 0 and times > 0, "a cut divides or multiplies by nothing above 0")
        terms: dict[int, Fraction] = {}
        total, slacks = ZERO, []
        for i, text in cut.rows:
            require(i < len(self.rows), "a cut names a row that is not there")
            weight = long_rational(text, "weight")
            side = given(
                self.row_upper[i] if weight > 0 else self.row_lower[i],
                "a cut rests on a side that is infinite",
            )
            total += weight * side
            for j, v in self.rows[i].items():
                terms[j] = terms.get(j, ZERO) + weight * v
            if side.denominator == 1 and all(self.whole[j] for j in self.rows[i]):
                slacks.append((i, weight, side))
        turned, ends = set(cut.complemented), {}
        for j in [j for j, v in terms.items() if v]:
            end = given(
                self.upper[j] if j in turned else self.lower[j],
                "a cut measures a column from an end that is infinite",
            )
            require(not self.whole[j] or end.denominator == 1, "a cut measures from a broken end")
            ends[j] = end
            total -= terms[j] * end
        level = total / divisor
        part, bound = level - math.floor(level), Fraction(math.floor(level))
        found: dict[int, Fraction] = {}
        for j, end in ends.items():
            way = -1 if j in turned else 1
            d = way * terms[j] / divisor
            value = way * (stepped(d, part) if self.whole[j] else min(d, ZERO) / (1 - part))
            found[j] = value
            bound += value * end
        for i, weight, row_side in slacks:
            value = stepped(abs(weight) / divisor, part) * (1 if weight > 0 else -1)
            bound -= value * row_side
            for j, v in self.rows[i].items():
                found[j] = found.get(j, ZERO) - value * v
        self.add_cut(cut, {j: v * times for j, v in found.items()}, bound * times)

    def add_cut(self, cut: CutStep, derived: dict[int, Fraction], side: Fraction) -> None:
        """Add what is stated, if it is no stronger than what was derived."""
        stated = self.sparse(cut.terms, "cut")
        require(all(v.denominator == 1 and v for v in stated.values()), "a cut is not whole")
        for j in {*derived, *stated}:
            off = derived.get(j, ZERO) - stated.get(j, ZERO)
            if off:
                end = self.lower[j] if off > 0 else self.upper[j]
                side -= off * given(end, "a cut is weakened at an end that is infinite")
        if all(self.whole[j] for j in stated):
            side = Fraction(math.floor(side))
        claimed = long_rational(cut.side, "side")
        require(claimed >= side, "a cut is stronger than what it follows from")
        self.rows.append({j: int(v) for j, v in stated.items()})
        self.row_lower.append(None)
        self.row_upper.append(claimed)

    def least_bound(self, file: TreeCertificate) -> Side:
        """Least bound of the leaves; None where every leaf has no point."""
        weights = [self.evaluated(one) for one in file.weights]
        least: Side = None
        boxes = [(self.lower, self.upper)]
        for item in file.tree:
            require(boxes, "the tree goes on after its last leaf")
            lower, upper = boxes.pop()
            if not isinstance(item, int):
                j, k = item.column, long_rational(item.value, "tree")
                fits = j < len(self.cost) and self.whole[j] and k.denominator == 1
                require(fits, "the tree branches where no column is whole")
                right, left = [*lower], [*upper]
                right[j] = max(x for x in (lower[j], k + 1) if x is not None)
                left[j] = min(x for x in (upper[j], k) if x is not None)
                boxes += [(right, upper), (lower, left)]
                continue
            require(item < len(weights), "a leaf names weights that are not there")
            found = value_within(*weights[item][1:], lower, upper)
            if weights[item][0]:
                fits = (found is not None and found > 0) or self.crossed(lower, upper)
                require(fits, "a ray contradicts nothing")
                continue
            bound = given(found, "a leaf has no finite bound")
            if self.gain:
                bound = self.offset + self.gain * math.ceil((bound - self.offset) / self.gain)
            least = bound if least is None else min(least, bound)
        require(not boxes, "the tree ends before its last leaf")
        return least

    def crossed(self, lower: list[Side], upper: list[Side]) -> bool:
        """Whether a column or row has its ends crossed: then there is no point."""
        pairs = [*zip(lower, upper, strict=True), *zip(self.row_lower, self.row_upper, strict=True)]
        return any(a is not None and b is not None and a > b for a, b in pairs)

    def evaluated(self, weights: LeafWeights) -> tuple[bool, Fraction, list[tuple[int, Fraction]]]:
        """Sum over the row sides, and reduced costs that are not 0."""
        denominator = long_rational(weights.denominator, "denominator")
        require(denominator > 0, "a denominator is not above 0")
        total = ZERO if weights.ray else self.offset
        moved: dict[int, Fraction | int] = {}
        for i, text in weights.factors:
            factor = long_rational(text, "factor")
            require(i < len(self.rows) and factor.denominator == 1, "a multiplier is wrong")
            side = self.row_lower[i] if factor > 0 else self.row_upper[i]
            total += (
                factor * given(side, "a multiplier meets a side that is infinite") / denominator
            )
            whole = factor.numerator
            for j, v in self.rows[i].items():
                moved[j] = moved.get(j, 0) + whole * v
        costs = enumerate(self.cost) if not weights.ray else ((j, ZERO) for j in moved)
        pulls = [(j, c - moved.get(j, 0) / denominator) for j, c in costs if c or j in moved]
        return weights.ray, total, [(j, pull) for j, pull in pulls if pull]


def value_within(
    total: Fraction, pulls: list[tuple[int, Fraction]], lower: list[Side], upper: list[Side]
) -> Side:
    """Bound within a box; None where an end is infinite."""
    for j, pull in pulls:
        end = lower[j] if pull > 0 else upper[j]
        if end is None:
            return None
        total += pull * end
    return total


def stepped(d: Fraction, part: Fraction) -> Fraction:
    """Round a whole variable's coefficient; ``part`` is the fraction of the right-hand side."""
    down = Fraction(math.floor(d))
    return down + max(d - down - part, ZERO) / (1 - part)


def inside(value: Fraction | int, low: Side, high: Side, what: str) -> None:
    """Require a value between two ends."""
    fits = (low is None or low <= value) and (high is None or value <= high)
    require(fits, f"{what} is outside")


def require(fits: object, problem: str) -> None:
    """Refuse the certificate unless something holds."""
    if not fits:
        raise NotACertificate(f"tree: {problem}")


def given(side: Side, problem: str) -> Fraction:
    """Return a side or end; refuse the certificate where there is none."""
    if side is None:
        raise NotACertificate(f"tree: {problem}")
    return side
