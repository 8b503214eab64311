"""Rings of GADGET: workers on servers, and bandwidth of links, in every slot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from farkas.experiments.figures.exhibit import PlotAxis
from farkas.experiments.pictures.gantt import (
    Held,
    Layout,
    Schedule,
    jobs_said,
    layouts,
    named_owners,
    tops_of,
)
from farkas.instances.gadget import Cluster
from farkas.replay.base import decoded
from farkas.replay.gadget import Ring

Place = tuple[str, int]


@layouts.register("gadget")
def rings(instance: Cluster, decided: Sequence[Any]) -> Layout:
    """Workers of each job's ring on each server, and what rings reserve on links.

    A server's lane is as high as the most workers that stand there at once, a link's as its
    bandwidth; links that no ring uses are left out.
    """
    every = [decoded(decisions, list[list[Ring]]) for decisions in decided]
    servers = [("server", k) for k, node in enumerate(instance.nodes) if node.server]
    links = sorted({("link", k) for side in every for slot in side for ring in slot
                    for k, times in ring.links if times})  # fmt: skip
    lanes = [*servers, *links]
    place = {lane: number for number, lane in enumerate(lanes)}
    blocks = [_blocks(instance, side, place) for side in every]
    tops = [max(both) for both in zip(*(tops_of(b, len(lanes)) for b in blocks), strict=True)]
    for lane, number in place.items():
        room = None if lane[0] == "server" else instance.real_links[lane[1]].bandwidth
        tops[number] = tops[number] if room is None else max(room, tops[number])
    return Layout(
        lanes=[_named(instance, lane) for lane in lanes],
        tops=tops,
        owners=named_owners("job", [job.name for job in instance.jobs]),
        x=PlotAxis("slot"),
        unit="units",
        end=instance.horizon,
        sides=[
            Schedule(own, _remarks(instance, side)) for own, side in zip(blocks, every, strict=True)
        ],
    )


def _blocks(
    instance: Cluster, slots: Sequence[Sequence[Ring]], place: dict[Place, int]
) -> list[Held]:
    found = []
    for slot, every in enumerate(slots):
        for ring in every:
            width = instance.jobs[ring.job].bandwidth
            held = [(("server", node), count * 1.0) for node, count in ring.workers]
            held += [(("link", link), times * width) for link, times in ring.links]
            found += [
                Held(place[lane], ring.job, slot, slot + 1, amount)
                for lane, amount in held
                if amount
            ]
    return found


def _named(instance: Cluster, lane: Place) -> str:
    what, number = lane
    if what == "server":
        return instance.nodes[number].name or f"server {number}"
    link = instance.real_links[number]
    ends = (instance.nodes[end].name or str(end) for end in (link.source, link.target))
    return f"link {' → '.join(ends)}"


def _remarks(instance: Cluster, slots: Sequence[Sequence[Ring]]) -> list[str]:
    ran = {ring.job for every in slots for ring in every}
    return jobs_said([job for job in range(instance.num_jobs) if job not in ran], "never runs")
