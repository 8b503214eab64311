"""Mixtures of rings that a point of the embedding relaxation stands for.  GADGET Algorithm 2."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.forms import LinearForm
from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Floats, Ints
from farkas.tolerances import SHARE


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
