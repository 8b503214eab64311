"""Figures of kind dps: what they show is what the sellers earn."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.experiments.figures.dps import (
    EXPLORED,
    NAMES,
    better_early,
    cumulated,
    falls_sooner,
    final,
    market,
    play,
)
from farkas.experiments.figures.exhibit import Series
from tests.experiments.figures.made import reduced


def test_exploration_is_capped_unless_a_figure_asks_for_more() -> None:
    sizes = {"num_jobs": 30, "horizon": 30, "num_servers": 2}
    plain, more = market(False, 0, **sizes), market(False, 0, {"explore_cap": 0.5}, **sizes)
    assert plain.dps.explore_cap == EXPLORED
    assert more.dps.explore_cap == 0.5
    assert plain.replace(dps=None) == more.replace(dps=None)


def test_profit_cumulated_over_slots_ends_at_the_profit() -> None:
    instance = market(False, 0, num_jobs=60, horizon=60, num_servers=2)
    done = play("simple", instance)
    so_far = cumulated(done, 60)
    assert so_far.shape == (60,)
    assert so_far[-1] == pytest.approx(done.profit)


@pytest.mark.slow
def test_regret_is_the_best_fixed_price_less_the_seller() -> None:
    lines = {line.name: line for line in reduced("dps", "2").series}
    assert list(lines) == list(NAMES.values())
    for line in lines.values():
        low, mean, high = (np.asarray(v) for v in (line.low, line.y, line.high))
        assert (low <= mean).all()
        assert (mean <= high).all()
    ends = []
    for seed in (0, 1):
        instance = market(False, seed)
        ends.append(play("bfp_coord", instance).profit - play("top", instance, seed).profit)
    assert lines[NAMES["top"]].y[-1] == pytest.approx(np.mean(ends))


def test_the_last_value_of_a_line_is_final() -> None:
    assert final([Series("a", [0, 1], [5.0, 2.0]), Series("b", [0], [1.0])]) == {"a": 2.0, "b": 1.0}


def test_regret_falls_sooner_for_more_jobs_where_peaks_come_sooner() -> None:
    late, soon = Series("N", [0, 1, 2, 3], [1, 2, 9, 3]), Series("2 N", [0, 1, 2, 3], [1, 9, 4, 3])
    assert falls_sooner([late, soon]).holds
    assert not falls_sooner([soon, late]).holds
    assert not falls_sooner([late, Series("2 N", [0, 1, 2, 3], [1, 2, 3, 4])]).holds


def test_little_exploration_has_to_be_better_early_and_worse_in_the_end() -> None:
    # early is a tenth of the slots: after a fifth it is worse already
    falls = [0.0, 0.0] + [2.0] * 8 + [9.0]
    low, high = Series("low", range(11), falls), Series("high", range(11), [1.0] * 11)
    assert better_early(low, high).holds
    assert not better_early(high, low).holds
    worse = Series("worse", range(11), [0.0, 2.0] + [0.0] * 8 + [9.0])
    assert not better_early(worse, high).holds  # in the end, but not early


def test_jobs_served_are_counted_from_one_and_runtimes_only_add_up() -> None:
    for line in reduced("dps", "7").series:
        assert line.x[0] == 1
        assert (np.diff(line.y) >= 0).all()


@pytest.mark.slow
def test_profit_over_time_ends_at_the_mean_profit_of_each_seller() -> None:
    lines = {line.name: line for line in reduced("dps", "7b").series}
    assert list(lines) == ["DPS", "DPS-RS", "BFP"]
    for name, seller in zip(lines, ("dps", "dps_random_placement", "bfp_coord"), strict=True):
        ends = [play(seller, market(False, seed), seed).profit for seed in (0, 1)]
        assert lines[name].y[-1] == pytest.approx(np.mean(ends))
        assert (np.diff(lines[name].y) >= 0).all()
