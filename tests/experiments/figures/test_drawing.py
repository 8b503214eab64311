"""Figures are drawn with what was published, and with their caption in view."""

from __future__ import annotations

import pytest

from farkas.experiments.figures import PRESETS
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


def test_bars_of_one_category_stand_side_by_side():
    axes = draw(bars(), "Title", "Caption.").axes[0]
    # two series, categories one apart: half of 0.8 each, so the bars' middles lie 0.4 apart
    first, second = (group.patches[0] for group in axes.containers[:2])
    assert second.get_x() - first.get_x() == pytest.approx(0.4)
    assert [t.get_text() for t in axes.get_xticklabels()] == ["A", "B"]
    assert axes.get_yscale() == "log"
