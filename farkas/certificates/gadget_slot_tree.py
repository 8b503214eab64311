"""Certificates of single slots of kind gadget by cases: boxes of decisions, each with its prices.

Of the best decisions of a slot look at one with as few uses of links as any.  It gives every job a
size k, 0 for no ring, workers on nodes and uses of links; a *box* is a set of sizes for each job,
and the least and most of its workers on each node and of its uses of each link.  The first box
holds all decisions.  A tree splits it: at a branch what is split is at most a count or more than
it, so that the decision lies in one of both parts, and in the second one

- the job has as many workers as it has on nodes at least, and over a link at least two;
- others can use of the node or link only what is left when everybody uses the least.

At prices λ, ν >= 0 of everything that can fill up a decision in a box is worth at most

    Z = δ (Σ C λ + Σ B ν) + Σ_i P_i,    P_i = max of p_i(k) over the sizes of the box,

where δ > 1 is what rings may take of a capacity (`farkas.certificates.gadget_slot_tree.FILLED`): at
prices that are high enough the excess alone is worth more than the level.  p_i(k) is the most that
a ring of size k is worth that keeps the most of the box, less its rent, and p_i(0) = 0.  Rings
need not use the least of the box; that only makes the bound larger.  A decision with size k of job
i is therefore worth at most Z - P_i + p_i(k), and where that is at most the *level*, the size
leaves the box: what is lost is worth no more than the level.  A box in which a job has no size left
holds no decision that is worth more, and a leaf is closed by that, or where Z is at most the level.
Leaves that are not closed are worth at most their Z.  So no decision is worth more than the level,
and these.
"""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from typing import Annotated, Literal

import msgspec
import numpy as np

from farkas.certificates.files import certificate_type
from farkas.certificates.gadget import (
    ClusterCertificate,
    PriceRow,
    claimed,
    nested,
    price_array,
    shortened,
    worth_of,
)
from farkas.certificates.gadget_slot import (
    FEW_STEPS,
    GridPrices,
    SlotBound,
    SlotCertificate,
    WorkerSlots,
    ring_limits,
    whole_rent,
)
from farkas.certificates.packed import FilePart, Size
from farkas.certificates.ring_profits import MOST_STEPS, Effort
from farkas.errors import NotACertificate
from farkas.instances.gadget import Cluster
from farkas.numbers import Bools, Floats, Ints
from farkas.tolerances import FLOORS, ROUNDING

ON_A_LINK = 2  #: Workers of a ring that uses a link, at least: it has two hosts.


#: Of a capacity, how much rings may take: floors are forgiven, and the rounding of decimals.
FILLED = (1 + Fraction(FLOORS)) * (1 + Fraction(ROUNDING))


class SlotBranch(FilePart, frozen=True, kw_only=True, array_like=True):
    """First what is at most ``count``, then what is at least one more."""

    prices: int  #: Which prices drop sizes before, -1 for none.
    #: ``size`` of a job's ring, its ``workers`` on a node, its ``uses`` of a link.
    of: Literal["size", "workers", "uses"]
    job: Size  #: Whose.
    place: Size  #: Which node or link; 0 for the size.
    count: Size  #: Most of the first part.


