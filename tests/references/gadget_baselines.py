"""FIFO, LAS and DRF of rings, slot by slot with lists; data that doubles hold without rounding."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

from farkas.instances.gadget import Cluster

Placed = tuple[dict[int, int], list[int]]
"""Workers by node, and links in the order of the walk."""


class EmptySlot:
    """What one slot has left, and the placement heuristic."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.units = [[math.inf if c is None else c for c in n.capacity] for n in cluster.nodes]
        self.gbps = [float(b) for b in cluster.link_bandwidth]

    def fit(self, i: int) -> list[int]:
        """Workers that every node holds."""
        job = self.cluster.jobs[i]
        held = []
        for node, units in zip(self.cluster.nodes, self.units, strict=True):
            pairs = zip(units, job.demand, strict=True)
            most = [u // d for u, d in pairs if d > 0 and u < math.inf]
            held.append(int(min([*most, job.max_workers])) if node.server else 0)
        return held

    def place(self, i: int, size: int) -> Placed | None:
        """One server if some holds all, the tightest; else a greedy ring.  Nothing kept if none."""
        fit, nodes = self.fit(i), range(len(self.units))
        whole = [u for u in nodes if fit[u] >= size]
        workers: dict[int, int] = {}
        if whole:
            workers[min(whole, key=lambda u: (fit[u], u))] = size
        else:
            for u in sorted(nodes, key=lambda u: (-fit[u], u)):
                if missing := size - sum(workers.values()):
                    workers[u] = min(fit[u], missing)
            workers = {u: n for u, n in workers.items() if n}
            if sum(workers.values()) < size:
                return None
        hosts, before, walk = sorted(workers), list(self.gbps), []
        for start, end in zip(hosts, hosts[1:] + hosts[:1], strict=True):
            path = self.path(i, start, end)
            if path is None:
                self.gbps = before
                return None
            for link in path:
                self.gbps[link] -= self.cluster.jobs[i].bandwidth
            walk += path
        self.gbps = before
        self.reserve(i, workers, walk)
        return workers, walk

    def reserve(self, i: int, workers: dict[int, int], walk: list[int]) -> None:
        """Take what a ring uses."""
        for u, n in workers.items():
            for r, demand in enumerate(self.cluster.jobs[i].demand):
                self.units[u][r] -= n * demand
        for link in walk:
            self.gbps[link] -= self.cluster.jobs[i].bandwidth

    def path(self, i: int, start: int, end: int) -> list[int] | None:
        """Breadth-first search over links with room, in the order of the list."""
        cluster, need = self.cluster, self.cluster.jobs[i].bandwidth
        ends = list(zip(cluster.link_source.tolist(), cluster.link_target.tolist(), strict=True))
        ways: dict[int, list[int]] = {start: []}
        for u in (reached := [start]):
            for link, (tail, head) in enumerate(ends):
                if tail == u and head not in ways and self.gbps[link] >= need:
                    ways[head] = [*ways[u], link]
                    reached.append(head)
        return ways.get(end)


def slots(cluster: Cluster, fill: Callable[..., dict[int, Placed]]) -> list[list[Any]]:
    """Rings of every slot by job: its number, workers by node, times on every link."""
    given, told = [0] * len(cluster.jobs), []
    for t in range(cluster.horizon):
        left = [_most(job) - had for job, had in zip(cluster.jobs, given, strict=True)]
        here = [i for i, job in enumerate(cluster.jobs) if job.arrival <= t and left[i] > 0]
        rings = sorted(fill(cluster, here, left, given).items())
        told.append([(i, workers, dict(Counter(walk))) for i, (workers, walk) in rings])
        for i, (workers, _) in rings:
            given[i] += sum(workers.values())
    return told


def _most(job: Any) -> float:
    """Worker-slots that the budgets allow."""
    return min(
        (b // d for b, d in zip(job.budget, job.demand, strict=True) if b is not None and d > 0),
        default=math.inf,
    )


def fifo(cluster: Cluster, here: list[int], left: list[float], given: list[int]) -> Any:
    """By arrival; passes over whom an idle cluster cannot hold, stops at whom this one cannot."""
    order = sorted(here, key=lambda i: (cluster.jobs[i].arrival, i))
    return _fixed(cluster, order, left, stops=True)


def las(cluster: Cluster, here: list[int], left: list[float], given: list[int]) -> Any:
    """By slots of the first resource that a job has had; skips who does not fit."""
    had = [given[i] * cluster.jobs[i].demand[0] for i in range(len(given))]
    order = sorted(here, key=lambda i: (had[i], cluster.jobs[i].arrival, i))
    return _fixed(cluster, order, left, stops=False)


def _fixed(cluster: Cluster, order: list[int], left: list[float], *, stops: bool) -> Any:
    slot, rings = EmptySlot(cluster), {}
    for i in order:
        job = cluster.jobs[i]
        wanted = job.max_workers if job.fixed_workers is None else job.fixed_workers
        size = int(min(wanted, job.max_workers, left[i]))
        if EmptySlot(cluster).place(i, size) is None:
            continue
        ring = slot.place(i, size)
        if ring is not None:
            rings[i] = ring
        elif stops:
            break
    return rings


def drf(cluster: Cluster, here: list[int], left: list[float], given: list[int]) -> Any:
    """The poorest by dominant share tries one worker more, its ring placed anew; or is done."""
    servers = [node.capacity for node in cluster.nodes if node.server]
    total = [sum(math.inf if c is None else c for c in each) for each in zip(*servers, strict=True)]

    def share(i: int) -> float:
        pairs = zip(cluster.jobs[i].demand, total, strict=True)
        size = sum(rings[i][0].values()) if i in rings else 0
        return max([size * d / c for d, c in pairs if 0 < c < math.inf], default=0.0)

    rings: dict[int, Placed] = {}
    growing = set(here)
    while growing:
        i = min(growing, key=lambda i: (share(i), cluster.jobs[i].arrival, i))
        size = (sum(rings[i][0].values()) if i in rings else 0) + 1
        slot = EmptySlot(cluster)
        for j, ring in rings.items():
            if j != i:
                slot.reserve(j, *ring)
        larger = size <= min(cluster.jobs[i].max_workers, left[i])
        found = slot.place(i, size) if larger else None
        if found is None:
            growing.remove(i)
        else:
            rings[i] = found
    return rings
