"""Closed walks through hosts on networks with cycles: simple paths joined in every order."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable

import numpy as np

from farkas.errors import NotApplicable
from farkas.instances.gadget import Cluster
from farkas.models.gadget.gvne import SimplePaths
from farkas.models.gadget.links import Counts
from farkas.numbers import Floats

JOINED = 10  #: Ways to go on that are looked at for every closed walk that may be listed.


class OrderedWalks:
    """Closed walks that visit hosts in any cyclic order.

    Parameters
    ----------
    cluster
        The network.
    most
        Give up beyond so many partial paths, or ten times so many ways to join them in all.
    """

    def __init__(self, cluster: Cluster, most: int) -> None:
        self.paths = SimplePaths(cluster, most)
        self._joined = 0

    def through(self, hosts: Counts, cap: Floats) -> list[Counts]:
        """List the minimal link multiplicities of closed walks through ``hosts`` within ``cap``."""
        most, num_links = self.paths.most, self.paths.cluster.num_links
        room = cap.tolist()
        walks: set[Counts] = set()
        for rest in itertools.permutations(hosts[1:]):
            order = (hosts[0], *rest, hosts[0])
            partial: set[Counts] = {(0,) * num_links}
            for start, end in itertools.pairwise(order):
                paths = self.paths.between(start, end, cap)
                self._joined += len(partial) * len(paths)
                if self._joined > JOINED * most:
                    raise NotApplicable(f"more than {most} closed walks; too many to list")
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
