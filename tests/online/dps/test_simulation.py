"""The compiled simulation against the readable one, decision by decision."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from farkas.instances import library
from farkas.instances.generate import generate
from farkas.online import algorithms
from farkas.online.dps import kernel
from farkas.online.dps.learning import Dps, RandomPlacement, Scaled, Simple, Top
from farkas.online.dps.learning_kernel import BLOCK
from farkas.online.dps.offers import Known
from farkas.online.dps.posted import BestFit, FreeOfCharge, Random, run_seller
from farkas.online.dps.pricing import both_sides
from farkas.online.dps.simulation import _most_records, simulate_learning
from tests.generators.dps import empty_market, random_market

SELLERS = [
    Dps(),
    Dps(placement="best_fit"),
    Dps(capacity="turnover", radii="range"),
    Simple(),
    Top(),
    Scaled(),
    RandomPlacement(),
    Random(),
    Random(placement="best_fit"),
    FreeOfCharge(),
    BestFit(),
]
OUTCOMES = {
    "full": kernel.FULL, "declined": kernel.DECLINED, "sold": kernel.SOLD,
    "explored": kernel.EXPLORED,
}  # fmt: skip


def busy(seed: int, knobs: dict) -> object:
    """A market with hundreds of jobs, so that arms and runtimes are really learned."""
    market = generate(
        "dps", "small", seed, num_jobs=300, horizon=200, num_servers=4, budget_spread=0.8,
        runtime_rounding=("ceil", "none")[seed % 2],
        occupancy=("closed", "half_open")[seed // 2 % 2],
    )  # fmt: skip
    return market.replace(dps=knobs)


def assert_same(market, seller, seed: int) -> None:
    fast, slow = seller.simulate(market, seed), run_seller(seller, market, seed)
    assert fast.outcome.tolist() == [OUTCOMES[d.outcome] for d in slow]
    assert fast.colocated.tolist() == [d.colocated for d in slow]
    assert fast.exploring.tolist() == [d.exploring for d in slow]
    assert fast.payment.tolist() == pytest.approx([d.payment for d in slow], abs=1e-12)
    for prices, name in ((fast.worker_price, "worker_price"), (fast.ps_price, "ps_price")):
        told = [getattr(d, name) if d.outcome in ("sold", "declined") else None for d in slow]
        assert [None if np.isnan(p) else p for p in prices] == pytest.approx(told)


@pytest.mark.parametrize("seller", SELLERS, ids=repr)
@pytest.mark.parametrize("seed", range(4))
def test_both_simulations_decide_alike_when_there_is_much_to_learn(seller, seed):
    knobs = [{"delta": 0.3, "explore_cap": 0.1}, {"delta": 0.08, "explore_cap": 0.0,
             "eta_scale": 0.2}][seed % 2]  # fmt: skip
    assert_same(busy(seed, knobs), seller, seed)


def test_prices_that_tie_are_settled_alike():
    # All jobs equal: after one decline of every arm many indices coincide.
    market = library.load("dps/lost_twins")
    flat = market.replace(
        jobs=[{"arrival": i % market.horizon, "worker_type": 0, "workers": 1, "ps_type": 0,
               "ps": 1, "model_size": 0, "epochs": 1, "epoch_compute": 0.5, "budget": 0.0}
              for i in range(40)],
        dps={"delta": 0.25, "explore_cap": 0.0},
    )  # fmt: skip
    assert_same(flat, Simple(), 0)
    assert_same(flat, Top(), 0)


def test_a_market_without_jobs_leaves_nothing():
    for seller in SELLERS:
        assert seller.simulate(empty_market()).summary() == {
            "profit": 0.0, "explored": 0, "served": 0, "total_runtime": 0.0
        }  # fmt: skip


def test_a_market_without_servers_serves_nobody():
    market = random_market(2).replace(server_workers=[], server_ps=[])
    for seller in SELLERS:
        assert not seller.simulate(market).served.any()
        assert_same(market, seller, 0)


def test_runtimes_below_the_spacing_of_doubles_still_hold_the_slot():
    # Two jobs in slot 5, 1e-20 slots long, half open: the second finds the server busy.
    market = library.load("dps/one_server_half_open")
    job = {"arrival": 5, "worker_type": 0, "workers": 1, "ps_type": 0, "ps": 1, "model_size": 0,
           "epochs": 1, "epoch_compute": 1e-20, "budget": 1.0}  # fmt: skip
    twins = market.replace(runtime_rounding="none", jobs=[job, job])
    assert FreeOfCharge().simulate(twins).served.tolist() == [True, False]
    assert_same(twins, FreeOfCharge(), 0)


def test_fixed_prices_above_the_cap_break_a_rule():
    market = library.load("dps/tiny").replace(fixed_prices={"worker": [1.2, 0.1], "ps": [1.0]})
    run = algorithms["dps.fixed_price"].run(market)
    assert run.ratio is None
    assert any("price cap allows" in fault for fault in run.violations)


@pytest.mark.parametrize("seller", [Dps(), Dps(capacity="turnover"), Top()], ids=repr)
def test_hundreds_of_arms_and_a_supply_that_binds_are_settled_alike(seller):
    # Long jobs on few units: what can be sold over the horizon is less than what is asked for.
    market = generate(
        "dps", "small", 5, num_jobs=400, horizon=400, num_servers=2, num_worker_types=1,
        epochs_median=60.0, installed_workers=[1, 3], dps={"delta": 0.012, "explore_cap": 0.05},
    )  # fmt: skip
    rules = both_sides(Known.of(market), explore=False, grid=seller.grid)
    # 1 + ln(1/δ)/ln(1 + δ) = 371 geometric prices, 84 uniform ones.
    assert len(rules[0].price) > 2 * BLOCK
    assert_same(market, seller, 0)
    done = simulate_learning(market, rules, seller.capacity)
    roomy = [dataclasses.replace(side, capacity=side.capacity * 10**6) for side in rules]
    free = simulate_learning(market, (roomy[0], roomy[1]), seller.capacity)
    assert not np.array_equal(done.worker_price, free.worker_price, equal_nan=True)


def test_a_job_needs_a_record_for_every_server_that_holds_some_of_it():
    market = random_market(4, jobs=9, servers=4)
    records = [min(market.num_servers, job.workers + job.ps) for job in market.jobs]
    assert _most_records(market) == sum(records)
    # every job on as many servers as it has units, all of them at once
    apart = market.replace(server_workers=[[1] * market.num_worker_types] * 4,
                           server_ps=[[1] * market.num_ps_types] * 4)  # fmt: skip
    assert_same(apart, FreeOfCharge(), 0)
