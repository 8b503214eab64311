"""Rows to add, ends to measure from and divisors by which rounding cuts a point off.

Everything here is in doubles and proves nothing: a proposal that is wrong makes no cut.  Rows are
aggregated as by Marchand and Wolsey (2001): continuous columns are replaced by their variable
bounds, rows ``x + u y <= d`` with one whole column; divisors are coefficients of whole columns
between their ends; and where nothing cuts, the continuous column that lies furthest from its ends
is removed by another row.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator
from fractions import Fraction

import numpy as np

from farkas.exact.cuts import Rounding
from farkas.exact.node_bounds import floats, gain_of, moved
from farkas.numbers import Floats, Ints
from farkas.tolerances import ROUNDING, WHOLE

MOST_AGGREGATED = 6
MOST_DIVISORS = 8
#: Binary digits of numerator and denominator of a row's weight, but for powers of two.
LONGEST_WEIGHT = 64
LONGEST_ROW = 500  #: Binary digits of a row's entries up to which its slack is counted in ones.
#: Distance of the divided side from whole numbers; the cut's coefficients grow with its inverse.
LEAST_FRACTION = 1e-3
#: Distance from the point, in the proposed cut's own length, below which nothing is proposed.
LEAST_DEPTH = 1e-4


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class CutProposal:
    """What :meth:`farkas.exact.cuts.Rounding.cut` takes, and how deep the cut should be."""

    depth: float
    weights: tuple[tuple[int, Fraction], ...]
    across: frozenset[int]
    divisor: Fraction
    complemented: frozenset[int]


@dataclasses.dataclass(slots=True, eq=False)
class MixedRow:
    """A row ``a t + c s = b`` with ``t, s >= 0`` at a point, t whole, s not."""

    #: factors, values, ranges: a, t, and how far t may go, shape (whole columns and slacks,).
    factors: Floats
    values: Floats
    ranges: Floats
    columns: Ints  #: Of t; -1 for slacks.
    side: float  #: b of the row.
    #: pulled, length: sum of ``max(0, -c) s``, and of the squares of ``max(0, -c)``.
    pulled: float
    length: float

    @np.errstate(over="ignore", divide="ignore", invalid="ignore")
    def depths(self, divisors: Floats) -> Floats:
        """Distance of the point beyond the cut by each divisor, in the cut's length.

        Minus infinity where the side is nearly whole, or a number is beyond all doubles.
        """
        d, b = self.factors / divisors[:, None], self.side / divisors
        down = np.floor(b)
        part = b - down
        fits = (part >= LEAST_FRACTION) & (part <= 1 - LEAST_FRACTION)
        rest = np.where(fits, 1 - part, 0.5)
        low = np.floor(d)
        taken = low + np.maximum(0.0, d - low - part[:, None]) / rest[:, None]
        over = taken @ self.values - self.pulled / (divisors * rest) - down
        length = np.sqrt((taken**2).sum(axis=1) + self.length / (divisors * rest) ** 2)
        depth = over / np.where(length > 0, length, 1.0)
        return np.where(fits & (length > 0) & np.isfinite(depth), depth, -np.inf)

    def between(self) -> Ints:
        """Places of columns between their ends, the middle ones first."""
        inner = (self.values > WHOLE) & (self.ranges - self.values > WHOLE)
        inner &= self.columns >= 0
        places = np.flatnonzero(inner)
        middle = np.abs(self.values[places] - self.ranges[places] / 2)
        return places[np.argsort(middle, kind="stable")]


class Separation:
    """Proposals for one point.

    ``rounding``: The program and the ends of its columns.  ``point``: Shape (columns,).
    """

    def __init__(self, rounding: Rounding, point: Floats) -> None:
        self.rounding = rounding
        self.whole = np.array(rounding.whole)
        # rows, and columns that are not whole, in units of powers of two that bring them near 1
        units = rounding.units
        self.point = np.ldexp(point, -np.array(units))
        self.lower = floats(rounding.lower, -np.inf, units)
        self.upper = floats(rounding.upper, np.inf, units)
        # the numbers below stand for the ends that whole columns lack; see `Rounding.cut`
        self.endless = self.whole & np.isinf(self.lower) & np.isinf(self.upper)
        self.lower[self.endless] = np.floor(self.point[self.endless])
        self.columns = [np.array([*row], dtype=np.int64) for row in rounding.rows]
        self.units = [
            max((v.bit_length() + units[j] for j, v in row.items()), default=0)
            for row in rounding.rows
        ]
        self.values = [
            np.array([moved(v, units[j] - unit) for j, v in row.items()])
            for row, unit in zip(rounding.rows, self.units, strict=True)
        ]
        self.row_lower = floats(rounding.row_lower, -np.inf, self.units)
        self.row_upper = floats(rounding.row_upper, np.inf, self.units)
        self.taken = np.array(
            [v @ self.point[j] for j, v in zip(self.columns, self.values, strict=True)]
        )
        self.holders: dict[int, list[int]] = {}
        self.variable: dict[int, list[tuple[int, float]]] = {}
        for i, row in enumerate(rounding.rows[: rounding.program.form.num_rows]):
            free = [(j, v) for j, v in row.items() if not rounding.whole[j]]
            for j, _ in free:
                self.holders.setdefault(j, []).append(i)
            if len(free) == 1 and len(row) == 2:
                j, v = free[0]
                if size := abs(moved(v, units[j] - self.units[i])):
                    self.variable.setdefault(j, []).append((i, size))

    def proposals(self, starts: Iterable[dict[int, Fraction]]) -> Iterator[CutProposal]:
        """Follow rows, and weights that others propose, to proposals.

        ``starts``: weights of rows to begin with.
        """
        for weights in starts:
            yield from self._of(weights, Fraction(1))
        for i in range(self.rounding.program.form.num_rows):
            for sign in (1, -1):
                end = self.row_upper[i] if sign > 0 else self.row_lower[i]
                if math.isfinite(end) or self._is_met(i):
                    yield from self._path(i, sign)

    def _path(self, row: int, sign: int) -> Iterator[CutProposal]:
        """Aggregate rows to one until something cuts."""
        weights = {row: Fraction(sign)}
        for _ in range(MOST_AGGREGATED):
            found = [*self._of(weights), *self._of(self._with_variable_bounds(weights))]
            if found:
                yield max(found, key=lambda proposal: proposal.depth)
                return
            if not self._extend(weights):
                return

    def _extend(self, weights: dict[int, Fraction]) -> bool:
        """Remove the continuous column that is furthest from its ends by one more row."""
        best, chosen = WHOLE, None
        for j in self._continuous(weights):
            distance = min(self._distance(j), self._variable_distance(j))
            if distance <= best:
                continue
            rows = [i for i in self.holders.get(j, ()) if i not in weights and self._is_met(i)]
            if rows:
                best, chosen = distance, (j, min(rows, key=lambda i: len(self.columns[i])))
        if chosen is None:
            return False
        return self._remove(weights, *chosen)

    def _remove(self, weights: dict[int, Fraction], column: int, row: int) -> bool:
        """Add one more row so that a column vanishes; False where its weight would be too long."""
        weight = -self._coefficient(weights, column) / self.rounding.rows[row][column]
        if max(odd_bits(weight.numerator), odd_bits(weight.denominator)) > LONGEST_WEIGHT:
            return False
        if weight:
            weights[row] = weight
        return bool(weight)

    def _with_variable_bounds(self, weights: dict[int, Fraction]) -> dict[int, Fraction]:
        """Replace continuous columns by variable bounds that are no further than their ends."""
        found = dict(weights)
        for j in self._continuous(weights):
            rows = [(self._slack(i, v), i) for i, v in self.variable.get(j, ()) if i not in found]
            near = min(rows, default=(math.inf, -1))
            # a column without ends is infinitely far from them, as it is from no row at all
            if math.isfinite(near[0]) and near[0] <= self._distance(j) + WHOLE:
                self._remove(found, j, near[1])
        return found

    # one aggregated row

    def _of(
        self, weights: dict[int, Fraction], divisor: Fraction | None = None
    ) -> list[CutProposal]:
        """Best proposal of these weights, or none; divisors are coefficients if left out."""
        sides = {i: self._side_taken(i, w) for i, w in weights.items()}
        made = self._mixed(weights, sides)
        if made is None:
            return []
        mixed, complemented = made
        endless = [j for j in mixed.columns.tolist() if j >= 0 and self.endless[j]]
        if endless:  # the cut needs their coefficients whole
            whole = [self._coefficient(weights, j) for j in endless]
            divisor = gain_of(whole, [True] * len(whole))
        places = mixed.between()
        sizes, first = np.unique(np.abs(mixed.factors[places]), return_index=True)
        tried, of = sizes[::-1][:MOST_DIVISORS], mixed.columns[places[first[::-1]]]
        if divisor is not None:
            tried = np.array([moved(divisor, -self._shares(weights)[1])])
        if not (len(tried) and np.isfinite(tried).all() and tried.all()):
            return []
        depths = mixed.depths(tried)
        best = int(depths.argmax())
        if depths[best] < LEAST_DEPTH:
            return []
        if divisor is None:
            divisor = abs(self._coefficient(weights, int(of[best])))
        across = frozenset(i for i, up in sides.items() if up != (weights[i] > 0))
        depth, rows, ends = float(depths[best]), tuple(weights.items()), frozenset(complemented)
        return [CutProposal(depth, rows, across, divisor, ends)]

    def _mixed(
        self, weights: dict[int, Fraction], sides: dict[int, bool]
    ) -> tuple[MixedRow, set[int]] | None:
        """Measure an aggregated row from nearer ends; None where one is infinite."""
        shares, _ = self._shares(weights)
        places, total = self._total(shares)
        side = 0.0
        slacks: list[tuple[float, float, bool]] = []
        for i, weight in shares.items():
            up = sides[i]
            end = self.row_upper[i] if up else self.row_lower[i]
            if not math.isfinite(end):
                return None
            side += weight * end
            value = max(0.0, end - self.taken[i] if up else self.taken[i] - end)
            whole_slack = self.units[i] < LONGEST_ROW and self.rounding.slack_is_whole(i, up)
            unit = self.units[i] if whole_slack else 0  # what is rounded is counted in ones
            factor = math.ldexp(weight if up else -weight, -unit)
            slacks.append((factor, math.ldexp(value, unit), whole_slack))
        low, high, point = self.lower[places], self.upper[places], self.point[places]
        turned = high - point < point - low
        if not np.isfinite(np.where(turned, high, low)).all():
            return None
        side -= float(total @ np.where(turned, high, low))
        factors = np.where(turned, -total, total)
        values = np.maximum(np.where(turned, high - point, point - low), 0.0)
        whole = self.whole[places]
        pulls = [(f, v) for f, v in zip(factors[~whole], values[~whole], strict=True) if f < 0]
        pulls += [(e, v) for e, v, is_whole in slacks if not is_whole and e < 0]
        units = [(e, v) for e, v, is_whole in slacks if is_whole]
        mixed = MixedRow(
            factors=np.concatenate([factors[whole], [e for e, _ in units]]),
            values=np.concatenate([values[whole], [v for _, v in units]]),
            ranges=np.concatenate([(high - low)[whole], np.full(len(units), np.inf)]),
            columns=np.concatenate([places[whole], np.full(len(units), -1)]).astype(np.int64),
            side=side,
            pulled=float(sum(-f * v for f, v in pulls)),
            length=float(sum(f * f for f, _ in pulls)),
        )
        return mixed, set(places[turned].tolist())

    # rows and columns at the point

    def _shares(self, weights: dict[int, Fraction]) -> tuple[dict[int, float], int]:
        """Return weights for rows in their units, below 2, and the unit of what they add up to."""
        sizes = {
            i: w.numerator.bit_length() - w.denominator.bit_length() + self.units[i]
            for i, w in weights.items()
        }
        unit = max(sizes.values())
        return {i: moved(w, self.units[i] - unit) for i, w in weights.items()}, unit

    def _total(self, shares: dict[int, float]) -> tuple[Ints, Floats]:
        """Columns of an aggregated row and their coefficients; what is but rounding counts as 0."""
        places = np.unique(np.concatenate([self.columns[i] for i in shares]))
        total = np.zeros(len(places))
        for i, share in shares.items():
            total[np.searchsorted(places, self.columns[i])] += share * self.values[i]
        kept = np.abs(total) > ROUNDING * np.abs(total).max(initial=0.0)
        return places[kept], total[kept]

    def _continuous(self, weights: dict[int, Fraction]) -> list[int]:
        """Continuous columns of an aggregated row."""
        places, _ = self._total(self._shares(weights)[0])
        return list(places[~self.whole[places]].tolist())

    def _coefficient(self, weights: dict[int, Fraction], column: int) -> Fraction:
        total = Fraction(0)
        for i, w in weights.items():
            v = self.rounding.rows[i].get(column, 0)
            if v:
                total += w * v
        return total

    def _distance(self, column: int) -> float:
        at = self.point[column]
        return float(min(at - self.lower[column], self.upper[column] - at))

    def _variable_distance(self, column: int) -> float:
        return min((self._slack(i, v) for i, v in self.variable.get(column, ())), default=math.inf)

    def _slack(self, row: int, size: float) -> float:
        """Distance of a row from its nearer side, as one of a column with this coefficient > 0."""
        at = self.taken[row]
        return float(min(self.row_upper[row] - at, at - self.row_lower[row])) / size

    def _side_taken(self, row: int, weight: Fraction) -> bool:
        """Whether a row is measured from its upper side, the nearer one; by the sign on a tie."""
        up, down = self.row_upper[row] - self.taken[row], self.taken[row] - self.row_lower[row]
        return bool(up < down) if up != down else weight > 0

    def _is_met(self, row: int) -> bool:
        """Whether the point meets a side of a row."""
        at = self.taken[row]
        return bool(min(self.row_upper[row] - at, at - self.row_lower[row]) <= WHOLE)


def odd_bits(number: int) -> int:
    """Binary digits of a whole number without its zeros at the end."""
    return number.bit_length() - ((number & -number).bit_length() or 1) + 1
