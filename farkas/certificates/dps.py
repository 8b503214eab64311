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
possible than there are, which only lowers the charge.  With all servers as one
class these are the bounds of ``dps.interval_lp``.  Prices are integers over a power of two and
rewards are rounded up to that grid, so that the whole check is integer arithmetic.

Replays count units and slots in whole numbers, the slots by `Market.last_held` as here, so that
they forgive nothing of what is held; payments may be above budgets and caps by a share of
`ROUNDING`, and a bound on budgets is then one on payments but for that share, which replays tell.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from farkas.certificates.priced_tree import Case, Layout, PricedProgram, PricedTree, priced_programs
from farkas.certificates.run_bound import RunBound, run_bounds
from farkas.certificates.sums import ScaledNumbers, affordable, finite, scaled, whole
from farkas.errors import NotACertificate
from farkas.instances.dps import Market
from farkas.numbers import Array, Bools, Floats, Ints, bools, distinct

Rewards = Literal["budget", "capped"]

#: Price, in units of its grid, beyond which lower prices take its place; these prove less.
LARGEST = 2.0**61
ROOM = 2.0**61  #: Sums below this stay inside 64 bits; larger ones are done in Python's integers.


def finest_scale(market: Market, *prices: Floats) -> int:
    """Binary digits behind the point that keep every sum below 64 bits, negative for huge ones."""
    held = 1 + (market.last_slot - market.arrival).max(initial=0)
    units = max(
        int(market.worker_capacity.max(initial=0)) * market.num_worker_types,
        int(market.ps_capacity.max(initial=0)) * market.num_ps_types,
        int(held) * int(max(market.workers.max(initial=0), market.ps.max(initial=0))),
        1,
    )
    largest = max((float(price.max(initial=0.0)) for price in prices), default=0.0)
    count = max(1, max((price.size for price in prices), default=0))
    with np.errstate(over="ignore"):
        total = max(float(market.budget.sum()), largest * units * count)
    if not 0 < total < math.inf:
        return 0
    return min(max(60 - ceil_log2(total), -1000), 1000)


def ceil_log2(x: float) -> int:
    """Return the least e with ``x <= 2**e``, exactly; x > 0 and finite.

    >>> ceil_log2(8.0), ceil_log2(8.5), ceil_log2(0.3)
    (3, 4, -1)
    """
    mantissa, exponent = math.frexp(x)
    return exponent - (mantissa == 0.5)


def rewards_of(market: Market, rewards: Rewards) -> Floats:
    """Return what each job pays at most, shape (jobs,), rounded up where a product was rounded."""
    if rewards == "budget":
        return market.budget
    if market.price_cap is None:
        raise NotACertificate("capped rewards need a price_cap; this market has none")
    with np.errstate(over="ignore"):  # a cap beyond all doubles caps nothing
        most = market.price_cap * (market.workers + market.ps)
        # counts are exact below 2**53; the product of doubles may have been rounded down
        most = np.nextafter(most, np.inf)
    capped: Floats = np.minimum(market.budget, most)
    return capped


