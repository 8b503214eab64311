"""Ratios of mlBroker: what the figures say is what they compute."""

from __future__ import annotations

import pytest

from farkas.experiments.figures import PlotAxis, Series, Statement
from farkas.experiments.figures.mlbroker.ratios import ratio_figure
from tests.experiments.figures.made import reduced


@pytest.mark.slow
def test_fractional_ratio_is_at_least_one_and_below_the_printed_ceiling():
    for line in reduced("mlbroker", "5").series:
        assert all(1 - 1e-6 <= ratio < 1.25 for ratio in line.y), line.name


def test_a_point_without_a_proof_between_others_is_noticed():
    line = Series("A_round", x=[1, 2, 3], y=[2.0, float("nan"), 2.1])
    figure = ratio_figure(PlotAxis("slots"), [line], Statement("rises", True))
    assert not figure.findings[-1].holds