@dataclasses.dataclass(frozen=True, eq=False)
class SlotBox:
    """Decisions of one slot with some sizes, workers and uses of links only.

    Rings are as `farkas.certificates.gadget_slot` looks at them: they use a link no more often than
    they have workers, and none when they have one host.
    """

    cluster: Cluster  #: The instance.
    jobs: Ints  #: Shape (participants,).
    #: Shape (participants, largest size + 1), which sizes a job may have; 0 for no ring.
    sizes: Bools
    least_workers: Ints  #: Shape (participants, nodes).
    most_workers: Ints  #: Shape (participants, nodes).
    least_uses: Ints  #: Shape (participants, links).
    most_uses: Ints  #: Shape (participants, links).

    @classmethod
    def whole(cls, cluster: Cluster, most_workers: Ints) -> SlotBox:
        """All decisions, of jobs with so many workers at most, shape (jobs,)."""
        jobs = np.flatnonzero(most_workers)
        largest = most_workers[jobs]
        sizes = np.arange(int(largest.max(initial=0)) + 1)[None, :] <= largest[:, None]
        fit = [ring_limits(cluster, int(i), int(most_workers[i])) for i in jobs]
        workers = np.array([cap for cap, _ in fit], np.int64).reshape(len(jobs), cluster.num_nodes)
        uses = np.array([most for _, most in fit], np.int64).reshape(len(jobs), cluster.num_links)
        return cls(cluster, jobs, sizes, np.zeros_like(workers), workers, np.zeros_like(uses), uses)

    @property
    def empty(self) -> bool:
        """Whether some job has no size left, or has to use more than it may."""
        return not (
            self.sizes.any(axis=1).all()
            and (self.least_workers <= self.most_workers).all()
            and (self.least_uses <= self.most_uses).all()
        )

    def with_sizes(self, sizes: Bools) -> SlotBox:
        """Allow these sizes only."""
        return dataclasses.replace(self, sizes=sizes)

    def parts(self, branch: SlotBranch) -> tuple[SlotBox, SlotBox]:
        """Both parts of a branch; every decision of the box lies in one of them.

        In the second, others have what is left of the node or the link, and the job has at least
        so many workers.
        """
        i, at, count = branch.job, branch.place, branch.count
        if i >= len(self.jobs) or at >= self._places(branch):
            raise NotACertificate("a branch on what the slot does not have")
        first, second = self._copy(), self._copy()
        if branch.of == "size":
            first.sizes[i, count + 1 :] = False
            second.sizes[i, : count + 1] = False
            return first, second
        cluster = self.cluster
        if branch.of == "workers":
            needs, rooms = cluster.demand[self.jobs], cluster.capacity[at]
            least, most = second.least_workers[:, at], second.most_workers[:, at]
            capped = first.most_workers
        else:
            needs, rooms = cluster.bandwidth[self.jobs][:, None], cluster.link_bandwidth[[at]]
            least, most = second.least_uses[:, at], second.most_uses[:, at]
            capped = first.most_uses
        capped[i, at] = min(int(capped[i, at]), count)
        least[i] = max(int(least[i]), count + 1)
        for need, room in zip(needs.T, rooms.tolist(), strict=True):
            most[:] = np.minimum(most, _left(need, room, least))
        workers = int(second.least_workers[i].sum())
        second.sizes[i, : max(workers, ON_A_LINK if branch.of == "uses" else 0)] = False
        return first, second

    def _places(self, branch: SlotBranch) -> int:
        of = {"size": 1, "workers": self.cluster.num_nodes, "uses": self.cluster.num_links}
        return of[branch.of]

    def _copy(self) -> SlotBox:
        return dataclasses.replace(
            self,
            sizes=self.sizes.copy(),
            least_workers=self.least_workers.copy(),
            most_workers=self.most_workers.copy(),
            least_uses=self.least_uses.copy(),
            most_uses=self.most_uses.copy(),
        )


def _left(need: Floats, room: float, least: Ints) -> Ints:
    """How often everybody may use something of which everybody uses the least, -1 if not so often.

    Parameters
    ----------
    need
        Shape (participants,), units of a use.
    room
        Units, of which rings may take `FILLED`.
    least
        Shape (participants,), uses of everybody.
    """
    many = np.full(len(need), np.iinfo(np.int64).max)
    if math.isinf(room):
        return many
    needs = [Fraction(each) for each in need.tolist()]
    taken = sum((n * k for n, k in zip(needs, least.tolist(), strict=True) if k), Fraction(0))
    left = Fraction(room) * FILLED - taken
    for i in np.flatnonzero(need).tolist():
        more = math.floor(left / needs[i])
        many[i] = max(-1, min(int(many[i]), int(least[i]) + more))
    return many


MOST_NODES = 1 << 16  #: Branches and leaves of a tree.

ENCLOSED = 200  #: Steps of a search that enclosing a reward takes as long as.

