"""Shares of a job's workers in the units of the slot."""

import numpy as np
import pytest

from farkas.models.mlbroker.one_shot import snapshot
from farkas.models.mlbroker.slot import Constants, SlotProblem
from farkas.relaxations.mlbroker.outer_job import JobPrices
from farkas.relaxations.mlbroker.separated import JobShares
from tests.generators.mlbroker import single


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
