"""Curves of searches as figures: what is drawn is the gap that stood at each moment."""

from __future__ import annotations

import pytest

import farkas
from farkas.errors import InvalidOption
from farkas.experiments.figures.gaps import curve_of, gap_figure, gap_series, write_gaps

CURVE = [(0.5, None, 10.0), (1.0, 4.0, 10.0), (2.0, 8.0, 10.0), (4.0, 8.0, 8.0)]


def test_gaps_begin_with_both_sides_and_last_until_the_end():
    # (10 - 4) / 10, (10 - 8) / 10, then nothing, which a logarithm cannot show
    series = gap_series("one", CURVE, 6.0)
    assert series.x == [1.0, 2.0, 4.0, 6.0]
    assert series.y == [0.6, pytest.approx(0.2), 1e-6, 1e-6]
    assert series.chart == "step"


def test_gaps_are_shares_of_the_larger_side_for_costs_too():
    assert gap_series("cost", [(1.0, 10.0, 6.0)], 2.0).y == [0.4, 0.4]
    assert gap_series("negative", [(1.0, -10.0, -6.0)], 2.0).y == [0.4, 0.4]
    assert gap_series("zero", [(1.0, 0.0, 0.0)], 2.0).y == [1e-6, 1e-6]


def test_an_end_before_the_last_move_does_not_go_back_in_time():
    assert gap_series("one", CURVE, 3.0).x[-2:] == [4.0, 4.0]


def test_a_figure_holds_every_search_with_both_sides():
    figure = gap_figure({"one": (CURVE, 6.0), "half": ([(0.1, None, 3.0)], 1.0)})
    assert [one.name for one in figure.series] == ["one"]
    assert figure.x.log
    assert figure.y.log
    assert "1e-06" in figure.caption
    with pytest.raises(InvalidOption, match="no gap to draw"):
        gap_figure({"half": ([(0.1, None, 3.0)], 1.0)})


def test_the_worst_gap_at_the_end_stands_in_the_caption():
    figure = gap_figure({"one": (CURVE, 6.0), "two": (CURVE[:3], 6.0)})
    assert "all ended within 0.2." in figure.caption


def test_the_curve_of_a_search_ends_with_its_gap(tmp_path):
    found = farkas.optimum("gadget/tiny", gap=0.0)
    curve = curve_of(found)
    assert curve[-1][1:] == (float(found.value), float(found.bound))
    figure = gap_figure({"tiny": (curve, found.seconds)}, "wall seconds")
    path = tmp_path / "gap.svg"
    write_gaps(figure, "Gap", str(path), "Kept.")
    text = path.read_text()
    assert "wall seconds" in text
    assert "Kept." in text
    with pytest.raises(InvalidOption, match=r"gap\.csv: no picture"):
        write_gaps(figure, "Gap", str(tmp_path / "gap.csv"))