Leaf = Annotated[int, msgspec.Meta(ge=-1, lt=MOST_NODES)]


@certificate_type
class SlotTree(SlotBound, frozen=True, kw_only=True, tag="gadget.slot_tree"):
    """Bound on the marginal reward of every set of rings in one slot, by cases."""

    #: Decisions that are worth no more need not be looked at.
    level: Annotated[float, msgspec.Meta(ge=0.0)]
    #: Preorder: ``[prices, of, job, place, count]`` branches on the participant ``job``; a number
    #: is a leaf with these prices, -1 without any.
    tree: tuple[SlotBranch | Leaf, ...]
    #: Shape (prices, nodes, resources), reward per unit; λ.
    node_prices: tuple[tuple[PriceRow, ...], ...]
    link_prices: tuple[PriceRow, ...]  #: Shape (prices, links), reward per Gbps; ν.

    def prove_bound(self, cluster: Cluster, /) -> Fraction:
        """Walk the tree and price every box anew, by exact searches."""
        if not np.isfinite(self.level):
            raise NotACertificate("the level is not finite")
        if len(self.tree) > MOST_NODES:
            raise NotACertificate(f"more than {MOST_NODES} nodes")
        shape = len(self.link_prices), cluster.num_nodes, cluster.num_resources
        node = price_array(self.node_prices, shape)
        link = price_array(self.link_prices, (len(self.link_prices), cluster.num_links))
        most, effort = self.most_workers(cluster), Effort()
        sizes = int((most + 1)[most > 0].sum())
        effort.spend(ENCLOSED * sizes + cluster.num_jobs * (cluster.num_nodes + cluster.num_links))
        first = SlotBox.whole(cluster, most)
        gains = [self.gains(cluster, int(i), int(most[i])) for i in first.jobs]
        waiting: list[tuple[SlotBox, Fraction | None]] = [(first, None)]
        proved = Fraction(self.level)
        for part in self.tree:
            if not waiting:
                raise NotACertificate("the tree goes on after its last leaf")
            box, worth = waiting.pop()
            which = part if isinstance(part, int) else part.prices
            if not -1 <= which < len(link):
                raise NotACertificate(f"the tree names prices {which} of {len(link)}")
            if which >= 0 and not box.empty:
                priced = PricedBox.of(box, gains, node[which], link[which], effort)
                box, worth = priced.above(Fraction(self.level)), priced.worth
            if not isinstance(part, int):
                waiting += [(each, worth) for each in reversed(box.parts(part))]
            elif not box.empty:
                if worth is None:
                    raise NotACertificate("a leaf that no prices bound")
                proved = max(proved, worth)
        if waiting:
            raise NotACertificate("the tree ends before its last leaf")
        return proved


@dataclasses.dataclass(frozen=True, eq=False)
class PricedBox:
    """A box that is not empty, at prices."""

    box: SlotBox
    #: Of 0, 1, ... workers of each participant, at least the exact ones.
    gains: list[list[Fraction]]
    prices: GridPrices  #: Of the participants.
    best: list[Fraction]  #: P, of each participant.
    worth: Fraction  #: Z in the argument above.

    @classmethod
    def of(
        cls, box: SlotBox, gains: list[list[Fraction]], node: Floats, link: Floats, effort: Effort
    ) -> PricedBox:
        """Price a box, at prices of shapes (nodes, resources) and (links,)."""
        cluster = box.cluster
        rent = whole_rent(cluster, node, link) * FILLED
        effort.spend(box.sizes.size + len(box.jobs) * (cluster.num_nodes + cluster.num_links))
        size = box.sizes.shape[1] - 1
        prices = GridPrices.of(cluster, box.jobs, size, node, link, effort)
        priced = cls(box, gains, prices, [], rent)
        # a job that has to run may lose; no more than this is asked
        deep = max((max(row) for row in gains), default=Fraction(0)) * 2
        for place, sizes in enumerate(box.sizes):
            depth = Fraction(0) if sizes[0] else deep
            priced.best.append(
                priced.beyond(place, np.flatnonzero(sizes).tolist(), -depth, MOST_STEPS) - depth
            )
        return dataclasses.replace(priced, worth=rent + sum(priced.best, Fraction(0)))

    def beyond(self, place: int, sizes: list[int], floor: Fraction, steps: int) -> Fraction:
        """Most by which a ring of these sizes is worth more than ``floor``, at least 0."""
        none, wanted = Fraction(0), set(sizes) - {0}
        beyond = [
            max(none, gain - floor) if k in wanted else none
            for k, gain in enumerate(self.gains[place])
        ]
        limits = self.box.most_workers[place].tolist(), self.box.most_uses[place].tolist()
        return self.prices.best(place, beyond, steps, limits)

    def above(self, level: Fraction) -> SlotBox:
        """Box without the sizes with which no decision is worth more than ``level``."""
        sizes = self.box.sizes.copy()
        for place, k in np.argwhere(sizes).tolist():
            floor = self.best[place] - (self.worth - level)
            alive = floor < 0 if not k else self.beyond(place, [k], floor, FEW_STEPS) > 0
            sizes[place, k] = alive
        return self.box.with_sizes(sizes)


