"""Program mlbroker.relaxed_by_job: the tight relaxation, all jobs at once or each alone."""

from fractions import Fraction

import numpy as np
import pytest

from farkas.models.mlbroker.one_shot import snapshot
from farkas.models.mlbroker.slot import Constants, SlotProblem
from farkas.relaxations.mlbroker.outer_job import JobPrices
from farkas.relaxations.mlbroker.relaxed import Relaxed
from farkas.relaxations.mlbroker.separated import JobShares, Part, Separated
from farkas.solvers import solve
from tests.generators.mlbroker import edge_cases, random_brokerage, single

DATA = {
    **edge_cases(),
    **{f"random {n}": random_brokerage(n, sites=3, jobs=4, resources=2) for n in range(4)},
}


def value(program, data):
    return solve(program.form(data)).require_optimal().objective


@pytest.mark.ids(8)
@pytest.mark.parametrize("name", DATA)
def test_all_jobs_and_the_sum_of_single_jobs_are_the_tight_relaxation(name):
    data = DATA[name]
    tight = value(Relaxed(relax="tight"), data)
    alone = sum(value(Separated(), Part(data, np.array([i]))) for i in range(data.num_jobs))
    assert value(Separated(), data) == pytest.approx(tight, rel=1e-7, abs=1e-7)
    assert alone == pytest.approx(tight, rel=1e-7, abs=1e-7)


def test_prices_in_units_of_a_worker():
    # 25 GB for workers of 10 GB: 3 workers, 2.5 of them busy.  A worker and a server are 1 unit at
    # 1 USD; moving what a worker trains costs 10, serving it from the other site 2, deploying 1.
    form = Separated().form(single([[25.0, 0.0]]))
    cost = form.cost
    assert form.values(cost, "moved")[0].tolist() == [[0, 10], [10, 0]]
    assert form.values(cost, "connected")[0].tolist() == [[1, 3], [3, 1]]
    assert form.values(cost, "server").tolist() == [[1, 1]]
    assert form.values(cost, "deployed").tolist() == [[1, 1]]
    assert form.row_lower[form.row_block("all_data_moved").where].tolist() == [2.5, 0.0]
    # at home: three workers and a server, deployed once
    assert solve(form).objective == pytest.approx(3 + 1 + 1)


def test_a_part_keeps_the_prices_of_all_jobs_and_its_own_pairs():
    # jobs of 2 + 2 = 4 units: together beyond the threshold 2, 0.5 * 4 + 0.5 * 2 = 3 on the chord
    # to the most they can use, 4 units; so a unit costs 3/4, whoever is in the part
    data = single([[10.0]], discount_price=[[0.5]], discount_threshold=[[2.0]])
    data = data.replace(jobs=[data.jobs[0], data.jobs[0]])
    part = Part(data, np.array([1]))
    assert part.pairs.tolist() == [1]
    form = Separated().form(part)
    assert form.values(form.cost, "server").tolist() == [[0.75]]
    assert Part(data, np.array([], int)).pairs.tolist() == []


@pytest.mark.slow
def test_loads_in_units_of_workers_add_up_to_no_more_than_the_workers_needed():
    # P = 3 and Y P data: the quotients by 3 are rounded, and add up to more than Y every now and
    # then; (8g*) would then need more than the implied bound 1 of deployment
    rounded_too_high = 0
    for seed in range(60):
        parts = np.random.default_rng(seed).integers(1, 50, 3).astype(float)
        parts[2] += -parts.sum() % 3
        data = single([parts.tolist()], worker_capacity=3.0)
        form = Separated().form(data)
        sides = form.row_lower[form.row_block("all_data_moved").where].tolist()
        assert sum(map(Fraction, sides)) <= int(data.workers_needed[0])
        rounded_too_high += sum(map(Fraction, (parts / 3.0).tolist())) > int(data.workers_needed[0])
    assert rounded_too_high > 5


def test_shares_are_of_needed_workers_and_of_what_they_train():
    # 10 and 20 GB: three workers of 10 GB; a unit costs 1 and a GB 1 to move, a remote worker 2.
    # All workers at site 1, half of them served from site 0, where half of the server is.
    market = snapshot(single([[10.0, 20.0]]), 0).market
    before = np.array([[0.75, 0.0]])
    problem = SlotProblem(market=market, before=before, constants=Constants.of(market))
    found = JobShares.zeros(1, 2)
    found.moved[0] = [[0, 1 / 3], [0, 2 / 3]]
    found.connected[0] = [[0, 0], [0.5, 0.5]]
    found.server[0] = [0.5, 0.5]
    found.connection_price[0] = [3.0, 6.0]
    found.presence_price[0], found.deployed_price[0] = [1.0, 2.0], [4.0, 8.0]
    found.gap[:] = 0.25
    done = found.solution(problem, JobPrices.of(market))
    assert done.workers.tolist() == [[0, 3]]
    assert done.moved[0] == pytest.approx(np.array([[0, 10], [0, 20]]))
    assert done.connected[0].tolist() == [[0, 0], [1.5, 1.5]]
    assert done.server.tolist() == [[0.5, 0.5]]
    assert done.deployed.tolist() == [[0.75, 1.0]]
    assert done.server_price.tolist() == [[1.0, 2.0]]
    assert (done.presence_price.tolist(), done.deployed_price.tolist()) == ([[1, 2]], [[4, 8]])
    for none in (done.worker_price, done.absence_price, done.list_price, done.reduced_price):
        assert not none.any()
    # 10 GB moved, three workers and a server, 1.5 remote workers of 2 GB; the entropy term of 0 to
    # 1 at ε = 1 with c = 1: (2 ln 2 - 1) / ln 2
    assert done.objective == pytest.approx(10 + 4 + 3 + 2 - 1 / np.log(2))
    assert done.gap == 0.25


def test_no_jobs_and_no_data():
    broker = single([[0.0, 0.0]])
    for jobs in (0, 1):
        market = snapshot(broker.replace(jobs=broker.jobs[:jobs]), 0).market
        before = np.zeros((jobs, 2))
        problem = SlotProblem(market=market, before=before, constants=Constants.of(market))
        found = JobShares.zeros(jobs, 2)
        found.connected[:, 0, 0] = found.server[:, 0] = 1.0
        done = found.solution(problem, JobPrices.of(market))
        assert done.workers.tolist() == [[0, 0]] * jobs
        assert done.deployed.tolist() == [[1, 0]] * jobs
        assert done.objective == pytest.approx(jobs * (1 + 2 - 1 / np.log(2)))
