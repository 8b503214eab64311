"""Registration of trajectories, and those that every run has."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from farkas.experiments.figures import Axis, Figure, Series
from farkas.online import Run
from farkas.registry import Registry

Build = Callable[[Any, Run], Figure | None]


@dataclasses.dataclass(frozen=True, slots=True)
class Trajectory:
    """A chart over slots that runs of a kind may have."""

    kind: str
    title: str
    doc: str
    build: Build


trajectories: Registry[Trajectory] = Registry("trajectory", "farkas.experiments.trajectories")


def trajectory(kind: str, title: str) -> Callable[[Build], Build]:
    """Register the decorated function; its docstring says what is drawn."""

    def register(build: Build) -> Build:
        doc = inspect.getdoc(build)
        if not doc:
            raise ValueError(f"trajectory {title!r} needs a docstring that says what is drawn")
        trajectories.add(f"{kind}: {title}", Trajectory(kind, title, " ".join(doc.split()), build))
        return build

    return register


def of_run(instance: Any, run: Run) -> Iterator[tuple[str, str, Figure]]:
    """Title, explanation and data of every trajectory that a run has; costs first."""
    if run.costs:
        yield from _costs(run)
    for name in trajectories.names(f"{run.kind}: "):
        item = trajectories[name]
        data = item.build(instance, run)
        if data is not None:
            yield item.title, item.doc, data


def _costs(run: Run) -> Iterator[tuple[str, str, Figure]]:
    slots = list(range(len(run.costs)))
    parts = list(dict.fromkeys(part for slot in run.costs for part in slot))
    amounts = {part: np.array([slot.get(part, 0.0) for slot in run.costs]) for part in parts}
    what = "Cost" if run.sense == "min" else "Reward"
    bars = [Series(part, slots, values, chart="bar") for part, values in amounts.items()]
    yield (
        f"{what} by slot",
        f"Parts of the {what.lower()} in every slot, stacked.",
        Figure(x=Axis("slot"), y=Axis(what.lower()), series=bars),
    )
    total = np.cumsum(sum(amounts.values())) if amounts else np.zeros(len(slots))
    yield (
        f"{what} so far",
        f"Sum of the {what.lower()} up to and including every slot.",
        Figure(x=Axis("slot"), y=Axis(what.lower()),
               series=[Series("all parts", slots, total, chart="step")]),
    )  # fmt: skip
