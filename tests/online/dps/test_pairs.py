"""One bandit a pair of types, against the same with lists."""

import dataclasses
import math

import numpy as np
import pytest

from farkas.errors import InvalidOption
from farkas.online.dps import pairs
from farkas.online.dps.cluster import DECLINED, FULL, SOLD, Jobs, Results
from farkas.online.dps.environment import Knowledge
from farkas.online.dps.pairs import PairPrices, dearest, offer
from tests.generators.dps import empty_market, random_market, uniform_users
from tests.references.dps_market import sell


def test_pricing_pairs_learns_the_price_of_the_job():
    # Total price p sells with probability 1 - p/2 and earns p (1 - p/2), 1/2 at p = 1.
    market = uniform_users(6000, 1).replace(dps={"delta": 0.25, "explore_cap": 0.0})
    late = [d.payment for d in PairPrices().simulate(market)][4000:]
    assert np.mean(late) > 0.4
    prices = [d.worker_price for d in PairPrices().simulate(market)][4000:]
    # Unit price 1/2 on both sides earns 1/2; of 0.25 1.25^z, 0.391, 0.488 and 0.610 earn
    # 0.476, 0.4997 and 0.476, which no 6000 offers tell apart; 0.3125 earns 0.43.
    assert 0.35 < float(np.median(prices)) < 0.65


def test_a_pair_counts_offers_and_payments():
    # one worker and one parameter server of a cap of 1: payments are shares of 2
    market = uniform_users(2, 1).replace(dps={"delta": 0.25})
    arms = PairPrices().arms_of(Knowledge.of(market))._replace(eta=np.array([2.0]))
    arms.high[:] = 2.0
    price = 0.25 * 1.25**3
    assert arms.price[3] == pytest.approx(price)
    results, jobs = Results.empty(2), Jobs.of(market)._replace(limit=np.array([9.0, 0.0]))
    for job in (0, 1):
        offer.interpret(arms, jobs, job, 0, 3, results)
    mean = price / 2  # of a sale and a refusal
    # radius with η = 2: 2/3 + sqrt(2 mean / 3)
    assert arms.high[3] == pytest.approx(mean + 2 / 3 + np.sqrt(2 * mean / 3))
    assert arms.high[2] == 2.0
    assert results.outcome.tolist() == [SOLD, DECLINED]
    assert results.payment.tolist() == pytest.approx([2 * price, 0.0])
    assert results.worker_price.tolist() == results.ps_price.tolist() == [arms.price[3]] * 2


@pytest.mark.parametrize("seed", range(20))
def test_the_dearest_of_the_best_is_chosen(seed):
    rng = np.random.default_rng(seed)
    value = rng.integers(0, 4, 12) * (1.0 + rng.integers(0, 2, 12) * 1e-14)
    value[5] = [np.inf, 2.0][seed % 2]
    best = max(arm for arm in range(3, 12) if value[arm] >= value[3:].max() * (1 - 1e-12))
    assert dearest.interpret(value, 3, 12) == best


def test_the_grid_of_a_type_is_that_of_all_its_unit_slots():
    market = random_market(0).replace(price_cap=1.0, dps={})
    known = Knowledge.of(market)

    def grid(horizon, units):
        changed = dataclasses.replace(known, horizon=horizon, worker_jobs=np.array([50]),
                                      installed_workers=np.full((1, 1), units))  # fmt: skip
        return PairPrices().prices(changed, 0).tolist()

    assert grid(8, 400) == grid(16, 200) == grid(3200, 1)
    assert len(grid(8, 400)) < len(grid(80, 400)) < len(grid(80, 4000))


@pytest.mark.parametrize("seed", range(6))
def test_arms_have_the_highest_confidence_bound_and_the_dearest_wins_ties(seed):
    market = random_market(seed, jobs=30).replace(price_cap=2.0)
    # δ = 0.2 by the generator: 0.2 1.2^z up to 1, twice the price cap
    grid = [0.4 * 1.2**z for z in range(9)]
    jobs, known, quoted = market.jobs, {}, {}

    def pays(number):
        job = jobs[number]
        key = job.worker_type, job.ps_type
        seen = known.setdefault(key, [[0, 0.0] for _ in grid])
        asking = [
            sum(other.worker_type == key[0] for other in jobs),
            sum(other.ps_type == key[1] for other in jobs),
        ]
        eta = math.log(max(2, min(asking)))
        worth = [
            paid / max(n, 1) + eta / (1 + n) + math.sqrt(eta * paid / max(n, 1) / (1 + n))
            for n, paid in seen
        ]
        arm = max(a for a, value in enumerate(worth) if value >= max(worth) * (1 - 1e-11))
        payment = grid[arm] * (job.workers + job.ps)
        sold = payment <= job.budget * (1 + 1e-9)
        quoted[number] = grid[arm]
        seen[arm][0] += 1
        seen[arm][1] += payment * sold / (2 * (job.workers + job.ps))
        return payment if sold else None

    told = sell(market, pays)
    found = PairPrices().simulate(market)
    assert [d.outcome if d.outcome != "sold" else "served" for d in found] == [t for t, _ in told]
    assert {i: d.worker_price for i, d in enumerate(found) if d.worker_price} == pytest.approx(
        quoted
    )
    assert np.isfinite([d.payment for d in found]).all()


def test_without_radii_somebody_is_served_and_nobody_is_no_trouble():
    seller = PairPrices()
    market = random_market(1, jobs=60).replace(price_cap=1.0, dps={"eta_scale": 0.0})
    done = seller.simulate(market)
    assert np.isfinite(done.payment).all()
    assert (done.outcome != FULL).any()
    assert len(seller.simulate(empty_market()).outcome) == 0


def test_arms_of_types_that_nobody_asks_for_are_left_out():
    market = random_market(4, jobs=3).replace(dps={"eta_scale": 2.0})
    market = market.replace(
        server_workers=[[*row, 1] for row in market.server_workers],
        worker_bandwidth=[*market.worker_bandwidth, None],
    )
    seller, known = PairPrices(), Knowledge.of(market)
    arms = seller.arms_of(known)
    asked = known.worker_jobs[:, None] * known.ps_jobs > 0
    assert ((arms.pair >= 0) == asked).all()
    assert sorted(arms.pair[asked].tolist()) == list(range(int(asked.sum())))
    for kind, other in np.argwhere(asked).tolist():
        mine = slice(*arms.first[arms.pair[kind, other] :][:2].tolist())
        assert arms.price[mine].tolist() == seller.prices(known, kind).tolist()
        assert set(arms.high[mine].tolist()) == {seller.eta(known, kind, other)}


def test_too_many_prices_are_refused(monkeypatch):
    market = uniform_users(2, 1).replace(dps={"delta": 0.25})  # 0.25 1.25^z up to 1
    monkeypatch.setattr(pairs, "MOST_PAIR_ARMS", 6)
    with pytest.raises(InvalidOption, match="have 7 prices, at most 6"):
        PairPrices().simulate(market)
