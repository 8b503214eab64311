"""All of a job at the one site that is cheapest for it alone."""

import numpy as np
import pytest

from farkas.instances import library
from farkas.models.mlbroker.one_shot import snapshot
from farkas.online import algorithms
from farkas.online.mlbroker.local import site_costs
from tests.generators.mlbroker import even_brokerage, random_brokerage, single
from tests.references.mlbroker_policies import central, plans_of
from tests.tools.decisions import decisions


def test_central_prefers_the_site_where_the_job_already_is():
    # Two free, equal sites: site 1 after the job was at site 1, although the first argmin is 0.
    broker = library.load("mlbroker/return_trip")
    fresh = site_costs(snapshot(broker, 0))
    there = site_costs(snapshot(broker, 1, [[False, True]]))
    assert fresh.argmin() == 0
    assert there.argmin() == 1
    # Moving 10 GB would cost 10 · d; staying saves c = 3.
    assert (there[0, 0] - there[0, 1]) > 3.0


@pytest.mark.parametrize("seed", range(24))
def test_the_site_is_the_first_of_the_cheapest(seed):
    for broker in (even_brokerage(seed, slots=3, jobs=3), random_brokerage(seed, 3, jobs=3)):
        found = [plans_of(decision) for decision in decisions("mlbroker.central", broker)]
        assert found == central(broker)


def test_equal_sites_are_one_and_the_first_is_taken():
    broker = single([[5.0, 5.0]])
    assert len(set(site_costs(snapshot(broker, 0))[0].tolist())) == 1
    decision = algorithms["mlbroker.central"].run(broker).decisions[0]
    assert (decision["workers"], decision["server"]) == ([[1, 0]], [0])


@pytest.mark.parametrize(("cost", "site"), [(4.0, 1), (6.0, 0)])
def test_a_job_stays_while_moving_its_data_is_cheaper_than_deploying_anew(cost, site):
    # 5 GB at site 0, then at site 1; moving them back costs 5
    broker = single([[5.0, 0.0], [0.0, 5.0]], deploy_cost=cost)
    made = algorithms["mlbroker.central"].run(broker).decisions
    assert [decision["server"] for decision in made] == [[0], [site]]


def test_a_site_that_costs_nothing_is_the_cheapest():
    broker = single([[0.0, 5.0]], base_price=np.zeros((2, 1)), deploy_cost=0.0)
    assert site_costs(snapshot(broker, 0)).tolist() == [[5.0, 0.0]]
    assert algorithms["mlbroker.central"].run(broker).decisions[0]["server"] == [1]


def test_a_site_that_is_cheaper_by_a_rounding_only_is_equally_cheap():
    # 0.1 + 0.2 rounds to more than 0.3
    broker = single(
        [[0.0, 0.0]],
        worker_demand=[1.0, 1.0],
        server_demand=[1.0, 1.0],
        deploy_cost=0.0,
        num_resources=2,
        base_price=[[0.1, 0.2], [0.3, 0.0]],
    )
    dear, cheap = site_costs(snapshot(broker, 0))[0].tolist()
    assert dear > cheap
    assert algorithms["mlbroker.central"].run(broker).decisions[0]["server"] == [0]
