"""What happens slot by slot in a run: costs of every kind, and what a kind adds.

A trajectory is a function of an instance and a run of its kind; a kind's stand in the module of
its name, beside its guarantees::

    @trajectory("mlbroker", "Deployment price")
    def deployment_price(instance, run):
        '''Multipliers of the certificate ...'''
        return Figure(...)                      # None where the run does not hold it
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
import numpy as np

from farkas.certificates.files import Certificate, from_json
from farkas.closeness import close
from farkas.experiments.explained import explanation
from farkas.experiments.figures import Figure, PlotAxis, Series
from farkas.numbers import Floats
from farkas.online import Run
from farkas.registry import Registry
from farkas.search_tolerances import SOLVER_GAP

Chart = Callable[[Any, Run], Figure | None]


@dataclasses.dataclass(frozen=True, slots=True)
class Trajectory:
    """A chart over slots that runs of a kind may have."""

    title: str
    explanation: str
    chart: Chart


trajectories: Registry[Trajectory] = Registry("trajectory", "farkas.experiments.sweeps")


def trajectory(kind: str, title: str) -> Callable[[Chart], Chart]:
    """Register the decorated function; its docstring says what is drawn."""

    def register(chart: Chart) -> Chart:
        words = explanation(chart, f"trajectory {title!r}")
        trajectories.add(f"{kind}.{title}", Trajectory(title, words, chart))
        return chart

    return register


def of_run(instance: Any, run: Run) -> Iterator[tuple[str, str, Figure]]:
    """Title, explanation and data of every trajectory that a run has; costs first."""
    if len(run.costs) > 1:  # one slot is no trajectory
        yield from _costs(run)
    for name in trajectories.names(f"{run.kind}."):
        item = trajectories[name]
        data = item.chart(instance, run)
        if data is not None:
            yield item.title, item.explanation, data


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
    x, y = PlotAxis("slot"), PlotAxis(what.lower())
    slots = list(range(len(run.costs)))
    if counted:
        bars = [Series(part, slots, amounts[part], chart="bar") for part in counted]
        note = f"Parts of the {y} in every slot, stacked."
        yield f"{what} by slot", note, Figure(x=x, y=y, series=bars)
        so_far = np.cumsum(sum(amounts[part] for part in counted))
        line = [Series("all parts", slots, so_far, chart="step")]
        note = f"Sum of the {y} up to and including every slot."
        yield f"{what} so far", note, Figure(x=x, y=y, series=line)
    others = [Series(p, slots, amounts[p], chart="step") for p in parts if p not in counted]
    if others:
        note = "What else the run keeps by slot; shares are of the capacity."
        yield "Use and accounts", note, Figure(x=x, y=PlotAxis("amount"), series=others)


def _adding_up(amounts: Mapping[str, Floats], value: float) -> list[str]:
    """All parts, or the one part, whose sum over slots is the value; none when neither is."""
    choices = [list(amounts), *([part] for part in amounts)]
    for parts in choices:
        total = sum(float(amounts[part].sum()) for part in parts)
        if close(total, value, SOLVER_GAP):
            return parts
    return []
