"""What the programs of one slot share: participants and sizes."""

import itertools

import numpy as np

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, constraint, objective
from farkas.instances.gadget import Cluster
from farkas.models.gadget.forest import Forest, forest
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Ints, ints


class SlotProgram(Program):
    """Best rings of one slot, at most one for each job."""

    kind = "gadget"
    sense = "max"

    @objective
    def total_gain(m):
        """Marginal reward of the rings that run."""
        return Sum(m.gain[i, k] * m.chosen[i, k] for i, k in m.sizes)

    @constraint("13", "jobs")
    def one_size(m, i):
        """A job runs one ring at most."""
        return Sum(m.chosen[i, k] for k in m.sizes_of[i]) <= 1


def declare_participants(m, slot: SlotView) -> None:
    """Declare who may run with which sizes, and what that is worth."""
    m.jobs = Set(slot.jobs, label="job")
    m.sizes = Set(slot.pairs, label=("job", "size"))
    at = np.searchsorted(slot.pairs[:, 0], np.append(slot.jobs, slot.cluster.num_jobs))
    groups = [slot.pairs[low:high, 1] for low, high in itertools.pairwise(at)]
    m.sizes_of = IndexedSet(m.jobs, groups, label="size")
    m.gain = Param(m.sizes, values=slot.pair_gains)


def declare_capacities(m, cluster: Cluster, jobs) -> None:
    """Declare nodes, resources, and the pairs of them whose capacity is finite."""
    m.nodes = Set(range(cluster.num_nodes), label="node")
    m.resources = Set(range(cluster.num_resources), label="resource")
    m.demand = Param(m.jobs, m.resources, values=cluster.demand[jobs])
    limited = np.isfinite(cluster.capacity) & cluster.is_server[:, None]
    m.limits = Set(np.argwhere(limited), label=("node", "resource"))
    m.capacity = Param(m.limits, values=cluster.capacity[limited])


def declare_links(m, cluster: Cluster, jobs) -> None:
    """Declare links, those that can fill up, and what leaves and enters each node."""
    m.links = Set(range(cluster.num_links), label="link")
    m.leaving = IndexedSet(m.nodes, _by_node(cluster.link_source, cluster), label="link")
    m.entering = IndexedSet(m.nodes, _by_node(cluster.link_target, cluster), label="link")
    m.reserved = Param(m.jobs, values=cluster.bandwidth[jobs])
    limited = np.flatnonzero(np.isfinite(cluster.link_bandwidth))
    m.limited_links = Set(limited, label="link")
    m.bandwidth = Param(m.limited_links, values=cluster.link_bandwidth[limited])


def _by_node(ends, cluster: Cluster):
    return [np.flatnonzero(ends == u) for u in range(cluster.num_nodes)]


MOST_WALKS = 20_000


def lone_sizes(slot: SlotView) -> Ints:
    """Largest allowed size with a locally feasible mapping, shape (participants,), 0 if none.

    On a forest a ring spans the part of the tree that its links connect; elsewhere sets of hosts
    grow as long as a closed walk goes through them.

    Raises
    ------
    NotApplicable
        When the closed walks are too many to list.
    """
    tree = forest(slot.cluster)
    reach = [
        _on_forest(slot, place, tree) if tree is not None else _elsewhere(slot, place)
        for place in range(len(slot.jobs))
    ]
    sizes = np.arange(1, slot.allowed.shape[1] + 1)
    possible = slot.allowed & (sizes[None, :] <= np.array(reach, np.int64)[:, None])
    return ints(np.where(possible, sizes, 0).max(axis=1, initial=0))


def _on_forest(slot: SlotView, place: int, tree: Forest) -> int:
    """Workers in the largest part of the forest that the job's links connect."""
    cap = slot.cluster.link_cap(int(slot.jobs[place]))
    held = slot.cap[place].copy()
    best = int(held.max(initial=0))
    for v in tree.order[::-1].tolist():
        best = max(best, int(held[v]))
        up = int(tree.parent[v])
        if up >= 0 and cap[tree.up[v]] >= 1 and cap[tree.down[v]] >= 1:
            held[up] += held[v]
    return best


def _elsewhere(slot: SlotView, place: int) -> int:
    """Grow sets of hosts that have a common closed walk; they are closed under taking subsets."""
    from farkas.models.gadget.rings import ClosedWalks  # here: forests need none

    cluster, job = slot.cluster, int(slot.jobs[place])
    held, limit = slot.cap[place], int(slot.largest[place])
    walks, cap = ClosedWalks(cluster, MOST_WALKS), cluster.link_cap(job)
    best = int(held.max(initial=0))
    hosts = sorted(np.flatnonzero(held).tolist(), key=lambda u: (-held[u], u))
    joined: list[tuple[int, ...]] = [(u,) for u in hosts]
    rank = {u: place for place, u in enumerate(hosts)}
    while joined and best < limit:
        wider = [(*group, u) for group in joined for u in hosts if rank[u] > rank[group[-1]]]
        joined = [group for group in wider if walks.through(group, cap)]
        best = max([best, *(int(held[list(group)].sum()) for group in joined)])
    return min(best, limit)
