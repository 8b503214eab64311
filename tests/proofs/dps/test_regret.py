"""Regret, by hand and measured."""

import math
from fractions import Fraction

import numpy as np
import pytest

from farkas.online.dps.learning import geometric_grid
from farkas.proofs import claims
from farkas.proofs.dps.grids import (
    MEANS,
    OFFERS,
    _misses,
    chances,
    failure,
    radius,
    shipped,
    step_of,
    theorem2_assumptions,
    unit_users,
    worst_failure,
)
from farkas.proofs.dps.regret import chosen_prices, sided_order


def test_what_is_known_of_chosen_prices_is_of_the_later_half():
    chosen = chosen_prices(256)
    assert 0 < len(chosen) <= 128
    for one in chosen:
        # the best price earns at least what the chosen one does, and p (1 - (p + q)/2) n at most
        assert one.price * one.sales * one.jobs <= one.best <= one.jobs / 2
        assert one.radius > 0


def test_the_published_step():
    # (T C)^(-1/3) (ln n)^(2/3) at T C = 10^6 and n = 3: (ln 3)^(2/3) / 100
    assert step_of(1000, 1000, 3) == pytest.approx(0.010647, rel=1e-4)


def test_theorem_2_allows_less_than_one_unit_on_a_long_horizon():
    sides = theorem2_assumptions(shipped("one_server"))
    # T = 6, C = 1, n = 3: 6^(-1/3) (ln 3)^(2/3) = 0.586.
    assert sides["worker 0"] == (1.0, pytest.approx(0.5859, rel=1e-3))


@pytest.mark.parametrize("power", [1.0, 2.0, 4.0])
@pytest.mark.parametrize("jobs", [3, 100, 10_000])
def test_the_prices_of_a_grid_are_as_many_as_proved(power, jobs):
    volume, logs = int(max(jobs**power, math.log(jobs) ** 2 + 1)), math.log(jobs)
    power = math.log(volume) / logs
    most = 1 + 2 * power / 3 * (volume * logs) ** (1 / 3)
    assert len(geometric_grid(step_of(volume, 1, jobs))) <= most


def test_capacity_of_unit_users_never_binds_and_budgets_end_at_two():
    market = unit_users(400, 3)
    assert market.arrival.tolist() == list(range(400))
    assert (market.workers == 1).all()
    assert (market.last_slot == market.arrival).all()
    assert 0 <= market.budget.min() < 0.1 < 1.9 < market.budget.max() <= 2
    assert np.array_equal(unit_users(400, 3).budget, market.budget)


def test_unit_users_share_slots_in_which_there_are_units_for_all():
    market = unit_users(12, 3, 2, 2, slots=3)
    assert market.arrival.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert market.worker_capacity.tolist() == market.ps_capacity.tolist() == [4, 4]
    # with these sizes Theorem 2's bound on demands, T^(-1/3) (C ln n)^(2/3), is above 1
    assert all(most <= allowed for most, allowed in theorem2_assumptions(market).values())


def test_sides_that_lose_nothing_leave_a_regret_of_an_eighteenth_a_job():
    # 4 (√(N ln N) + (N ln N)^(2/3)) at N = 1; and 4 (√(e²·2) + (2 e²)^(2/3)) at N = e²
    assert sided_order(1) == 0.0
    twice = 4 * (math.sqrt(2) * math.e + (2 * math.e**2) ** (2 / 3))
    assert sided_order(math.e**2) == pytest.approx(twice)
    lost, least = claims["dps.double_marginalisation"].run().fails
    assert (lost.left, lost.right) == (Fraction(1, 18), 0)
    assert math.sqrt(least.left) + math.sqrt(least.right) == pytest.approx(math.sqrt(1e12 / 18))


def test_a_radius_by_hand():
    # 2/4 + √(2 · (1/2) / 4) = 1/2 + 1/2; at mean 0 the root is gone
    assert radius(2.0, np.array([0.5, 0.0]), 3).tolist() == [1.0, 0.5]


def test_a_failure_probability_by_hand():
    # One flip with mean 1/2 and η = 0: radius 0, so both outcomes fail.
    assert failure(0.0, 1, 0.5) == pytest.approx(1.0)
    # η = 2: after success the radius is 1 + 1 > 1/2, after failure 1 > 1/2.
    assert failure(2.0, 1, 0.5) == 0.0


def test_chances_of_flips():
    np.testing.assert_allclose(chances(2, 0.25), [9 / 16, 6 / 16, 1 / 16])


def test_the_worst_failure_is_no_better_than_any():
    worst, offers, mean = worst_failure(3.0)
    assert worst == failure(3.0, offers, mean)
    assert worst >= max(failure(3.0, n, q) for n in OFFERS[:4] for q in MEANS)


def test_the_repaired_radius_is_that_of_the_source():
    assert claims["dps.confidence_radius_repaired"].source.endswith("η = 2.5 ln n")
    said = _misses({"jobs": 10, "offers": 200, "mean": 0.3})
    (relation,) = said.relations
    assert relation.left == failure(2.5 * np.log(10), 200, 0.3)
    assert relation.left < failure(2.4 * np.log(10), 200, 0.3)
    assert relation.right == 10**-2.0
