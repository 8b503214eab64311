"""Cheapest rings on a forest."""

import numpy as np

from farkas.models.gadget.forest import forest
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.relaxed import random_clusters
from farkas.relaxations.gadget.tree_pricing import TreePricing, cheapest
from tests.generators.gadget import small
from tests.references.gadget_pricing import least_costs, random_prices, tree_costs


def test_tree_pricing_finds_the_cheapest_ring_of_every_size():
    rng = np.random.default_rng(0)
    for cluster in random_clusters(25, 2, network="tree", servers=4, jobs=3, resources=2):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        node, link = random_prices(cluster, rng)
        pricing = TreePricing(cluster, forest(cluster), slot.jobs, slot.largest)
        cost, found = pricing.costs(node, link)
        inside = np.arange(1, cost.shape[1] + 1)[None, :] <= slot.largest[:, None]
        assert np.allclose(cost[inside], least_costs(cluster, slot, node, link)[inside])
        assert np.allclose(cost, tree_costs(pricing, node, link))
        # without machine code, which would not mind a table that is too small
        given = *pricing.prices(node, link), pricing.cap, pricing.tree.parent, pricing.tree.order
        own, _, take = cheapest.interpret(*given, cost.shape[1])
        assert np.array_equal(own, cost)
        assert np.array_equal(take, found.take)
        places = np.argwhere(np.isfinite(cost))
        rings = found.rings(places[:, 0], places[:, 1] + 1)
        paid = (rings.node_load(cluster) * node).sum(axis=(1, 2)) + rings.link_load(cluster) @ link
        assert np.allclose(paid, cost[places[:, 0], places[:, 1]])
        assert (rings.workers.sum(axis=1) == rings.size).all()


def test_a_ring_leaves_a_dear_server_when_crossing_is_cheaper():
    # two GPUs at 3 on server 0, two at 1 on server 1 behind a switch; an edge both ways costs
    # 2 Gbps x (0.1 + 0.2) + 2 Gbps x (0.3 + 0.4) = 2 to cross both
    cluster = small([2, 2], [(0, 2, 9), (1, 2, 9)], switches=1)
    pricing = TreePricing(cluster, forest(cluster), np.array([0]), np.array([3]))
    node, link = np.array([[3.0], [1.0], [0.0]]), np.array([0.1, 0.2, 0.3, 0.4])
    cost, found = pricing.costs(node, link)
    assert np.allclose(cost, [[1, 2, 2 + 3 + 2]])
    rings = found.rings(np.array([0, 0]), np.array([2, 3]))
    assert rings.workers.tolist() == [[0, 2, 0], [1, 2, 0]]
    assert rings.flow.tolist() == [[0, 0, 0, 0], [1, 1, 1, 1]]


def test_an_edge_too_narrow_is_not_crossed_at_any_price():
    cluster = small([2, 2], [(0, 1, 1)])
    pricing = TreePricing(cluster, forest(cluster), np.array([0]), np.array([3]))
    cost, _ = pricing.costs(np.array([[3.0], [1.0]]), np.zeros(2))
    assert cost.tolist() == [[1, 2, np.inf]]
