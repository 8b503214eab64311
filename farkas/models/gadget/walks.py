"""Closed walks through the hosts of a ring, as uses of links.

Visiting every host once loses nothing (keep the first visit of each host and join the path
segments in between: no load grows), so that minimal walks are enough.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.models.gadget.forest import Forest, forest
from farkas.models.gadget.links import Counts
from farkas.numbers import Floats

if TYPE_CHECKING:
    from farkas.models.gadget.orders import OrderedWalks


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

    @cached_property
    def _by_order(self) -> OrderedWalks:
        from farkas.models.gadget.orders import OrderedWalks  # here: on trees hosts decide

        return OrderedWalks(self.cluster, self.most)

    def through(self, hosts: Counts, cap: Floats) -> list[Counts]:
        """List the minimal link multiplicities of closed walks through ``hosts`` within ``cap``."""
        if len(hosts) == 1:
            return [(0,) * self.cluster.num_links]
        key = (hosts, cap.tobytes())
        if key not in self._known:
            on_tree = self.tree is not None
            found = self._on_tree(hosts, cap) if on_tree else self._by_order.through(hosts, cap)
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
