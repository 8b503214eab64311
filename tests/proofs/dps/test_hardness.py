"""Markets that are knapsacks."""

import numpy as np
import pytest

from farkas.proofs.dps.hardness import best_by_search
from farkas.proofs.dps.horizon import shipped, small


def test_without_reward_nothing_is_earned_and_more_reward_is_no_loss():
    market = small(2, num_jobs=4, num_servers=2)
    rewards = np.arange(1.0, market.num_jobs + 1)
    assert best_by_search(market, 0 * rewards) == 0.0
    best = best_by_search(market, rewards)
    assert rewards.max() * market.fits.any() <= best <= rewards[market.fits].sum()
    assert best_by_search(market, 2 * rewards) == pytest.approx(2 * best)


def test_forcing_what_would_not_be_taken_costs_something_or_nothing():
    market = shipped("lower_price_hurts")
    rewards = market.budget
    free = best_by_search(market, rewards)
    forced = best_by_search(market, rewards, np.ones(market.num_jobs, bool))
    assert forced <= free
