"""The posted prices' kernel against lists, and its helpers one by one."""

import numpy as np
import pytest

from farkas.online.dps import kernel
from farkas.online.dps.simulation import Prepared, prepare_posted
from tests.generators.dps import random_market


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
