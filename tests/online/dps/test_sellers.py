"""Repairs, rivals and hindsight prices: audited runs, and what each of them learns."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.online import algorithms
from farkas.online.dps.knapsacks import Knapsacks
from farkas.online.dps.learning import Dps, Simple
from farkas.online.dps.offers import Decision, Known, Offer
from farkas.online.dps.pairs import Pair, PairPrices, joint_grid
from farkas.online.dps.posted import run_seller
from farkas.online.driver import environments
from tests.generators.dps import empty_market, random_market

NAMES = [
    "dps.dps_pairs", "dps.bwk", "dps.bfp_coord", "dps.bfp_fluid", "dps.dps", "dps.simple",
    "dps.top", "dps.dps_scaled", "dps.dps_random_placement", "dps.random", "dps.pa",
    "dps.best_fit",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(6))
def test_runs_break_no_rule_and_stay_below_the_bound(name, seed):
    market = random_market(seed, jobs=25)
    run = algorithms[name].run(market)
    assert not run.violations
    assert run.certificate is not None
    assert run.value <= float(run.certificate) + 1e-9


@pytest.mark.parametrize("name", [*NAMES, "dps.bfp_grid", "dps.fixed_price"])
def test_nobody_comes(name):
    market = empty_market().replace(
        price_grid=[0.5], fixed_prices={"worker": [0.5] * 2, "ps": [0.5]}, server_ps=[[1]],
        server_workers=[[1, 1]], worker_bandwidth=[None, None], ps_bandwidth=[None],
    )  # fmt: skip
    assert algorithms[name].run(market).value == 0.0


def test_a_grid_search_needs_a_grid_that_is_not_too_large():
    with pytest.raises(NotApplicable, match="price_grid"):
        algorithms["dps.bfp_grid"].run(library.load("dps/one_server"))
    large = generate("dps", "small", 0, num_worker_types=14, num_jobs=60)
    with pytest.raises(NotApplicable, match=r"use dps\.bfp_coord"):
        algorithms["dps.bfp_grid"].run(large.replace(price_grid=[0.1, 0.2, 0.3]))
    with pytest.raises(NotApplicable, match="fixed_prices"):
        algorithms["dps.fixed_price"].run(library.load("dps/one_server"))


def uniform_users(jobs: int, seed: int):
    """One unit of each, budgets uniform in [0, 2], capacity for everyone: best profit 1/2 a job."""
    rng = np.random.default_rng(seed)
    one = {"worker_type": 0, "workers": 1, "ps_type": 0, "ps": 1, "model_size": 0, "epochs": 1,
           "epoch_compute": 0.5}  # fmt: skip
    return library.load("dps/one_server_half_open").replace(
        horizon=jobs,
        jobs=[{**one, "arrival": i, "budget": float(b)} for i, b in
              enumerate(rng.uniform(0, 2, jobs))],
    )  # fmt: skip


def test_pricing_pairs_learns_the_price_of_the_job():
    # Total price p sells with probability 1 - p/2 and earns p (1 - p/2), 1/2 at p = 1.
    market = uniform_users(6000, 1).replace(dps={"delta": 0.25, "explore_cap": 0.0})
    late = [d.payment for d in run_seller(PairPrices(), market)][4000:]
    assert np.mean(late) > 0.4
    prices = [d.worker_price for d in run_seller(PairPrices(), market)][4000:]
    # Unit price 1/2 on both sides earns 1/2; of 0.25 1.25^z, 0.391, 0.488 and 0.610 earn
    # 0.476, 0.4997 and 0.476, which no 6000 offers tell apart; 0.3125 earns 0.43.
    assert 0.35 < float(np.median(prices)) < 0.65


def test_a_pair_counts_offers_sales_and_payments():
    pair = Pair.new(joint_grid())
    assert len(pair.prices) == 64
    pair.learn(3, 0.4, True)
    pair.learn(3, 0.0, False)
    # Mean 1/5, radius with η = 2: 2/3 + sqrt(2/5/3).
    assert pair.optimistic(2.0)[3] == pytest.approx(0.2 + 2 / 3 + np.sqrt(0.4 / 3))
    assert pair.least_sales(0.01)[3] == pytest.approx(0.5 - 0.01 / 3 - np.sqrt(0.005 / 3))


def test_resources_that_run_out_gain_weight_over_time():
    # Long jobs in a row on one server: each sale holds it for 9 of 3000 slots.  Short ones hold it
    # for one slot, so that at most as much of its budget is used as of time.  Narrow radii, since
    # 300 offers teach 64 arms nothing under the published ones.
    market = uniform_users(3000, 2).replace(dps={"eta_scale": 0.01})
    scarce = market.replace(
        jobs=[{"arrival": j.arrival, "worker_type": 0, "workers": 1, "ps_type": 0, "ps": 1,
               "model_size": 0, "epochs": 1, "epoch_compute": 9.0, "budget": j.budget}
              for j in market.jobs]
    )  # fmt: skip
    lead = []
    for case in (market, scarce):
        seller = Knapsacks()
        state = seller.start(Known.of(case), 0)
        for job in range(case.num_jobs):
            state, _ = seller.step(state, Offer.of(case, job))
        worker, _, time = state.log_weight
        lead.append(worker - time)
    assert lead[0] <= 0.0 < lead[1]


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
    ("change", "words"),
    [
        ({"payment": 9.0}, "with a budget of"),
        ({"servers": (), "workers": (), "ps": ()}, "without being served"),
        ({"workers": (3,)}, "takes units that are not idle"),
        ({"workers": (1,)}, "without all its units"),
        ({"servers": (0, 1), "workers": (2, 0), "ps": (1, 0)}, "without units there"),
    ],
)
def test_the_audit_names_what_is_wrong(change, words):
    market, world = library.load("dps/tiny"), environments["dps"]
    honest = Decision("sold", 3.0, 1.0, 1.0, (0,), (2,), (1,))
    rest = [Decision("declined")] * 4
    assert not world.evaluate(market, [honest, *rest]).violations
    fields = {name: getattr(honest, name) for name in Decision.__slots__}
    wrong = Decision(**{**fields, **change})
    faults = world.evaluate(market, [wrong, *rest]).violations
    assert any(words in fault for fault in faults), faults


def test_the_audit_sees_two_jobs_on_one_unit():
    market, world = library.load("dps/one_server"), environments["dps"]
    take = Decision("sold", 0.5, 0.25, 0.25, (0,), (1,), (1,))
    # Closed: the job of slot 0 still holds the server in slot 1, not in slot 2.
    faults = world.evaluate(market, [take, take, Decision("declined")]).violations
    assert faults == ["job 1 takes units that are not idle"]
    assert not world.evaluate(market, [take, Decision("full"), take]).violations


def test_an_offer_shows_no_budget():
    offer = Offer.of(library.load("dps/tiny"), 0)
    assert not hasattr(offer, "budget")
    assert (offer.accepts(3.5), offer.accepts(3.5 * (1 + 2e-9))) == (True, False)
    assert not hasattr(Known.of(library.load("dps/tiny")), "jobs")