def rounded_up(reward: Floats, scale: int, kind: Any) -> Array:
    """Rewards in units of ``2**-scale``; scaled as fractions where doubles could overflow."""
    if kind == np.int64:
        # what underflows is still a reward
        return whole(np.maximum(np.ceil(np.ldexp(reward, scale)), reward > 0), "rewards")
    exact = [math.ceil(Fraction(value) * Fraction(2) ** scale) for value in reward.tolist()]
    return np.array(exact, dtype=object)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ServerPools:
    """Servers that are priced together: those with equal units, or all."""

    of: Ints  #: Pool of each server, shape (servers,).
    #: workers, ps: installed units of all servers of a pool, shapes (pools, types).
    workers: Ints
    ps: Ints
    hosts: Bools  #: Whether one server of a pool can host the whole job, shape (jobs, pools).

    @classmethod
    def of_market(cls, market: Market, single: bool = False) -> ServerPools:
        """Compare the servers of a market; raises `NotACertificate` where they are too many.

        ``single``: whether all of them are one pool.
        """
        installed = np.concatenate([market.installed_workers, market.installed_ps], axis=1)
        each, one, of, size = np.unique(installed, True, True, True, axis=0)
        affordable(float(len(each)) * market.num_jobs, "ways to place jobs")
        units, pool, width = size[:, None] * each, of.reshape(-1), market.num_worker_types
        hosting: Bools = market.hosts[:, one]
        if single and len(each):
            units, pool = units.sum(axis=0, keepdims=True), np.zeros_like(pool)
            hosting = bools(market.hosts.any(axis=1, keepdims=True))
        return cls(pool, units[:, :width], units[:, width:], hosting)

    @property
    def count(self) -> int:
        """Number of pools."""
        return len(self.workers)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Prices as whole numbers."""

    scale: int  #: Prices are multiples of ``2**-scale``.
    #: workers, ps: prices times ``2**scale``, shape (pools, types, slots).
    workers: Ints
    ps: Ints

    @property
    def sides(self) -> tuple[Ints, Ints]:
        """Prices of workers, and of parameter servers."""
        return self.workers, self.ps

    def kind(self, market: Market, reward: Floats) -> Any:
        """Return the type of numbers in which no sum overflows.

        Sums in doubles, which decide it, err by far less than twice.
        """
        units = (
            float(max(market.workers.max(initial=0), market.worker_capacity.max(initial=0))),
            float(max(market.ps.max(initial=0), market.ps_capacity.max(initial=0))),
        )
        charge = sum(
            float(numbers.sum(dtype=float)) * most
            for numbers, most in zip(self.sides, units, strict=True)
        )
        with np.errstate(over="ignore"):
            rewards = float(np.ldexp(reward.sum(), self.scale))
        return np.int64 if charge < ROOM and rewards + len(reward) < ROOM else object


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Charges:
    """What jobs are charged at prices."""

    whole: Array  #: By pool, shape (jobs, pools); counts where the pool hosts the job.
    spread: Array  #: Shape (jobs,); counts where all servers together host the job.
    taken: list[Array]  #: Units of each pool that a spread job holds, by side; (jobs, pools).
    unit: list[Array]  #: Price of a unit of a spread job, by side; (jobs, pools).


#: By program: rewards, and whether all servers are one pool.
PROGRAMS: dict[str, tuple[Rewards, bool]] = {
    "dps.interval_lp[budget]": ("budget", True),
    "dps.interval_lp[capped]": ("capped", True),
    "dps.offline[free]": ("budget", False),
    "dps.offline[capped]": ("capped", False),
}


class PricedMarket(PricedProgram):
    """Jobs as owners; rows are units by pool, type and slot of arrivals, workers before servers.

    Doubles are rounded to a `Grid`, and these prices are what bounds payments.  ``name`` is one of
    `PROGRAMS`, ``single`` as of `ServerPools.of_market`; the programs by type have one pool.
    """

    def __init__(self, market: Market, name: str, single: bool = False) -> None:
        rewards, self.single = PROGRAMS[name]
        self.instance, self.name, self.owners = market, name, market.num_jobs
        self._pooled = single and not self.single
        self.pools = ServerPools.of_market(market, single or self.single)
        reward = finite(rewards_of(market, rewards), "rewards")
        self.reward = np.where(market.fits, reward, 0.0)
        self.slots = distinct(market.arrival)
        types = market.num_worker_types, market.num_ps_types
        self.shapes = [(self.pools.count, width, len(self.slots)) for width in types]
        """Of prices of workers, and of parameter servers."""
        self.first = np.searchsorted(self.slots, market.arrival)
        ends = market.colocated_end, market.spread_end
        self.after = [np.searchsorted(self.slots, market.last_held(end), "right") for end in ends]
        """First slot behind each job's last, on one server and spread."""
        self.sides = (
            (market.worker_type, market.workers, self.pools.workers),
            (market.ps_type, market.ps, self.pools.ps),
        )
        """Types asked for, and how many; units by pool and type."""
        self.width = sum(math.prod(shape) for shape in self.shapes)

    @classmethod
    def laid_out(cls, instance: Market, name: str, layout: Layout) -> PricedMarket:
        """State the program with the pools of a file."""
        program = priced_market(instance, name, bool(layout))
        if program.layout != layout:
            raise NotACertificate(f"rows of {name} are pooled as {list(layout)}")
        return program

    @property
    def layout(self) -> Layout:
        """Pool of each class of equal servers, where one pool is chosen for all."""
        if not self._pooled:
            return {}
        return {"pools": ((0,) * ServerPools.of_market(self.instance).count,)}

    def split(self, prices: Floats) -> list[Floats]:
        """Return prices of workers and of parameter servers, shape (pools, types, slots)."""
        parts = np.split(prices, [math.prod(self.shapes[0])])
        return [part.reshape(shape) for part, shape in zip(parts, self.shapes, strict=True)]

    def grid(self, prices: Floats) -> Grid:
        """Return prices on the finest grid on which sums stay small."""
        sides = self.split(prices)
        some = [~(side <= 0) for side in sides]  # few prices of many slots; what is no number, too
        above = [side[where] for side, where in zip(sides, some, strict=True)]
        scale, found = finest_scale(self.instance, *above), []
        for where, each in zip(some, above, strict=True):
            with np.errstate(over="ignore"):  # cut
                units = np.minimum(np.ldexp(each, scale), LARGEST)
            found.append(np.zeros(where.shape, np.int64))
            found[-1][where] = whole(np.rint(units), "prices")
        return Grid(scale, *found)

    def charges(self, sides: Sequence[Array], jobs: Ints, kind: Any) -> Charges:
        """Price the ways to place jobs; ``sides``: prices of workers and of parameter servers."""
        whole: Array = np.zeros((len(jobs), self.pools.count), kind)
        spread: Array = np.zeros(len(jobs), kind)
        held, prices = list[Array](), list[Array]()
        first, *afters = (slots[jobs] for slots in (self.first, *self.after))
        for (types, demand, capacity), side in zip(self.sides, sides, strict=True):
            before = np.zeros((*side.shape[:2], side.shape[2] + 1), kind)
            np.cumsum(side.astype(kind, copy=False), axis=2, out=before[:, :, 1:])
            of, units = types[jobs], demand[jobs, None].astype(kind)
            short, long = ((before[:, of, after] - before[:, of, first]).T for after in afters)
            whole = whole + units * short
            cheap = np.argsort(long, axis=1, kind="stable")
            most = np.take_along_axis(capacity[:, of].T, cheap, axis=1)
            taken = np.clip(units - (np.cumsum(most, axis=1) - most), 0, most)
            spread = spread + (taken * np.take_along_axis(long, cheap, axis=1)).sum(axis=1)
            by_pool = np.zeros_like(taken)
            np.put_along_axis(by_pool, cheap, taken, axis=1)
            held.append(by_pool)
            prices.append(long)
        return Charges(whole, spread.astype(kind), held, prices)

    def least(self, grid: Grid, jobs: Ints, kind: Any) -> Array:
        """Return the least that jobs are charged, in units of the grid, shape (jobs,)."""
        charges = self.charges(grid.sides, jobs, kind)
        found = charges.spread
        for c in range(self.pools.count):
            there = self.pools.hosts[jobs, c]
            found = np.where(there, np.minimum(found, charges.whole[:, c]), found)
        return found

    def rents(self, grid: Grid, kind: Any) -> Iterator[Array]:
        """Return what units of each pool and type cost in each slot, by side."""
        for (_, _, capacity), numbers in zip(self.sides, grid.sides, strict=True):
            yield capacity[:, :, None].astype(kind) * numbers.astype(kind)

    def rent(self, prices: Floats) -> Fraction:
        """Return what all units cost."""
        grid = self.grid(prices)
        kind = grid.kind(self.instance, self.reward)
        total = sum(int(rents.sum()) for rents in self.rents(grid, kind))
        return total / Fraction(2) ** grid.scale

    def replies(self, prices: Floats, case: Case, owners: Sequence[int]) -> Sequence[Fraction]:
        """Return what jobs earn beyond their least charge."""
        grid, some = self.grid(prices), np.array(owners, np.int64)
        worth = self.reward[some]
        for k, i in enumerate(owners):
            if i in case:
                worth[k] = case[i].worth(worth[k : k + 1])[0]
        worth = finite(worth, "rewards")
        everyone = self.reward.copy()
        everyone[some] = np.maximum(everyone[some], worth)
        charge = self.least(grid, some, grid.kind(self.instance, everyone))
        left = np.maximum(rounded_up(worth, grid.scale, charge.dtype) - charge, 0)
        return ScaledNumbers(left.tolist(), -grid.scale)

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

    def bounds_so_far(self, prices: Floats) -> list[Fraction] | None:
        """Bound payments of the jobs that have arrived until each slot, shape (horizon,).

        Prices count in the slots in which these jobs hold units at the least: weak duality holds
        for any part of the capacity.  None where prices are of classes of servers.
        """
        if not self.single:
            return None
        market, grid = self.instance, self.grid(prices)
        kind, everyone = grid.kind(market, self.reward), np.arange(self.owners)
        charge = self.least(grid, everyone, kind)
        left = np.maximum(rounded_up(self.reward, grid.scale, charge.dtype) - charge, 0)
        gained = np.zeros(market.horizon, kind)
        np.add.at(gained, market.arrival, left)
        after = np.searchsorted(self.slots, market.last_slot, "right")
        for (types, _, _), rents in zip(self.sides, self.rents(grid, kind), strict=True):
            for of, each in enumerate(rents.sum(axis=0)):
                jobs = np.flatnonzero(types == of)
                np.add.at(gained, _first_use(market, self.slots, jobs, after[jobs]), each)
        totals = np.cumsum(gained).tolist()
        known = {total: scaled(total, -grid.scale) for total in set(totals)}
        return [known[total] for total in totals]

    def steps(self) -> float:
        """Count ways to place jobs whole, and prices."""
        return float(self.owners * self.pools.count + self.width)


