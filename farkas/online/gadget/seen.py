"""What a scheduler knows: jobs, what they have received, and the room that is left in a slot.

A heuristic places rings there: on one server if possible, else greedily over several.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from typing import Any, Self

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import Gains, SlotView, snapshot
from farkas.numbers import Floats, Ints
from farkas.online.gadget.environment import Arrival, Decision, Ring, with_jobs
from farkas.online.policy import Policy
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

    def hold(self, rings: Rings) -> dict[int, PlacedRing]:
        """Reserve what rings hold; return them by job."""
        placed: dict[int, PlacedRing] = {}
        for place, job in enumerate(rings.job.tolist()):
            links = np.repeat(np.arange(self.cluster.num_links), rings.flow[place]).tolist()
            placed[job] = PlacedRing(rings.workers[place], links)
            self.free -= rings.workers[place][:, None] * self.cluster.demand[job]
            for link in links:
                self.residual[link] -= float(self.cluster.bandwidth[job])
        return placed

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


@dataclasses.dataclass(frozen=True, eq=False)
class Seen:
    """State of every scheduler of this kind; never changed in place."""

    cluster: Cluster  #: Nodes, links, and the jobs seen so far in the order of the instance.
    index: Ints  #: Shape (jobs seen,), their positions in the instance.
    received: Floats  #: Shape (jobs seen,), worker-slots; z.
    slot: int  #: The next slot.
    #: What a slot asks for again: the state with its new jobs, and its problem.
    _known: dict[object, Any] = dataclasses.field(init=False, default_factory=dict, repr=False)

    @classmethod
    def start(cls, known: Cluster) -> Self:
        """Know nobody."""
        nobody = np.zeros(0)
        return cls(known, nobody.astype(np.int64), nobody, 0)

    def meet(self, arrivals: tuple[Arrival, ...]) -> Self:
        """Add new jobs in their place; those that are known already stay as they are."""
        new = tuple(arrival for arrival in arrivals if arrival.index not in self.index)
        if not new:
            return self
        numbers = tuple(arrival.index for arrival in new)
        if numbers not in self._known:
            self._known[numbers] = self._with(new)
        met: Self = self._known[numbers]
        return met

    def _with(self, arrivals: tuple[Arrival, ...]) -> Self:
        index = np.append(self.index, [a.index for a in arrivals])
        received = np.append(self.received, np.zeros(len(arrivals)))
        jobs = [*self.cluster.jobs, *(a.job for a in arrivals)]
        order = np.argsort(index)
        cluster = with_jobs(self.cluster, tuple(jobs[place] for place in order))
        return dataclasses.replace(
            self, cluster=cluster, index=index[order], received=received[order]
        )

    def now(self, gains: Gains = "printed") -> SlotView:
        """Return the slot's problem."""
        if gains not in self._known:
            self._known[gains] = snapshot(self.cluster, self.slot, self.received, gains)
        view: SlotView = self._known[gains]
        return view

    def run(self, rings: Rings) -> tuple[Self, Decision]:
        """Run ``rings`` (jobs numbered as seen) and go to the next slot."""
        received = self.received.copy()
        np.add.at(received, rings.job, rings.size)
        after = dataclasses.replace(self, received=received, slot=self.slot + 1)
        order = np.argsort(rings.job, kind="stable").tolist()
        return after, [_decided(rings, place, self.index) for place in order]


class Baseline(Policy):
    """Base of the baselines: a subclass fills one slot after the other."""

    def start(self, known: Cluster, seed: int) -> Seen:
        """Know nobody."""
        return Seen.start(known)

    def step(self, state: Seen, arrivals: tuple[Arrival, ...]) -> tuple[Seen, Decision]:
        """Meet the new jobs and fill the slot."""
        seen = state.meet(arrivals)
        return seen.run(as_rings(seen.cluster, self.fill(seen)))

    def fill(self, seen: Seen) -> dict[int, PlacedRing]:
        """Return the rings that run in the slot, by job."""
        raise NotImplementedError


def _decided(rings: Rings, place: int, index: Ints) -> Ring:
    def used(counts: Ints) -> tuple[tuple[int, int], ...]:
        return tuple((at, int(counts[at])) for at in np.flatnonzero(counts).tolist())

    job = int(index[rings.job[place]])
    return Ring(job=job, workers=used(rings.workers[place]), links=used(rings.flow[place]))
