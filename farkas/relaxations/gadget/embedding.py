"""Relaxations of a slot: of the embedding program, what it collapses to, and one at fixed sizes.

A point of the last, the augmented relaxation, decomposes into rings (`decompose`).
"""

import dataclasses

import numpy as np

from farkas.algebra import (
    IndexedSet,
    Param,
    Program,
    Set,
    Sum,
    Var,
    constraint,
    objective,
)
from farkas.errors import NotApplicable
from farkas.forms import LinearForm
from farkas.instances.gadget import Cluster
from farkas.models.gadget.base import (
    SlotProgram,
    declare_capacities,
    declare_links,
    declare_participants,
    lone_sizes,
)
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import SlotView, snapshot
from farkas.numbers import Floats, Ints
from farkas.tolerances import SHARE


class NodeLP(SlotProgram):
    """The embedding relaxation without ring edges: servers fill up, links never do."""

    name = "gadget.node_lp"

    def declare(self, m, data):
        """Declare sets, parameters and variables."""
        slot = snapshot(data)
        cluster = slot.cluster
        declare_participants(m, slot)
        declare_capacities(m, cluster, slot.jobs)
        m.chosen = Var(
            m.sizes,
            implied_upper=1,
            reason="the sizes of a job share one unit",
            doc="Share of the ring size; χ.",
        )
        fits = cluster.host_cap[slot.jobs] > 0
        hosts = np.argwhere(fits)
        m.places = Set(
            np.column_stack([slot.jobs[hosts[:, 0]], hosts[:, 1]]), label=("job", "node")
        )
        m.hosts_of = IndexedSet(m.jobs, [np.flatnonzero(row) for row in fits], label="node")
        m.jobs_on = IndexedSet(m.nodes, [slot.jobs[row] for row in fits.T], label="job")
        m.workers = Var(
            m.places,
            implied_upper=slot.largest[hosts[:, 0]],
            reason="no more workers than the largest size",
            doc="Workers on the node; w.",
        )

    @constraint("14", "jobs")
    def all_workers_placed(m, i):
        """The nodes host as many workers as the ring has."""
        placed = Sum(m.workers[i, u] for u in m.hosts_of[i])
        return placed == Sum(k * m.chosen[i, k] for k in m.sizes_of[i])

    @constraint("18", "limits")
    def node_capacity(m, u, r):
        """Workers fit on their node."""
        return Sum(m.demand[i, r] * m.workers[i, u] for i in m.jobs_on[u]) <= m.capacity[u, r]


class LocalNodeLP(NodeLP):
    """The node relaxation in which a node holds of each ring what it can hold at all."""

    name = "gadget.local_node_lp"

    def declare(self, m, data):
        """Declare sets, parameters and variables."""
        super().declare(m, data)
        slot = snapshot(data)
        shared = [
            (i, k, u, min(k, int(slot.cluster.host_cap[i, u])))
            for i, k in slot.pairs.tolist()
            for u in np.flatnonzero(slot.cluster.host_cap[i]).tolist()
        ]
        m.shares = Set([row[:3] for row in shared], label=("job", "size", "node"))
        m.held = Param(m.shares, values=[row[3] for row in shared])

    @constraint("5", "places")
    def local_capacity(m, i, u):
        """A node never holds more workers of one ring than fit on it when it is empty."""
        held = Sum(m.held[i, k, u] * m.chosen[i, k] for k in m.sizes_of[i])
        return m.workers[i, u] <= held


class GvneLP(Gvne):
    """Relaxation of GADGET (12)-(19) with fractional sizes, workers and ring edges.

    Its value is that of ``gadget.node_lp``: averaging the workers of a ring over their positions
    keeps all node loads and makes every ring edge start where it ends, so no link is used.
    """

    name = "gadget.gvne_lp"
    integral = False


