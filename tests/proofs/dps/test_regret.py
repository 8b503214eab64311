"""Regret, by hand and measured."""

from farkas.proofs.dps.regret import Chosen, chosen_prices, regret_slope


def test_slopes_with_exploration_are_measured_too():
    slope, low, high = regret_slope((1, 1), explore=True, seeds=3, sizes=(256, 1024, 4096))
    assert low <= slope <= high
    assert 0.3 < slope < 1.1


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
