"""Cheapest closed walks on any network: a bound on rings, and mostly rings."""

import numpy as np

from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.small import random_clusters
from farkas.relaxations.gadget.walk_pricing import WalkPricing, shortest_paths
from tests.generators.gadget import small
from tests.references.gadget_pricing import least_costs, random_prices


def test_walk_pricing_never_costs_more_than_the_cheapest_ring():
    rng = np.random.default_rng(1)
    equal = total = 0
    for cluster in random_clusters(25, 3, network="any", servers=4, jobs=3):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        node, link = random_prices(cluster, rng)
        cost, found = WalkPricing(cluster, slot.jobs, slot.largest).costs(node, link)
        least = least_costs(cluster, slot, node, link)
        inside = np.isfinite(least)
        assert (cost[inside] <= least[inside] + 1e-9).all()
        equal += int(np.isclose(cost[inside], least[inside]).sum())
        total += int(inside.sum())
        places = np.argwhere(np.isfinite(cost))
        rings = found.rings(places[:, 0], places[:, 1] + 1)
        paid = (rings.node_load(cluster) * node).sum(axis=(1, 2)) + rings.link_load(cluster) @ link
        at = slot.jobs.searchsorted(rings.job), rings.size - 1
        assert np.allclose(paid, cost[at])
    assert 0.8 * total < equal <= total  # mostly it is a ring


def triangle():
    """Three servers of one GPU on a one-way cycle of 2 Gbps."""
    return small([1, 1, 1], [(0, 1, 2), (1, 2, 2), (2, 0, 2)], one_way=True)


def test_shortest_paths_by_hand():
    # lengths 1, 2, 4 around; without the link from 2 nothing leads back to 0
    distance, first = shortest_paths(triangle(), np.array([1.0, 2, 4]), np.ones(3, bool))
    assert distance.tolist() == [[0, 1, 3], [6, 0, 2], [4, 5, 0]]
    assert first.tolist() == [[-1, 0, 0], [1, -1, 1], [2, 2, -1]]
    cut, first = shortest_paths(triangle(), np.array([1.0, 2, 4]), np.array([True, True, False]))
    assert cut[2].tolist() == [np.inf, np.inf, 0]
    assert first[2].tolist() == [-1, -1, -1]


def test_a_walk_around_a_cycle_pays_every_link_once():
    # GPUs at 1, 10, 100; a ring edge of 2 Gbps at 1, 2, 4 a Gbps: once around is 14
    pricing = WalkPricing(triangle(), np.array([0]), np.array([3]))
    cost, found = pricing.costs(np.array([[1.0], [10.0], [100.0]]), np.array([1.0, 2, 4]))
    # the third worker is laid on server 0 once more, cheaper than any ring: 1 + 10 + 1 + 14
    assert cost.tolist() == [[1, 1 + 10 + 14, 26]]
    rings = found.rings(np.array([0, 0, 0]), np.array([1, 2, 3]))
    assert rings.workers.tolist() == [[1, 0, 0], [1, 1, 0]]
    assert rings.flow.tolist() == [[0, 0, 0], [1, 1, 1]]


def test_a_walk_that_comes_back_to_a_host_is_no_ring():
    # server 0 is free and holds one worker; three workers go 0, 1, 0, which only looks cheap
    cluster = small([1, 1, 1], [(0, 1, 9), (1, 2, 9), (2, 0, 9)])
    pricing = WalkPricing(cluster, np.array([0]), np.array([3]))
    cost, found = pricing.costs(np.array([[0.0], [1.0], [50.0]]), np.zeros(6))
    assert cost[0].tolist() == [0, 0 + 1, 0 + 1 + 0]
    assert len(found.rings(np.array([0]), np.array([3]))) == 0