class AugmentedRelaxation(Program):
    """Relaxation for fixed ring sizes that can be decomposed into rings.

    Rost and Schmid's second formulation for a ring: it is cut at worker 0, and in the copy of host
    w worker 0 sits on w, so the path of the other workers begins and ends there.  GADGET V-C.
    Takes a snapshot with one size per job; of an instance it fixes the largest size that the job
    could run alone.
    """

    name = "gadget.augmented"
    kind = "gadget"
    sense = "max"

    def declare(self, m, data):
        """Declare sets, parameters and variables."""
        slot = fixed_sizes(data)
        cluster = slot.cluster
        size = dict(zip(slot.jobs.tolist(), slot.largest.tolist(), strict=True))
        m.jobs = Set(slot.jobs, label="job")
        declare_capacities(m, cluster, slot.jobs)
        declare_links(m, cluster, slot.jobs)
        hosts = [(i, w) for i in size for w in np.flatnonzero(cluster.host_cap[i]).tolist()]
        m.copies = Set(hosts, label=("job", "host"))
        hosts_of = [np.flatnonzero(cluster.host_cap[i]) for i in size]
        m.hosts_of = IndexedSet(m.jobs, hosts_of, label="host")
        m.jobs_from = IndexedSet(
            m.nodes,
            [[i for i, w in hosts if w == u] for u in range(cluster.num_nodes)],
            label="job",
        )
        inner = [(i, w, a) for i, w in hosts for a in range(1, size[i])]
        edges = [(i, w, a) for i, w in hosts for a in range(size[i]) if size[i] > 1]
        label = ("job", "host", "worker")
        m.seats = Set(inner, label=label)
        m.ring_edges = Set(edges, label=label)
        # worker 0 is pinned to w: it is the start of edge 0 and the end of the last edge
        m.start = IndexedSet(m.ring_edges, [[a] if a else [] for _, _, a in edges], label="worker")
        ends = [[a + 1] if a + 1 < size[i] else [] for i, _, a in edges]
        m.end = IndexedSet(m.ring_edges, ends, label="worker")
        nodes = range(cluster.num_nodes)
        m.here = IndexedSet(
            (m.nodes, m.nodes), [[u] if u == w else [] for w in nodes for u in nodes], label="node"
        )
        closing = [float(a == 0) - float(a + 1 == size[i]) for i, _, a in edges]
        m.pinned = Param(m.ring_edges, values=closing)
        m.gain = Param(m.jobs, values=slot.pair_gains)
        m.chosen = Var(m.copies, implied_upper=1, reason="the copies of a job share one unit")
        fits = cluster.host_cap[[i for i, _, _ in inner]] > 0
        m.placed = Var(
            m.seats,
            m.nodes,
            upper=np.where(fits.reshape(len(inner), cluster.num_nodes), 1.0, 0.0),
            doc="Share of the worker on this node in the copy.",
        )
        usable = np.minimum(cluster.link_cap([i for i, _, _ in edges]), 1.0)
        m.routed = Var(
            m.ring_edges,
            m.links,
            upper=usable,
            doc="Share of the ring edge on this link in the copy.",
        )

    @objective
    def total_gain(m):
        """Marginal reward of the rings that run."""
        return Sum(m.gain[i] * m.chosen[i, w] for i, w in m.copies)

    @constraint("13", "jobs")
    def one_copy(m, i):
        """A job's copies share one ring."""
        return Sum(m.chosen[i, w] for w in m.hosts_of[i]) <= 1

    @constraint("14", "seats")
    def every_worker_sits_somewhere(m, i, w, a):
        """In each copy every further worker sits on one node."""
        return Sum(m.placed[i, w, a, u] for u in m.nodes) == m.chosen[i, w]

    @constraint("15", "ring_edges", "nodes")
    def flow(m, i, w, a, u):
        """Each ring edge leads from its worker to the next, the last one back to the host."""
        left = Sum(m.routed[i, w, a, e] for e in m.leaving[u])
        came = Sum(m.routed[i, w, a, e] for e in m.entering[u])
        first = m.pinned[i, w, a] * Sum(m.chosen[i, v] for v in m.here[w, u])
        start = Sum(m.placed[i, w, b, u] for b in m.start[i, w, a])
        return left - came == first + start - Sum(m.placed[i, w, b, u] for b in m.end[i, w, a])

    @constraint("18", "limits")
    def node_capacity(m, u, r):
        """Workers of all copies fit on their node."""
        first = Sum(m.demand[i, r] * m.chosen[i, u] for i in m.jobs_from[u])
        others = Sum(m.demand[i, r] * m.placed[i, w, a, u] for i, w, a in m.seats)
        return first + others <= m.capacity[u, r]

    @constraint("19", "limited_links")
    def link_capacity(m, e):
        """Ring edges of all copies fit through their link."""
        used = Sum(m.reserved[i] * m.routed[i, w, a, e] for i, w, a in m.ring_edges)
        return used <= m.bandwidth[e]


def fixed_sizes(data) -> SlotView:
    """Snapshot with one size per job: as given, or the largest that the job could run alone.

    Raises `NotApplicable` when a snapshot allows a job several sizes.
    """
    if isinstance(data, SlotView):
        if (data.allowed.sum(axis=1) != 1).any():
            raise NotApplicable("the augmented relaxation needs one ring size per job: fix them")
        return data
    slot = snapshot(data)
    return slot.fixed(lone_sizes(slot))


# Dual point of the embedding relaxation from server prices alone.  GADGET (12)-(19).
#
# The dual has multipliers γ of (13), η of (14), φ of (15), λ of (18) and ν of (19).  At any λ >= 0
# the choice φ = ν = 0, η = -min_u Σ_r l λ_u and γ = max(0, max_k π_k + k η) is feasible, and at the
# prices of the node relaxation it is optimal: links carry no price, the relaxation ignores them.


@dataclasses.dataclass(frozen=True, eq=False)
class Mixture:
    """Rings with shares."""

    rings: Rings  #: Some may be infeasible on their own: the relaxation bounds sums of shares only.
    share: Floats  #: Shape (rings,), positive; sums to at most 1 for each job; φ.
    passes: int  #: Number of rings peeled off, before equal ones were joined.


