"""Comparisons as pictures: a ratio for each algorithm."""

from __future__ import annotations

import math

from farkas.errors import NoAnswer
from farkas.experiments.figures.figure import Figure, PlotAxis, Series
from farkas.verbs.compare import Comparison

LOG = 20.0
"""Where the largest ratio is so many times the smallest, the axis is logarithmic."""


def compared(found: Comparison) -> Figure:
    """Ratios of a comparison, best first, as data of a figure.

    Raises
    ------
    NoAnswer
        No algorithm has a certified ratio.
    """
    rated = [(e.algorithm, float(e.ratio)) for e in found.entries if e.ratio is not None]
    if not rated:
        raise NoAnswer(f"{found.title}: no algorithm has a certified ratio to draw")
    left = [e.algorithm for e in found.entries if e.ratio is None]
    finite = [ratio for _, ratio in rated if math.isfinite(ratio)]
    without = f"  Without a ratio: {', '.join(left)}." if left else ""
    says = (
        "Costs are at most so many times the optimum"
        if found.sense == "min"
        else "The optimum is at most so many times what is earned"
    )
    notes = "".join(
        f"  {e.algorithm}: {e.note}." for e in found.entries if e.ratio is not None and e.note
    )
    return Figure(
        x=PlotAxis("algorithm"),
        y=PlotAxis("certified ratio", log=bool(finite) and max(finite) > LOG * min(finite)),
        series=[Series("ratio", [a for a, _ in rated], [r for _, r in rated], chart="scatter")],
        caption=(
            f"{says}; 1 is optimal, arrows are infinite."
            f"  Proved bound: {found.proved}.{without}{notes}"
        ),
    )