#: `PricedMarket`, the last two kept: a run prices, certifies and bounds its slots on one.
priced_market = functools.lru_cache(maxsize=2)(PricedMarket)

for _name in PROGRAMS:
    priced_programs.add(_name, PricedMarket)


def certify_prices(market: Market, prices: Floats, rewards: Rewards) -> PricedTree:
    """Certify what prices by type and slot prove."""
    return PricedTree.of(priced_market(market, f"dps.interval_lp[{rewards}]", False), prices)


def _first_use(market: Market, slots: Ints, jobs: Ints, after: Ints) -> Ints:
    """Slot in which the first of some jobs arrives that holds units in each of the slots.

    The last slot where there is none.  Of jobs in order of arrival, the first one that stays long
    enough decides.
    """
    arrival = np.append(market.arrival[jobs], market.horizon)
    until = np.maximum.accumulate(after) if len(jobs) else after
    first = arrival[np.searchsorted(until, np.arange(len(slots)), "right")]
    return np.where(first <= slots, first, market.horizon - 1)


# runs keep budgets, and the price cap where there is one; without one "capped" proves nothing
_BOUNDS = {
    "priced_tree": tuple(PROGRAMS),
    "tree": (
        "dps.offline[free]",
        "dps.offline[capped]",
        "dps.interval_ip[budget,cliques]",
        "dps.interval_ip[capped,cliques]",
    ),
}
run_bounds.add("dps", tuple(RunBound(tag, each) for tag, of in _BOUNDS.items() for each in of))
