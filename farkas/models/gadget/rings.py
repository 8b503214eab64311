"""Ring mappings: which servers a ring uses, with how many workers, over which links.

A mapping is a count of workers per host and, for several hosts, a closed walk through all of them
(`farkas.models.gadget.rings`).  A ring on one host uses no link.
"""

from __future__ import annotations

import dataclasses
import itertools
import operator
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from farkas.errors import NotApplicable
from farkas.instances.gadget import Cluster
from farkas.models.gadget.forest import Forest, forest
from farkas.numbers import Floats, Ints, floats

Counts = tuple[int, ...]  #: How often each link is used.

JOINED = 10  #: Ways to go on that are looked at for every closed walk that may be listed.


# Closed walks through the hosts of a ring, as uses of links.
#
# Visiting every host once loses nothing (keep the first visit of each host and join the path
# segments in between: no load grows), so that minimal walks are enough.


class SimplePaths:
    """Simple paths, remembered; of at most ``most`` partial paths between two nodes."""

    def __init__(self, cluster: Cluster, most: int) -> None:
        self.cluster = cluster
        self.most = most
        self._paths: dict[tuple[int, int, bytes], list[Counts]] = {}
        self._steps = 0
        self._leaving: list[list[int]] = [[] for _ in range(cluster.num_nodes)]
        for e, u in enumerate(cluster.link_source.tolist()):
            self._leaving[u].append(e)

    def over_all(self, start: int, end: int) -> list[Counts]:
        """List the simple paths from ``start`` to ``end`` over all links."""
        return self.between(start, end, np.full(self.cluster.num_links, np.inf))

    def between(self, start: int, end: int, cap: Floats) -> list[Counts]:
        """List those over links that ``cap``, shape (links,), lets be used once.

        Raises `NotApplicable` where there are too many partial ones.
        """
        key = (start, end, cap.tobytes())
        if key not in self._paths:
            self._steps = 0
            self._paths[key] = list(self._extend(start, end, cap, [], {start}))
        return self._paths[key]

    def _extend(
        self, here: int, end: int, cap: Floats, used: list[int], seen: set[int]
    ) -> Iterator[Counts]:
        self._steps += 1
        if self._steps > self.most:  # dead ends count too
            raise NotApplicable(f"more than {self.most} partial paths; too many to list")
        if here == end:
            flow = [0] * self.cluster.num_links
            for e in used:
                flow[e] = 1
            yield tuple(flow)
            return
        for e in self._leaving[here]:
            target = int(self.cluster.link_target[e])
            if cap[e] >= 1 and target not in seen:
                yield from self._extend(target, end, cap, [*used, e], seen | {target})


class ClosedWalks:
    """Minimal closed walks through sets of hosts, remembered.

    Gives up beyond ``most`` partial paths, or ten times so many ways to join them in all.
    """

    def __init__(self, cluster: Cluster, most: int) -> None:
        self.cluster = cluster
        self.most = most
        self.tree: Forest | None = forest(cluster)
        self._known: dict[tuple[Counts, bytes], list[Counts]] = {}
        self._paths, self._joined = SimplePaths(cluster, most), 0

    def through(self, hosts: Counts, cap: Floats) -> list[Counts]:
        """List the minimal link multiplicities of closed walks through ``hosts`` within ``cap``."""
        if len(hosts) == 1:
            return [(0,) * self.cluster.num_links]
        key = (hosts, cap.tobytes())
        if key not in self._known:
            on_tree = self.tree is not None
            found = self._on_tree(hosts, cap) if on_tree else self.in_any_order(hosts, cap)
            self._known[key] = found
        return self._known[key]

    def _on_tree(self, hosts: Counts, cap: Floats) -> list[Counts]:
        assert self.tree is not None
        if len({int(self.tree.component[u]) for u in hosts}) > 1:
            return []
        flow = [0] * self.cluster.num_links
        for e in self.tree.steiner_links(list(hosts)):
            flow[e] = 1
        return [tuple(flow)] if (np.array(flow) <= cap).all() else []

    def in_any_order(self, hosts: Counts, cap: Floats) -> list[Counts]:
        """Join simple paths, in every cyclic order of the hosts."""
        room = cap.tolist()
        walks: set[Counts] = set()
        for rest in itertools.permutations(hosts[1:]):
            order = (hosts[0], *rest, hosts[0])
            partial: set[Counts] = {(0,) * self.cluster.num_links}
            for start, end in itertools.pairwise(order):
                paths = self._paths.between(start, end, cap)
                self._joined += len(partial) * len(paths)
                if self._joined > JOINED * self.most:
                    raise NotApplicable(f"more than {self.most} closed walks; too many to list")
                joined = (
                    tuple(map(operator.add, walk, path)) for walk in partial for path in paths
                )
                partial = {walk for walk in joined if all(map(operator.le, walk, room))}
            walks |= partial
        return minimal(walks)


