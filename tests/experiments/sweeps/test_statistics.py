"""Intervals resample whole instances and cover what they should."""

from __future__ import annotations

import numpy as np

from farkas.experiments.sweeps.statistics import interval, quantiles


def test_the_interval_resamples_instances_not_runs():
    # 5 instances, one of them with 100 runs at 2, the others at 1: treating runs as independent
    # would give a tight interval around 1.96; whole instances may miss that one altogether
    groups = {str(i): [1.0] for i in range(4)} | {"many": [2.0] * 100}
    low, high = interval(groups)
    assert low == 1.0
    assert high > 1.9
    assert interval(groups) == interval(groups), "seeded"
    assert interval({"a": [1.0]}) is None


def test_the_interval_covers_the_mean_about_as_often_as_it_says():
    # ratios 1 + Exp(1): true mean 2; bootstrap intervals of 40 skewed draws cover a little less
    # than 95 %; 200 repetitions have a standard deviation of 1.7 %
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(200):
        draws = 1 + rng.exponential(size=40)
        low, high = interval({str(i): [v] for i, v in enumerate(draws)}, draws=1000)
        inside += low <= 2 <= high
    assert 0.87 <= inside / 200 <= 0.99


def test_quantiles_of_one_value():
    assert set(quantiles([1.25]).values()) == {1.25}
