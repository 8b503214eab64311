"""Algorithm 1 and its variants: when they explore and which constants they take."""

import numpy as np
import pytest

from farkas.online.dps.learning import Bandits, Dps, RandomPlacement, Scaled, Simple, Top
from farkas.online.dps.offers import Known
from farkas.online.dps.posted import run_seller
from farkas.online.dps.pricing import both_sides
from tests.generators.dps import learning_market, random_market, uniform_users
from tests.references.dps_market import best_fit, in_random_order
from tests.references.dps_sellers import alike, bandits, handled


def test_exploration_is_free_and_ends_after_the_stated_share():
    market = uniform_users(100, 3).replace(dps={"delta": 0.25, "explore_cap": 0.2})
    decisions = run_seller(Dps(), market)
    # n = 100 for both types: arrivals 1 to 20 explore, not rounded.
    assert [d.exploring for d in decisions].index(False) == 20
    assert not any(d.exploring for d in decisions[20:])
    assert sum(d.payment for d in decisions[:20]) == 0.0
    assert all(d.served for d in decisions[:20])


def test_the_highest_of_tied_prices_is_offered_first():
    # Before any offer the index is p n η: increasing in p, so the dearest arm comes first.
    market = uniform_users(4, 0).replace(dps={"delta": 0.5, "explore_cap": 0.0})
    first = run_seller(Simple(), market)[0]
    assert (first.worker_price, first.ps_price) == (0.75, 0.75)


@pytest.mark.parametrize(
    ("policy", "variant"),
    [
        (Dps(), (True, "geometric", "unit", "published", "pa")),
        (Dps(placement="best_fit", radii="range"), (True, "geometric", "range", "published",
                                                    "best_fit")),
        (Simple(), (False, "geometric", "unit", "published", "pa")),
        (Top(), (False, "uniform", "unit", "top", "pa")),
        (Scaled(), (True, "geometric", "range", "turnover", "pa")),
        (RandomPlacement(), (True, "geometric", "unit", "published", "random")),
    ],
    ids=repr,
)  # fmt: skip
def test_variants_differ_in_what_they_say(policy, variant):
    assert isinstance(policy, Bandits)
    found = (policy.explore, policy.grid, policy.radii, policy.capacity, policy.placement)
    assert found == variant
    known = Known.of(random_market(3))
    state = policy.start(known, 0)
    rules = both_sides(known, explore=variant[0], radii=variant[2], grid=variant[1])
    assert state.workers.rules.price.tolist() == rules[0].price.tolist()
    assert state.ps.rules.eta.tolist() == rules[1].eta.tolist()
    assert state.workers.supply_form == variant[3]
    assert state.ps.closed == (known.occupancy == "closed")


def test_both_sides_explore_while_either_type_is_new():
    # half of the arrivals of a type explore: 2 of 4 for the worker type, 1 of 2 for either other
    market = uniform_users(4, 1).replace(
        server_ps=[[1, 1]], ps_bandwidth=[None, None], dps={"delta": 0.5, "explore_cap": 0.5}
    )
    jobs = [
        {"arrival": j.arrival, "worker_type": 0, "workers": 1, "ps_type": kind, "ps": 1,
         "model_size": 0, "epochs": 1, "epoch_compute": 0.5, "budget": 9.0}
        for j, kind in zip(market.jobs, (0, 0, 1, 1), strict=True)
    ]  # fmt: skip
    decisions = run_seller(Dps(), market.replace(jobs=jobs))
    assert [d.exploring for d in decisions] == [True, True, True, False]
    assert [d.outcome for d in decisions] == ["explored", "explored", "explored", "sold"]


def test_answers_are_learned_on_both_sides_and_runtimes_when_jobs_are_over():
    market = uniform_users(6, 3).replace(dps={"delta": 0.5, "explore_cap": 0.0})
    policy = Simple()
    decisions = run_seller(policy, market)
    from farkas.online.dps.offers import Offer

    state = policy.start(Known.of(market), 0)
    for number in range(6):
        state, _ = policy.step(state, Offer.of(market, number))
    sold = sum(d.outcome == "sold" for d in decisions)
    assert state.workers.offers.sum() == state.ps.offers.sum() == 6
    assert state.workers.sold.sum() == state.ps.sold.sum() == sold
    # half a slot each: all that were served before the last arrival are over
    over = sum(d.served for d in decisions[:5])
    assert state.workers.finished.tolist() == state.ps.finished.tolist() == [over]


VARIANTS = {
    "dps": (Dps(), {}),
    "best fit": (Dps(placement="best_fit"), {"place": best_fit}),
    "range": (Dps(radii="range"), {"wide": True}),
    "turnover": (Dps(capacity="turnover"), {"form": "turnover"}),
    "simple": (Simple(), {"explore": False}),
    "top": (Top(), {"explore": False, "grid": "uniform", "form": "top"}),
    "scaled": (Scaled(), {"wide": True, "form": "turnover"}),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(24))
def test_jobs_are_priced_as_the_algorithm_written_with_lists_prices_them(variant, seed):
    market, (seller, words) = learning_market(seed), VARIANTS[variant]
    assert alike(handled(run_seller(seller, market, seed)), bandits(market, **words))


@pytest.mark.parametrize("seed", range(24))
def test_servers_in_random_order_are_those_of_the_list(seed):
    market, rng = learning_market(seed), np.random.default_rng(seed)
    wanted = bandits(market, place=in_random_order(rng))
    assert alike(handled(run_seller(RandomPlacement(), market, seed)), wanted)
