"""Every ratio is a dot, on one axis from 1."""

from __future__ import annotations

import re
from typing import Any

import pytest

from farkas.experiments.report.spread import LETTERS, MOST_DOTS, spread
from farkas.experiments.sweeps.promises import Promise
from farkas.experiments.sweeps.ratios import Ratios
from farkas.experiments.sweeps.statistics import quantiles


def ratios(values: list[float], name: str = "mlbroker.one", **more: Any) -> Ratios:
    return Ratios(what="run", name=name, options={}, sense="min", tasks=len(values), left_out={},
                  by_instance={"a": values}, mean=sum(values) / len(values),
                  quantiles=quantiles(values), **more)  # fmt: skip


def places(drawing: str, pattern: str) -> list[float]:
    return [float(x) for x in re.findall(pattern, drawing)]


def test_dots_and_quartiles_lie_where_their_ratio_is() -> None:
    # axis from 1 to 2 * 1.02 = 2.04 over 12 to 468 of 480: 1.5 lies at 12 + 456 * 0.5 / 1.04
    drawing = spread([ratios([1.0, 1.5, 2.0])], "i", "T")
    dots = places(drawing, r'<circle cx="([\d.]+)"')
    assert dots == pytest.approx([12.0, 12 + 456 * 0.5 / 1.04, 12 + 456 / 1.04], abs=0.01)
    (median,) = places(drawing, r'<line x1="([\d.]+)"[^>]*class="median"')
    assert median == dots[1]


def test_many_dots_become_fewer_with_the_same_ends() -> None:
    values = [1 + k / 1000 for k in range(1000)]
    dots = places(spread([ratios(values)], "i", "T"), r'<circle cx="([\d.]+)"')
    assert len(dots) == MOST_DOTS
    assert (dots[0], dots) == (12.0, sorted(dots))


def test_wide_spreads_are_logarithmic_and_say_so() -> None:
    assert "logarithmic" not in spread([ratios([1.0, 7.0])], "i", "T")
    assert "certified ratio, logarithmic" in spread([ratios([1.0, 9.0])], "i", "T")


def test_factors_on_the_axis_are_marked_and_all_are_said() -> None:
    promises = [
        Promise(reading="printed", source="T", statement="s", smallest=1.25),
        Promise(reading="repaired", source="T", statement="s", smallest=50.0),
    ]
    drawing = spread([ratios([1.0, 1.5], promises=promises)], "i", "T")
    assert "theorem: 1.25 printed, 50 repaired" in drawing
    assert drawing.count('class="factor ') == 1
    assert 'class="factor printed"' in drawing


def test_factors_get_a_line_of_their_own_beside_a_long_name() -> None:
    promise = [Promise(reading="printed", source="T", statement="s", smallest=1.25)]
    short = spread([ratios([1.2], promises=promise)], "i", "T")
    long = spread([ratios([1.2], "mlbroker." + "x" * LETTERS, promises=promise)], "i", "T")
    heights = [places(drawing, r'viewBox="0 0 480 (\d+)"')[0] for drawing in (short, long)]
    assert heights[1] - heights[0] == 14


def test_words_stand_below_the_axis_and_beside_the_name() -> None:
    promise = [Promise(reading="printed", source="T", statement="s", smallest=1.25)]
    drawing = spread([ratios([1.0, 1.5], promises=promise)], "i", "T")
    assert places(drawing, r'x="([\d.]+)" y="[\d.]+" class="label mid"') == [240.0]
    (name,) = places(drawing, r'y="([\d.]+)" class="name"')
    (remark,) = re.findall(r"<text ([^>]*)>theorem", drawing)
    assert f'y="{name:g}"' in remark


def test_factors_are_marked_above_and_below_the_middle_of_their_row() -> None:
    promise = [Promise(reading="printed", source="T", statement="s", smallest=1.25)]
    drawing = spread([ratios([1.0, 1.5], promises=promise)], "i", "T")
    (whisker,) = places(drawing, r'y1="([\d.]+)" y2="[\d.]+" class="whisker"')
    ((top, bottom),) = re.findall(r'y1="([\d.]+)" y2="([\d.]+)" class="factor', drawing)
    assert (float(top), float(bottom)) == (whisker - 13, whisker + 13)
