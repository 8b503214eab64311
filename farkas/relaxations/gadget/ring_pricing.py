"""Best rings at prices on any network, job by job."""

from __future__ import annotations

import dataclasses
import sys
from functools import cached_property
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt

from farkas.instances.gadget import Cluster
from farkas.kernels import Floats2, Ints1, Ints2, compiled
from farkas.models.gadget.forest import Forest
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import SlotView
from farkas.models.gadget.tree import crossable
from farkas.numbers import Bools, Floats, Ints, floats
from farkas.relaxations.gadget.ring_search import best_ring, best_rings
from farkas.relaxations.gadget.ring_walks import Arcs, RingTask, distances, program_ring
from farkas.tolerances import ROUNDING

#: Labels for one job, 48 bytes each; where they do not suffice an integer program goes on.
MOST_LABELS = 1 << 19

#: As `MOST_LABELS`, where a bound that is somewhat above the best ring does no harm.
LOOSE_LABELS = 1 << 15

RingSearch = Literal["walks", "loose", "exact"]  #: How far the best ring of a job is searched.


class LabelBudget:
    """How many labels searches for rings may still follow together.

    ``left``: so many; without a limit by default.
    """

    def __init__(self, left: int = sys.maxsize) -> None:
        self.left = left

    def most(self, alone: int) -> int:
        """Labels of one search, which alone may follow ``alone``."""
        return min(alone, self.left)

    def spend(self, followed: int) -> None:
        """Count what a search has followed."""
        self.left = max(0, self.left - followed)


@dataclasses.dataclass(frozen=True, eq=False)
class RingPricing:
    """Pricing of the jobs of a slot, whatever the network."""

    slot: SlotView  #: Whose jobs and sizes.
    #: How far to search for the best ring of a job: ``walks`` remembers nothing, ``loose`` ends
    #: with `LOOSE_LABELS`, and where labels do not suffice ``exact`` asks an integer program.
    search: RingSearch = "exact"
    #: Of all searches together; when there are none left, walks remember nothing.
    labels: LabelBudget = dataclasses.field(default_factory=LabelBudget)

    @cached_property
    def network(self) -> Arcs:
        """The network as the search reads it."""
        cluster = self.slot.cluster
        return network_of(cluster.num_nodes, cluster.link_source, cluster.link_target)

    @cached_property
    def worth(self) -> Floats:
        """Gain of 0, 1, ... workers, shape (participants, sizes + 1), -inf where not allowed."""
        slot = self.slot
        worth = np.full((len(slot.jobs), slot.gains.shape[1] + 1), -np.inf)
        worth[:, 1:][slot.allowed] = slot.gains[slot.allowed]
        return worth

    def hops(self, start: int) -> Floats:
        """Links on the shortest way to every node, shape (nodes,), infinite without a way."""
        network = self.network
        one = np.ones(len(network.source))
        return distances(network, one, one.astype(np.int64), start, False)

    def task(self, place: int, worker: Floats, length: Floats) -> RingTask:
        """Rings of one participant, a worker at ``worker``, a use of a link at ``length``."""
        slot = self.slot
        most = int(slot.largest[place])
        return RingTask(
            worker, slot.cap[place], length, slot.uses[place], self.worth[place, : most + 1]
        )

    def replies(
        self, node_price: Floats, link_price: Floats, floor: Floats, enough: float = -np.inf
    ) -> tuple[Floats, Rings]:
        """Best ring of each job, where it is worth more than ``floor``.

        Parameters
        ----------
        node_price
            Shape (nodes, resources), per unit; λ >= 0.
        link_price
            Shape (links,), per Gbps; ν >= 0.
        floor
            Shape (participants,).
        enough
            Do not search on for what the jobs are worth together when it is no more than this.

        Returns
        -------
        The most that any ring of the job is worth, or the floor if that is more, shape
        (participants,); and the rings.
        """
        slot, cluster = self.slot, self.slot.cluster
        worker = (cluster.demand[slot.jobs][:, None] * node_price).sum(axis=2)
        length = cluster.bandwidth[slot.jobs][:, None] * link_price
        least = floor + noise(slot, floor)
        best, most, on_nodes, on_links, _ = best_rings(
            self.network, worker, slot.cap, length, slot.uses, self.worth, slot.largest, least, 0
        )
        found = [
            (int(slot.jobs[place]), on_nodes[place], on_links[place])
            for place in np.flatnonzero(on_nodes.any(axis=1)).tolist()
        ]

        def unsure() -> list[int]:
            """Jobs whose best ring is not known, those that may gain most first."""
            left = np.flatnonzero(best != most)
            order = left[np.argsort(least[left] - most[left], kind="stable")]
            return list(map(int, order))

        # no need to search on before what was found has changed the prices
        alone = {"walks": 0, "loose": LOOSE_LABELS, "exact": MOST_LABELS}[self.search]
        for place in unsure() if alone and not found else ():
            labels = self.labels.most(alone)
            if most.sum() <= enough or not labels:
                break
            task = self.task(place, worker[place], length[place])
            best[place], most[place], workers, flow, followed = best_ring(
                self.network, task, float(least[place]), labels
            )
            self.labels.spend(followed)
            if workers.any():
                found.append((int(slot.jobs[place]), workers, flow))
        for place in unsure() if self.search == "exact" and not found else ():
            if most.sum() <= enough:
                break
            value, bound, workers, flow = program_ring(slot, place, worker[place], length[place])
            most[place] = max(least[place], min(most[place], bound))
            if value > least[place]:
                found.append((int(slot.jobs[place]), workers, flow))
        return most, Rings.of(cluster, found)

    def placed(self, rings: list[tuple[int, Ints]]) -> Rings:
        """Rings with the given (participant, workers), where a short way round fits."""
        slot, router = self.slot, Router(self.network)
        found = []
        for place, workers in rings:
            flow = router.through(np.flatnonzero(workers).tolist(), slot.uses[place])
            if flow is not None and (workers <= slot.cap[place]).all():
                found.append((int(slot.jobs[place]), workers, flow))
        return Rings.of(slot.cluster, found)


