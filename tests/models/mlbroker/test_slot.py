"""One slot as a problem of its own."""

import math

import numpy as np

from farkas.models.mlbroker.slot import Constants, SlotProblem, market_of
from tests.generators.mlbroker import discounted, random_brokerage, single


def test_constants_are_those_of_the_whole_instance():
    # the second slot alone would have U = 1 + 2 and M = 0.5 (4 - 1)
    constants = Constants.of(discounted())
    assert (constants.big_m, constants.presence_bound) == (2.0, 4)
    assert Constants.of(discounted().replace(big_m=9.0)).big_m == 9.0


def test_an_instance_stands_for_its_first_busy_slot():
    data = single([[30.0, 0.0], [0.0, 12.0]], num_slots=4)
    job = data.replace(jobs=[]).replace(num_slots=4)
    problem = SlotProblem.of(data)
    assert problem.market.num_slots == 1
    assert problem.market.volume.tolist() == [[30, 0]]
    assert problem.before.tolist() == [[0, 0]]
    assert SlotProblem.of(problem) is problem
    assert SlotProblem.of(job).before.shape == (0, 2)


def test_the_weight_of_the_entropy_is_the_cost_of_deploying_from_nothing():
    # c = 1, ε = 1: σ = ln(1 + 1/ε) = ln 2, so that full deployment from nothing costs about c
    problem = SlotProblem.of(single([[30.0, 0.0]]))
    assert problem.scale.tolist() == [[1 / math.log(2)]]
    assert np.shape(problem.scale) == (1, 1)


def test_every_slot_keeps_its_jobs_and_data_and_all_prices() -> None:
    data = random_brokerage(2, sites=3, jobs=4, resources=2)
    for slot in range(data.num_slots):
        jobs = data.jobs_at(slot)
        market = market_of(data, slot, jobs)
        assert (market.num_slots, market.num_jobs, market.big_m) == (1, len(jobs), None)
        assert market.volume.tolist() == data.volume[data.pairs_at(slot)].tolist()
        assert np.array_equal(market.list_price, data.list_price)
        assert np.array_equal(market.transfer, data.transfer)
        assert market.deploy_cost.tolist() == data.deploy_cost[jobs].tolist()
        assert market.arrival.tolist() == market.departure.tolist() == [0] * len(jobs)


def test_fewer_jobs_in_any_order() -> None:
    data = random_brokerage(2, sites=3, jobs=4, resources=2)
    slot = int(np.argmax([len(data.jobs_at(t)) for t in range(data.num_slots)]))
    jobs = data.jobs_at(slot)[::-1]
    assert len(jobs) > 1
    market = market_of(data, slot, jobs[:2])
    assert market.worker_capacity.tolist() == data.worker_capacity[jobs[:2]].tolist()
