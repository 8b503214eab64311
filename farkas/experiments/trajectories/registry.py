"""Registration of trajectories, and those that every run has."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
import numpy as np

from farkas.certificates.files import Certificate, from_json
from farkas.experiments.figures import Axis, Figure, Series
from farkas.numbers import Floats
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
    if len(run.costs) > 1:  # one slot is no trajectory
        yield from _costs(run)
    for name in trajectories.names(f"{run.kind}: "):
        item = trajectories[name]
        data = item.build(instance, run)
        if data is not None:
            yield item.title, item.doc, data


def certificate(run: Run) -> Certificate | None:
    """Certificate of a run; None when it keeps none."""
    if run.certificate is None or run.certificate.certificate is None:
        return None
    return from_json(msgspec.json.encode(run.certificate.certificate), "certificate of the run")


def _costs(run: Run) -> Iterator[tuple[str, str, Figure]]:
    """Parts that add up to the value, stacked and summed up; whatever else is kept by slot."""
    parts = list(dict.fromkeys(part for slot in run.costs for part in slot))
    amounts = {part: np.array([slot.get(part, 0.0) for slot in run.costs]) for part in parts}
    counted = _adding_up(amounts, run.value)
    what = "Cost" if run.sense == "min" else "Reward"
    slots = list(range(len(run.costs)))
    if counted:
        bars = [Series(part, slots, amounts[part], chart="bar") for part in counted]
        note = f"Parts of the {what.lower()} in every slot, stacked."
        yield f"{what} by slot", note, Figure(x=Axis("slot"), y=Axis(what.lower()), series=bars)
        so_far = np.cumsum(sum(amounts[part] for part in counted))
        line = [Series("all parts", slots, so_far, chart="step")]
        note = f"Sum of the {what.lower()} up to and including every slot."
        yield f"{what} so far", note, Figure(x=Axis("slot"), y=Axis(what.lower()), series=line)
    others = [Series(p, slots, amounts[p], chart="step") for p in parts if p not in counted]
    if others:
        note = "What else the run keeps by slot; shares are of the capacity."
        yield "Use and accounts", note, Figure(x=Axis("slot"), y=Axis("amount"), series=others)


def _adding_up(amounts: Mapping[str, Floats], value: float) -> list[str]:
    """All parts, or the one part, whose sum over slots is the value; none when neither is."""
    choices = [list(amounts), *([part] for part in amounts)]
    for parts in choices:
        total = sum(float(amounts[part].sum()) for part in parts)
        if math.isclose(total, value, rel_tol=1e-6, abs_tol=1e-9):
            return parts
    return []
