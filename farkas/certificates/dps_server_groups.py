"""Groups of servers at market prices, and what the leaf of a tree of whole jobs proves of one.

The argument is that of `farkas.certificates.dps_server_trees`.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from farkas.certificates.dps import (
    Rewards,
    SlotPrices,
    require_positions,
    rewards_of,
    rounded_up,
)
from farkas.certificates.dps_servers import EqualServers, server_charges
from farkas.certificates.guards import finite
from farkas.errors import NotACertificate
from farkas.instances.dps import Market
from farkas.numbers import Array, Floats, Ints

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
    market
        The instance.
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

        Raises
        ------
        NotACertificate
            When the leaf prices what is no unit of the group.
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

        Parameters
        ----------
        allowed
            Bits of ways, shape (home jobs,).

        Raises
        ------
        NotACertificate
            As `combined`.
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

    Parameters
    ----------
    market
        The instance.
    market_prices
        Of parameter servers by class, type and slot; none of workers.
    rewards
        ``budget``, or ``capped`` for prices that respect the price cap.
    classes
        Of the market's servers, where they are known already.

    Raises
    ------
    NotACertificate
        When the prices are none, or the market is too large.
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
