"""Arrivals, decisions and rewards of ring scheduling; `farkas.replay.gadget` judges them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from farkas.errors import InvalidOption
from farkas.instances.gadget import Cluster, Job
from farkas.numbers import Floats
from farkas.online import driver
from farkas.online.driver import Demo, Outcome, environment
from farkas.online.run import Bound, Sense

if TYPE_CHECKING:
    from farkas.certificates.gadget_slot import SlotBound


class Arrival(msgspec.Struct, frozen=True):
    """A job that becomes known."""

    index: int  #: Position in the instance; ties are settled by it.
    job: Job


class Ring(msgspec.Struct, frozen=True, kw_only=True):
    """A ring that runs in one slot."""

    job: int  #: Position in the instance.
    workers: tuple[tuple[int, int], ...]  #: (node, workers) of every host, ascending.
    #: (link, times used) of the closed walk, ascending; positions among the links of the instance
    #: that are no self-links.
    links: tuple[tuple[int, int], ...] = ()

    @property
    def size(self) -> int:
        return sum(count for _, count in self.workers)


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

    def stays(self, job: Job, step: int) -> bool:
        """No job becomes known twice."""
        return False

    def prolonged(self, job: Job, data: object) -> Job:
        """Refuse: jobs stay until they have received what they may."""
        raise InvalidOption("jobs of kind gadget stay of themselves; none has to go on")

    def so_far(self, instance: Cluster, steps: int) -> Cluster:
        """Return the cluster that ends with the slots so far."""
        return instance if steps == instance.horizon else instance.replace(horizon=steps, slot=None)

    def undecided(self, instance: Cluster, steps: int) -> list[Decision]:
        """Nothing: there are no slots to come."""
        return []

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

    def slot_certificates(
        self, instance: Cluster, decisions: Sequence[object]
    ) -> Sequence[SlotBound]:
        """Prove the most that any rings of each slot gain after what jobs have received."""
        from farkas.online.gadget.columns import best_slot_certificate

        made = msgspec.convert(decisions, list[Decision])
        before = received(instance, made)[:-1]
        return [best_slot_certificate(instance, slot, given) for slot, given in enumerate(before)]

    def bound(self, instance: Cluster) -> Bound:
        """Return the bound that the optimal prices of the merged horizon prove."""
        from farkas.online.gadget.bounds import default_bound

        return default_bound(instance)

    def bounds_so_far(self, instance: Cluster, bound: Bound) -> Sequence[Fraction] | None:
        """Return what the prices of a horizon certificate prove of the slots so far."""
        from farkas.online.gadget.bounds import proved_so_far

        return proved_so_far(instance, bound)


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
