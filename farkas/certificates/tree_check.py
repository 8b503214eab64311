"""Checks trees in fractions; the argument stands in :mod:`farkas.certificates.tree`."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from farkas.certificates.tree_program import (
    ZERO,
    TreeProgram,
    given,
    light,
    light_sides,
    require,
    take_cut,
    take_end,
)
from farkas.errors import NotACertificate
from farkas.forms.rational import Side

if TYPE_CHECKING:
    from farkas.certificates.tree import LeafWeights, TreeCertificate


class TreeChecker(TreeProgram):
    """One check of a tree."""

    gain = ZERO

    def check(self, file: TreeCertificate, bound: Side) -> Side:
        """Check everything; return the point's value in the program's sense."""
        value = self.point_value(file.point, file.value)
        known = None if value is None else self.sign * value
        self.take_gain(self.work.read(file.gain, "gain"))
        for step in file.ends:
            take_end(self, step, known)
        for cut in file.cuts:
            take_cut(self, cut)
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

    def take_gain(self, gain: Fraction) -> None:
        """Costs must be multiples of the gain, on whole columns alone."""
        for c in self.cost:
            self.work.charge(0, c, gain)
        fits = gain >= 0 and all(
            self.whole[j] and (c / gain).denominator == 1
            for j, c in enumerate(self.cost)
            if c and gain
        )
        require(fits, "the gain does not divide a cost, or a column with a cost is not whole")
        self.gain = gain

    def lighten(self) -> None:
        """Take whole numbers as such, once all ends and rows are known."""
        self.lower, self.upper = light_sides(self.lower), light_sides(self.upper)
        self.row_lower = light_sides(self.row_lower)
        self.row_upper = light_sides(self.row_upper)
        self.cost = [*map(light, self.cost)]
        self.widest = [max(map(abs, row.values()), default=0) for row in self.rows]

    def least_bound(self, file: TreeCertificate) -> Side:
        """Least bound of the leaves; None where every leaf has no point."""
        self.lighten()
        least: Side = None
        # branches whose first side is open: column, its upper end before; then its lower end
        path: list[tuple[int, Side, Fraction | None]] = []
        ended = False
        for item in file.tree:
            require(not ended, "the tree goes on after its last leaf")
            if not isinstance(item, int):
                j, k = item.column, self.work.read(item.value, "tree")
                fits = j < len(self.cost) and self.whole[j] and k.denominator == 1
                require(fits, "the tree branches where no column is whole")
                k = light(k)
                path.append((j, self.upper[j], k))
                self.upper[j] = min(x for x in (self.upper[j], k) if x is not None)
                continue
            require(item < len(file.weights), "a leaf names weights that are not there")
            bound = self.leaf(file.weights[item])
            if bound is not None:
                least = bound if least is None else min(least, bound)
            ended = self.next_side(path)
        require(ended, "the tree ends before its last leaf")
        return least

    def next_side(self, path: list[tuple[int, Side, Side]]) -> bool:
        """Go to the second side of the last branch that has one; whether none has."""
        while path:
            j, end, k = path.pop()
            if k is None:
                self.lower[j] = end
                continue
            self.upper[j] = end
            path.append((j, self.lower[j], None))
            self.lower[j] = max(x for x in (self.lower[j], k + 1) if x is not None)
            return False
        return True

    def leaf(self, weights: LeafWeights) -> Side:
        """Bound of a leaf, whose box the ends are; None where it has no point."""
        denominator, total, pulls = self.evaluated(weights)
        found: Fraction | int | None = total
        for j, pull in pulls:
            end = self.lower[j] if pull > 0 else self.upper[j]
            if found is None or end is None:
                found = None
                break
            self.work.charge(0, found, pull, end)
            found += pull * end
        if weights.ray:
            fits = (found is not None and found > 0) or self.crossed()
            require(fits, "a ray contradicts nothing")
            return None
        if found is None:
            raise NotACertificate("tree: a leaf has no finite bound")
        self.work.charge(0, found, denominator, self.offset)
        bound = self.offset + Fraction(found, denominator)
        if self.gain:
            steps = self.quotient(bound - self.offset, self.gain)
            bound = self.offset + self.gain * math.ceil(steps)
        return bound

    def evaluated(
        self, weights: LeafWeights
    ) -> tuple[int, Fraction | int, list[tuple[int, Fraction | int]]]:
        """Denominator, and times it: sum over the row sides, reduced costs that are not 0."""
        denominator = self.work.read(weights.denominator, "denominator")
        fits = denominator > 0 and denominator.denominator == 1
        require(fits, "a denominator is not above 0")
        below, moved = denominator.numerator, dict[int, int]()
        total: Fraction | int = 0
        for i, text in weights.factors:
            factor = self.work.read(text, "factor")
            require(i < len(self.rows) and factor.denominator == 1, "a multiplier is wrong")
            whole, row = factor.numerator, self.rows[i]
            side = given(
                self.row_lower[i] if whole > 0 else self.row_upper[i],
                "a multiplier meets a side that is infinite",
            )
            # sums of sides without a common denominator grow, those of whole entries do not
            self.work.charge(0, total, whole, side)
            total += whole * side
            self.work.charge_each(len(row), whole, self.widest[i])
            for j, v in row.items():
                moved[j] = moved.get(j, 0) + whole * v
        self.work.charge(len(self.cost))
        costs = enumerate(self.cost) if not weights.ray else ((j, ZERO) for j in moved)
        pulls: list[tuple[int, Fraction | int]] = []
        for j, cost in costs:
            push = moved.get(j, 0)
            if cost or push:
                self.work.charge(0, cost, below, push)
                pull = below * cost - push
                if pull:
                    pulls.append((j, pull))
        return below, total, pulls