def minimal(vectors: Iterable[Counts]) -> list[Counts]:
    """Keep the vectors that no other is below in every entry, sorted by sum and then by entries."""
    left = np.array(sorted(set(vectors), key=lambda v: (sum(v), v)), np.int64)
    kept: list[Counts] = []
    while len(left):  # what is below another has the smaller sum, and so comes first
        least = left[0]
        kept.append(tuple(least.tolist()))
        left = left[(left < least).any(axis=1)]
    return kept


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Rings:
    """A list of ring mappings."""

    job: Ints  #: Shape (rings,).
    size: Ints  #: Shape (rings,).
    workers: Ints  #: Shape (rings, nodes), workers per node; y.
    flow: Ints  #: Shape (rings, links), how often the closed walk uses each link; f.

    def __len__(self) -> int:
        return len(self.job)

    def take(self, places: npt.ArrayLike) -> Rings:
        """Return the rings at ``places`` (positions or a mask)."""
        where = np.asarray(places)
        return Rings(self.job[where], self.size[where], self.workers[where], self.flow[where])

    @classmethod
    def join(cls, parts: Sequence[Rings], cluster: Cluster) -> Rings:
        """Concatenate lists of rings."""
        none = cls.none(cluster)
        names = ("job", "size", "workers", "flow")
        return cls(*(np.concatenate([getattr(p, n) for p in (none, *parts)]) for n in names))

    @classmethod
    def none(cls, cluster: Cluster) -> Rings:
        """Return the empty list."""
        return cls.of(cluster, ())

    @classmethod
    def of(
        cls, cluster: Cluster, found: Iterable[tuple[int, npt.ArrayLike, npt.ArrayLike]]
    ) -> Rings:
        """List rings that are given as job, workers per node, and uses of each link."""
        rows = list(found)
        workers = np.array([y for _, y, _ in rows], np.int64)
        workers = workers.reshape(len(rows), cluster.num_nodes)
        flow = np.array([f for *_, f in rows], np.int64).reshape(len(rows), cluster.num_links)
        return cls(np.array([i for i, *_ in rows], np.int64), workers.sum(axis=1), workers, flow)

    def node_load(self, cluster: Cluster) -> Floats:
        """Units used, shape (rings, nodes, resources)."""
        return floats(self.workers[:, :, None] * cluster.demand[self.job][:, None, :])

    def link_load(self, cluster: Cluster) -> Floats:
        """Gbps reserved, shape (rings, links)."""
        return floats(self.flow * cluster.bandwidth[self.job][:, None])


def enumerate_rings(cluster: Cluster, largest: npt.ArrayLike, *, most: int = 200_000) -> Rings:
    """List every locally feasible ring mapping that no other dominates, by job and then by size.

    ``largest``, shape (jobs,), is the largest size per job; 0 leaves the job out.  Raises
    `NotApplicable` beyond ``most`` mappings or partial walks.
    """
    walks = ClosedWalks(cluster, most)
    found: list[tuple[int, Counts, Counts]] = []
    for job, limit in enumerate(np.asarray(largest).tolist()):
        if limit < 1:
            continue
        rows: list[tuple[int, Counts, Counts]] = []
        cap, links = np.minimum(cluster.host_cap[job], limit), cluster.link_cap(job)
        hosts = np.flatnonzero(cap).tolist()
        for width in range(1, min(limit, len(hosts)) + 1):
            for chosen in itertools.combinations(hosts, width):
                flows = walks.through(chosen, links)
                for counts in _spread(cap[list(chosen)].tolist(), limit) if flows else ():
                    workers = [0] * cluster.num_nodes
                    for host, count in zip(chosen, counts, strict=True):
                        workers[host] = count
                    rows += [(job, tuple(workers), flow) for flow in flows]
                if len(found) + len(rows) > most:
                    raise NotApplicable(f"more than {most} ring mappings; too many to list")
        found += sorted(rows, key=lambda row: sum(row[1]))
    return Rings.of(cluster, found)


def _spread(caps: list[int], total: int) -> Iterator[Counts]:
    """All ways to put at least one and at most ``caps`` workers on each host, ``total`` in all."""
    ranges = [range(1, cap + 1) for cap in caps]
    return (counts for counts in itertools.product(*ranges) if sum(counts) <= total)
