"""Drawings are escaped, skip what is missing, and have round ticks."""

from __future__ import annotations

import pytest
from markupsafe import Markup

from farkas.experiments.report.charts import legend
from farkas.experiments.report.svg import Scale, linear_ticks, log_ticks, path, tag


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
