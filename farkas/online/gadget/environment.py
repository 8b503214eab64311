"""Arrivals, decisions and rewards of ring scheduling, their bound, and what schedulers know.

`farkas.replay.gadget` judges the decisions.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import deque
from collections.abc import Sequence
from typing import Any, Self

import msgspec
import numpy as np

from farkas.instances.gadget import Cluster, Job
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import Gains, SlotView, snapshot
from farkas.numbers import Floats, Ints
from farkas.online import driver
from farkas.online.driver import Demo, Outcome, environment
from farkas.online.policy import Policy
from farkas.online.run import Bound, Sense
from farkas.registry import once
from farkas.replay.gadget import Ring
from farkas.tolerances import ROUNDING


class Arrival(msgspec.Struct, frozen=True):
    """A job that becomes known."""

    index: int  #: Position in the instance; ties are settled by it.
    job: Job


Decision = list[Ring]


@environment("gadget", demo=Demo("gadget.gadget", "gadget.offline", "gadget.offline_column_bound"))
class Environment(driver.Environment):
    """A slot shows its new jobs and takes the rings that run in it."""

    sense: Sense = "max"
    arrives = "a tuple of `Arrival`s: the jobs that arrive in the slot, with their numbers"
    decides = "a list of `Ring`s: job, workers by node, links with their multiplicity"

    def known(self, instance: Cluster) -> Cluster:
        """Return the cluster without jobs."""
        return with_jobs(instance, ())

    def arrivals(self, instance: Cluster) -> Sequence[tuple[Arrival, ...]]:
        """Return the jobs that become known in each slot."""
        slots: list[list[Arrival]] = [[] for _ in range(instance.horizon)]
        for index, job in enumerate(instance.jobs):
            if job.arrival < instance.horizon:
                slots[job.arrival].append(Arrival(index, job))
        return [tuple(slot) for slot in slots]

    def steps(self, instance: Cluster) -> int:
        """Return the number of slots."""
        return instance.horizon

    def shown(self, instance: Cluster, step: int, numbers: Sequence[int]) -> tuple[Arrival, ...]:
        """Return the jobs that become known."""
        return tuple(itertools.starmap(Arrival, zip(numbers, instance.jobs, strict=True)))

    def so_far(self, instance: Cluster, steps: int) -> Cluster:
        """Return the cluster that ends with the slots so far."""
        return instance if steps == instance.horizon else instance.replace(horizon=steps, slot=None)

    def unusable(self, instance: Cluster, decisions: Sequence[Decision]) -> list[str]:
        """Jobs that do not exist."""
        return [
            f"slot {slot}: there is no job {ring.job}"
            for slot, rings in enumerate(decisions)
            for ring in rings
            if ring.job not in range(instance.num_jobs)
        ]

    def measure(self, instance: Cluster) -> str:
        """Say what a value is."""
        return "reward"

    def worth(self, instance: Cluster, decisions: Sequence[Decision]) -> Outcome:
        """Return marginal rewards per slot, and in the first one what jobs are worth idle."""
        total = totals(instance, received(instance, decisions))
        rewards = [{"reward": after - before} for before, after in itertools.pairwise(total)]
        if total[-1] - total[0] != total[-1]:  # no trace of a sigmoid far from its bend
            rewards[0]["idle"] = total[0]
        rings = [ring for slot in decisions for ring in slot]
        numbers = {"rings": float(len(rings)), "worker_slots": float(sum(r.size for r in rings))}
        return Outcome(rewards, value=total[-1], numbers=numbers)

    def bound(self, instance: Cluster) -> Bound:
        """Return the bound that the optimal prices of the merged horizon prove."""
        return default_bound(instance)


def received(cluster: Cluster, decisions: Sequence[Decision]) -> Floats:
    """Worker-slots before each slot and at the end, shape (slots + 1, jobs)."""
    given = np.zeros((len(decisions) + 1, cluster.num_jobs))
    for slot, rings in enumerate(decisions):
        for ring in rings:
            given[slot + 1, ring.job] += ring.size
    return np.asarray(given.cumsum(axis=0))


def totals(cluster: Cluster, given: Floats) -> list[float]:
    """Total reward before each slot and at the end; ``given`` is what `received` returns."""
    earned = [float(cluster.reward(i, z)) for i, z in enumerate(given[0])]
    total = [sum(earned, 0.0)]
    for before, after in itertools.pairwise(given):
        for i in np.flatnonzero(after != before).tolist():
            earned[i] = float(cluster.reward(i, after[i]))
        total.append(sum(earned, 0.0))
    return total


def with_jobs(instance: Cluster, jobs: tuple[Job, ...]) -> Cluster:
    """Return the cluster with other jobs and no notes."""
    return Cluster(
        name=instance.name,
        horizon=instance.horizon,
        resources=instance.resources,
        nodes=instance.nodes,
        links=instance.links,
        jobs=jobs,
    )


# What a scheduler knows: jobs, what they have received, and the room that is left in a slot.
#
# A heuristic places rings there: on one server if possible, else greedily over several.


@dataclasses.dataclass(frozen=True, eq=False)
class PlacedRing:
    """A ring in its place."""

    workers: Ints  #: Shape (nodes,).
    links: list[int]  #: Links in the order of the walk, with repetitions.


class Room:
    """What is left of the cluster within a slot; every slot starts from its empty cluster."""

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
            links = self.join(job, np.flatnonzero(workers).tolist())
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

    def join(self, job: int, hosts: list[int]) -> list[int] | None:
        """Reserve a walk through hosts in order; None, and nothing kept, if links are full."""
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
class SchedulerState:
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

    def start(self, known: Cluster, seed: int) -> SchedulerState:
        """Know nobody."""
        return SchedulerState.start(known)

    def step(
        self, state: SchedulerState, arrivals: tuple[Arrival, ...]
    ) -> tuple[SchedulerState, Decision]:
        """Meet the new jobs and fill the slot."""
        seen = state.meet(arrivals)
        return seen.run(as_rings(seen.cluster, self.fill(seen)))

    def fill(self, seen: SchedulerState) -> dict[int, PlacedRing]:
        """Return the rings that run in the slot, by job."""
        raise NotImplementedError


def _decided(rings: Rings, place: int, index: Ints) -> Ring:
    def used(counts: Ints) -> tuple[tuple[int, int], ...]:
        return tuple((at, int(counts[at])) for at in np.flatnonzero(counts).tolist())

    job = int(index[rings.job[place]])
    return Ring(job=job, workers=used(rings.workers[place]), links=used(rings.flow[place]))


@once
def default_bound(cluster: Cluster) -> Bound:
    """Proved bound on every schedule, with its certificate; see `horizon_certificate`."""
    from farkas.relaxations.gadget.pricing import horizon_certificate

    certificate = horizon_certificate(cluster)
    prices = "prices" if certificate.single_prices(cluster).any() else "prices 0"
    return Bound(
        exact=certificate.bound,
        method=f"{prices} of merged slots and servers, each job's best reply in exact arithmetic",
        certificate=certificate.plain(),
    )
