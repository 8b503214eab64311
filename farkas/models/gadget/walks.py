"""Closed walks through the hosts of a ring, as uses of links.

Visiting every host once loses nothing (keep the first visit of each host and join the path
segments in between: no load grows), so that minimal walks are enough.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import numpy as np

from farkas.errors import NotApplicable
from farkas.instances.gadget import Cluster
from farkas.models.gadget.forest import Forest, forest
from farkas.numbers import Floats

Counts = tuple[int, ...]

JOINED = 10
"""Ways to go on that are looked at for every closed walk that may be listed."""


class ClosedWalks:
    """Minimal closed walks through sets of hosts, remembered.

    Parameters
    ----------
    cluster
        The network.
    most
        Give up beyond so many partial walks.
    """

    def __init__(self, cluster: Cluster, most: int) -> None:
        self.cluster = cluster
        self.most = most
        self.tree: Forest | None = forest(cluster)
        self._known: dict[tuple[Counts, bytes], list[Counts]] = {}
        self._paths: dict[tuple[int, int, bytes], list[Counts]] = {}
        self._steps = self._joined = 0
        self._leaving: list[list[int]] = [[] for _ in range(cluster.num_nodes)]
        for e, u in enumerate(cluster.link_source.tolist()):
            self._leaving[u].append(e)

    def through(self, hosts: Counts, cap: Floats) -> list[Counts]:
        """List the minimal link multiplicities of closed walks through ``hosts`` within ``cap``."""
        if len(hosts) == 1:
            return [(0,) * self.cluster.num_links]
        key = (hosts, cap.tobytes())
        if key not in self._known:
            found = self._on_tree(hosts, cap) if self.tree else self._orders(hosts, cap)
            self._known[key] = found
        return self._known[key]

    def paths(self, start: int, end: int) -> list[Counts]:
        """List the simple paths from ``start`` to ``end`` over all links, as multiplicities."""
        return self._simple_paths(start, end, np.full(self.cluster.num_links, np.inf))

    def _on_tree(self, hosts: Counts, cap: Floats) -> list[Counts]:
        assert self.tree is not None
        if len({int(self.tree.component[u]) for u in hosts}) > 1:
            return []
        flow = [0] * self.cluster.num_links
        for e in self.tree.steiner_links(list(hosts)):
            flow[e] = 1
        return [tuple(flow)] if (np.array(flow) <= cap).all() else []

    def _orders(self, hosts: Counts, cap: Floats) -> list[Counts]:
        """Join simple paths in every cyclic order of the hosts."""
        walks: set[Counts] = set()
        for rest in itertools.permutations(hosts[1:]):
            order = (hosts[0], *rest, hosts[0])
            partial: set[Counts] = {(0,) * self.cluster.num_links}
            for start, end in itertools.pairwise(order):
                paths = self._simple_paths(start, end, cap)
                self._joined += len(partial) * len(paths)
                if self._joined > JOINED * self.most:
                    raise NotApplicable(f"more than {self.most} closed walks; too many to list")
                joined = (
                    tuple(map(sum, zip(walk, path, strict=True)))
                    for walk in partial
                    for path in paths
                )
                partial = {walk for walk in joined if (np.array(walk) <= cap).all()}
            walks |= partial
        return minimal(walks)

    def _simple_paths(self, start: int, end: int, cap: Floats) -> list[Counts]:
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


def minimal(vectors: Iterable[Counts]) -> list[Counts]:
    """Keep the vectors that no other is below in every entry, sorted."""
    kept: list[Counts] = []
    for vector in sorted(set(vectors), key=lambda v: (sum(v), v)):
        if not any(all(a <= b for a, b in zip(k, vector, strict=True)) for k in kept):
            kept.append(vector)
    return kept
