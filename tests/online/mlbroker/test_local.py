"""Workers where the data are, and a server that stays."""

import itertools

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.models.mlbroker.one_shot import snapshot
from farkas.online import algorithms
from farkas.online.mlbroker.local import local_expected, local_total, local_workers, site_costs
from tests.generators.mlbroker import even_brokerage, random_brokerage, single
from tests.references.mlbroker_policies import central, local, plans_of
from tests.tools.decisions import decisions


def test_local_puts_workers_where_data_are():
    broker = library.load("mlbroker/tiny")
    # j0: (30, 10) GB at 20 a worker: (2, 1), then (0, 25): (0, 2); j1: 60 GB at 40 a worker.
    np.testing.assert_array_equal(local_workers(broker), [[2, 1], [0, 2], [0, 2]])


def test_local_expectation_is_the_mean_over_all_choices():
    broker = library.load("mlbroker/tiny")
    totals = [local_total(broker, sites) for sites in itertools.product(range(2), repeat=2)]
    assert local_expected(broker) == pytest.approx(np.mean(totals))
    many = generate("mlbroker", "small", seed=0, num_jobs=9)
    with pytest.raises(NotApplicable, match="19683"):
        local_expected(many)


def test_errors_forgiven_at_many_sites_add_up_to_a_worker():
    # ten sites with 4e-9 GB each: none alone needs a worker of 10 GB, 4e-9 workers together do
    broker = single([[4e-9] * 10])
    assert broker.workers_needed.tolist() == [1]
    assert local_workers(broker).sum() == 1


@pytest.mark.parametrize("seed", range(24))
def test_workers_are_where_data_are_and_servers_where_they_were_drawn(seed):
    for broker in (even_brokerage(seed, slots=3, jobs=3), random_brokerage(seed, 3, jobs=3)):
        found = [plans_of(decision) for decision in decisions("mlbroker.local", broker, seed)]
        assert found == local(broker, seed)


@pytest.mark.parametrize("seed", range(24))
def test_the_site_is_the_first_of_the_cheapest(seed):
    for broker in (even_brokerage(seed, slots=3, jobs=3), random_brokerage(seed, 3, jobs=3)):
        found = [plans_of(decision) for decision in decisions("mlbroker.central", broker)]
        assert found == central(broker)


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
