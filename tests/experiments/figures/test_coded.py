"""Figures of kind coded: what they find, and what they honestly do not."""

from __future__ import annotations

import pytest

from farkas.experiments.figures import Agreement, of_kind
from tests.experiments.figures.made import findings, reduced


def test_one_figure_is_met_one_is_not_and_one_in_its_shape():
    agreements = [exhibit.agreement for exhibit in of_kind("coded")]
    assert agreements == [Agreement.REPRODUCED, Agreement.NOT_REPRODUCED, Agreement.TREND]


def test_distributions_are_distributions_and_meet_the_published_quantiles():
    data, found = reduced("coded", "2"), findings("coded", "2")
    for series in data.series:
        assert all(b >= a - 1e-12 for a, b in zip(series.y, series.y[1:], strict=False))
        assert 0 <= min(series.y) <= max(series.y) <= 1
    assert all(found.values())


def test_published_savings_are_not_reproduced_but_the_order_is():
    data, found = reduced("coded", "3"), findings("coded", "3")
    assert not found["more than 80 % below uncoded"]
    assert not found["more than 49 % below coded uniform"]
    assert found["proposed before coded uniform before uncoded"]
    assert data.published[0].y == pytest.approx(0.2 * data.series[0].y[-1])


def test_convex_approximation_falls_towards_the_linear_program():
    data, found = reduced("coded", "4"), findings("coded", "4")
    assert found["never below the linear program"]
    assert found["below iterated greedy at the end, for some α"]
    for series in data.series[:3]:
        assert all(b <= a * (1 + 1e-6) for a, b in zip(series.y, series.y[1:], strict=False))
