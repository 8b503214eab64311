"""Prices learned from the jobs seen: what is expected, what is posted, what a run proves."""

from __future__ import annotations

import numpy as np

import farkas
from farkas.decomposition.column_generation import price_rows
from farkas.decomposition.master import Master, Pool
from farkas.online.eris.environment import Environment
from farkas.online.eris.learned import PriceLearner, expected
from farkas.online.loop import take_step
from farkas.relaxations.eris.pricing import SchedulePricing
from tests.generators.eris import one_resource


def test_the_dearer_of_two_jobs_gets_the_only_place():
    # posted prices (6) begin at 0 and give it to the first
    jobs = {"utility": [10.0]}, {"utility": [12.0]}
    auction = one_resource(*jobs, slots=1, sites=1, site_capacity=[[1.0]])
    assert farkas.run(auction, "eris.learned").value == 12.0
    assert farkas.run(auction, "eris.eris").value == 10.0


def test_places_are_kept_for_jobs_that_are_expected():
    # one place a slot, for which a dear job comes; a cheap one would wait for the next
    cheap = {"utility": [4.0, 4.0, 4.0, 4.0]}
    dear = [{"utility": [9.0] + [0.0] * (3 - t), "arrival": t} for t in range(4)]
    auction = one_resource(dear[0], cheap, *dear[1:], slots=4, sites=1, site_capacity=[[1.0]])
    assert farkas.run(auction, "eris.learned", forecast=20.0).value == 4 * 9.0
    assert farkas.run(auction, "eris.learned", forecast=0.0).value < 4 * 9.0


def test_posted_prices_are_nearly_the_best_bound():
    jobs = [{"utility": [10.0 + n, 3.0 + n], "data": [1 + n % 3, 1]} for n in range(6)]
    auction = one_resource(*jobs, slots=2, transfer_budget=1.0)
    policy, (arrival, *_) = PriceLearner(forecast=0.0), Environment().arrivals(auction)
    posted = policy._posted(policy.start(auction, 0), arrival).ledger.prices
    pricing = SchedulePricing(auction)
    prices = pricing.pooled(posted)
    bound = float(pricing.rows @ prices + pricing.replies(prices, {})[0].sum())
    *_, best = price_rows(pricing, Master(pricing, Pool(pricing)), gap=0.0, left=lambda: 60.0)
    assert best.value * (1 - 1e-9) <= bound <= best.value * (1 + 2e-3)
    assert bound < 0.9 * sum(job.utility[0] for job in auction.jobs)


def test_a_step_leaves_the_state_before_it_alone():
    auction = one_resource({}, {})
    world, policy = Environment(), PriceLearner()
    state = policy.start(world.known(auction), 0)
    arrival = world.arrivals(auction)[0]
    first, second = (take_step(policy, state, arrival, np.random.default_rng(0)) for _ in "ab")
    assert state.seen == ()
    assert not state.ledger.used.any()
    assert first[1] == second[1]


def test_a_general_solver_decides_alike():
    jobs = {"utility": [10.0]}, {"utility": [12.0]}
    auction = one_resource(*jobs, slots=1, sites=1, site_capacity=[[1.0]])
    run = farkas.run(auction, "eris.learned", solver="highs")
    assert run.value == farkas.run(auction, "eris.learned").value == 12.0
    (step,) = run.steps
    assert (step.solver, step.programs) == ("highs", 4)  # each twice
    assert 0 < step.fractional < 12.0  # at a price above 0, and nothing is left for the other


def test_what_is_sold_in_a_slot_leaves_its_prices():
    jobs = {"utility": [10.0]}, {"utility": [12.0]}
    auction = one_resource(*jobs, slots=1, sites=1, site_capacity=[[2.0]])
    run = farkas.run(auction, "eris.learned", forecast=0.0)
    assert [award["payment"] for award in run.decisions[0]["awards"]] == [0.0, 0.0]
    assert run.steps[0].fractional == 22.0


def test_what_is_expected_comes_later_and_as_often_as_it_came():
    jobs = one_resource({}, {"utility": [3.0, 2.0, 1.0]}).jobs
    rng = np.random.default_rng(0)
    coming, times = expected(jobs, 0, 3, 1.0, 300, rng)
    assert [job.arrival for job in coming] == [1, 1, 2, 2]
    assert times.tolist() == [1.0] * 4
    assert all(len(job.utility) == 3 - job.arrival for job in coming)
    coming, times = expected(jobs, 0, 3, 1.0, 2, rng)
    assert ([job.arrival for job in coming], times.tolist()) == ([1, 2], [2.0, 2.0])
    assert expected(jobs, 2, 3, 1.0, 300, rng)[0] == []
    assert expected(jobs, 0, 3, 0.0, 300, rng)[0] == []
