"""Figures are drawn with what was published, and with their caption in view."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from farkas.experiments.figures import PRESETS, Figure, PlotAxis, Printed, Series
from farkas.experiments.figures.drawing import draw
from farkas.experiments.figures.writing import caption
from tests.experiments.figures.made import bars, exhibit, lines, rows


@pytest.mark.parametrize("make", [lines, bars, rows])
def test_every_chart_is_drawn_with_its_caption_in_view(make):
    data = make()
    canvas = draw(data, "Title", caption(exhibit(), data, PRESETS["full"], 0))
    renderer = canvas.canvas.get_renderer()
    (text,) = canvas.texts
    assert "This run (full, seed 0)" in text.get_text()
    box = text.get_window_extent(renderer)
    (axes,) = canvas.axes
    assert box.x0 >= 0
    assert box.x1 <= canvas.bbox.width
    assert box.y0 >= 0, "the caption must not leave the picture"
    assert box.y1 < axes.get_tightbbox(renderer).y0, "the caption must not cover the plot"


def test_published_values_lie_over_ours():
    canvas = draw(lines(), "Title", "Caption.")
    _, words = canvas.axes[0].get_legend_handles_labels()
    assert words[-2:] == ["published: bound", "published: points"]
    drawn = {line.get_label(): line for line in canvas.axes[0].get_lines()}
    assert list(drawn["published: points"].get_xdata()) == [1, 4]
    assert list(drawn["published: bound"].get_ydata()) == [2.5, 2.5]


def legend_of(canvas):
    return [text.get_text() for text in canvas.axes[0].get_legend().get_texts()]


def test_a_legend_names_ours_before_the_print_and_leaves_room_for_the_plot():
    assert legend_of(draw(bars(), "Title", "Caption.")) == ["first", "second", "published: print"]
    data = lines()
    long = "regret from slot 3140 on, as the paper prints it below 0 to the end (Fig. 2)"
    data = dataclasses.replace(data, published=[*data.published, Printed(long, 0.0)])
    canvas = draw(data, "Title", "Caption.")
    assert legend_of(canvas)[:3] == ["ours", "steps", "dots"]
    wrapped = legend_of(canvas)[-1]
    assert wrapped.replace("\n", " ").replace("\N{NO-BREAK SPACE}", " ") == f"published: {long}"
    assert all(len(line) <= 28 for line in wrapped.splitlines())
    assert "Fig.\n" not in legend_of(
        draw(dataclasses.replace(data, published=[Printed("below 1.25 (Fig. 5)", 1.25)] * 4),
             "T", "C.")
    )[-1]  # fmt: skip
    plot = canvas.axes[0].get_window_extent(canvas.canvas.get_renderer())
    assert plot.width > canvas.bbox.width / 2


def test_no_two_lines_of_the_print_look_alike():
    published = [Printed("highest", 0.8), Printed("lowest", 0.6), Printed("mean", 0.7)]
    axes = draw(dataclasses.replace(lines(), published=published), "Title", "Caption.").axes[0]
    drawn = [line for line in axes.get_lines() if line.get_label().startswith("published")]
    assert len({str(line.get_linestyle()) for line in drawn}) == 3


def test_long_lines_that_coincide_show_each_others_markers():
    x = np.arange(100)
    series = [Series(name, x, x) for name in ("one", "two", "three")]
    data = Figure(x=PlotAxis("slot"), y=PlotAxis("cost"), series=series)
    axes = draw(data, "Title", "Caption.").axes[0]
    marked = [set(range(100)[slice(line.get_markevery()[0], None, line.get_markevery()[1])])
              for line in axes.get_lines()]  # fmt: skip
    assert all(8 <= len(places) <= 9 for places in marked)
    assert not marked[0] & marked[1] | marked[1] & marked[2] | marked[0] & marked[2]


def test_a_line_over_another_lets_it_show_through():
    x = [1, 2, 3]
    series = [Series("below", x, [0.0, 1.0, 2.0]), Series("apart", x, [0.0, 1.0, 2.1]),
              Series("above", x, [0.0, 1.001, 2.0]), Series("x", [1, 2], [0.0, 1.0])]  # fmt: skip
    data = Figure(x=PlotAxis("slot"), y=PlotAxis("cost"), series=series)
    drawn = {line.get_label(): line for line in draw(data, "T", "C.").axes[0].get_lines()}
    through = {name for name, line in drawn.items() if line.get_markerfacecolor() == "none"}
    assert through == {"above"}
    assert {name for name, line in drawn.items() if line.get_linestyle() == "--"} == {"above"}


def test_bars_of_one_category_stand_side_by_side():
    axes = draw(bars(), "Title", "Caption.").axes[0]
    # two series, categories one apart: half of 0.8 each, so the bars' middles lie 0.4 apart
    first, second = (group.patches[0] for group in axes.containers[:2])
    assert second.get_x() - first.get_x() == pytest.approx(0.4)
    assert [t.get_text() for t in axes.get_xticklabels()] == ["A", "B"]
    assert axes.get_yscale() == "log"


def test_logarithmic_axes_have_plain_numbers_and_names_may_hold_dollars():
    name = r"cost $\frac{ & $x_1$ 100$"
    points = [Series(name, [1.0, 10.0, 1000.0], [0.01, 1.0, 100.0])]
    data = Figure(x=PlotAxis("x", log=True), y=PlotAxis("y", log=True), series=points)
    canvas = draw(data, name, "caption")
    (axes,) = canvas.axes
    canvas.draw_without_rendering()
    ticks = [t.get_text() for axis in (axes.xaxis, axes.yaxis) for t in axis.get_ticklabels()]
    assert {"1", "10", "1000", "0.01", "100"} <= set(ticks)
    assert not [tick for tick in ticks if "$" in tick]
    assert axes.get_title(loc="left") == name
