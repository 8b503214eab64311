"""Longer horizons, and the payments of (31), by hand."""

import numpy as np

from farkas.proofs.dps.horizon import published, small, unit_users


def test_unit_users_pass_the_check_of_their_kind():
    market = unit_users(50, 1, 2, 2)
    assert market.replace(name="again").sha256 == market.sha256


def test_capacity_of_unit_users_never_binds_and_budgets_end_at_two():
    market = unit_users(400, 3)
    assert market.arrival.tolist() == list(range(400))
    assert (market.workers == 1).all()
    assert (market.last_slot == market.arrival).all()
    assert 0 <= market.budget.min() < 0.1 < 1.9 < market.budget.max() <= 2
    assert np.array_equal(unit_users(400, 3).budget, market.budget)


def test_drawn_markets_are_those_of_the_presets():
    assert small(1, num_jobs=3).num_jobs == 3
    assert published().num_jobs == 10_000
