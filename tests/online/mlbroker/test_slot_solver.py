"""Cutting planes of the regularised slot: two ways to the same optimum."""

import numpy as np
import pytest

from farkas.models.mlbroker.entropy import entropy
from farkas.models.mlbroker.slot import Constants, SlotProblem
from farkas.models.mlbroker.snapshot import snapshot
from farkas.online.mlbroker.slot_solver import JobByJob, Together
from tests.generators.mlbroker import random_brokerage, single


def problem_of(broker, slot, seed):
    market = snapshot(broker, slot).market
    before = np.random.default_rng(seed).random((market.num_jobs, market.num_sites))
    constants = Constants.of(broker, "printed")
    return SlotProblem(market=market, before=before, constants=constants)


@pytest.mark.parametrize("seed", range(8))
def test_job_by_job_and_together_reach_the_same_value(seed):
    broker = random_brokerage(seed, sites=3, slots=2, jobs=3)
    slot = max(range(2), key=lambda t: len(broker.jobs_at(t)))
    problem = problem_of(broker, slot, seed)
    if not problem.market.num_jobs:
        return
    alone, together = JobByJob(3).solve(problem), Together("tight").solve(problem)
    room = alone.gap + together.gap + 1e-7 * (1 + abs(alone.objective))
    assert abs(alone.objective - together.objective) <= room
    market = problem.market
    for found in (alone, together):
        assert (found.deployed >= problem.before - 1e-9).all()
        assert found.server.sum(axis=1) == pytest.approx(1.0)
        assert found.moved.sum(axis=2) == pytest.approx(market.trained_volume, abs=1e-6)
        rate = market.worker_capacity[:, None]
        assert (found.moved.sum(axis=1) <= rate * found.workers + 1e-6).all()
        assert found.connected.sum(axis=2) == pytest.approx(found.workers, abs=1e-6)


def test_a_deployment_that_costs_nothing_more_stays():
    # everything is deployed already: no entropy is paid, and resources alone decide
    broker = single([[10.0, 0.0]])
    market = snapshot(broker, 0).market
    problem = SlotProblem(
        market=market, before=np.ones((1, 2)), constants=Constants.of(broker, "printed")
    )
    found = JobByJob(2).solve(problem)
    # one worker and one server at 1 USD each, no data moved, no traffic
    assert found.objective == pytest.approx(2.0)
    assert found.deployed.tolist() == [[1, 1]]
    terms = entropy(found.deployed, problem.before, problem.scale, market.epsilon)
    assert terms.sum() == pytest.approx(0.0, abs=1e-12)


def test_a_slot_without_jobs_costs_nothing():
    broker = single([[5.0, 5.0]]).replace(jobs=[])
    problem = problem_of(broker, 0, 0)
    found = JobByJob(2).solve(problem)
    assert (found.objective, found.gap) == (0.0, 0.0)
    assert found.moved.shape == (0, 2, 2)
    assert found.list_price.shape == (2, 1)
