"""Bounds on every run of a market: groups of servers by themselves, whole jobs in trees.

Prices by class of servers (`farkas.certificates.dps_servers`) let parts of jobs be served.  Here
every job is decided, as far as a file says so, and what keeps that small is that most jobs do not
meet:

- *Groups.*  Classes that install a common worker type are in one group, so that all workers of a
  job are in one, its home.  Parameter servers of a spread job may be in any.
- *Market prices.*  Let W >= 0 be prices of parameter servers by class, type and slot.  A job pays
  them, beyond what it pays to the provider, to each other group whose parameter servers it holds,
  which changes nothing in all.  So payments are at most Σ_g V_g with V_g the most that a group
  earns from the jobs at home there, and by selling its units to others, less what these jobs pay
  to others.
- *Trees.*  A node of a group's tree says that a job is placed in a way, whole or spread, or that it
  is not.  Every placement is in one leaf, so that V_g is at most the largest bound of its leaves.
- *Leaves.*  Let a leaf have prices y >= 0 of the group's workers and v >= W of its parameter
  servers.  What jobs at home and others hold of the group is charged at these prices, in all at
  most Σ n_c X y + Σ n_c Z v; others paid W <= v.  So the leaf's bound is that plus, job by job,

      the most of (r_i - least charge of a way) over the ways that the leaf allows,

  and of 0 if it allows that the job is not served.  Parameter servers elsewhere are charged W.

All is integer arithmetic on one grid, as there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated

import msgspec
import numpy as np
import numpy.typing as npt

from farkas.certificates.casts import affordable
from farkas.certificates.dps import (
    PriceList,
    Rewards,
    Scale,
    SlotPrices,
    price_list,
    require_positions,
    rewards_of,
    rounded_up,
    slot_prices,
)
from farkas.certificates.dps_servers import PROGRAMS, EqualServers, server_charges
from farkas.certificates.files import certificate_type
from farkas.certificates.guards import finite
from farkas.certificates.packed import FilePart
from farkas.certificates.prices import PriceCertificate
from farkas.errors import NotACertificate
from farkas.instances.dps import Market
from farkas.numbers import Array, Floats, Ints

LEAF = -1
WHOLE, SPREAD = 0, 1
"""Ways to place a job; a node is twice the job plus the way."""
REFUSED = 2
ALL_WAYS = 0b111
"""Bits of ways that a leaf allows: whole, spread, not served."""
MOST_STEPS = 1 << 33
"""Of all leaves together; a step is a job and class, or a price, of a leaf."""

Allowed = npt.NDArray[np.uint8]
Node = Annotated[int, msgspec.Meta(ge=LEAF, lt=2**40)]


def groups_of(classes: EqualServers) -> list[Ints]:
    """Classes of each group, ascending: those that share worker types, through others or not."""
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
    """What the units of a group cost in a leaf; positions are (class x types + type) x horizon.

    Parameters
    ----------
    worker_positions, worker_numbers
        Prices of workers, y.
    ps_positions, ps_numbers
        What parameter servers cost beyond their market prices, v - W.
    """

    worker_positions: Ints
    worker_numbers: Ints
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
        return (len(self.home) + 1) * self.classes.count + prices + 64


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


def tree_bound(
    group: GroupOfServers, nodes: Iterator[int], leaves: Iterator[LeafPrices], steps: list[int]
) -> int | None:
    """Bound the next tree; None where no leaf has a placement.

    Parameters
    ----------
    nodes
        In preorder: twice the job plus the way, first what places the job so; `LEAF`.
    leaves
        Prices, in the same order.
    steps
        Done before; raised.

    Raises
    ------
    NotACertificate
        When nodes or leaves are no tree, or take too many steps.
    """
    jobs = len(group.home)
    place = {job: k for k, job in enumerate(group.home.tolist())}
    waiting: list[Allowed] = [np.full(jobs, ALL_WAYS, np.uint8)]
    best: int | None = None
    while waiting:
        allowed, node = waiting.pop(), next(nodes, None)
        if node is None:
            raise NotACertificate("the trees end before their last leaf")
        if node == LEAF:
            leaf = next(leaves, None)
            if leaf is None:
                raise NotACertificate("a leaf has no prices")
            steps[0] += group.steps(leaf)
            affordable(steps[0], "leaves of trees", MOST_STEPS)
            bound = group.bound(leaf, allowed)
            if bound is not None:
                best = bound if best is None else max(best, bound)
            continue
        job, way = divmod(node, 2)
        k = place.get(job)
        if k is None or not allowed[k] >> way & 1 or allowed[k] == 1 << way:
            raise NotACertificate("a node decides a job of another group, or one that is decided")
        affordable(float(jobs) * (len(waiting) + 2), "levels of a tree")
        without, only = allowed.copy(), allowed.copy()
        without[k] &= ~np.uint8(1 << way)
        only[k] = 1 << way
        waiting += [without, only]
    return best


class LeafList(FilePart, frozen=True, kw_only=True):
    """Prices of a leaf.

    Parameters
    ----------
    workers
        Of the group's workers.
    ps
        Of its parameter servers, beyond their market prices.
    """

    workers: PriceList
    ps: PriceList

    @classmethod
    def of(cls, leaf: LeafPrices) -> LeafList:
        """Write prices as a file holds them."""
        return cls(
            workers=price_list(leaf.worker_positions, leaf.worker_numbers),
            ps=price_list(leaf.ps_positions, leaf.ps_numbers),
        )

    @property
    def prices(self) -> LeafPrices:
        """The prices as arrays."""
        made = slot_prices(0, self.workers, self.ps)
        return LeafPrices(
            made.worker_positions, made.worker_numbers, made.ps_positions, made.ps_numbers
        )


@certificate_type
class DpsServerTrees(PriceCertificate, frozen=True, kw_only=True, tag="dps_server_trees"):
    """Market prices of parameter servers, and a tree of whole jobs for every group of servers.

    Parameters
    ----------
    rewards
        Whether payments are bounded by budgets, or also by the price cap.
    bound
        Upper bound, a fraction.
    scale
        Prices are multiples of ``2**-scale``.
    ps
        Market prices; positions are (class x types + type) x horizon + slot.
    trees
        One after the other in preorder, groups by their first class: twice the job plus 0 where it
        is placed whole and 1 where it is spread, first what decides so, then what forbids it; or
        -1 for a leaf.
    leaves
        Prices of the leaves in that order.
    """

    about = "dps"
    rewards: Rewards
    bound: str
    scale: Scale
    ps: PriceList
    trees: tuple[Node, ...]
    leaves: tuple[LeafList, ...]

    @classmethod
    def of(
        cls,
        market: Market,
        bound: Fraction,
        rewards: Rewards,
        market_prices: SlotPrices,
        trees: list[int],
        leaves: list[LeafPrices],
    ) -> DpsServerTrees:
        """State a bound, which is not checked here."""
        return cls(
            kind=cls.about,
            program=PROGRAMS[rewards],
            instance=market.sha256,
            rewards=rewards,
            bound=str(bound),
            scale=market_prices.scale,
            ps=price_list(market_prices.ps_positions, market_prices.ps_numbers),
            trees=tuple(trees),
            leaves=tuple(LeafList.of(leaf) for leaf in leaves),
        )

    @property
    def subject(self) -> str:
        """The program with two ways to place a job."""
        return PROGRAMS[self.rewards]

    def prove_bound(self, market: Market, /) -> Fraction:
        """Bound every leaf anew."""
        none = PriceList(positions=(), numbers=())
        grouped = GroupedMarket(market, slot_prices(self.scale, none, self.ps), self.rewards)
        nodes, leaves = iter(self.trees), (leaf.prices for leaf in self.leaves)
        total, steps = 0, [0]
        for group in grouped.groups:
            bound = tree_bound(group, nodes, leaves, steps)
            if bound is None:
                raise NotACertificate("a tree decides jobs that no servers hold in all its leaves")
            total += bound
        if next(nodes, None) is not None or next(leaves, None) is not None:
            raise NotACertificate("the trees go on after the last group")
        return grouped.in_money(total)
