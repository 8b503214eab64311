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
from farkas.certificates.guards import affordable, finite
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

    Parameters
    ----------
    prices
        Positions are (class x types + type) x horizon + slot.
    reward
        At least what jobs count, shape (jobs,); it decides whether 64 bits suffice.

    Raises
    ------
    NotACertificate
        When prices lie outside classes, types or slots, do not ascend, or are not positive.
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

    Parameters
    ----------
    market
        The instance.
    prices
        Any prices; positions are (class x types + type) x horizon + slot.
    rewards
        ``budget``, or ``capped`` for prices that respect the price cap.
    classes
        Of the market's servers, where they are known already.

    Raises
    ------
    NotACertificate
        When the prices are none, or the market is too large.
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
