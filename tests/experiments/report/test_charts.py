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


def test_a_long_series_keeps_as_many_points_as_can_be_told_apart():
    series = Series("a", np.arange(2 * MOST_POINTS), np.repeat([1.0, 3.0], MOST_POINTS))
    short = thinned(series)
    assert len(short.x) == MOST_POINTS
    assert (short.y[0], short.y[-1]) == (1.0, 3.0)


def test_bars_are_stacked_place_by_place():
    # 1 + 2 = 3 and 3 + 2 = 5, of 5.2; row by row it would be 4 and 4
    bars = [Series(n, [0, 1], y, chart="bar") for n, y in (("a", [1.0, 3.0]), ("b", [2.0, 2.0]))]
    drawing = line_chart(Figure(x=PlotAxis("slot"), y=PlotAxis("cost"), series=bars), "x", "Costs")
    highest = min(float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", drawing))
    assert highest == pytest.approx(Scale(0.0, 5.2, 214, 10)(5.0), abs=0.06)


def test_a_line_and_its_band_lie_where_their_numbers_are():
    # places from 2 to 4 and as far again as two neighbours are apart; heights from 0 to 4 and 4 %
    one = Series("a", [2.0, 3.0, 4.0], [1.0, 2.0, 3.0], [0.5, 1.5, 2.5], [1.5, 3.0, 4.0])
    drawing = line_chart(Figure(x=PlotAxis("t"), y=PlotAxis("cost"), series=[one]), "x", "Costs")
    left, right = (float(x) for x in re.findall(r'x1="([\d.]+)" x2="([\d.]+)"', drawing)[0])
    x, y = Scale(2.0, 5.0, left, right), Scale(0.0, 4.16, 214, 10)

    def corners(name: str) -> list[tuple[float, float]]:
        (found,) = re.findall(rf'd="([^"]+)" class="{name}', drawing)
        return [(float(a), float(b)) for a, b in re.findall(r"[ML]([\d.]+) ([\d.]+)", found)]

    def wanted(places: list[float], values: list[float]) -> list[tuple[float, float]]:
        return [
            (pytest.approx(x(a), abs=0.06), pytest.approx(y(b), abs=0.06))
            for a, b in zip(places, values, strict=True)
        ]

    assert corners("line") == wanted([2, 3, 4], [1, 2, 3])
    assert corners("band") == wanted([2, 3, 4, 4, 3, 2], [1.5, 3, 4, 2.5, 1.5, 0.5])
    assert "translate(11 112)" in drawing, "half way between 10 and 214"


def numbers(drawing: str, pattern: str) -> list[float]:
    return [float(x) for x in re.findall(pattern, drawing)]


def chart(*series: Series) -> str:
    return line_chart(Figure(x=PlotAxis("slot"), y=PlotAxis("cost"), series=series), "i", "T")


def test_a_step_holds_until_the_next_one_and_the_last_to_the_end():
    drawing = chart(Series("a", [0.0, 1.0, 3.0], [1.0, 2.0, 4.0], chart="step"))
    (outline,) = re.findall(r'd="([^"]+)" class="line', drawing)
    x, y = Scale(0.0, 4.0, 54, 470), Scale(0.0, 4.16, 214, 10)
    corners = [(0, 1), (1, 1), (1, 2), (3, 2), (3, 4), (4, 4)]
    found = numbers(outline, r"[ML ]([\d.]+)")
    assert found == pytest.approx([w for a, b in corners for w in (x(a), y(b))], abs=0.06)


def test_stretches_begin_at_their_first_place_and_bands_keep_their_sides():
    size = 2 * MOST_POINTS
    low, high = np.arange(size) - 1.0, np.arange(size) + 2.0
    short = thinned(Series("a", np.arange(size), np.arange(size), low, high))
    assert short.x[:2] == [0.0, 2.0]
    assert (short.low[0], short.y[0], short.high[0]) == (-0.5, 0.5, 2.5)


def test_words_are_the_range_of_every_series_and_ticks_whole():
    drawing = chart(
        Series("a", [0.0, 1.0, 2.0], [3.0, 1.0, 2.0]), Series("b", [0.0], [np.nan]),
        Series("c", [0.0, 1.0, 2.0], [5.0, np.nan, 4.0]),
    )  # fmt: skip
    assert '<desc id="i-desc">a: from 1 to 3; c: from 4 to 5</desc>' in drawing
    ticks = re.findall(r'class="tick mid">([^<]+)<', drawing)
    assert ticks == ["0", "1", "2", "3"]


def test_where_colours_begin_again_lines_are_dashed():
    drawing = chart(*(Series(f"{k}", [0.0, 1.0], [1.0, 2.0]) for k in range(10)))
    classes = re.findall(r'class="line ([^"]+)"', drawing)
    assert classes == [*(f"c{k} d0" for k in range(8)), "c0 d1", "c1 d1"]


def test_every_bar_stands_on_all_that_came_before():
    # 1 + 2 + 4 = 7 of 7.28
    drawing = chart(
        *(Series(n, [0.0], [h], chart="bar") for n, h in zip("abc", (1.0, 2.0, 4.0), strict=True))
    )
    y = Scale(0.0, 7.28, 214, 10)
    outlines = re.findall(r'd="([^"]+)Z" class="area', drawing)
    found = [{*numbers(outline, r"[ML][\d.]+ ([\d.]+)")} for outline in outlines]
    for ends, wanted in zip(found, ((0.0, 1.0), (1.0, 3.0), (3.0, 7.0)), strict=True):
        assert sorted(ends, reverse=True) == pytest.approx([y(v) for v in wanted], abs=0.06)
