"""Figures of kind coded: what they find, and what they honestly do not."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.experiments.figures import Agreement, of_kind
from farkas.experiments.figures.coded import MS, _first, cluster, plan, simulate
from farkas.experiments.figures.exhibit import Series
from tests.experiments.figures.made import findings, reduced


def test_one_figure_is_met_and_two_in_their_shapes():
    agreements = [exhibit.agreement for exhibit in of_kind("coded")]
    assert agreements == [Agreement.REPRODUCED, Agreement.TREND, Agreement.TREND]


def test_distributions_are_distributions_and_meet_the_published_quantiles():
    data, found = reduced("coded", "2"), findings("coded", "2")
    for series in data.series:
        assert all(b >= a - 1e-12 for a, b in zip(series.y, series.y[1:], strict=False))
        assert 0 <= min(series.y) <= max(series.y) <= 1
    assert all(found.values())


def test_a_level_is_reached_between_the_times_drawn():
    curve = Series("law", [1.0, 2.0, 4.0], [0.0, 0.9, 1.0])
    assert _first(curve, 0.98) == pytest.approx(2.0 + 2.0 * 0.8)
    assert _first(Series("slow", [1.0, 2.0], [0.0, 0.9]), 0.98) == np.inf


def test_published_savings_are_not_reproduced_but_the_order_is():
    data, found = reduced("coded", "3"), findings("coded", "3")
    assert not found["more than 80 % below uncoded"]
    assert not found["more than 49 % below coded uniform"]
    assert found["proposed before coded uniform before uncoded"]
    # savings over what the last master takes, drawn where it is
    assert [printed.x for printed in data.published] == [["last"], ["last"]]
    assert data.published[0].y == pytest.approx([0.2 * data.series[0].y[-1]])
    assert data.published[1].y == pytest.approx([0.51 * data.series[1].y[-1]])


@pytest.mark.slow
def test_convex_approximation_falls_towards_the_linear_program():
    data, found = reduced("coded", "4"), findings("coded", "4")
    assert found["never below the linear program"]
    assert found["below iterated greedy at the end, for some α"]
    for series in data.series[:3]:
        assert all(b <= a * (1 + 1e-6) for a, b in zip(series.y, series.y[1:], strict=False))


def test_bars_are_the_means_of_every_master_and_of_the_last():
    bars = {series.name: list(series.y) for series in reduced("coded", "3").series}
    for means in bars.values():
        assert len(means) == 5
        assert len(set(means)) == 5
        assert max(means[:4]) < means[4] < sum(means[:4])
    samples = []
    for seed in (0, 1):
        data = cluster(4, 50, seed)
        own = plan("coded.uniform", data, seed)
        samples.append(simulate(data, own, 20_000, np.random.default_rng(seed + 100)))
    expected = np.mean([sample.times.mean(axis=0) for sample in samples], axis=0)
    # of 2 x 4,000 draws of another seed, whose spread is about a third of their mean
    assert np.array(bars["coded.uniform"][:4]) / expected / MS == pytest.approx(1.0, abs=0.02)


def test_quantiles_that_are_met_per_master_lie_beside_curves_per_master():
    data = reduced("coded", "2")
    curves = {series.name: np.array(series.y) for series in data.series}
    for name in ("coded.iterated_greedy", "coded.expected"):
        own, last = curves[f"{name}, per master"], curves[name]
        assert (own >= last - 1e-12).all()
        assert (own > last + 0.01).any()
    assert all("per master" in printed.name for printed in data.published)


def test_a_figure_says_the_size_it_was_drawn_at_and_the_split():
    caption = reduced("coded", "4").caption
    assert caption.startswith("M = 2, N = 12")
    assert "not the paper's" in caption
    (exhibit,) = [one for one in of_kind("coded") if one.label == "figure4"]
    assert "50 workers" not in exhibit.title