class Copy:
    """What is left of one copy: worker 0 of a job's ring sits on ``host``.

    ``chosen`` is its share, ``placed`` has shape (size, nodes), of which row 0 is not used,
    ``routed`` shape (size, links).
    """

    def __init__(
        self, cluster: Cluster, host: int, chosen: float, placed: Floats, routed: Floats
    ) -> None:
        self.cluster = cluster
        self.host = host
        self.chosen = chosen
        self.placed = placed
        self.routed = routed
        self.leaving: list[list[int]] = [[] for _ in range(cluster.num_nodes)]
        for e, u in enumerate(cluster.link_source.tolist()):
            self.leaving[u].append(e)

    def peel(self) -> tuple[float, list[int], list[list[int]]] | None:
        """Take one ring off: share, host of each worker, links of each ring edge.

        From each worker's host a breadth-first search along the flow of its ring edge reaches a
        host of the next worker: the net flow out of the nodes reached is the current worker's
        share there minus the next one's, and it is not positive.  None when noise is left.
        """
        size = len(self.routed)
        hosts, paths, share = [self.host], [], self.chosen
        for a in range(size if size > 1 else 0):
            found = self._next(hosts[a], a, (a + 1) % size)
            if found is None:
                return None
            node, path = found
            paths.append(path)
            share = min([share, *(float(self.routed[a, e]) for e in path)])
            if a + 1 < size:
                hosts.append(node)
                share = min(share, float(self.placed[a + 1, node]))
        self.chosen -= share
        for a, path in enumerate(paths):
            self.routed[a, path] -= share
        for a in range(1, size):
            self.placed[a, hosts[a]] -= share
        return share, hosts, paths

    def _next(self, start: int, edge: int, worker: int) -> tuple[int, list[int]] | None:
        came: dict[int, int] = {start: -1}
        queue = [start]
        for u in queue:
            goal = u == self.host if worker == 0 else self.placed[worker, u] > SHARE
            if goal:
                path: list[int] = []
                node = u
                while came[node] >= 0:
                    path.append(came[node])
                    node = int(self.cluster.link_source[came[node]])
                return u, path[::-1]
            for e in self.leaving[u]:
                v = int(self.cluster.link_target[e])
                if self.routed[edge, e] > SHARE and v not in came:
                    came[v] = e
                    queue.append(v)
        return None


def decompose(slot: SlotView, form: LinearForm, point: Floats) -> Mixture:
    """Write a feasible point of ``gadget.augmented`` as a mixture of rings.

    The shares of a job sum to what the point gives it; node loads are reproduced, link loads are
    not exceeded.  Each pass empties a variable, so there are no more passes than positive ones.
    """
    cluster = slot.cluster
    chosen = form.values(point, "chosen")
    placed, routed = form.values(point, "placed"), form.values(point, "routed")
    copies = form.column_block("chosen").axes[0].members
    seats = form.column_block("placed").axes[0].members
    edges = form.column_block("routed").axes[0].members
    seat_at, edge_at = _starts(seats, copies), _starts(edges, copies)
    size = dict(zip(slot.jobs.tolist(), slot.largest.tolist(), strict=True))
    shares: dict[tuple[int, bytes, bytes], float] = {}
    found: dict[tuple[int, bytes, bytes], tuple[Ints, Ints]] = {}
    passes = 0
    for c, (job, host) in enumerate(copies.tolist()):
        if chosen[c] <= SHARE:
            continue
        k = size[job]
        own = np.zeros((k, cluster.num_nodes))
        own[1:] = placed[seat_at[c] : seat_at[c] + k - 1]
        flows = np.zeros((k, cluster.num_links))
        if k > 1:
            flows = routed[edge_at[c] : edge_at[c] + k].copy()
        copy = Copy(cluster, host, float(chosen[c]), own, flows)
        while copy.chosen > SHARE:
            peeled = copy.peel()
            if peeled is None:
                break
            passes += 1
            share, hosts, paths = peeled
            workers = np.bincount(hosts, minlength=cluster.num_nodes)
            links = [e for path in paths for e in path]
            flow = np.bincount(np.array(links, np.int64), minlength=cluster.num_links)
            key = (job, workers.tobytes(), flow.tobytes())
            shares[key] = shares.get(key, 0.0) + share
            found[key] = (workers, flow)
    keys = sorted(found, key=lambda key: key[0])
    rings = Rings.of(cluster, [(key[0], *found[key]) for key in keys])
    return Mixture(rings, np.array([shares[key] for key in keys], float), passes)


def _starts(members: Ints, copies: Ints) -> list[int]:
    """First member of each (job, host), in a list sorted the same way."""
    at: dict[tuple[int, int], int] = {}
    for place, (job, host) in enumerate(members[:, :2].tolist()):
        at.setdefault((job, host), place)
    return [at.get((job, host), 0) for job, host in copies.tolist()]
