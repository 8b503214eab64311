"""All of a job at the one site that is cheapest for it alone."""

import numpy as np
import pytest

from farkas.instances import library
from farkas.models.mlbroker.one_shot import snapshot
from farkas.online import algorithms
from farkas.online.mlbroker.central import site_costs
from tests.generators.mlbroker import random_brokerage, single


def test_central_prefers_the_site_where_the_job_already_is():
    # Two free, equal sites: site 1 after the job was at site 1, although the first argmin is 0.
    broker = library.load("mlbroker/return_trip")
    fresh = site_costs(snapshot(broker, 0))
    there = site_costs(snapshot(broker, 1, [[False, True]]))
    assert fresh.argmin() == 0
    assert there.argmin() == 1
    # Moving 10 GB would cost 10 · d; staying saves c = 3.
    assert (there[0, 0] - there[0, 1]) > 3.0


@pytest.mark.parametrize("seed", range(12))
def test_the_site_is_the_first_of_the_cheapest(seed):
    broker = random_brokerage(seed, sites=3, slots=3, jobs=3)
    run = algorithms["mlbroker.central"].run(broker)
    before = {}
    for slot, decision in enumerate(run.decisions):
        now = {}
        for pair, site in zip(broker.pairs_at(slot).tolist(), decision["server"], strict=True):
            job = broker.jobs[broker.pair_job[pair]]
            cost = []
            for r in range(3):
                need = broker.workers_needed[pair]
                use = need * np.array(job.worker_demand) + np.array(job.server_demand)
                moved = sum(broker.volume[pair][o] * broker.transfer[o][r] for o in range(3))
                priced = 0.0
                for k, units in enumerate(use):
                    full = broker.list_price[r][k] * units
                    less = broker.reduced_price[r][k] * units + broker.surcharge[r][k]
                    priced += min(full, less)
                entered = before.get(broker.pair_job[pair]) != r
                cost.append(moved + priced + entered * job.deploy_cost)
            best = [r for r in range(3) if cost[r] <= min(cost) * (1 + 1e-12)]
            assert site == best[0]
            now[broker.pair_job[pair]] = site
        before = now


def test_equal_sites_are_one_and_the_first_is_taken():
    broker = single([[5.0, 5.0]])
    assert len(set(site_costs(snapshot(broker, 0))[0].tolist())) == 1
    decision = algorithms["mlbroker.central"].run(broker).decisions[0]
    assert (decision["workers"], decision["server"]) == ([[1, 0]], [0])


@pytest.mark.parametrize(("cost", "site"), [(4.0, 1), (6.0, 0)])
def test_a_job_stays_while_moving_its_data_is_cheaper_than_deploying_anew(cost, site):
    # 5 GB at site 0, then at site 1; moving them back costs 5
    broker = single([[5.0, 0.0], [0.0, 5.0]], deploy_cost=cost)
    decisions = algorithms["mlbroker.central"].run(broker).decisions
    assert [decision["server"] for decision in decisions] == [[0], [site]]


def test_a_site_that_costs_nothing_is_the_cheapest():
    broker = single([[0.0, 5.0]], base_price=np.zeros((2, 1)), deploy_cost=0.0)
    assert site_costs(snapshot(broker, 0)).tolist() == [[5.0, 0.0]]
    assert algorithms["mlbroker.central"].run(broker).decisions[0]["server"] == [1]
