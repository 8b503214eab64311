"""The posted prices' kernel against lists, and its helpers one by one."""

import numpy as np
import pytest

from farkas.online.dps import kernel
from farkas.online.dps.simulation import Prepared, prepare_posted
from tests.generators.dps import random_market
from tests.references.dps_market import in_random_order, sell


@pytest.mark.parametrize("seed", range(40))
def test_jobs_are_served_as_in_the_list(seed):
    market = random_market(seed, jobs=16)
    accepts = np.random.default_rng(seed).random(16) < 0.8
    told = sell(market, lambda job: 0.0 if accepts[job] else None)
    run = Prepared.of(market)
    results, servers = run.results(), run.servers(log=True)
    filling = run.filling("pa", 0)
    kernel.run_posted.interpret(servers, run.jobs, accepts, filling, results)
    codes = {"full": kernel.FULL, "declined": kernel.DECLINED, "served": kernel.SOLD}
    assert results.outcome.tolist() == [codes[what] for what, _ in told]
    log = servers.log[: servers.logged[0]].tolist()
    wanted = [
        [job, s, units[0][s], units[1][s]]
        for job, (_, units) in enumerate(told)
        if units
        for s in range(market.num_servers)
        if units[0][s] + units[1][s]
    ]
    assert sorted(log) == wanted
    machine = run.served(accepts)
    assert machine.outcome.tolist() == results.outcome.tolist()
    assert machine.colocated.tolist() == results.colocated.tolist()


@pytest.mark.parametrize("seed", range(12))
def test_the_next_order_is_drawn_for_the_next_job_that_is_placed(seed):
    market = random_market(seed, jobs=16, servers=4)
    accepts = np.random.default_rng(seed).random(16) < 0.8
    place = in_random_order(np.random.default_rng(seed))
    told = sell(market, lambda job: 0.0 if accepts[job] else None, place=place)
    run = Prepared.of(market)
    results, servers = run.results(), run.servers(log=True)
    filling = run.filling("random", seed)
    kernel.run_posted.interpret(servers, run.jobs, accepts, filling, results)
    log = servers.log[: servers.logged[0]].tolist()
    wanted = [
        [job, s, units[0][s], units[1][s]]
        for job, (_, units) in enumerate(told)
        if units
        for s in range(market.num_servers)
        if units[0][s] + units[1][s]
    ]
    assert sorted(log) == wanted


@pytest.mark.parametrize("seed", range(30))
def test_the_single_server_is_that_of_the_rule(seed):
    rng = np.random.default_rng(seed)
    workers, ps = rng.integers(0, 4, (2, 4))
    need, other = (int(x) for x in rng.integers(1, 4, 2))
    hosts = [s for s in range(4) if workers[s] >= need and ps[s] >= other]
    greedy = min(hosts, key=lambda s: (-workers[s], -ps[s], s), default=-1)
    tight = min(hosts, key=lambda s: (workers[s] + ps[s], s), default=-1)
    assert kernel._single.interpret(kernel.PA, workers, ps, need, other) == greedy
    assert kernel._single.interpret(kernel.BEST_FIT, workers, ps, need, other) == tight


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("unit", [1, 10**9 // 3])
def test_servers_come_in_the_order_of_idle_workers_then_idle_servers(seed, unit):
    workers, ps = unit * np.random.default_rng(seed).integers(0, 4, (2, 6))
    rank = np.zeros(6, np.int64)
    kernel._rank.interpret(rank, workers, ps)
    order = [kernel._next_best.interpret(rank) for _ in range(6)]
    assert order == sorted(range(6), key=lambda s: (-workers[s], -ps[s], s))


def test_every_record_comes_back_to_the_pool():
    market = random_market(5, jobs=20)
    run = Prepared.of(market)
    results, servers = run.results(), run.servers()
    accepts = np.ones(20, np.bool_)
    kernel.run_posted.interpret(servers, run.jobs, accepts, run.filling("pa", 0), results)
    kernel.release.interpret(servers, run.jobs, run.events - 1)
    # jobs that end after the last arrival are never released, all others gave their units back
    late = [
        job
        for job in range(20)
        if results.outcome[job] == kernel.SOLD
        and (run.jobs.leaves_colocated if results.colocated[job] else run.jobs.leaves_spread)[job]
        >= run.events
    ]
    held = sum(int(market.workers[job]) for job in late)
    assert int(servers.idle_workers.sum()) == int(market.installed_workers.sum()) - held
    assert servers.total_workers.tolist() == servers.idle_workers.sum(axis=1).tolist()


def test_steps_are_jobs_times_servers_and_what_a_job_costs_beside():
    assert kernel.steps(7, 5) == 7 * 15
    assert kernel.steps(0, 5) == 0


def test_simulations_to_come_are_prepared_together(monkeypatch):
    asked = []
    monkeypatch.setattr(type(kernel.run_posted), "prepare", lambda self, steps: asked.append(steps))
    market = random_market(2, jobs=6, servers=3)
    prepare_posted(market, 4)
    assert asked == [4 * 6 * 13]


def test_rules_of_placement_are_told_apart():
    assert len({kernel.PA, kernel.BEST_FIT, kernel.RANDOM}) == 3
