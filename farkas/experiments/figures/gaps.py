"""The gap of searches for an optimum against time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from farkas.atomic import write_bytes
from farkas.errors import InvalidOption
from farkas.experiments.figures.figure import Figure, PlotAxis, Series
from farkas.experiments.figures.writing import PICTURES, drawn
from farkas.offline.climbing import OfflineOptimum
from farkas.search_tolerances import SOLVER_GAP
from farkas.words import named

Moment = tuple[float, float | None, float | None]
"""Seconds since the begin, then value and bound, or None as long as there was none."""


def curve_of(found: OfflineOptimum) -> list[Moment]:
    """Return what moved value or bound of a search, in wall seconds."""
    return [(step.seconds, _double(step.value), _double(step.bound)) for step in found.steps]


def _double(side: Fraction | None) -> float | None:
    return None if side is None else float(side)


def gap_series(name: str, curve: Sequence[Moment], end: float) -> Series:
    """Gap of a curve in order of time, constant until a side moves or the search ends."""
    places, gaps = [], []
    for seconds, value, bound in curve:
        if value is None or bound is None:
            continue
        size = max(abs(value), abs(bound))
        places.append(seconds)
        gaps.append(max(abs(value - bound) / size if size else 0.0, SOLVER_GAP))
    if places:
        places.append(max(end, places[-1]))
        gaps.append(gaps[-1])
    return Series(name, places, gaps, chart="step")


def gap_figure(
    curves: Mapping[str, tuple[Sequence[Moment], float]], seconds: str = "CPU seconds"
) -> Figure:
    """Draw the gaps of several searches; what is closer than 1e-6 is drawn there.

    Parameters
    ----------
    curves
        By name: the curve, and when the search ended, > 0.
    seconds
        What was counted as time.

    Raises
    ------
    InvalidOption
        No search had both sides at any time.
    """
    series = [gap_series(name, curve, end) for name, (curve, end) in curves.items()]
    series = [one for one in series if len(one.x)]
    if not series:
        raise InvalidOption("no search has both a value and a bound; there is no gap to draw")
    last = float(np.max([one.y[-1] for one in series]))
    return Figure(
        x=PlotAxis(seconds, log=True),
        y=PlotAxis("gap, share of the larger side", log=True),
        series=series,
        caption=f"What is closer than {SOLVER_GAP:g} is drawn there; all ended within {last:.2g}.",
    )


def write_gaps(figure: Figure, title: str, path: str, about: str = "") -> None:
    """Draw the figure into a file, with ``about`` where the curves are from in its caption.

    Raises
    ------
    InvalidOption
        The suffix is not that of a picture.
    FileProblem
        The file cannot be written.
    """
    suffix = Path(path).suffix
    if suffix not in PICTURES:
        raise InvalidOption.near(f"{named(path)}: no picture", suffix, PICTURES)
    write_bytes(path, drawn(figure, title, f"{about} {figure.caption}".strip(), suffix))
