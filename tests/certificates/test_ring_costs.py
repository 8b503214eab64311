"""Least costs of rings at given prices, against all rings."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.certificates.ring_costs import FORBIDDEN, ring_costs
from farkas.instances import library
from farkas.models.gadget.rings import enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.small import random_clusters


@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_integer_ring_costs_bound_the_cheapest_ring_and_meet_it_on_trees(network):
    rng = np.random.default_rng(2)
    for cluster in random_clusters(15, 5, network=network, servers=4, jobs=3):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        worker = rng.integers(0, 9, size=(len(slot.jobs), cluster.num_nodes))
        link = rng.integers(0, 9, size=(len(slot.jobs), cluster.num_links))
        costs = ring_costs(cluster, slot.jobs, slot.largest_size, worker, link)
        limit = np.zeros(cluster.num_jobs, int)
        limit[slot.jobs] = slot.largest
        rings = enumerate_rings(cluster, limit)
        for place, job in enumerate(slot.jobs.tolist()):
            for k in range(1, int(slot.largest[place]) + 1):
                own = rings.take((rings.job == job) & (rings.size == k))
                paid = own.workers @ worker[place] + own.flow @ link[place]
                least = int(paid.min(initial=FORBIDDEN))
                assert costs[place, k - 1] <= least
                if network == "tree":
                    assert costs[place, k - 1] == least


def test_a_walk_does_not_stay_on_a_full_server():
    """Two one-GPU servers without a link: no ring of two, however free the workers are.

    Parallel links elsewhere make the network no forest, so walks are searched.
    """
    link = {"from": 1, "to": 2, "bandwidth": 1}
    cluster = library.load("gadget/unlinked_pair")
    node = {"name": "far", "server": False, "capacity": [0] * cluster.num_resources}
    cluster = cluster.replace(nodes=[*cluster.nodes, node], links=[link, link])
    jobs = np.array([0])
    worker = np.zeros((1, 3), np.int64)
    costs = ring_costs(cluster, jobs, 2, worker, np.zeros((1, 2), np.int64))
    assert costs.tolist() == [[0, FORBIDDEN]]
