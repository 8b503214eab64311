"""Cutting planes of the regularised slot: two ways to the same optimum."""

import numpy as np
import pytest

from farkas.models.mlbroker.discount import entropy, growth
from farkas.models.mlbroker.one_shot import snapshot
from farkas.models.mlbroker.slot import Constants, SlotProblem
from farkas.relaxations.mlbroker import slot_solver
from farkas.relaxations.mlbroker.slot_solver import JobByJob, Together
from tests.generators.mlbroker import random_brokerage, single
from tests.references.mlbroker_policies import worth_of


def problem_of(broker, slot, seed):
    market = snapshot(broker, slot).market
    before = np.random.default_rng(seed).random((market.num_jobs, market.num_sites))
    constants = Constants.of(broker, "printed")
    return SlotProblem(market=market, before=before, constants=constants)


@pytest.mark.ids(5)
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


def solved(relax, semantics, seed):
    """A slot where nothing was before, with its solution."""
    broker = random_brokerage(seed, sites=3, slots=1, jobs=3)
    # wires are dear, so that servers and workers pull at each other
    broker = broker.replace(transfer_price=(5 * broker.transfer).tolist())
    market = snapshot(broker, 0).market
    before = np.zeros((market.num_jobs, 3))
    problem = SlotProblem(market=market, before=before, constants=Constants.of(broker, semantics))
    alone = relax == "tight" and semantics == "printed" and seed % 2
    return problem, (JobByJob(3) if alone else Together(relax, semantics)).solve(problem)


@pytest.mark.ids(5)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("semantics", ["printed", "strict"])
@pytest.mark.parametrize("relax", ["printed", "tight"])
def test_multipliers_keep_the_dual_rows_and_are_tight_where_something_goes(relax, semantics, seed):
    problem, found = solved(relax, semantics, seed)
    market = problem.market
    size = 1e-5 * (1 + abs(found.objective))
    assert (found.server_price >= -size).all()
    # more deployment saves what the entropy term grows by, where there is any
    slope = problem.scale * growth(found.deployed, problem.before, market.epsilon)
    there = found.deployed > 1e-3
    assert there.any()
    assert found.deployed_price[there] == pytest.approx(slope[there], rel=1e-2, abs=10 * size)
    # (11e): a connection pays for its traffic; under strict semantics also for (8m)
    if semantics == "printed" and not (relax == "tight" and seed % 2):
        paid = found.worker_price[:, :, None] + found.server_price[:, None, :]
        traffic = market.sync_volume[:, None, None] * market.transfer
        assert (paid <= traffic + size).all()
        goes = found.connected > 1e-3
        assert paid[goes] == pytest.approx(traffic[goes], abs=size)


def test_gaps_of_jobs_add_up(monkeypatch):
    settle = slot_solver.settle

    def wide(*arguments):
        return settle(*arguments)[0], 0.25

    monkeypatch.setattr(slot_solver, "settle", wide)
    problem, found = solved("tight", "printed", 1)
    assert found.gap == 0.25 * problem.market.num_jobs
    assert Together("tight").solve(problem).gap == 0.25


@pytest.mark.parametrize("variant", [("tight", "printed"), ("tight", "strict")])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_point_is_worth_its_true_terms_however_few_tangents_there_are(monkeypatch, variant, seed):
    monkeypatch.setattr(slot_solver, "MOST_ROUNDS", 1)
    broker = random_brokerage(seed, sites=3, slots=1, jobs=3)
    market = snapshot(broker, 0).market
    before = np.full((market.num_jobs, 3), 0.25)
    problem = SlotProblem(market=market, before=before, constants=Constants.of(broker, variant[1]))
    for solver in [Together(*variant), *([JobByJob(3)] if variant[1] == "printed" else [])]:
        found = solver.solve(problem)
        point = found.workers, found.server, found.deployed, found.moved, found.connected
        worth = worth_of(broker, 0, before.tolist(), point, *variant)
        assert found.objective == pytest.approx(worth, rel=1e-9)
        assert found.gap > 1e-6 * worth  # far from settled