def noise(slot: SlotView, floor: Floats) -> Floats:
    """Excess over ``floor`` that is none, shape (participants,)."""
    return floats(ROUNDING * np.maximum(np.abs(floor), slot.gains.max(axis=1)))


def network_of(nodes: int, source: Ints, target: Ints) -> Arcs:
    """Sort links by their ends."""
    leaving, entering = np.argsort(source, kind="stable"), np.argsort(target, kind="stable")
    every = np.arange(nodes + 1)
    return Arcs(
        source,
        target,
        leaving,
        np.searchsorted(source[leaving], every),
        entering,
        np.searchsorted(target[entering], every),
    )


class Router:
    """Closed walks through hosts along paths of fewest links: rings to begin with."""

    def __init__(self, network: Arcs) -> None:
        self.network = network
        self._paths: dict[tuple[int, bytes], Ints] = {}

    def through(self, hosts: list[int], uses: Ints) -> Ints | None:
        """Return uses per link of a walk from host to host and back; None where it does not fit."""
        flow = np.zeros(len(uses), np.int64)
        usable = uses > 0
        for start, end in zip(hosts, hosts[1:] + hosts[:1], strict=True):
            came = self._tree(start, usable)
            while end != start:
                if came[end] < 0:
                    return None
                flow[came[end]] += 1
                end = int(self.network.source[came[end]])
        return flow if (flow <= uses).all() else None

    def _tree(self, start: int, usable: Bools) -> Ints:
        """Last link of a path with fewest links to every node, -1 if there is none."""
        key = (start, usable.tobytes())
        if key not in self._paths:
            network = self.network
            came = np.full(len(network.leave) - 1, -1)
            queue, seen = [start], {start}
            for u in queue:
                for e in network.leaving[network.leave[u] : network.leave[u + 1]].tolist():
                    v = int(network.target[e])
                    if usable[e] and v not in seen:
                        seen.add(v)
                        came[v] = e
                        queue.append(v)
            self._paths[key] = came
        return self._paths[key]


# Cheapest ring of every size on a forest, for all jobs at given prices.
#
# With prices per worker and node and a price for crossing each edge (both ways), the cheapest k
# workers at or below a node, joined to it, follow from its children's by a min-plus convolution;
# the cheapest ring is the least over all nodes.


@dataclasses.dataclass(frozen=True, eq=False)
class TreePricing:
    """Pricing of some jobs of a cluster whose network is a forest."""

    #: cluster, tree: the network.
    cluster: Cluster
    tree: Forest
    jobs: Ints  #: Shape (participants,).
    largest: Ints  #: Shape (participants,), largest size to price.

    @cached_property
    def cap(self) -> Ints:
        """Workers of the largest ring that a node holds, shape (participants, nodes)."""
        return np.minimum(self.cluster.host_cap[self.jobs], self.largest[:, None])

    @cached_property
    def passes(self) -> Bools:
        """Whether a ring fits through the edge above each node, shape (participants, nodes)."""
        passes = np.zeros((len(self.jobs), self.cluster.num_nodes), np.bool_)
        passes[:, self.tree.parent >= 0] = crossable(self.cluster, self.jobs, self.tree)
        return passes

    @cached_property
    def children(self) -> tuple[Ints, Ints]:
        """Where the children of each node start, shape (nodes + 1,), and the children."""
        tree = self.tree
        # in the order of the forest: the first of them was merged last
        children = [v for v in tree.order.tolist() if tree.parent[v] >= 0]
        children.sort(key=lambda v: int(tree.parent[v]))  # stable
        starts = np.searchsorted(tree.parent[children], np.arange(len(tree.parent) + 1))
        return starts.astype(np.int64), np.array(children, np.int64)

    def costs(self, node_price: Floats, link_price: Floats) -> tuple[Floats, TreeRings]:
        """Cheapest cost of each size, and how to rebuild the rings.

        Parameters
        ----------
        node_price
            Shape (nodes, resources), per unit; λ >= 0.
        link_price
            Shape (links,), per Gbps; ν >= 0.

        Returns
        -------
        Shape (participants, largest size), infinite where no locally feasible ring exists.
        """
        worker, edge = self.prices(node_price, link_price)
        size = int(self.largest.max(initial=0))
        tree = self.tree
        cost, root, take = cheapest(worker, edge, self.cap, tree.parent, tree.order, size)
        return cost, TreeRings(self, root, take)

    def prices(self, node_price: Floats, link_price: Floats) -> tuple[Floats, Floats]:
        """Price of a worker on each node and of crossing the edge above it."""
        tree, demand = self.tree, self.cluster.demand[self.jobs]
        worker = (demand[:, None] * node_price).sum(axis=2)
        both = np.zeros(self.cluster.num_nodes)
        inner = tree.parent >= 0
        both[inner] = link_price[tree.up[inner]] + link_price[tree.down[inner]]
        edge = self.cluster.bandwidth[self.jobs][:, None] * both
        return worker, np.where(self.passes, edge, np.inf)


