"""Prices of capacity by class of servers, from a linear program whose columns are ways to place.

A column places a job whole on a server of a class, or spreads it over classes, of which there are
too many ways to list: they are added where prices charge less for them than for the listed ones.
Whatever the prices, `farkas.certificates.dps_servers` proves what they bound.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from farkas.certificates.dps import Column, Rewards, SlotPrices, rewards_of
from farkas.certificates.dps_servers import (
    Charges,
    EqualServers,
    server_charges,
    server_prices_bound,
)
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_scipy
from farkas.instances.dps import Market
from farkas.models.dps.windows import MarketSide, clique_rows, jobs_at
from farkas.numbers import Array, Bools, Floats, Ints, floats
from farkas.tolerances import FINE_GAP

MOST_ENTRIES = 8_000_000  #: Entries of the linear program up to which it is solved.
MOST_ROUNDS = 30


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Ways:
    """Ways to place jobs, the columns of the program."""

    job: Ints  #: Shape (ways,).
    whole: Ints  #: Class of the one server, -1 where the job is spread; shape (ways,).
    #: workers, ps: units held of each class, shape (ways, classes).
    workers: Ints
    ps: Ints

    def with_spread(self, jobs: Ints, workers: Ints, ps: Ints) -> Ways:
        """Append ways to spread jobs."""
        return Ways(
            np.concatenate([self.job, jobs]),
            np.concatenate([self.whole, np.full(len(jobs), -1)]),
            np.concatenate([self.workers, workers]),
            np.concatenate([self.ps, ps]),
        )

    def chosen(self, which: Bools | Ints) -> Ways:
        """Return some of the ways."""
        return Ways(self.job[which], self.whole[which], self.workers[which], self.ps[which])


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PricedServers:
    """What a round of the program leaves."""

    prices: SlotPrices  #: By class, type and slot.
    bound: Fraction  #: What they prove.
    charges: Charges  #: Of every job at these prices.
    #: ways, share: columns, and how much of each the program's optimum takes.
    ways: Ways
    share: Floats
    margin: Floats  #: Reward less charge of each column at the prices, shape (ways,).


class ServerProgram:
    """The linear program by classes of servers.

    ``rewards``: ``budget`` or ``capped``.
    """

    def __init__(self, market: Market, rewards: Rewards) -> None:
        self.market, self.rewards = market, rewards
        self.classes = EqualServers.of_market(market)
        self.reward: Floats = rewards_of(market, rewards)
        self.last = (
            market.last_held(market.spread_end),
            market.last_held(market.colocated_end),
        )
        self.paying: Bools = market.fits & (self.reward > 0)

    def by_type(self, prices: SlotPrices) -> PricedServers:
        """Take prices by type for those of every class, as where the program is too large."""
        none = self.whole_ways().chosen(np.zeros(0, np.int64))
        return self.priced(self.tiled(prices), none, np.zeros(0))

    def tiled(self, prices: SlotPrices) -> SlotPrices:
        """Prices by type as those of every class.

        ``prices``: of `farkas.certificates.dps`; positions are type x horizon + slot.
        """
        count, market = self.classes.count, self.market
        tiled = []
        for positions, numbers, types in (
            (prices.worker_positions, prices.worker_numbers, market.num_worker_types),
            (prices.ps_positions, prices.ps_numbers, market.num_ps_types),
        ):
            steps = np.arange(count) * types * market.horizon
            tiled += [(steps[:, None] + positions).ravel(), np.tile(numbers, count)]
        return SlotPrices(prices.scale, *tiled)

    def whole_ways(self) -> Ways:
        """List every class that can host a paying job."""
        job, hosted = np.nonzero(self.classes.hosts & self.paying[:, None])
        shape = (len(job), self.classes.count)
        workers, ps = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        at = np.arange(len(job)), hosted
        workers[at], ps[at] = self.market.workers[job], self.market.ps[job]
        return Ways(job, hosted, workers, ps)

    def form(self, ways: Ways, *, integer: bool = False) -> tuple[LinearForm, list[Ints]]:
        """Program over the ways, and (class x types + type, slot) of its rows by side."""
        market, count = self.market, market_types(self.market)
        jobs, row_of = np.unique(ways.job, return_inverse=True)
        spread = ways.whole < 0
        last = np.where(spread, self.last[0][ways.job], self.last[1][ways.job])
        start = market.arrival[ways.job]
        parts = [(np.ones(len(ways.job)), row_of, np.arange(len(ways.job)))]
        upper, listed, height = [np.ones(len(jobs))], [], len(jobs)
        for units, types, capacity, width in (
            (ways.workers, market.worker_type, self.classes.workers, count[0]),
            (ways.ps, market.ps_type, self.classes.ps, count[1]),
        ):
            way, held = np.nonzero(units)
            group = held * width + types[ways.job[way]]
            side = MarketSide(group, units[way, held], start[way], capacity, capacity)
            rows = clique_rows(side, [last[way]])
            users = jobs_at(rows, side, last[way])
            row = np.repeat(np.arange(len(rows)), [len(each) for each in users])
            entry = np.concatenate(users) if users else np.zeros(0, np.int64)
            parts.append((units[way, held][entry].astype(float), height + row, way[entry]))
            upper.append(capacity.reshape(-1)[rows[:, 0]].astype(float))
            listed.append(rows)
            height += len(rows)
        values, at, columns = (np.concatenate(each) for each in zip(*parts, strict=True))
        matrix = sp.csr_array((values, (at, columns)), shape=(height, len(ways.job)))
        high = np.ones(len(ways.job)) if integer else np.full(len(ways.job), np.inf)
        form = LinearForm(
            name="placements by class of servers",
            sense="max",
            cost=self.reward[ways.job],
            matrix=rows_of_scipy(matrix),
            row_lower=np.full(height, -np.inf),
            row_upper=np.concatenate(upper),
            lower=np.zeros(len(ways.job)),
            upper=high,
            integer=np.full(len(ways.job), integer),
        )
        return form, listed

    def rounds(
        self,
        left: Callable[[], float] = lambda: math.inf,
        known: SlotPrices | None = None,
        close: float = 0.0,
    ) -> Iterator[PricedServers]:
        """Solve, price, and add ways to spread jobs until no cheaper ones are found.

        Ways enter that are cheap half the way from the prices of the least bound to those of the
        program: those of the program alone jump while ways are missing, and the ways that enter
        meanwhile, half of all, are of no use later.  Where none enters so, those of the program
        decide.  Nothing comes where a solver gives no multipliers, or the program is too large.

        Parameters
        ----------
        left
            Tells how many seconds are left.
        known
            Prices by class that are known, near which the search begins.
        close
            Share of the bound within which the program, below which no bound can be, ends it.
        """
        from farkas.solvers import solve

        ways = self.whole_ways()
        if self._entries(ways) > MOST_ENTRIES:
            return
        alone = self.paying & ~self.classes.hosts.any(axis=1)
        none = SlotPrices(0, *(np.zeros(0, np.int64) for _ in range(4)))
        ways = self._cheaper(ways, self._charges(none), alone)
        best = None if known is None else self.priced(known, ways, np.zeros(len(ways.job)))
        if best is not None:
            ways = self._more(best, ways) or ways
        for _ in range(MOST_ROUNDS):
            form, listed = self.form(ways)
            if not len(ways.job) or form.matrix.size > MOST_ENTRIES or not left():
                return
            answer = solve(form, time_limit=left())
            if answer.raw_row_duals is None or answer.raw_point is None:
                return
            priced = self._priced(answer.row_duals, listed, ways, answer.point)
            between = priced
            if best is not None:
                halfway = blended(self.market, best.prices, priced.prices)
                between = self.priced(halfway, ways, answer.point)
            least = min(priced, between, key=lambda each: each.bound)
            if best is None or least.bound < best.bound:
                best = least
            yield least
            # not by known prices, which have no placements
            if float(least.bound) - answer.objective <= close * float(least.bound):
                return
            more = self._more(between, ways) or self._more(priced, ways)
            if more is None:
                return
            ways = more

    def _entries(self, ways: Ways) -> int:
        """Upper bound on the entries of rows of capacity."""
        slots = np.unique(self.market.arrival)
        last = np.where(ways.whole < 0, self.last[0][ways.job], self.last[1][ways.job])
        after = np.searchsorted(slots, last, side="right")
        held = after - np.searchsorted(slots, self.market.arrival[ways.job])
        used = (ways.workers > 0).sum(axis=1) + (ways.ps > 0).sum(axis=1)
        return int((held * used).sum())

    def _charges(self, prices: SlotPrices) -> Charges:
        return server_charges(self.market, self.classes, prices, self.reward)

    def _priced(
        self, duals: Floats, listed: list[Ints], ways: Ways, share: Floats
    ) -> PricedServers:
        begin = len(duals) - len(listed[1])
        sides = duals[begin - len(listed[0]) : begin], duals[begin:]
        workers, ps = (_listed(rows, price) for rows, price in zip(listed, sides, strict=True))
        prices = SlotPrices.of(self.market, workers, ps)
        return self.priced(prices, ways, share)

    def priced(self, prices: SlotPrices, ways: Ways, share: Floats) -> PricedServers:
        """Say what prices prove, and charge."""
        bound = server_prices_bound(self.market, prices, self.rewards, self.classes)
        charges = self._charges(prices)
        spread = charges.spread[ways.job]
        charge = np.where(ways.whole < 0, spread, charges.whole[ways.job, ways.whole])
        margin = self.reward[ways.job] - in_money(charge, prices)
        return PricedServers(prices, bound, charges, ways, share, margin)

    def least_charges(self, priced: PricedServers) -> tuple[Floats, Floats]:
        """Charges of each job, whole and spread, infinite where impossible; shape (jobs,)."""
        whole = np.where(self.classes.hosts, in_money(priced.charges.whole, priced.prices), np.inf)
        spread = np.where(self.market.fits, in_money(priced.charges.spread, priced.prices), np.inf)
        return whole.min(axis=1, initial=np.inf), spread

    def _more(self, priced: PricedServers, ways: Ways) -> Ways | None:
        """Ways with those to spread that pay more than every whole one; None where none is new."""
        whole, spread = self.least_charges(priced)
        saved = np.minimum(whole, self.reward) - spread
        wanted = self.paying & (saved > FINE_GAP * self.reward)
        more = self._cheaper(ways, priced.charges, wanted)
        return None if len(more.job) == len(ways.job) else more

    def _cheaper(self, ways: Ways, charges: Charges, wanted: Bools) -> Ways:
        """Add the cheapest way to spread each job that is wanted, where it is not there yet."""
        spread = np.flatnonzero(ways.whole < 0)
        known = {
            (int(ways.job[i]), ways.workers[i].tobytes(), ways.ps[i].tobytes()) for i in spread
        }
        found = [
            job
            for job in np.flatnonzero(wanted).tolist()
            if (job, charges.workers[job].tobytes(), charges.ps[job].tobytes()) not in known
        ]
        jobs = np.array(found, np.int64)
        return ways.with_spread(jobs, charges.workers[jobs], charges.ps[jobs])


def in_money(charges: Array, prices: SlotPrices) -> Floats:
    """Charges in units of the grid as doubles."""
    return floats(np.ldexp(charges.astype(float), -prices.scale))


def blended(market: Market, one: SlotPrices, other: SlotPrices) -> SlotPrices:
    """Prices half the way between two."""
    horizon, sides = market.horizon, []
    for all_positions, all_numbers in (
        (
            (one.worker_positions, other.worker_positions),
            (one.worker_numbers, other.worker_numbers),
        ),
        ((one.ps_positions, other.ps_positions), (one.ps_numbers, other.ps_numbers)),
    ):
        at, entry = np.unique(np.concatenate(all_positions), return_inverse=True)
        prices = [
            in_money(numbers, of) / 2 for numbers, of in zip(all_numbers, (one, other), strict=True)
        ]
        total = np.bincount(entry, np.concatenate(prices), len(at))
        sides.append({"type": at // horizon, "slot": at % horizon, "price": total})
    return SlotPrices.of(market, *sides)


def market_types(market: Market) -> tuple[int, int]:
    """Numbers of worker types and of parameter server types."""
    return market.num_worker_types, market.num_ps_types


def _listed(rows: Ints, price: Floats) -> dict[str, Column]:
    return {"type": rows[:, 0], "slot": rows[:, 1], "price": price}
