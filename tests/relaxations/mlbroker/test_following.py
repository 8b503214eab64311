"""Servers that follow workers: against linear programs and cones, and what proves it."""

import dataclasses

import msgspec
import numpy as np
import pytest

from farkas.models.mlbroker.discount import entropy
from farkas.models.mlbroker.one_shot import snapshot
from farkas.models.mlbroker.slot import Constants, SlotProblem
from farkas.relaxations.mlbroker import filling, following
from farkas.relaxations.mlbroker.following import FollowingServers
from farkas.relaxations.mlbroker.outer_job import JobPrices
from farkas.relaxations.mlbroker.slot_solver import JobByJob
from tests.generators.mlbroker import edge_cases, random_brokerage, single


def drawn(seed, jobs=3):
    """A slot of a random broker; servers are drawn away from workers by dear or cheap wires."""
    rng = np.random.default_rng(seed)
    broker = random_brokerage(seed, sites=2 + seed % 4, slots=1, jobs=jobs, resources=2, most=3)
    broker = broker.replace(transfer_price=float(rng.choice([0.0, 1, 9])) * broker.transfer)
    market = snapshot(broker, 0).market
    before = rng.random((market.num_jobs, market.num_sites)) * rng.choice([0.0, 0.3, 1.0])
    return SlotProblem(market=market, before=before, constants=Constants.of(broker))


def solver(sites):
    return FollowingServers(JobByJob(sites))


@pytest.fixture
def asked(monkeypatch):
    """Jobs that were left to the linear program."""
    jobs = []
    settle = JobByJob.settle_job

    def noted(self, problem, prices, job, found):
        jobs.append(job)
        settle(self, problem, prices, job, found)

    monkeypatch.setattr(JobByJob, "settle_job", noted)
    return jobs


def dual_value(problem, prices, i, eta, rent, servers):
    """What a job's multipliers of (8j) and v >= s and rents are worth, the others best for them."""
    sites, epsilon = range(problem.market.num_sites), problem.market.epsilon
    assert (eta >= 0).all()
    assert (servers >= 0).all()
    assert (servers <= rent).all()
    alpha = [
        min(prices.connected[i, r, p] - eta[p] for p in sites) + rent[r] - servers[r] for r in sites
    ]
    size = 1e-12 * (1 + sum(prices.connected[i].max(axis=0)) + sum(rent) + sum(eta))
    assert min(alpha) >= -size
    total = min(prices.server[i, p] + eta[p] + servers[p] for p in sites)
    for o in sites:
        total += prices.volume[i, o] * min(prices.moved[i, o, r] + alpha[r] for r in sites)
    for r in sites:
        before, scale = problem.before[i, r], problem.scale[i, 0]
        if rent[r] > 0:
            held = (before + epsilon) * np.exp(rent[r] / scale) - epsilon
            term = entropy(*np.atleast_1d(held, before, scale), epsilon)[0]
            total -= rent[r] * held - term
    return total


@pytest.mark.ids(4)
@pytest.mark.parametrize("seed", range(40))
def test_it_finds_what_linear_programs_find_and_proves_it(seed, asked):
    problem = drawn(seed)
    if not problem.market.num_jobs:
        return
    found = solver(problem.market.num_sites).solve(problem)
    left = set(asked)
    reference = JobByJob(problem.market.num_sites).solve(problem)
    room = reference.gap + found.gap + 1e-12 * abs(reference.objective)
    assert abs(found.objective - reference.objective) <= room
    share = found.server.sum(axis=1)
    assert share == pytest.approx(np.ones(len(share)))
    if not left:
        prices, needed = JobPrices.of(problem.market), problem.market.workers_needed
        worth = sum(
            dual_value(problem, prices, i, max(1, needed[i]) * eta, rent, servers)
            for i, (eta, rent, servers) in enumerate(
                zip(found.server_price, found.deployed_price, found.presence_price, strict=True)
            )
        )
        assert worth == pytest.approx(found.objective, rel=1e-9)
        assert found.gap <= 1e-11 * (1 + found.objective)


@pytest.mark.slow
def test_both_ways_occur(asked):
    jobs = 0
    for seed in range(40):
        problem = drawn(seed)
        jobs += problem.market.num_jobs
        solver(problem.market.num_sites).solve(problem)
    assert 5 <= len(asked) <= jobs // 2


@pytest.mark.parametrize("name", edge_cases())
@pytest.mark.parametrize("deploy", [0.0, 1.0])
def test_edge_cases(name, deploy):
    market = snapshot(edge_cases()[name], 0).market
    jobs = [msgspec.structs.replace(job, deploy_cost=deploy) for job in market.jobs]
    market = market.replace(jobs=jobs)
    before = np.zeros((market.num_jobs, market.num_sites))
    problem = SlotProblem(market=market, before=before, constants=Constants.of(market))
    found = solver(market.num_sites).solve(problem)
    reference = JobByJob(market.num_sites).solve(problem)
    assert found.objective == pytest.approx(reference.objective, rel=1e-8, abs=1e-12)
    assert found.moved.shape == reference.moved.shape


