"""Prices that close a leaf of counts: of masters by one linear program, of types by columns."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Literal, Protocol

import numpy as np

from farkas.certificates.coded_owners import Types, excludes, outbids
from farkas.errors import NoAnswer
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_dense
from farkas.instances.coded import CodedComputing
from farkas.models.coded.law import shared_plan
from farkas.numbers import Floats, Ints
from farkas.offline.ladder import Ascent, Rung
from farkas.online.coded.environment import certify
from farkas.relaxations.coded.sharing import shared_optimum
from farkas.solvers.simplex import End, Simplex
from farkas.tolerances import FINE_GAP, TIE

FEW_COUNTS = 2**13  #: Counts of a master up to which prices of types are worth their time.
MOST_ROUNDS = 200


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PricedCounts:
    """What prices say of a box of counts."""

    prices: Floats  #: Of masters or types.
    counts: Floats  #: Shape (masters, types), where the relaxation has its point.
    #: How far the box is from being closed: larger is more promising for better counts.
    room: float


class Pricing(Protocol):
    """Finds prices for boxes of counts, and says what they exclude."""

    of: Literal["masters", "types"]

    def look(self, low: Ints, high: Ints) -> PricedCounts:
        """Find prices for a box, not empty, shape (masters, types)."""

    def closes(self, prices: Floats, level: float, low: Ints, high: Ints) -> bool:
        """Whether prices exclude a level in a box, in exact arithmetic."""


def pricing(types: Types, level: float) -> Pricing:
    """Choose: prices of types, which see that counts are whole, where these are few."""
    size = np.sort(types.size)
    if math.prod((size[:-1] + 1).tolist()) <= FEW_COUNTS:
        return TypePricing(types, level)
    return MasterPricing(types, level)


class MasterPricing:
    """The highest level of fractional counts; its rows of masters are the prices.

    Parameters
    ----------
    level
        To be excluded, 1/time; speeds are cut there.
    """

    of: Literal["masters", "types"] = "masters"

    def __init__(self, types: Types, level: float) -> None:
        self.types = types
        self._program = Simplex(_level_program(np.minimum(types.speed / level, 1.0), types.size))

    def look(self, low: Ints, high: Ints) -> PricedCounts:
        """Solve the linear program."""
        masters, kinds = low.shape
        columns = list(range(masters * kinds))
        self._program.bound(columns, low.reshape(-1).astype(float), high.reshape(-1).astype(float))
        if self._program.run() is not End.OPTIMAL:
            raise NoAnswer("HiGHS did not solve a program of counts")
        prices = np.maximum(-self._program.row_duals[:masters], 0.0)
        if not prices.sum() > 0:
            raise NoAnswer("HiGHS gives no prices of the masters")
        counts = self._program.point[:-1].reshape(masters, kinds)
        return PricedCounts(prices, counts, self._program.value)

    def closes(self, prices: Floats, level: float, low: Ints, high: Ints) -> bool:
        """See `farkas.certificates.coded_owners.excludes`."""
        return excludes(self.types.speed, prices, level, low, high, self.types.size)


class TypePricing:
    """Prices at which masters pay most for the level, by columns: whole counts that reach it.

    Parameters
    ----------
    level
        To be excluded, 1/time; speeds are cut there.
    """

    of: Literal["masters", "types"] = "types"

    def __init__(self, types: Types, level: float) -> None:
        self.types, self.level = types, level
        self._cut = np.minimum(types.speed / level, 1.0)
        self._pool: list[list[Ints]] = [[] for _ in range(len(types.speed))]

    def look(self, low: Ints, high: Ints) -> PricedCounts:
        """Generate counts until no master finds cheaper ones."""
        masters, kinds = low.shape
        inside = [
            [x for x in pool if (low[m] <= x).all() and (x <= high[m]).all()]
            for m, pool in enumerate(self._pool)
        ]
        prices = np.full(kinds, 1.0 / float(self.types.size.sum()))
        paid = np.full(masters, -np.inf)
        for turn in range(MOST_ROUNDS):
            if turn or all(inside):
                prices, paid, weights = self._master(inside)
            found = [
                cheapest(self._cut[m], prices, low[m], high[m]) for m in range(masters)
            ]  # fmt: skip
            if any(one is None for one in found):
                return PricedCounts(prices, low.astype(float), -np.inf)
            new = [
                (m, one[1])
                for m, one in enumerate(found)
                if (one is not None and one[0] < paid[m] - FINE_GAP)
                or (not np.isfinite(paid[m]) and one is not None)
            ]
            if not new:
                break
            for m, counts in new:
                inside[m].append(counts)
                self._pool[m].append(counts)
        else:
            raise NoAnswer(f"prices of types did not settle in {MOST_ROUNDS} rounds")
        total = sum(one[0] for one in found if one is not None)
        mixed = [np.average(inside[m], axis=0, weights=weights[m]) for m in range(masters)]
        return PricedCounts(prices, np.array(mixed), 1.0 - float(total))

    def closes(self, prices: Floats, level: float, low: Ints, high: Ints) -> bool:
        """See `farkas.certificates.coded_owners.outbids`."""
        return outbids(self.types.speed, prices, level, low, high, self.types.size)

    def _master(self, inside: list[list[Ints]]) -> tuple[Floats, Floats, list[Floats]]:
        """Prices of types at which the masters pay most, what they pay, weights of their counts."""
        masters, kinds = len(inside), len(self.types.size)
        rows = [(m, x) for m, pool in enumerate(inside) for x in pool]
        matrix = np.zeros((len(rows) + 1, kinds + masters))
        for place, (m, counts) in enumerate(rows):
            matrix[place, :kinds] = -counts
            matrix[place, kinds + m] = 1.0
        matrix[-1, :kinds] = self.types.size
        program = Simplex(
            LinearForm(
                name="prices of types",
                sense="max",
                cost=np.concatenate([np.zeros(kinds), np.ones(masters)]),
                matrix=rows_of_dense(matrix),
                row_lower=np.append(np.full(len(rows), -np.inf), 1.0),
                row_upper=np.append(np.zeros(len(rows)), 1.0),
                lower=np.zeros(kinds + masters),
                upper=np.full(kinds + masters, np.inf),
                integer=np.zeros(kinds + masters, np.bool_),
            )
        )
        if program.run() is not End.OPTIMAL:
            raise NoAnswer("HiGHS did not price types")
        point, duals = program.point, np.maximum(program.row_duals[:-1], 0.0)
        weights, place = [], 0
        for pool in inside:
            part = duals[place : place + len(pool)]
            weights.append(part if part.sum() > 0 else np.ones(len(pool)))
            place += len(pool)
        return np.maximum(point[:kinds], 0.0), point[kinds:], weights


def cheapest(speed: Floats, price: Floats, low: Ints, high: Ints) -> tuple[float, Ints] | None:
    """Least Σ price x over whole ``low <= x <= high`` with Σ speed x >= 1, in doubles, and x.

    As `farkas.certificates.coded_owners.least_cost`, which proves what this finds.
    """
    last = int(np.argmax(np.where(speed > 0, high - low, -1)))
    others = [k for k in range(len(speed)) if k != last]
    sizes = [int(high[k] - low[k]) + 1 for k in others]
    counts = np.repeat(low[:, None], math.prod(sizes), axis=1)
    counts[others] += np.indices(sizes).reshape(len(others), math.prod(sizes))
    missing = 1.0 - speed @ counts
    if speed[last] > 0:
        more = np.maximum(np.ceil(missing / speed[last] - TIE), 0.0)
    else:
        more = np.where(missing > TIE, np.inf, 0.0)
    fits = more <= high[last] - low[last]
    if not fits.any():
        return None
    counts = counts[:, fits]
    counts[last] += more[fits].astype(np.int64)
    cost = price @ counts
    best = int(cost.argmin())
    return float(cost[best]), counts[:, best]


def _level_program(speed: Floats, size: Ints) -> LinearForm:
    """Maximise the level that each master's sum of speeds reaches."""
    masters, kinds = speed.shape
    matrix = np.zeros((masters + kinds, masters * kinds + 1))
    for master in range(masters):
        matrix[master, master * kinds : (master + 1) * kinds] = speed[master]
        matrix[master, -1] = -1.0
        matrix[masters:, master * kinds : (master + 1) * kinds] = np.eye(kinds)
    return LinearForm(
        name="counts of equal workers",
        sense="max",
        cost=np.eye(masters * kinds + 1)[-1],
        matrix=rows_of_dense(matrix),
        row_lower=np.concatenate([np.zeros(masters), np.full(kinds, -np.inf)]),
        row_upper=np.concatenate([np.full(masters, np.inf), size.astype(float)]),
        lower=np.zeros(masters * kinds + 1),
        upper=np.append(np.tile(size.astype(float), masters), np.inf),
        integer=np.zeros(masters * kinds + 1, np.bool_),
    )


def sharing(instance: CodedComputing, ascent: Ascent) -> Iterator[Rung]:
    """Share workers as the linear program says.  Coded (14), (18)."""
    found = shared_optimum(instance)
    plan = shared_plan(instance, found.share, found.time)
    yield Rung("shares of coded.assignment_lp", [plan], certify(instance))
