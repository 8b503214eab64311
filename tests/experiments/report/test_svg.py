"""Drawings are escaped, skip what is missing, and have round ticks."""

from __future__ import annotations

import pytest
from markupsafe import Markup

from farkas.experiments.report.charts import legend
from farkas.experiments.report.svg import Scale, at_most, linear_ticks, log_ticks, number, path, tag


def test_drawings_are_escaped_and_skip_what_is_missing():
    assert tag("text", "<b>", title='"') == Markup('<text title="&#34;">&lt;b&gt;</text>')
    assert path([(0, 0), (1, float("nan")), (2, 2)]) == "M0 0M2 2"
    assert legend(["one"]) == ""


def test_ticks_are_round_and_inside():
    assert linear_ticks(1.0, 1.04, 5) == [1.0, 1.01, 1.02, 1.03, 1.04]
    assert log_ticks(1.0, 5000.0) == [1.0, 10.0, 100.0, 1000.0]
    assert Scale(1.0, 100.0, 0.0, 10.0, log=True)(10.0) == pytest.approx(5.0)


def test_logarithmic_ticks_end_with_the_axis():
    assert log_ticks(1, 19.5) == [1, 2, 5, 10]
    assert log_ticks(1, 20) == [1, 2, 5, 10, 20]


def test_attributes_that_are_none_are_left_out_and_zero_is_not():
    assert tag("rect", x=0, y=None, width=0.0) == Markup('<rect x="0" width="0"></rect>')


def test_ratios_are_rounded_up_and_numbers_short_whatever_their_sign():
    assert (at_most(1.0132201), at_most(1.0), at_most(float("nan"))) == ("1.01323", "1", "–")
    assert [number(x) for x in (-12345.6, 12345.6, 9999.0, -1e6)] == [
        "-12,346", "12,346", "9999", "-1e+06",
    ]  # fmt: skip


def test_ticks_that_rounding_moves_across_an_end_stay():
    assert linear_ticks(0.1, 0.7, 6) == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    assert linear_ticks(0.3, 0.9, 6) == [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    assert linear_ticks(0.0, 1.0, 2) == [0.0, 0.5, 1.0]


def test_a_short_logarithmic_axis_has_linear_ticks():
    assert Scale(1.0, 50.0, 0.0, 10.0, log=True).ticks() == [1, 2, 5, 10, 20, 50]
    assert Scale(6.0, 9.0, 0.0, 10.0, log=True).ticks(3) == [6, 7, 8, 9]
