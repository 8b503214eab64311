"""Bounds on every run of a market: prices of capacity by class of servers, type and slot.

Servers with the same installed units of every type form a class c; n_c of them, each with X_ck
workers and Z_cm parameter servers.  A job that is served pays r_i at the most and is placed in one
of two ways:

- *whole*: all its units on one server, which has X_ck >= d_ik and Z_cm >= d_im, for the short
  runtime;
- *spread*: on two servers or more, for the long runtime.  Of a class it holds no more units than
  its servers have, n_c X_ck and n_c Z_cm.

Let prices y, w >= 0 of a unit be given for each class, type and slot, and let a job be charged for
what it holds where and when.  In no slot is more of a class held than there is, so that all charges
together are at most Σ n_c X_ck y_ckt + Σ n_c Z_cm w_cmt, and payments at most that plus

    Σ_i max(0, r_i - the least charge of any way to place the job).

Least charges are simple: whole, the cheapest class with such a server; spread, the cheapest units,
class by class, as far as they go, on either side by itself.  The second takes more ways for
possible than there are, which only lowers the charge.  Prices that are the same for all classes are
those of `farkas.certificates.dps`.  Prices are integers over a power of two and rewards are rounded
up to that grid, so that the whole check is integer arithmetic.

Replays count units and slots in whole numbers, the slots by `Market.last_held` as here, so that
they forgive nothing of what is held; payments may be above budgets and caps by a share of
`ROUNDING`, and a bound on budgets is then one on payments but for that share, which replays tell.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from farkas.certificates.dps import (
    Rewards,
    SlotPrices,
    bounds_to_date,
    require_positions,
    rewards_of,
    rounded_up,
    stays_small,
)
from farkas.certificates.priced_tree import Case, Layout, PricedProgram, PricedTree, priced_programs
from farkas.certificates.sums import affordable, finite
from farkas.errors import NotACertificate
from farkas.instances.dps import Market
from farkas.numbers import Array, Bools, Floats, Ints


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ServerPools:
    """Servers that are priced together: those with equal units, or several such classes."""

    of: Ints  #: Pool of each server, shape (servers,).
    #: workers, ps: installed units of all servers of a pool, shapes (pools, types).
    workers: Ints
    ps: Ints
    hosts: Bools  #: Whether one server of a pool can host the whole job, shape (jobs, pools).

    @classmethod
    def of_market(cls, market: Market, pool: Ints | None = None) -> ServerPools:
        """Compare the servers of a market.

        Raises `NotACertificate`: they are too many, or pools are not numbered from 0.

        Parameters
        ----------
        pool
            Of each class of servers with equal units, in ascending order of these; by default each
            class is a pool.
        """
        installed = np.concatenate([market.installed_workers, market.installed_ps], axis=1)
        each, of, size = np.unique(installed, axis=0, return_inverse=True, return_counts=True)
        affordable(float(len(each)) * market.num_jobs, "ways to place jobs")
        pool = np.arange(len(each)) if pool is None else pool
        count = int(pool.max(initial=-1)) + 1
        if (
            len(pool) != len(each)
            or count > len(each)
            or not np.array_equal(np.unique(pool), np.arange(count))
        ):
            raise NotACertificate(
                f"{len(pool)} numbers of pools for {len(each)} classes of servers, or pools that"
                " are not numbered from 0"
            )
        width = market.num_worker_types
        hosting = (each[:, :width][:, market.worker_type] >= market.workers) & (
            each[:, width:][:, market.ps_type] >= market.ps
        )
        units = np.zeros((count, each.shape[1]), np.int64)
        hosts = np.zeros((count, market.num_jobs), np.bool_)
        np.add.at(units, pool, size[:, None] * each)
        np.logical_or.at(hosts, pool, hosting)
        return cls(pool[of.reshape(-1)], units[:, :width], units[:, width:], hosts.T)

    @property
    def count(self) -> int:
        """Number of pools."""
        return len(self.workers)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Charges:
    """The least that jobs are charged, and where; in units of the grid of prices."""

    whole: Array  #: In every class, shape (jobs, classes); counts where the class hosts the job.
    spread: Array  #: Shape (jobs,); counts where all servers together host the job.
    #: workers, ps: units of each class that a spread job holds, shapes (jobs, classes).
    workers: Ints
    ps: Ints
    total: int  #: Price of all capacity.

    def least(self, hosts: Bools) -> Array:
        """Return the least charge of each job, shape (jobs,)."""
        found = self.spread.copy()
        for c in range(hosts.shape[1]):
            found = np.where(hosts[:, c], np.minimum(found, self.whole[:, c]), found)
        return found


def server_charges(
    market: Market,
    pools: ServerPools,
    prices: SlotPrices,
    reward: Floats,
    jobs: Ints | None = None,
) -> Charges:
    """Price the ways to place jobs.

    Raises `NotACertificate` when prices lie outside pools, types or slots, do not ascend, or are
    not positive.

    Parameters
    ----------
    prices
        Positions are (pool x types + type) x horizon + slot.
    reward
        At least what all jobs count together; it decides whether 64 bits suffice.
    jobs
        Numbers of those that are priced; all by default.
    """
    worker = prices.worker_positions, prices.worker_numbers
    ps = prices.ps_positions, prices.ps_numbers
    horizon, count = market.horizon, pools.count
    require_positions(horizon, count * market.num_worker_types, *worker, "workers")
    require_positions(horizon, count * market.num_ps_types, *ps, "ps")
    kind: Any = np.int64 if stays_small(market, prices, reward) else object
    some = np.arange(market.num_jobs) if jobs is None else jobs
    begin = market.arrival[some]
    ends = [market.last_held(end)[some] + 1 for end in (market.colocated_end, market.spread_end)]
    whole: Array = np.zeros((len(some), count), kind)
    spread: Array = np.zeros(len(some), kind)
    held, total = [], 0
    for types, demand, capacity, listed in (
        (market.worker_type[some], market.workers[some], pools.workers, worker),
        (market.ps_type[some], market.ps[some], pools.ps, ps),
    ):
        place = (np.arange(count) * capacity.shape[1] + types[:, None]) * horizon
        short, long = (
            _held(place + begin[:, None], place + end[:, None], *listed, kind) for end in ends
        )
        whole = whole + demand.astype(kind)[:, None] * short
        cheap = np.argsort(long, axis=1, kind="stable")
        most = np.take_along_axis(capacity[:, types].T, cheap, axis=1)
        taken = np.clip(demand[:, None] - (np.cumsum(most, axis=1) - most), 0, most)
        spread = spread + (taken.astype(kind) * np.take_along_axis(long, cheap, axis=1)).sum(axis=1)
        by_pool = np.zeros_like(taken)
        np.put_along_axis(by_pool, cheap, taken, axis=1)
        held.append(by_pool)
        there = capacity.reshape(-1)[listed[0] // horizon].astype(kind)
        total += int((there * listed[1].astype(kind)).sum())
    return Charges(whole, spread.astype(kind), held[0], held[1], total)


def _held(begin: Ints, end: Ints, positions: Ints, numbers: Ints, kind: Any) -> Array:
    """Price of a unit between positions, the second left out."""
    before = np.concatenate([np.zeros(1, kind), np.cumsum(numbers.astype(kind))])
    until = before[np.searchsorted(positions, begin)]
    found: Array = before[np.searchsorted(positions, end)] - until
    return found


def server_prices_bound(
    market: Market, prices: SlotPrices, rewards: Rewards, pools: ServerPools | None = None
) -> Fraction:
    """Upper bound on the payments of every way to serve jobs, exactly.

    Raises `NotACertificate` when the prices are none, or the market is too large.

    Parameters
    ----------
    prices
        Any prices; positions are (pool x types + type) x horizon + slot.
    rewards
        ``budget``, or ``capped`` for prices that respect the price cap.
    pools
        Of the market's servers; by default each class of equal ones.
    """
    reward = finite(rewards_of(market, rewards), "rewards")
    pools = pools or ServerPools.of_market(market)
    charges = server_charges(market, pools, prices, reward)
    least = charges.least(pools.hosts)
    left = np.maximum(rounded_up(reward, prices.scale, least.dtype) - least, 0)
    return (charges.total + int(left[market.fits].sum())) / Fraction(2) ** prices.scale


#: By program: rewards, and whether all servers are one pool.
PROGRAMS: dict[str, tuple[Rewards, bool]] = {
    "dps.interval_lp[budget]": ("budget", True),
    "dps.interval_lp[capped]": ("capped", True),
    "dps.offline[free]": ("budget", False),
    "dps.offline[capped]": ("capped", False),
}


class PricedMarket(PricedProgram):
    """Jobs as owners; rows are units by pool, type and slot of arrivals, workers before servers.

    Doubles are rounded to the grid of `SlotPrices`, and these prices are what bounds payments.

    Parameters
    ----------
    market
        The instance.
    name
        One of `PROGRAMS`.
    pool
        As of `ServerPools.of_market`; the programs by type have one pool.
    """

    def __init__(self, market: Market, name: str, pool: Ints | None = None) -> None:
        rewards, self.single = PROGRAMS[name]
        if self.single:
            pool = np.zeros(ServerPools.of_market(market).count, np.int64)
        self.instance, self.name, self.owners = market, name, market.num_jobs
        self.pools, self._pool = ServerPools.of_market(market, pool), pool
        reward = finite(rewards_of(market, rewards), "rewards")
        self.rewards, self.reward = rewards, np.where(market.fits, reward, 0.0)
        self.slots: Ints = np.unique(market.arrival)
        types = market.num_worker_types, market.num_ps_types
        self.shapes = [(self.pools.count, width, len(self.slots)) for width in types]
        """Of prices of workers, and of parameter servers."""
        self.width = sum(math.prod(shape) for shape in self.shapes)

    @classmethod
    def laid_out(cls, instance: Market, name: str, layout: Layout) -> PricedMarket:
        """State the program with the pools of a file."""
        if not layout:
            return cls(instance, name)
        if PROGRAMS[name][1] or set(layout) != {"pools"} or len(layout["pools"]) != 1:
            raise NotACertificate(f"rows of {name} are pooled as {list(layout)}")
        return cls(instance, name, np.array(layout["pools"][0], np.int64))

    @property
    def layout(self) -> Layout:
        """Pool of each class of equal servers, where they are pooled at all."""
        if self._pool is None or self.single:
            return {}
        return {"pools": (tuple(self._pool.tolist()),)}

    def listed(self, prices: Floats) -> SlotPrices:
        """Return prices on the grid."""
        begin, sides = 0, []
        for shape in self.shapes:
            fine = prices[begin : begin + math.prod(shape)]
            begin += math.prod(shape)
            at = np.flatnonzero(fine > 0)
            place, slot = np.divmod(at, max(1, shape[2]))
            sides.append({"type": place, "slot": self.slots[slot], "price": fine[at]})
        return SlotPrices.of(self.instance, *sides)

    def dense(self, prices: SlotPrices) -> Floats:
        """Return prices as doubles; those between arrivals count at the last one before."""
        found, horizon = [], self.instance.horizon
        for (pools, width, many), positions, numbers in (
            (self.shapes[0], prices.worker_positions, prices.worker_numbers),
            (self.shapes[1], prices.ps_positions, prices.ps_numbers),
        ):
            slot = np.searchsorted(self.slots, positions % horizon, side="right") - 1
            at = positions // horizon * many + slot
            price = np.ldexp(numbers.astype(float), -prices.scale)
            kept = slot >= 0  # nobody is there before
            found.append(np.bincount(at[kept], price[kept], pools * width * many))
        return np.concatenate(found)

    def rent(self, prices: Floats) -> Fraction:
        """Return what all units cost."""
        listed = self.listed(prices)
        nobody = np.zeros(0, np.int64)
        total = server_charges(self.instance, self.pools, listed, self.reward, nobody).total
        return total / Fraction(2) ** listed.scale

    def replies(self, prices: Floats, case: Case, owners: Sequence[int]) -> Sequence[Fraction]:
        """Return what jobs earn beyond their least charge."""
        listed, some = self.listed(prices), np.array(owners, np.int64)
        worth = self.reward[some]
        for k, i in enumerate(owners):
            if i in case:
                worth[k] = case[i].worth(worth[k : k + 1])[0]
        worth = finite(worth, "rewards")
        everyone = self.reward.copy()
        everyone[some] = np.maximum(everyone[some], worth)
        charges = server_charges(self.instance, self.pools, listed, everyone, some)
        least = charges.least(self.pools.hosts[some])
        left = np.maximum(rounded_up(worth, listed.scale, least.dtype) - least, 0)
        unit = Fraction(1, 2) ** listed.scale
        return [units * unit if units else Fraction(0) for units in left.tolist()]

    def most(self, owner: int) -> float:
        """Return what a job pays at most; 0 where all servers together cannot host it."""
        return float(self.reward[owner])

    def below(self, owner: int, value: float) -> float:
        """Return 0: a job pays all or is not served."""
        return 0.0

    def _parts(self, rows: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Pool, type and slot of rows, by side."""
        for shape in self.shapes:
            size = math.prod(shape)
            own = rows[(rows >= 0) & (rows < size)]
            pool, rest = np.divmod(own, max(1, shape[1] * shape[2]))
            yield pool, *np.divmod(rest, max(1, shape[2]))
            rows = rows - size

    def capacity(self, rows: Ints) -> Fraction:
        """Return the units of rows together, of which a replay forgives none."""
        sides = zip(self._parts(rows), (self.pools.workers, self.pools.ps), strict=True)
        return Fraction(sum(int(units[pool, kind].sum()) for (pool, kind, _), units in sides))

    def least_use(self, owner: int, value: float, rows: Ints) -> Fraction:
        """Return the units that a served job holds of rows, where these are of all pools."""
        job, found = self.instance.jobs[owner], 0
        begin = int(np.searchsorted(self.slots, job.arrival))
        end = int(np.searchsorted(self.slots, self.instance.last_slot[owner], side="right"))
        asked = (job.worker_type, job.workers), (job.ps_type, job.ps)
        for (_, kinds, slots), (kind, units) in zip(self._parts(rows), asked, strict=True):
            here = slots[(kinds == kind) & (slots >= begin) & (slots < end)]
            _, count = np.unique(here, return_counts=True)
            found += units * int((count == self.pools.count).sum())
        return Fraction(found) if value > 0 else Fraction(0)

    def steps(self) -> float:
        """Count ways to place jobs whole, and prices."""
        return float(self.owners * self.pools.count + self.width)


for _name in PROGRAMS:
    priced_programs.add(_name, PricedMarket)


def certify_prices(
    market: Market, prices: SlotPrices, rewards: Rewards, bound: Fraction | None = None
) -> PricedTree:
    """Certify what prices by type and slot prove; ``bound``: where it is known already."""
    program = PricedMarket(market, f"dps.interval_lp[{rewards}]")
    return PricedTree.of(program, program.dense(prices), bound=bound)


def certified_to_date(market: Market, certificate: PricedTree) -> list[Fraction] | None:
    """Bound payments to date by prices by type and slot; None of other certificates."""
    program = certificate.stated(market)
    if not isinstance(program, PricedMarket) or not program.single or len(certificate.tree) > 1:
        return None
    prices = program.listed(certificate.single_prices(market))
    return bounds_to_date(market, prices, program.rewards)
