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
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from farkas.certificates.dps import (
    MarketPrices,
    Rewards,
    SlotPrices,
    require_positions,
    rewards_of,
    rounded_up,
    stays_small,
)
from farkas.certificates.files import certificate_type
from farkas.certificates.sums import affordable, finite
from farkas.errors import NotACertificate
from farkas.instances.dps import Market
from farkas.numbers import Array, Bools, Floats, Ints

#: What prices bound, by the rewards.
PROGRAMS: dict[Rewards, str] = {"budget": "dps.offline[free]", "capped": "dps.offline[capped]"}


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class EqualServers:
    """Servers with the same installed units, in ascending order of these."""

    of: Ints  #: Class of each server, shape (servers,).
    #: workers, ps: installed units of all servers of a class, shapes (classes, types).
    workers: Ints
    ps: Ints
    hosts: Bools  #: Whether one server of a class can host the whole job, shape (jobs, classes).

    @classmethod
    def of_market(cls, market: Market) -> EqualServers:
        """Compare the servers of a market; raises `NotACertificate` where they are too many."""
        installed = np.concatenate([market.installed_workers, market.installed_ps], axis=1)
        each, of, size = np.unique(installed, axis=0, return_inverse=True, return_counts=True)
        affordable(float(len(each)) * market.num_jobs, "ways to place jobs")
        workers, ps = each[:, : market.num_worker_types], each[:, market.num_worker_types :]
        hosts = (workers[:, market.worker_type] >= market.workers) & (
            ps[:, market.ps_type] >= market.ps
        )
        return cls(of.reshape(-1), size[:, None] * workers, size[:, None] * ps, hosts.T)

    @property
    def count(self) -> int:
        """Number of classes."""
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
    market: Market, classes: EqualServers, prices: SlotPrices, reward: Floats
) -> Charges:
    """Price the ways to place every job.

    Raises `NotACertificate` when prices lie outside classes, types or slots, do not ascend, or are
    not positive.

    Parameters
    ----------
    prices
        Positions are (class x types + type) x horizon + slot.
    reward
        At least what jobs count, shape (jobs,); it decides whether 64 bits suffice.
    """
    worker = prices.worker_positions, prices.worker_numbers
    ps = prices.ps_positions, prices.ps_numbers
    horizon, count = market.horizon, classes.count
    require_positions(horizon, count * market.num_worker_types, *worker, "workers")
    require_positions(horizon, count * market.num_ps_types, *ps, "ps")
    kind: Any = np.int64 if stays_small(market, prices, reward) else object
    whole_last = market.last_held(market.colocated_end)
    spread_last = market.last_held(market.spread_end)
    whole: Array = np.zeros((market.num_jobs, count), kind)
    spread: Array = np.zeros(market.num_jobs, kind)
    held, total = [], 0
    for types, demand, capacity, listed in (
        (market.worker_type, market.workers, classes.workers, worker),
        (market.ps_type, market.ps, classes.ps, ps),
    ):
        units = demand.astype(kind)
        whole = whole + units[:, None] * _held(market, types, capacity, whole_last, *listed, kind)
        long = _held(market, types, capacity, spread_last, *listed, kind)
        cheap = np.argsort(long, axis=1, kind="stable")
        most = np.take_along_axis(capacity[:, types].T, cheap, axis=1)
        taken = np.clip(demand[:, None] - (np.cumsum(most, axis=1) - most), 0, most)
        spread = spread + (taken.astype(kind) * np.take_along_axis(long, cheap, axis=1)).sum(axis=1)
        by_class = np.zeros_like(taken)
        np.put_along_axis(by_class, cheap, taken, axis=1)
        held.append(by_class)
        there = capacity.reshape(-1)[listed[0] // horizon].astype(kind)
        total += int((there * listed[1].astype(kind)).sum())
    return Charges(whole, spread.astype(kind), held[0], held[1], total)


def _held(
    market: Market,
    types: Ints,
    capacity: Ints,
    last: Ints,
    positions: Ints,
    numbers: Ints,
    kind: Any,
) -> Array:
    """Price of a unit from arrival to last slot in every class, shape (jobs, classes)."""
    count, width = capacity.shape
    before = np.concatenate([np.zeros(1, kind), np.cumsum(numbers.astype(kind))])
    first = (np.arange(count) * width + types[:, None]) * market.horizon
    begin, end = first + market.arrival[:, None], first + last[:, None] + 1
    until = before[np.searchsorted(positions, begin)]
    found: Array = before[np.searchsorted(positions, end)] - until
    return found


def server_prices_bound(
    market: Market, prices: SlotPrices, rewards: Rewards, classes: EqualServers | None = None
) -> Fraction:
    """Upper bound on the payments of every way to serve jobs, exactly.

    Raises `NotACertificate` when the prices are none, or the market is too large.

    Parameters
    ----------
    prices
        Any prices; positions are (class x types + type) x horizon + slot.
    rewards
        ``budget``, or ``capped`` for prices that respect the price cap.
    classes
        Of the market's servers, where they are known already.
    """
    reward = finite(rewards_of(market, rewards), "rewards")
    classes = classes or EqualServers.of_market(market)
    charges = server_charges(market, classes, prices, reward)
    least = charges.least(classes.hosts)
    left = np.maximum(rounded_up(reward, prices.scale, least.dtype) - least, 0)
    return (charges.total + int(left[market.fits].sum())) / Fraction(2) ** prices.scale


@certificate_type
class DpsServerPrices(MarketPrices, frozen=True, kw_only=True, tag="dps_server_prices"):
    """Prices by class of servers; positions are (class x types + type) x horizon + slot."""

    @classmethod
    def program_for(cls, rewards: Rewards) -> str:
        """Name the program with its two ways to place a job."""
        return PROGRAMS[rewards]

    @classmethod
    def proved(cls, market: Market, prices: SlotPrices, rewards: Rewards) -> Fraction:
        """Bound payments, see `server_prices_bound`."""
        return server_prices_bound(market, prices, rewards)


# Groups of servers at market prices, and what the leaf of a tree of whole jobs proves of one.
#
# The argument is that of `farkas.certificates.dps_server_trees`.


WHOLE, SPREAD = 0, 1  #: Ways to place a job.
REFUSED = 2
ALL_WAYS = 0b111  #: Bits of ways that a leaf allows: whole, spread, not served.

LEAF_STEPS = 2048  #: Steps that a leaf takes whatever its size.

Allowed = npt.NDArray[np.uint8]


def groups_of(classes: EqualServers) -> list[Ints]:
    """Classes of each group, ascending: those that share worker types, through others or not."""
    if not classes.count:
        return []
    shared = np.eye(classes.count, dtype=np.bool_)
    for kind in range(classes.workers.shape[1]):
        having = np.flatnonzero(classes.workers[:, kind])
        if len(having):
            # all of what having[0] and the others are connected with
            together = shared[having].any(axis=0)
            shared[np.ix_(together, together)] = True
    first = shared.argmax(axis=1)
    return [np.flatnonzero(first == c) for c in np.unique(first)]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class LeafPrices:
    """What the units of a group cost in a leaf; positions are (class x types + type) x horizon."""

    #: worker_positions, worker_numbers: prices of workers, y.
    worker_positions: Ints
    worker_numbers: Ints
    #: ps_positions, ps_numbers: what parameter servers cost beyond their market prices, v - W.
    ps_positions: Ints
    ps_numbers: Ints


class GroupOfServers:
    """One group at market prices.

    Parameters
    ----------
    classes
        Of its servers.
    own
        Classes of the group.
    home
        Jobs whose worker type it installs, ascending.
    market_prices
        Of parameter servers, with no workers.
    reward
        At least what jobs pay, shape (jobs,), all jobs.
    """

    def __init__(
        self,
        market: Market,
        classes: EqualServers,
        own: Ints,
        home: Ints,
        market_prices: SlotPrices,
        reward: Floats,
    ) -> None:
        self.own, self.home = own, home
        self.market = market.replace(jobs=[market.jobs[i] for i in home.tolist()])
        self.classes = dataclasses.replace(classes, hosts=classes.hosts[home])
        self.market_prices, self.reward = market_prices, reward[home]
        self._whole = self.classes.hosts.any(axis=1)
        self._foreign = self._worth_elsewhere()

    def _worth_elsewhere(self) -> int:
        """Return the market price of all capacity of other groups."""
        prices, types = self.market_prices, self.market.num_ps_types
        place = prices.ps_positions // self.market.horizon
        other = ~np.isin(place // types, self.own)
        units = self.classes.ps.reshape(-1)[place[other]].tolist()
        return sum(u * n for u, n in zip(units, prices.ps_numbers[other].tolist(), strict=True))

    def combined(self, leaf: LeafPrices) -> SlotPrices:
        """Return the prices of all units in a leaf, of others at market prices.

        Raises `NotACertificate` when the leaf prices what is no unit of the group.
        """
        horizon, base = self.market.horizon, self.market_prices
        for positions, numbers, types, what in (
            (leaf.worker_positions, leaf.worker_numbers, self.market.num_worker_types, "workers"),
            (leaf.ps_positions, leaf.ps_numbers, self.market.num_ps_types, "ps"),
        ):
            require_positions(horizon, self.classes.count * types, positions, numbers, what)
            if not np.isin(positions // horizon // types, self.own).all():
                raise NotACertificate(f"{what}: a leaf prices units of another group")
        return SlotPrices(
            base.scale,
            leaf.worker_positions,
            leaf.worker_numbers,
            *added(base.ps_positions, base.ps_numbers, leaf.ps_positions, leaf.ps_numbers),
        )

    def least(self, leaf: LeafPrices) -> tuple[Array, Array, int]:
        """Return least charges, whole and spread, shapes (home jobs,), and what all units cost.

        Whole charges are -1 where no server hosts the job.
        """
        charges = server_charges(self.market, self.classes, self.combined(leaf), self.reward)
        hosts = self.classes.hosts
        whole = np.full(len(self.home), -1, charges.whole.dtype)
        for c in range(self.classes.count):
            here = charges.whole[:, c]
            lower = hosts[:, c] & ((whole < 0) | (here < whole))
            whole = np.where(lower, here, whole)
        return whole, charges.spread, charges.total - self._foreign

    def bound(self, leaf: LeafPrices, allowed: Allowed) -> int | None:
        """Bound a leaf, in units of the grid; None where a decided job cannot be placed.

        ``allowed``: bits of ways, shape (home jobs,). Raises `NotACertificate` as `combined`.
        """
        whole, spread, total = self.least(leaf)
        reward = rounded_up(self.reward, self.market_prices.scale, spread.dtype)
        ways = (allowed >> WHOLE & 1 > 0) & self._whole, allowed >> SPREAD & 1 > 0
        ways = ways[0], ways[1] & self.market.fits
        may_wait = allowed >> REFUSED & 1 > 0
        if not (ways[0] | ways[1] | may_wait).all():
            return None
        left = np.where(ways[0], reward - whole, reward - spread)
        left = np.where(ways[0] & ways[1], np.maximum(left, reward - spread), left)
        left = np.where(may_wait, np.where(ways[0] | ways[1], np.maximum(left, 0), 0), left)
        # what decided jobs lose has no bound of 64 bits in all
        lost = int(sum(left[left < 0].tolist()))
        return int(total + lost + left[left > 0].sum())

    def steps(self, leaf: LeafPrices) -> int:
        """Count what a leaf's bound takes."""
        prices = len(leaf.worker_positions) + len(leaf.ps_positions)
        prices += len(self.market_prices.ps_positions)
        return (len(self.home) + 1) * self.classes.count + prices + LEAF_STEPS


def added(positions: Ints, numbers: Ints, more: Ints, extra: Ints) -> tuple[Ints, Ints]:
    """Add two sparse vectors; positions ascend in each."""
    every, place = np.unique(np.concatenate([positions, more]), return_inverse=True)
    total = np.zeros(len(every), np.result_type(numbers, extra))
    np.add.at(total, place, np.concatenate([numbers, extra]))
    return every, total


class GroupedMarket:
    """The groups of a market at market prices.

    Raises `NotACertificate` when the prices are none, or the market is too large.

    Parameters
    ----------
    market_prices
        Of parameter servers by class, type and slot; none of workers.
    rewards
        ``budget``, or ``capped`` for prices that respect the price cap.
    classes
        Of the market's servers, where they are known already.
    """

    def __init__(
        self,
        market: Market,
        market_prices: SlotPrices,
        rewards: Rewards,
        classes: EqualServers | None = None,
    ) -> None:
        reward = finite(rewards_of(market, rewards), "rewards")
        classes = classes or EqualServers.of_market(market)
        listed = market_prices.ps_positions, market_prices.ps_numbers
        require_positions(market.horizon, classes.count * market.num_ps_types, *listed, "ps")
        groups = groups_of(classes)
        of_class = np.zeros(classes.count, np.int64)
        for number, own in enumerate(groups):
            of_class[own] = number
        home = np.full(market.num_jobs, -1)  # of who fits nowhere
        if classes.count:
            installed = classes.workers.argmax(axis=0)
            home = np.where(market.fits, of_class[installed[market.worker_type]], -1)
        self.scale = market_prices.scale
        self.groups = [
            GroupOfServers(
                market, classes, own, np.flatnonzero(home == number), market_prices, reward
            )
            for number, own in enumerate(groups)
        ]

    def in_money(self, units: int) -> Fraction:
        """Return a number of units of the grid as money."""
        return units / Fraction(2) ** self.scale