@pytest.mark.parametrize(
    ("sync", "left", "server", "cost"), [(1.0, [0], [0, 1], 7.0), (20.0, [], [1, 0], 8.0)]
)
def test_a_server_goes_where_it_is_cheap_if_wires_are(asked, sync, left, server, cost):
    # 10 GB, one worker, at site 0, and presence is paid everywhere.  All at site 0 costs 4 + 4, all
    # at site 1 5 + 2.5 + 2.5; the worker at 0 and the server at 1 cost 4 + 2.5 and traffic, 0.5 or
    # 10; another worker at site 1, to whom the server talks, costs 2.5.
    wires = [[0, 0.5], [0.5, 0]]
    broker = single([[10.0, 0.0]], transfer_price=wires, base_price=[[4], [2.5]], sync_volume=sync)
    market = snapshot(broker, 0).market
    problem = SlotProblem(market=market, before=np.ones((1, 2)), constants=Constants.of(broker))
    found = solver(2).solve(problem)
    assert asked == left
    assert found.server[0].tolist() == pytest.approx(server, abs=1e-6)
    assert found.objective == pytest.approx(cost, rel=1e-9)


def test_jobs_do_not_see_each_other(asked):
    problem = drawn(11, jobs=6)
    whole = solver(problem.market.num_sites).solve(problem)
    assert problem.market.num_jobs > 2
    assert not asked
    turned = np.arange(problem.market.num_jobs)[::-1]
    market = problem.market.replace(jobs=[problem.market.jobs[i] for i in turned])
    other = dataclasses.replace(problem, market=market, before=problem.before[turned])
    found = solver(market.num_sites).solve(other)
    for name in ("workers", "server", "deployed", "server_price", "deployed_price"):
        assert getattr(found, name).tolist() == getattr(whole, name)[turned].tolist()


def test_only_jobs_that_are_not_proved_are_left_to_the_program(asked, monkeypatch):
    problem = drawn(11, jobs=6)
    priced = following._priced

    def doubting(*these):
        found, proved = priced(*these)
        proved[1] = False
        return found, proved

    plain = solver(problem.market.num_sites).solve(problem)
    monkeypatch.setattr(following, "_priced", doubting)
    found = solver(problem.market.num_sites).solve(problem)
    assert asked == [1]
    assert found.objective == pytest.approx(plain.objective, rel=1e-8)


def test_a_filling_without_end_is_left_to_the_program(asked, monkeypatch):
    problem = drawn(11, jobs=6)
    plain = solver(problem.market.num_sites).solve(problem)
    monkeypatch.setattr(filling, "MOST_STEPS", 0)
    found = solver(problem.market.num_sites).solve(problem)
    assert asked == list(range(problem.market.num_jobs))
    assert found.objective == pytest.approx(plain.objective, rel=1e-8)


def test_gaps_are_those_of_the_multipliers():
    problem = drawn(11, jobs=6)
    prices = JobPrices.of(problem.market)
    filled = following._fill(problem, prices)
    found, proved = following._priced(problem, prices, filled)
    assert proved.all()
    # sites that hold more than comes ask for too much: that is worth less, and no longer proved
    more = filled.held + 0.25 * (filled.held - problem.before)
    found, proved = following._priced(problem, prices, dataclasses.replace(filled, held=more))
    busy = (more - filled.held).max(axis=1) > 1e-3
    assert busy.any()
    assert (found.gap[busy] > 0).all()
    assert not proved[busy].any()


@pytest.mark.parametrize("part", [0.9, 1.1])
def test_work_that_is_lost_or_done_twice_proves_nothing(part):
    problem = drawn(11, jobs=6)
    prices = JobPrices.of(problem.market)
    filled = following._fill(problem, prices)
    off = dataclasses.replace(filled, work=part * filled.work)
    assert not following._priced(problem, prices, off)[1].any()


@pytest.mark.parametrize("seed", range(60))
def test_what_is_proved_has_multipliers_worth_it_where_wires_are_cheap(seed):
    rng = np.random.default_rng(seed)
    broker = random_brokerage(seed, sites=6, slots=1, jobs=8, resources=2, most=3)
    wires = rng.choice([0.0, 0.02, 0.2, 1.0], (6, 6)) * (1 - np.eye(6))
    market = snapshot(broker.replace(transfer_price=wires), 0).market
    before = rng.random((market.num_jobs, 6)) * (rng.random((market.num_jobs, 6)) < 0.5)
    problem = SlotProblem(market=market, before=before, constants=Constants.of(broker))
    prices = JobPrices.of(market)
    found, proved = following._priced(problem, prices, following._fill(problem, prices))
    for i in np.flatnonzero(proved):
        multipliers = found.connection_price[i], found.deployed_price[i], found.presence_price[i]
        reached = np.maximum(before[i], found.server[i])
        terms = entropy(reached, before[i], problem.scale[i], market.epsilon)
        cost = (prices.moved[i] * found.moved[i]).sum() + terms.sum()
        cost += (prices.connected[i] * found.connected[i]).sum()
        cost += (prices.server[i] * found.server[i]).sum()
        assert dual_value(problem, prices, i, *multipliers) == pytest.approx(cost, rel=1e-9)
