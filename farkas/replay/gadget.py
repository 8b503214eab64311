"""Runs of ring scheduling, replayed: every ring, link and budget, and the rewards at the end.

All rings together may exceed a capacity by a share of `FLOORS`; a ring by itself holds no more
workers on a server and uses no link more often than floors of the instance say
(`Cluster.host_cap`, `Cluster.link_cap`), by which bounds go too.  So a ring is
one that bounds price, and what rings take beyond a capacity is worth that share of its price at
most, however much a further worker would earn.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator, Mapping
from fractions import Fraction

from farkas.certificates.enclosures import enclose
from farkas.certificates.encoding import shown
from farkas.errors import NotACertificate
from farkas.instances.gadget import Cluster, Job
from farkas.messages import quoted
from farkas.replay.base import Entry, Replay, Requirements, RunDecisions, Whole, decoded, replays
from farkas.tolerances import FLOORS, ROUNDING


class Ring(Entry, frozen=True, kw_only=True):
    """A ring that runs in one slot."""

    job: Whole  #: Position in the instance.
    workers: tuple[tuple[Whole, Whole], ...]  #: (node, workers) of every host, ascending.
    #: (link, times used) of the closed walk, ascending; positions among the links of the instance
    #: that are no self-links.
    links: tuple[tuple[Whole, Whole], ...] = ()

    @property
    def size(self) -> int:
        return sum(count for _, count in self.workers)


@replays.register("gadget")
def replay(instance: Cluster, run: RunDecisions) -> Replay:
    """Check rings slot by slot, then budgets; value what every job has received."""
    slots = decoded(run.decisions, list[list[Ring]])
    if len(slots) != instance.horizon:
        raise NotACertificate(f"the run decides {len(slots)} slots of {instance.horizon}")
    kept, received = Requirements(), [0] * instance.num_jobs
    for slot, rings in enumerate(slots):
        _require_places(instance, slot, rings)
        kept.broken += [f"slot {slot}: {words}" for words in _missed(instance, slot, rings, kept)]
        for ring in rings:
            received[ring.job] += ring.size
    kept.broken += _over_budget(instance, received, kept)
    if kept.broken:
        return Replay.of(0, kept)
    parts = [
        enclose(job.utility, job.efficiency, slots)
        for job, slots in zip(instance.jobs, received, strict=True)
    ]
    return Replay.between(
        sum((low for low, _ in parts), Fraction(0)),
        sum((high for _, high in parts), Fraction(0)),
        kept,
        size=sum((max(abs(low), abs(high)) for low, high in parts), Fraction(0)),
    )


def _require_places(instance: Cluster, slot: int, rings: list[Ring]) -> None:
    """Raise `NotACertificate` where jobs, nodes, links or counts do not exist."""
    nodes, links = range(instance.num_nodes), range(instance.num_links)
    for ring in rings:
        if ring.job not in range(instance.num_jobs):
            raise NotACertificate(f"slot {slot}: the run places job {ring.job}, which is none")
        for places, role, known in ((ring.workers, "node", nodes), (ring.links, "link", links)):
            for place, count in places:
                if place not in known or count < 0:
                    raise NotACertificate(
                        f"slot {slot}: job {ring.job} uses {role} {place} {count} times"
                    )


def _missed(instance: Cluster, slot: int, rings: list[Ring], kept: Requirements) -> Iterator[str]:
    """Say what a slot breaks."""
    used: dict[tuple[int, int], Fraction] = collections.defaultdict(Fraction)
    reserved: dict[int, Fraction] = collections.defaultdict(Fraction)
    seen: set[int] = set()
    for ring in rings:
        job = instance.jobs[ring.job]
        if ring.job in seen:
            yield f"job {ring.job} runs two rings"
        seen.add(ring.job)
        for words in _wrong(instance, slot, ring, job):
            yield f"job {ring.job} {words}"
        for node, count in ring.workers:
            for resource, units in enumerate(job.demand):
                used[node, resource] += count * Fraction(units)
        for link, times in ring.links:
            reserved[link] += times * Fraction(job.bandwidth)
    for (node, resource), carried in used.items():
        most = instance.nodes[node].capacity[resource]
        if most is not None and not kept.within(carried, Fraction(most), FLOORS):
            name = quoted(instance.resources[resource])
            yield f"node {node} carries {shown(str(carried))} of {most:g} {name}"
    for link, carried in reserved.items():
        room = instance.real_links[link].bandwidth
        if room is not None and not kept.within(carried, Fraction(room), FLOORS):
            yield f"link {link} carries {shown(str(carried))} of {room:g} bandwidth"


def _wrong(instance: Cluster, slot: int, ring: Ring, job: Job) -> Iterator[str]:
    """Say what is wrong with one ring by itself."""
    if job.arrival > slot:
        yield f"arrives in slot {job.arrival} only"
    if not 1 <= ring.size <= job.max_workers:
        yield f"runs {ring.size} workers, at most {job.max_workers}"
    held: dict[int, int] = collections.Counter()
    for node, count in ring.workers:
        held[node] += count
    hosts = {node for node, count in held.items() if count}
    for node in sorted(hosts):
        if not instance.nodes[node].server:
            yield f"has workers on node {node}, a switch"
        elif held[node] > instance.host_cap[ring.job, node]:
            yield f"has {held[node]} workers on node {node}, which holds fewer"
    if len(hosts) > 1:
        uses: dict[int, int] = collections.Counter()
        for link, times in ring.links:
            uses[link] += times
        for link, times in uses.items():
            room = instance.real_links[link].bandwidth
            if room is not None and job.bandwidth and times > room / job.bandwidth + ROUNDING:
                yield f"uses link {link} {times} times, which carries fewer"
        if not _is_closed_walk(instance, hosts, uses):
            yield f"has links that are no closed walk through hosts {sorted(hosts)}"


def _is_closed_walk(instance: Cluster, hosts: set[int], uses: Mapping[int, int]) -> bool:
    """Whether every node is left as often as entered, and every host reached from any."""
    balance: dict[int, int] = collections.Counter()
    onward: dict[int, set[int]] = collections.defaultdict(set)
    for link, times in uses.items():
        if times:
            source, target = instance.real_links[link].source, instance.real_links[link].target
            balance[source] += times
            balance[target] -= times
            onward[source].add(target)
    reached: set[int] = set()
    found = {next(iter(hosts))}
    while found:
        reached |= found
        found = {there for here in found for there in onward[here]} - reached
    return not any(balance.values()) and hosts <= reached


def _over_budget(instance: Cluster, received: list[int], kept: Requirements) -> Iterator[str]:
    """Say which jobs receive more worker-slots than their budgets allow."""
    allowed = instance.most_slots.tolist()
    for i, (job, slots) in enumerate(zip(instance.jobs, received, strict=True)):
        fits = all(
            most is None or kept.within(slots * Fraction(units), Fraction(most))
            for units, most in zip(job.demand, job.budget, strict=True)
        )
        if slots > allowed[i] or not fits:
            yield f"job {i} receives {slots} worker-slots, its budget allows {allowed[i]:g}"
