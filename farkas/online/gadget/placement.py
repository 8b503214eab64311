"""The placement heuristic of the baselines: one server if possible, else a greedy ring."""

from __future__ import annotations

import dataclasses
from collections import deque

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings
from farkas.numbers import Floats, Ints
from farkas.tolerances import ROUNDING


@dataclasses.dataclass(frozen=True, eq=False)
class PlacedRing:
    """A ring in its place."""

    workers: Ints  #: Shape (nodes,).
    links: list[int]  #: Links in the order of the walk, with repetitions.


class Room:
    """What is left of the cluster within a slot.

    Parameters
    ----------
    cluster
        The instance; every slot starts from its empty cluster.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.clear()
        self._leaving: list[list[tuple[int, int]]] = [[] for _ in range(cluster.num_nodes)]
        ends = zip(cluster.link_source.tolist(), cluster.link_target.tolist(), strict=True)
        for e, (u, v) in enumerate(ends):
            self._leaving[u].append((e, v))

    def clear(self) -> None:
        """Make everything idle again."""
        self.free: Floats = self.cluster.capacity.copy()
        self.residual: list[float] = self.cluster.link_bandwidth.tolist()

    def fit(self, job: int) -> Ints:
        """Workers of ``job`` that each node still holds, shape (nodes,)."""
        demand = self.cluster.demand[job]
        needed = np.flatnonzero(demand)
        most = float(self.cluster.max_workers[job])
        with np.errstate(over="ignore"):  # a ratio beyond doubles does not limit anything
            ratio = np.floor(self.free[:, needed] / demand[needed] + ROUNDING)
        held = ratio.min(axis=1, initial=most)
        return np.where(self.cluster.is_server, np.maximum(held, 0.0), 0.0).astype(np.int64)

    def place(self, job: int, size: int) -> PlacedRing | None:
        """Place a ring of ``size`` workers and reserve it; None, and nothing kept, if it fails.

        The server with least room that holds all workers, else servers by decreasing room; hosts
        are joined in index order by breadth-first searches that reserve as they go.
        """
        fit = self.fit(job)
        workers = np.zeros(self.cluster.num_nodes, np.int64)
        whole = np.flatnonzero(fit >= size)
        if len(whole):
            workers[whole[np.argmin(fit[whole])]] = size
            links: list[int] | None = []
        else:
            left = size
            for u in np.argsort(-fit, kind="stable").tolist():
                workers[u] = min(int(fit[u]), left)
                left -= int(workers[u])
            if left:
                return None
            links = self._join(job, np.flatnonzero(workers).tolist())
        if links is None:
            return None
        self.free -= workers[:, None] * self.cluster.demand[job]
        return PlacedRing(workers, links)

    def release(self, job: int, placed: PlacedRing) -> None:
        """Give back what a ring holds."""
        self.free += placed.workers[:, None] * self.cluster.demand[job]
        for link in placed.links:
            self.residual[link] += float(self.cluster.bandwidth[job])

    def _join(self, job: int, hosts: list[int]) -> list[int] | None:
        need = float(self.cluster.bandwidth[job])
        before = self.residual.copy()
        walk: list[int] = []
        for start, end in zip(hosts, hosts[1:] + hosts[:1], strict=True):
            path = self._path(start, end, need)
            if path is None:
                self.residual = before
                return None
            for link in path:
                self.residual[link] -= need
            walk += path
        return walk

    def _path(self, start: int, end: int, need: float) -> list[int] | None:
        """Shortest path with room, links tried in the order of the instance."""
        came: dict[int, tuple[int, int]] = {start: (-1, -1)}
        queue = deque([start])
        while queue and end not in came:
            u = queue.popleft()
            for link, v in self._leaving[u]:
                if v not in came and need <= self.residual[link] + ROUNDING * need:
                    came[v] = (u, link)
                    queue.append(v)
        if end not in came:
            return None
        path: list[int] = []
        while end != start:
            end, link = came[end]
            path.append(link)
        return path[::-1]


def as_rings(cluster: Cluster, placed: dict[int, PlacedRing]) -> Rings:
    """Collect placed rings by job."""
    jobs = sorted(placed)
    if not jobs:
        return Rings.none(cluster)
    workers = np.array([placed[i].workers for i in jobs], np.int64)
    flow = np.array(
        [np.bincount(placed[i].links, minlength=cluster.num_links) for i in jobs], np.int64
    ).reshape(len(jobs), cluster.num_links)
    return Rings(np.array(jobs, np.int64), workers.sum(axis=1), workers, flow)
