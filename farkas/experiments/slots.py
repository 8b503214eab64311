"""What is proved of a run slot by slot."""

from __future__ import annotations

from collections.abc import Iterator

from farkas.certificates.packed import rational
from farkas.certificates.ratio import ratio_words
from farkas.errors import InvalidOption, NoAnswer
from farkas.exact.proved import as_double
from farkas.experiments.figures.exhibit import Figure, PlotAxis, Series
from farkas.messages import named
from farkas.online.run import Run


def charts_of(run: Run) -> Iterator[tuple[str, str, Figure]]:
    """Title, explanation and data of every chart over slots that a run has."""
    for title, what in (("Value and bound so far", "value"), ("Ratio so far", "ratio")):
        if len(run.steps) > 1:  # one slot is no course
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
