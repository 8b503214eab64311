"""Regret, by hand and measured."""

import pytest

from farkas.errors import NoVerdict
from farkas.proofs import claims
from farkas.proofs.dps import regret
from farkas.proofs.dps.regret import Chosen, chosen_prices, regret_slope


@pytest.mark.ids(1)
@pytest.mark.parametrize(
    ("name", "number", "expected"),
    [
        ("appendix_f", "left", 66743.76),
        ("appendix_f", "right", 66743.76e4),
        ("double_marginalisation", "equilibrium", 4 / 9),
    ],
)
def test_numbers_of_refutations(name, number, expected, verdict_of):
    found = verdict_of(f"dps.{name}").numbers[number]
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-12)


def test_prices_of_both_sides_drift_to_the_equilibrium(verdict_of):
    # Total 4/3 instead of 1, and 4/9 instead of 1/2 a job; both within a tenth.
    numbers = verdict_of("dps.double_marginalisation").numbers
    assert numbers["median_total_price"] == pytest.approx(4 / 3, rel=0.1)
    assert numbers["late_profit_a_job"] == pytest.approx(4 / 9, rel=0.1)


def test_slopes_with_exploration_are_measured_too():
    slope, low, high = regret_slope((1, 1), explore=True, seeds=3, sizes=(256, 1024, 4096))
    assert low <= slope <= high
    assert 0.3 < slope < 1.1


@pytest.mark.slow
def test_the_rate_tells_one_type_from_two(verdict_of):
    numbers = verdict_of("dps.regret_rate").numbers
    # 2/3 + 2/3 · ln(16/12) / ln 16 between the ends; the fit of three sizes is near it
    assert numbers["slope_of_the_rate"] == pytest.approx(0.7358, abs=2e-3)
    assert numbers["slope_of_one_type_high"] < numbers["slope_of_the_rate"]
    assert numbers["slope_of_the_rate"] < numbers["slope_of_two_types_low"]
    assert numbers["slope_of_one_type_low"] < 2 / 3 < numbers["slope_of_one_type_high"]


def test_indices_of_a_chosen_price_by_hand():
    one = Chosen(best=100.0, price=0.5, jobs=40, sales=0.75, seen=0.5, radius=0.25)
    # 0.5 · 40 times the true share plus two radii, the seen one plus one, and plus two
    assert (one.printed, one.reward, one.wide_reward) == (25.0, 15.0, 20.0)


def test_what_is_known_of_chosen_prices_is_of_the_later_half():
    chosen = chosen_prices(256)
    assert 0 < len(chosen) <= 128
    for one in chosen:
        # the best price earns at least what the chosen one does, and p (1 - (p + q)/2) n at most
        assert one.price * one.sales * one.jobs <= one.best <= one.jobs / 2
        assert 0 <= one.seen <= 1
        assert one.radius > 0


@pytest.mark.slow
def test_the_statement_with_the_true_share_misses_less_than_that_with_the_estimate(verdict_of):
    printed = verdict_of("dps.index_above_best").numbers
    estimated = verdict_of("dps.reward_above_best").numbers
    assert printed["share_of_4096_jobs"] == 0.0
    assert estimated["share_of_4096_jobs_with_twice_the_radius"] == 20 / 2048
    assert estimated["share_of_16384_jobs_with_twice_the_radius"] == 306 / 8192
    # one type of two has 8152 of the 16384 jobs of seed 0: 1.5e-8
    assert (
        printed["promised_share"] == pytest.approx(8152.0**-2) == pytest.approx(1.505e-8, rel=1e-3)
    )
    assert printed["share_of_offers"] > 1000 * printed["promised_share"]


def test_an_index_without_misses_is_not_refuted(monkeypatch):
    fine = (Chosen(best=1.0, price=1.0, jobs=40, sales=0.5, seen=0.5, radius=0.1),) * 3
    monkeypatch.setattr(regret, "chosen_prices", lambda jobs, seed=0: fine)
    with pytest.raises(NoVerdict, match="violates nothing"):
        claims["dps.index_above_best"].run()