@dataclasses.dataclass(frozen=True, eq=False)
class TreeRings:
    """Cheapest rings, kept as decisions of the dynamic program."""

    pricing: TreePricing  #: Whose they are.
    root: Ints  #: Shape (participants, largest size), top node of the cheapest ring.
    #: Shape (participants, nodes, largest size + 1): workers at or below a node when its parent had
    #: so many, this child included.
    take: npt.NDArray[np.int16]

    def rings(self, places: Ints, sizes: Ints) -> Rings:
        """Rebuild the cheapest rings of the given participants and sizes."""
        p = self.pricing
        workers, crossed = rebuild(places, sizes, self.root, self.take, *p.children)
        flow = np.zeros((len(places), p.cluster.num_links), np.int64)
        inner = np.flatnonzero(p.tree.parent >= 0)
        flow[:, p.tree.up[inner]] = crossed[:, inner]
        flow[:, p.tree.down[inner]] = crossed[:, inner]
        return Rings(p.jobs[places], sizes, workers, flow)


Takes = Annotated[npt.NDArray[np.int16], np.int16, 3]


@compiled(steps=lambda worker, edge, cap, parent, order, size: worker.size * (size + 1) ** 2)
def cheapest(
    worker: Floats2, edge: Floats2, cap: Ints2, parent: Ints1, order: Ints1, size: int
) -> tuple[Floats2, Ints2, Takes]:
    """Run the dynamic program of all jobs: cheapest costs, top nodes, and decisions."""
    jobs, nodes = worker.shape
    cost = np.full((jobs, size), np.inf)
    root = np.full((jobs, size), -1)
    take = np.zeros((jobs, nodes, size + 1), np.int16)
    below = np.empty((nodes, size + 1))
    merged = np.empty(size + 1)
    for i in range(jobs):
        for v in range(nodes):
            for k in range(size + 1):
                below[v, k] = k * worker[i, v] if k <= cap[i, v] else np.inf
            below[v, 0] = 0.0
        for at in range(nodes - 1, -1, -1):
            v = order[at]
            for k in range(1, size + 1):
                if below[v, k] < cost[i, k - 1]:
                    cost[i, k - 1] = below[v, k]
                    root[i, k - 1] = v
            up = parent[v]
            if up < 0 or edge[i, v] == np.inf:
                continue
            for k in range(size + 1):
                merged[k] = below[up, k]
                for j in range(1, k + 1):
                    joined = below[up, k - j] + below[v, j] + edge[i, v]
                    if joined < merged[k]:
                        merged[k] = joined
                        take[i, v, k] = j
            for k in range(size + 1):
                below[up, k] = merged[k]
    return cost, root, take


@compiled(steps=lambda places, sizes, root, take, *children: len(places) * take.shape[1])
def rebuild(
    places: Ints1, sizes: Ints1, root: Ints2, take: Takes, child_start: Ints1, child: Ints1
) -> tuple[Ints2, Ints2]:
    """Walk the decisions back: workers on nodes, and edges crossed, shape (rings, nodes)."""
    nodes = len(child_start) - 1
    workers = np.zeros((len(places), nodes), np.int64)
    crossed = np.zeros((len(places), nodes), np.int64)
    stack = np.empty(nodes, np.int64)
    held = np.empty(nodes, np.int64)
    for ring in range(len(places)):
        i, k = places[ring], sizes[ring]
        stack[0], held[0] = root[i, k - 1], k
        used = 1
        while used > 0:
            used -= 1
            v, left = stack[used], held[used]
            for at in range(child_start[v], child_start[v + 1]):
                j = take[i, child[at], left]
                if j > 0:
                    crossed[ring, child[at]] = 1
                    stack[used], held[used] = child[at], j
                    used += 1
                    left -= j
            workers[ring, v] = left
    return workers, crossed
