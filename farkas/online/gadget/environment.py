"""Arrivals, decisions and rewards of ring scheduling, judged from the instance alone."""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

import msgspec
import numpy as np

from farkas.certificates.gadget_slot import SlotBound
from farkas.errors import InvalidOption
from farkas.instances.gadget import Cluster, Job
from farkas.numbers import Floats
from farkas.online import driver
from farkas.online.driver import Demo, Outcome, environment
from farkas.online.run import Bound, Sense
from farkas.tolerances import FLOORS, allowed


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
        """Jobs, nodes, links and counts that do not exist."""
        return [
            f"slot {slot}: {words}"
            for slot, rings in enumerate(decisions)
            for ring in rings
            for words in _nowhere(instance, ring)
        ]

    def measure(self, instance: Cluster) -> str:
        """Say what a value is."""
        return "reward"

    def worth(self, instance: Cluster, decisions: Sequence[Decision]) -> Outcome:
        """Return marginal rewards per slot."""
        total = totals(instance, received(instance, decisions))
        rewards = [{"reward": after - before} for before, after in itertools.pairwise(total)]
        rings = [ring for slot in decisions for ring in slot]
        numbers = {"rings": float(len(rings)), "worker_slots": float(sum(r.size for r in rings))}
        return Outcome(rewards, value=total[-1], numbers=numbers)

    def broken(self, instance: Cluster, decisions: Sequence[Decision]) -> list[str]:
        """Return every capacity, ring or budget that is broken."""
        *_, given = received(instance, decisions)
        return [
            f"slot {slot}: {words}"
            for slot, rings in enumerate(decisions)
            for words in broken(instance, slot, rings)
        ] + [
            f"job {i} receives {given[i]:g} worker-slots, its budget allows "
            f"{instance.most_slots[i]:g}"
            for i in np.flatnonzero(given > instance.most_slots).tolist()
        ]

    def slot_certificates(
        self, instance: Cluster, decisions: Sequence[object]
    ) -> Sequence[SlotBound]:
        """Prove the most that any rings of each slot gain after what jobs have received."""
        from farkas.online.gadget.bounds import best_slot_certificate

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


def _nowhere(instance: Cluster, ring: Ring) -> Iterator[str]:
    """Say what of a ring the instance does not have."""
    if ring.job not in range(instance.num_jobs):
        yield f"there is no job {ring.job}"
    nodes, links = range(instance.num_nodes), range(instance.num_links)
    for role, places, known in (("node", ring.workers, nodes), ("link", ring.links, links)):
        for place, count in places:
            if place not in known or count < 0:
                yield f"job {ring.job} uses {role} {place} {count} times"


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


def broken(instance: Cluster, slot: int, rings: Sequence[Ring]) -> list[str]:
    """Say in words what a slot's rings violate."""
    said: list[str] = []
    used = np.zeros((instance.num_nodes, instance.num_resources))
    reserved = np.zeros(instance.num_links)
    seen: set[int] = set()
    for ring in rings:
        said += _broken_ring(instance, slot, ring, seen)
        seen.add(ring.job)
        for node, count in ring.workers:
            used[node] += count * instance.demand[ring.job]
        for link, times in ring.links:
            reserved[link] += times * instance.bandwidth[ring.job]
    said += _overfull(used, instance.capacity, "node", instance.resources)
    said += _overfull(reserved[:, None], instance.link_bandwidth[:, None], "link", ("bandwidth",))
    return said


def _overfull(used: Floats, room: Floats, what: str, names: Sequence[str]) -> list[str]:
    most = allowed(room, FLOORS)
    return [
        f"{what} {place} carries {used[place, r]:g} of {room[place, r]:g} {names[r]}"
        for place, r in np.argwhere(used > most).tolist()
    ]


def _broken_ring(instance: Cluster, slot: int, ring: Ring, seen: set[int]) -> list[str]:
    job = instance.jobs[ring.job]
    said: list[str] = []
    if ring.job in seen:
        said.append(f"job {ring.job} runs two rings")
    if job.arrival > slot:
        said.append(f"job {ring.job} arrives in slot {job.arrival} only")
    if not 1 <= ring.size <= job.max_workers:
        said.append(f"job {ring.job} runs {ring.size} workers, at most {job.max_workers}")
    hosts = [node for node, count in ring.workers if count > 0]
    said += [f"job {ring.job}: node {u} is a switch" for u in hosts if not instance.is_server[u]]
    uses: Counter[int] = Counter()
    for link, times in ring.links:  # one that is listed twice is used by both
        uses[link] += times
    if len(hosts) > 1 and not closed_walk(instance, hosts, uses):
        said.append(f"job {ring.job}: its links are no closed walk through hosts {hosts}")
    return said


def closed_walk(instance: Cluster, hosts: Sequence[int], uses: dict[int, int]) -> bool:
    """Whether link multiplicities form one closed walk that visits all hosts."""
    balance = np.zeros(instance.num_nodes)
    onward: dict[int, list[int]] = {}
    for link, times in uses.items():
        u, v = int(instance.link_source[link]), int(instance.link_target[link])
        balance[u] += times
        balance[v] -= times
        if times > 0:
            onward.setdefault(u, []).append(v)
    if balance.any():
        return False
    reached, stack = {hosts[0]}, [hosts[0]]
    while stack:
        for v in onward.get(stack.pop(), []):
            if v not in reached:
                reached.add(v)
                stack.append(v)
    return reached.issuperset(hosts)
