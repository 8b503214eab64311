"""Sellers whose prices do not depend on the past."""

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.online import algorithms
from farkas.online.dps.posted import (
    BestFit,
    FixedPrice,
    FreeOfCharge,
    GivenPrice,
    Random,
    given_price,
    run_seller,
)
from tests.generators.dps import learning_market, random_market
from tests.references.dps_market import algorithm_2, best_fit, sell
from tests.references.dps_sellers import alike, drawn, fixed, handled


@pytest.mark.parametrize("seed", range(20))
def test_fixed_prices_sell_to_those_who_can_pay_and_fit(seed):
    market = random_market(seed, jobs=14)
    rng = np.random.default_rng(seed)
    worker = rng.choice([0.3, 0.5, 0.7], market.num_worker_types)
    ps = rng.choice([0.3, 0.5, 0.7], market.num_ps_types)

    def pays(number):
        job = market.jobs[number]
        payment = worker[job.worker_type] * job.workers + ps[job.ps_type] * job.ps
        return payment if payment <= job.budget * (1 + 1e-9) else None

    told = sell(market, pays)
    found = run_seller(FixedPrice(worker, ps), market)
    assert [d.outcome for d in found] == ["sold" if what == "served" else what for what, _ in told]
    wanted = [pays(job) if what == "served" else 0.0 for job, (what, _) in enumerate(told)]
    assert [d.payment for d in found] == wanted


def test_given_prices_are_the_instances():
    market = library.load("dps/tiny")
    assert given_price(market).worker.tolist() == [0.5, 0.25]
    seller = FixedPrice(np.array([0.5, 0.25]), np.array([0.5]), "best_fit")
    assert list(GivenPrice("best_fit").decide(market, 0)) == run_seller(seller, market)
    run = algorithms["dps.fixed_price"].run(market)
    assert run.value == GivenPrice().simulate(market).profit
    with pytest.raises(NotApplicable, match="fixed_prices"):
        given_price(market.replace(fixed_prices=None))


def test_random_prices_are_drawn_for_every_job_below_the_cap():
    market = random_market(2, jobs=30).replace(price_cap=0.5)
    drawn = 0.5 * np.random.default_rng(7).random((30, 2))
    found = run_seller(Random(), market, seed=7)
    assert [(d.worker_price, d.ps_price) for d in found] == [tuple(pair) for pair in drawn.tolist()]
    assert {"full", "sold"} <= {d.outcome for d in found}
    assert all(d.payment == 0 for d in found if d.outcome != "sold")


@pytest.mark.parametrize("seed", range(10))
def test_gifts_serve_everybody_who_fits(seed):
    market = random_market(seed, jobs=14)
    told = sell(market, lambda job: 0.0)
    found = run_seller(FreeOfCharge(), market)
    assert [d.served for d in found] == [what == "served" for what, _ in told]
    assert {d.outcome for d in found} <= {"explored", "full"}
    assert not any(d.payment or d.exploring for d in found)


def test_best_fit_leaves_the_large_server_idle():
    market = random_market(1, jobs=1).replace(
        server_workers=[[9, 9], [3, 3]], server_ps=[[9, 9], [3, 3]],
        worker_bandwidth=[None] * 2, ps_bandwidth=[None] * 2,
    )  # fmt: skip
    assert run_seller(BestFit(), market)[0].servers == (1,)
    assert run_seller(FreeOfCharge(), market)[0].servers == (0,)


@pytest.mark.parametrize("seed", range(24))
def test_prices_drawn_or_given_are_quoted_as_in_the_list(seed):
    market = learning_market(seed)
    assert alike(handled(run_seller(Random(), market, seed)), drawn(market, seed))
    cap = 1.0 if market.price_cap is None else market.price_cap
    worker = [0.5 * cap / (1 + kind) for kind in range(market.num_worker_types)]
    ps = [0.25 * cap * (1 + kind) for kind in range(market.num_ps_types)]
    market = market.replace(fixed_prices={"worker": worker, "ps": ps})
    found = GivenPrice().decide(market, 0)
    assert alike(handled(found), fixed(market, (dict(enumerate(worker)), dict(enumerate(ps)))))


@pytest.mark.parametrize(
    "rule",
    [(FreeOfCharge(), algorithm_2), (BestFit(), best_fit)],
    ids=lambda rule: type(rule[0]).__name__,
)
@pytest.mark.parametrize("seed", range(24))
def test_gifts_go_to_the_servers_of_the_list(rule, seed):
    market, (seller, place) = learning_market(seed), rule
    for decision, (_, units) in zip(
        run_seller(seller, market), sell(market, lambda job: 0.0, place=place), strict=True
    ):
        given = [0] * market.num_servers, [0] * market.num_servers
        for s, a, b in zip(decision.servers, decision.workers, decision.ps, strict=True):
            given[0][s], given[1][s] = a, b
        assert given == (units or ([0] * market.num_servers,) * 2)
