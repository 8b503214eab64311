"""Ratios of mlBroker: what the figures say is what they compute."""

from __future__ import annotations

from tests.experiments.figures.made import reduced


def test_fractional_ratio_is_at_least_one_and_below_the_printed_ceiling():
    for line in reduced("mlbroker", "5").series:
        assert all(1 - 1e-6 <= ratio < 1.25 for ratio in line.y), line.name
