"""Simple paths between nodes of a network, as uses of links."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from farkas.errors import NotApplicable
from farkas.instances.gadget import Cluster
from farkas.models.gadget.links import Counts
from farkas.numbers import Floats


class SimplePaths:
    """Simple paths, remembered.

    Parameters
    ----------
    cluster
        The network.
    most
        Give up beyond so many partial paths between two nodes.
    """

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

        Raises
        ------
        NotApplicable
            When there are too many partial ones.
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
