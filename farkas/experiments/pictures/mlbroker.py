"""Placements of mlBroker: workers of each job at every site."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from farkas.experiments.figures.exhibit import PlotAxis
from farkas.experiments.pictures.gantt import Held, Layout, Schedule, layouts, named_owners, tops_of
from farkas.instances.mlbroker import Brokerage
from farkas.replay.base import decoded


class WorkersEntry(msgspec.Struct, frozen=True):
    """What whole and fractional decisions of a slot share."""

    jobs: list[int]
    workers: list[list[float]]


@layouts.register("mlbroker")
def workers(instance: Brokerage, decided: Sequence[Any]) -> Layout:
    """Workers of each job at each site; lanes are as high as the most at once."""
    sides = [_blocks(decoded(decisions, list[WorkersEntry])) for decisions in decided]
    tops = max(max(tops_of(side, instance.num_sites)) for side in sides)
    return Layout(
        lanes=[f"site {site}" for site in range(instance.num_sites)],
        tops=[tops] * instance.num_sites,
        owners=named_owners("job", [job.name for job in instance.jobs]),
        x=PlotAxis("slot"),
        unit="workers",
        end=instance.num_slots,
        sides=[Schedule(side) for side in sides],
    )


def _blocks(slots: Sequence[WorkersEntry]) -> list[Held]:
    return [
        Held(site, job, slot, slot + 1, float(amount))
        for slot, entry in enumerate(slots)
        for job, row in zip(entry.jobs, entry.workers, strict=True)
        for site, amount in enumerate(row)
        if amount > 0
    ]
