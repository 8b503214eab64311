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

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated

import msgspec
import numpy as np

from farkas.certificates.dps import (
    PriceList,
    Rewards,
    Scale,
    SlotPrices,
    price_list,
    slot_prices,
)
from farkas.certificates.dps_servers import (
    ALL_WAYS,
    PROGRAMS,
    Allowed,
    GroupedMarket,
    GroupOfServers,
    LeafPrices,
)
from farkas.certificates.files import certificate_type
from farkas.certificates.packed import FilePart
from farkas.certificates.prices import PriceCertificate
from farkas.certificates.sums import affordable
from farkas.errors import NotACertificate
from farkas.instances.dps import Market

LEAF = -1
MOST_STEPS = 1 << 30  #: Of all leaves together; a step is a job and class, or a price, of a leaf.

Node = Annotated[int, msgspec.Meta(ge=LEAF, lt=2**40)]


def tree_bound(
    group: GroupOfServers, nodes: Iterator[int], leaves: Iterator[LeafPrices], steps: list[int]
) -> int | None:
    """Bound the next tree; None where no leaf has a placement.

    Raises `NotACertificate` when nodes or leaves are no tree, or take too many steps.

    Parameters
    ----------
    nodes
        In preorder: twice the job plus the way, first what places the job so; `LEAF`.
    leaves
        Prices, in the same order.
    steps
        Done before; raised.
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
    """Prices of a leaf."""

    workers: PriceList  #: Of the group's workers.
    ps: PriceList  #: Of its parameter servers, beyond their market prices.

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
    """Market prices of parameter servers, and a tree of whole jobs for every group of servers."""

    about = "dps"
    rewards: Rewards  #: Whether payments are bounded by budgets, or also by the price cap.
    bound: str  #: Upper bound, a fraction.
    scale: Scale  #: Prices are multiples of ``2**-scale``.
    ps: PriceList  #: Market prices; positions are (class x types + type) x horizon + slot.
    #: One after the other in preorder, groups by their first class: twice the job plus 0 where it
    #: is placed whole and 1 where it is spread, first what decides so, then what forbids it; or -1
    #: for a leaf.
    trees: tuple[Node, ...]
    leaves: tuple[LeafList, ...]  #: Prices of the leaves in that order.

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
