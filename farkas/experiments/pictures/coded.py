"""Plans of coded computation: rows that workers have to compute for each master."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from farkas.experiments.figures.exhibit import PlotAxis
from farkas.experiments.pictures.gantt import Held, Layout, Schedule, layouts, named_owners
from farkas.instances.coded import CodedComputing
from farkas.replay.base import decoded
from farkas.replay.coded import PlanEntry


@layouts.register("coded")
def loads(instance: CodedComputing, decided: Sequence[Any]) -> Layout:
    """Mean time for which each worker computes for each master.

    A bar is as high as the share of the worker that the master has, and as long as the mean of the
    time that the worker needs for the master's rows.
    """
    sides = [_side(instance, decoded(decisions, list[PlanEntry])[0]) for decisions in decided]
    return Layout(
        lanes=[f"worker {worker}" for worker in range(instance.workers)],
        tops=[1.0] * instance.workers,
        owners=named_owners("master", [master.name for master in instance.masters]),
        x=PlotAxis("mean time", instance.time_unit),
        unit="",
        end=max((block.end for side in sides for block in side.blocks), default=1.0),
        sides=sides,
    )


def _side(instance: CodedComputing, plan: PlanEntry) -> Schedule:
    blocks, remarks = [], []
    for master, task in enumerate(instance.masters):
        said = []
        for worker in range(instance.workers):
            share, rows = plan.share[master][worker], plan.loads[master][worker]
            rate, shift = instance.rate[master][worker], instance.shift[master][worker]
            if share > 0 and rows > 0 and rate and shift is not None:
                blocks.append(Held(worker, master, 0.0, rows * (shift + 1 / rate), share))
                said.append(f"{rows:.4g} of worker {worker}")
        words = " and ".join(said) or "none"
        remarks.append(f"master {master} needs {task.rows} rows: {words}")
    return Schedule(blocks, remarks)
