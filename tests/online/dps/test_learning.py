"""Algorithm 1 and its variants: when they explore and which constants they take."""

import msgspec
import numpy as np
import pytest

from farkas.online.dps.environment import Knowledge
from farkas.online.dps.learning import (
    SUPPLY,
    Dps,
    RandomPlacement,
    ScaledBandits,
    Simple,
    SupplyEstimate,
    Top,
    answered,
    best_arm,
    finish,
    supply,
)
from tests.generators.dps import learning_market, random_market, uniform_users
from tests.references.dps_market import best_fit, in_random_order
from tests.references.dps_sellers import Side, alike, bandits, handled

VARIANTS = {
    "dps": (Dps(), {}),
    "best fit": (Dps(placement="best_fit"), {"place": best_fit}),
    "range": (Dps(radii="range"), {"wide": True}),
    "turnover": (Dps(capacity="turnover"), {"form": "turnover"}),
    "simple": (Simple(), {"explore": False}),
    "top": (Top(), {"explore": False, "grid": "uniform", "form": "top"}),
    "scaled": (ScaledBandits(), {"wide": True, "form": "turnover"}),
}


@pytest.mark.ids(84)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(24))
def test_jobs_are_priced_as_the_algorithm_written_with_lists_prices_them(variant, seed):
    market, (seller, words) = learning_market(seed), VARIANTS[variant]
    assert alike(handled(seller.simulate(market, seed)), bandits(market, **words))


@pytest.mark.parametrize("seed", range(24))
def test_servers_in_random_order_are_those_of_the_list(seed):
    market, rng = learning_market(seed), np.random.default_rng(seed)
    wanted = bandits(market, place=in_random_order(rng))
    assert alike(handled(RandomPlacement().simulate(market, seed)), wanted)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(6))
def test_hundreds_of_arms_are_chosen_as_from_a_list(variant, seed):
    market, (seller, words) = random_market(seed, jobs=60), VARIANTS[variant]
    market = market.replace(dps={"delta": 0.012, "explore_cap": 0.0, "eta_scale": 0.1 * seed})
    rules = seller.sides(Knowledge.of(market))
    assert len(rules[0].price) > 64
    assert alike(handled(seller.simulate(market)), bandits(market, **words))


@pytest.mark.parametrize("form", ["published", "turnover", "top"])
@pytest.mark.parametrize("seed", range(4))
def test_ties_up_to_rounding_and_supplies_that_bind_and_rise_are_those_of_the_list(form, seed):
    # Without radii, prices z/50 of which z sell 30/z units all earn alike but for rounding, and
    # some lie far apart.  First jobs run for the whole horizon, so that supply binds; short
    # ones bring it back.
    market = uniform_users(6, 1).replace(
        horizon=10, server_workers=[[80]], server_ps=[[80]], price_cap=1.0,
        jobs=[{**msgspec.to_builtins(job), "arrival": 0} for job in uniform_users(6, 1).jobs],
        dps={"delta": 0.02, "eta_scale": 0.0},
    )  # fmt: skip
    side, _ = Top().sides(Knowledge.of(market))
    wanted = Side(market, "worker", "uniform", False, False)
    closed = market.occupancy == "closed"
    by = SupplyEstimate(float(market.horizon), SUPPLY[form], closed)
    rng, near = np.random.default_rng(seed), 0
    for step in range(100):
        arm = best_arm.interpret(side, 0, by)
        assert arm == wanted.arm(0, form, closed)
        value = side.price * np.minimum(side.demand, supply.function(side, 0, by))
        near += value[arm] < value.max()
        number = int(rng.choice([1, 2, 3, 5, 6, 10, 15, 30]))
        answered.interpret(side, 0, number - 1, 30 // number)
        wanted.answers[0][number - 1].append(30 // number)
        if rng.random() < 0.3:
            runtime = 10.0 if step < 20 else 0.5
            finish.interpret(side, 0, runtime, by)
            wanted.ends[0].append(runtime)
    assert near > 0


def test_arms_without_worth_are_tied_and_the_dearest_is_chosen():
    # nothing installed: the published supply is 0, and so is every value
    market = random_market(1, jobs=6).replace(
        server_workers=[[0, 0]], server_ps=[[1, 1]], worker_bandwidth=[None] * 2,
        ps_bandwidth=[None] * 2,
    )  # fmt: skip
    side, _ = Dps().sides(Knowledge.of(market))
    by = SupplyEstimate(float(market.horizon), SUPPLY["published"], True)
    kind = int(np.flatnonzero(side.jobs)[0])
    assert best_arm.interpret(side, kind, by) == side.first[kind + 1] - 1
