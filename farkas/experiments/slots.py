"""What happens slot by slot in a run: its costs, and what is proved of it so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from farkas.certificates.packed import rational
from farkas.certificates.ratio import ratio_words
from farkas.errors import InvalidOption, NoAnswer
from farkas.exact.proved import as_double
from farkas.experiments.figures.exhibit import Figure, PlotAxis, Series
from farkas.messages import named
from farkas.numbers import Floats
from farkas.online.run import Run
from farkas.tolerances import SOLVER_GAP, close


def charts_of(run: Run) -> Iterator[tuple[str, str, Figure]]:
    """Title, explanation and data of every chart over slots that a run has; costs first."""
    if len(run.costs) > 1:  # one slot is no course
        yield from _costs(run)
    for title, what in (("Value and bound so far", "value"), ("Ratio so far", "ratio")):
        if len(run.steps) > 1:
            try:
                data = slot_figure(run, what)
            except NoAnswer:
                continue
            yield title, data.caption, data


def slot_figure(run: Run, what: str) -> Figure:
    """Value and proved bound of a run over its slots, or the ratio of both, as data of a figure.

    Of a run that was read from a file the caption says that these numbers are the file's word.
    Raises `NoAnswer` where the slots have no such number.
    """
    if what not in ("value", "ratio"):
        raise InvalidOption(f"slots = {what!r}; give 'value' or 'ratio'")
    made, up = run.made_on is not None, run.sense == "max"
    bound = "proved bound so far" if made else "bound so far"
    known: dict[str, list[float | None]] = {
        "value so far": [step.value_so_far for step in run.steps],
        bound: [
            None
            if step.bound_so_far is None
            else as_double(rational(step.bound_so_far, "bound of a slot"), up)
            for step in run.steps
        ],
        "ratio so far": [step.ratio_so_far for step in run.steps],
    }
    series = []
    for name in ("value so far", bound) if what == "value" else ("ratio so far",):
        pairs = [(slot, y) for slot, y in enumerate(known[name]) if y is not None]
        if pairs:
            series.append(Series(name, [slot for slot, _ in pairs], [y for _, y in pairs]))
    if not series:
        raise NoAnswer(f"no slot of the run of {named(run.algorithm)} has a {what} to draw")
    caption = "A bound holds for every solution of the instance that ends in the slot."
    if not made:
        caption = "The numbers are the word of the run's file."
    elif run.ratio is not None:
        caption += f" The whole run: at most {ratio_words(run.ratio)}."
    return Figure(
        x=PlotAxis("slot"),
        y=PlotAxis(what if what == "ratio" else "value"),
        series=series,
        caption=caption,
    )


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
