"""Charts keep every run, end at their sums, and say what is missing."""

from __future__ import annotations

import re

import numpy as np
import pytest

from farkas.experiments.figures import Figure, PlotAxis, Series
from farkas.experiments.report.charts import MOST_POINTS, line_chart, thinned
from farkas.experiments.report.svg import Scale


def test_no_run_goes_missing_in_a_long_series():
    # 7 * 300 points: means of 7, the last value of the sum stays near
    series = Series("a", np.arange(2100), np.ones(2100))
    short = thinned(series)
    assert len(short.x) <= MOST_POINTS
    assert short.y == [1.0] * len(short.y)
    assert thinned(Series("b", [0, 1], [np.nan, 2.0])).y[1] == 2.0


def test_stacked_bars_end_at_their_sum():
    # 1 + 2 = 3 and 3 + 1 = 4: the highest corner is 4 of 4.16, the axis leaves 4 % of room
    bars = [Series(n, [0, 1], y, chart="bar") for n, y in (("a", [1.0, 3.0]), ("b", [2.0, 1.0]))]
    drawing = line_chart(Figure(x=PlotAxis("slot"), y=PlotAxis("cost"), series=bars), "x", "Costs")
    highest = min(float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", drawing))
    scale = Scale(0.0, 4.16, 214, 10)
    assert highest == pytest.approx(scale(4.0), abs=0.06)


def test_a_chart_without_any_number_is_still_drawn():
    nothing = [Series("a", [0, 1], [np.nan, np.nan]), Series("b", [], [])]
    assert "no values" in line_chart(
        Figure(x=PlotAxis("x"), y=PlotAxis("y"), series=nothing), "i", "T"
    )
