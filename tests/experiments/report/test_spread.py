"""Every ratio is a dot, on one axis from 1."""

from __future__ import annotations

import re
from typing import Any

import pytest

from farkas.experiments.report.spread import LETTERS, MOST_DOTS, spread
from farkas.experiments.sweeps.guarantees import Promise
from farkas.experiments.sweeps.ratios import Ratios, quantiles


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


def test_the_box_and_the_line_end_at_their_quartiles_and_the_diamond_at_the_mean() -> None:
    # quartiles 1, 1.1, 1.2, 1.3 and 2 of mean 1.32
    one = ratios([1.0, 1.1, 1.2, 1.3, 2.0], interval=(0.5, 1.5))
    drawing = spread([one], "i", "T")

    def at(*values: float) -> Any:
        return pytest.approx([12 + 456 * (v - 1) / 1.04 for v in values], abs=0.06)

    def ends(name: str) -> list[float]:
        found = re.findall(rf'<line x1="([\d.]+)" x2="([\d.]+)"[^>]*class="{name}"', drawing)
        return [float(x) for x in found[0]]

    assert ends("whisker") == at(1.0, 2.0)
    assert ends("interval") == at(1.0, 1.5)  # no ratio is below 1
    ((left, width),) = re.findall(r'<rect x="([\d.]+)" [^>]*width="([\d.]+)"', drawing)
    assert [float(left), float(left) + float(width)] == at(1.1, 1.3)
    assert places(drawing, r'd="M([\d.]+) [^"]*" class="mean"') == at(1.32)
    assert "mlbroker.one: median 1.2, mean 1.32, largest 2" in drawing


def test_the_axis_reaches_to_the_worst_of_all_and_turns_logarithmic_beyond() -> None:
    near, far = ratios([1.0, 1.1]), ratios([1.0, 4.0], "mlbroker.two")
    dots = places(spread([near, far], "i", "T"), r'<circle cx="([\d.]+)"')
    assert max(dots) == pytest.approx(12 + 456 * 3 / 3.08, abs=0.01)
    assert "logarithmic" not in spread([ratios([7.8])], "i", "T")
    assert "logarithmic" in spread([ratios([7.9])], "i", "T")  # the axis ends at 8.06


@pytest.mark.parametrize(("smallest", "marked"), [(2.04, 1), (2.041, 0), (1.0, 1)])
def test_a_factor_beyond_the_axis_is_not_marked(smallest: float, marked: int) -> None:
    promise = [Promise(reading="printed", source="T", statement="s", smallest=smallest)]
    drawing = spread([ratios([1.0, 2.0], promises=promise)], "i", "T")
    assert drawing.count('class="factor ') == marked