def certify_slot_tree(
    cluster: Cluster,
    slot: int,
    progress: Ints,
    level: float,
    tree: tuple[SlotBranch | int, ...],
    node_prices: Floats,
    link_prices: Floats,
) -> SlotTree:
    """Certificate of the bound that a tree proves for one slot.

    ``node_prices``, ``link_prices``: shapes (prices, nodes, resources) and (prices, links).
    """
    received: tuple[WorkerSlots, ...] = tuple(np.asarray(progress, dtype=np.int64).tolist())
    draft = SlotTree(
        kind=SlotTree.about,
        program=SlotTree.subject,
        instance=cluster.sha256,
        bound="0",
        slot=slot,
        progress=received,
        level=level,
        tree=tree,
        node_prices=nested(np.maximum(node_prices, 0.0)),
        link_prices=nested(np.maximum(link_prices, 0.0)),
    )
    return msgspec.structs.replace(draft, bound=claimed(draft.prove_bound(cluster)))


# Certificates of whole horizons of kind gadget whose jobs all come in the last slot.
#
# Before it nobody runs, so that a schedule is one set of rings: it earns what jobs are worth that
# receive nothing, and what the rings of the slot add to that.  What bounds a slot, with prices of
# links, with whole sizes, or by cases, bounds such a horizon.


@certificate_type
class OneSlot(ClusterCertificate, frozen=True, kw_only=True, tag="gadget.one_slot"):
    """Bound on every schedule of a horizon in whose last slot all jobs come."""

    subject = "gadget.offline"
    #: Certificate of the last slot, before which no job has received anything.
    slot: SlotCertificate | SlotTree

    def prove_bound(self, cluster: Cluster, /) -> Fraction:
        """Worth of all jobs without workers, and what the slot adds at most."""
        last = cluster.horizon - 1
        if (cluster.arrival < last).any():
            raise NotACertificate("a job comes before the last slot")
        if self.slot.slot != last:
            raise NotACertificate(f"slot {self.slot.slot} is not the last, {last}")
        if any(self.slot.progress):
            raise NotACertificate("a job has received something before the last slot")
        if self.slot.instance != self.instance:
            raise NotACertificate("the certificate of the slot is about another instance")
        idle = (worth_of(cluster, job, 0)[1] for job in range(cluster.num_jobs))
        return self.slot.prove_bound(cluster) + sum(map(shortened, idle), Fraction(0))


def certify_one_slot(cluster: Cluster, slot: SlotCertificate | SlotTree) -> OneSlot:
    """Certificate of the bound that one of the last slot proves."""
    draft = OneSlot(
        kind=OneSlot.about,
        program=OneSlot.subject,
        instance=cluster.sha256,
        bound="0",
        slot=slot,
    )
    return msgspec.structs.replace(draft, bound=claimed(draft.prove_bound(cluster)))
