"""Ring mappings: which servers a ring uses, with how many workers, over which links.

A mapping is a count of workers per host and, for several hosts, a closed walk through all of them
(`farkas.models.gadget.rings`).  A ring on one host uses no link.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from farkas.errors import NotApplicable
from farkas.instances.gadget import Cluster
from farkas.models.gadget.forest import Forest, forest
from farkas.models.gadget.links import Counts, link_cap
from farkas.numbers import Floats, Ints, floats

if TYPE_CHECKING:
    from farkas.models.gadget.orders import OrderedWalks


# Closed walks through the hosts of a ring, as uses of links.
#
# Visiting every host once loses nothing (keep the first visit of each host and join the path
# segments in between: no load grows), so that minimal walks are enough.


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
    """List every locally feasible ring mapping that no other dominates.

    Parameters
    ----------
    largest
        Shape (jobs,), largest size per job; 0 leaves the job out.
    most
        Give up beyond so many mappings or partial walks.

    Returns
    -------
    Sorted by job, then size.

    Raises
    ------
    NotApplicable
        When there are too many.
    """
    walks = ClosedWalks(cluster, most)
    found: list[tuple[int, Counts, Counts]] = []
    for job, limit in enumerate(np.asarray(largest).tolist()):
        if limit < 1:
            continue
        rows: list[tuple[int, Counts, Counts]] = []
        cap, links = np.minimum(cluster.host_cap[job], limit), link_cap(cluster, job)
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
