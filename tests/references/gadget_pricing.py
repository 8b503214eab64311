"""Cheapest rings by array operations: closed walks, which may come back to a host.

So they bound what `ring_search.best_ring` finds.
"""

import numpy as np

from farkas.certificates.gadget_slot import PricedSlot
from farkas.certificates.priced_tree import PricedTree
from farkas.models.gadget.rings import enumerate_rings
from farkas.relaxations.gadget.slot_pricing import SlotPricing


def pricing(slot, alone=1 << 19, left=1 << 40):
    """Search for the best rings of a slot, with so many labels for one and for all."""
    return SlotPricing(slot, labels=alone, left=left)


def certify_slot(cluster, slot, progress, node, link):
    """Certificate of what prices of nodes and links prove."""
    prices = np.zeros(cluster.capacity.size + cluster.num_links)
    prices[: node.size], prices[node.size : node.size + link.size] = node.ravel(), link
    return PricedTree.of(PricedSlot(cluster, slot, np.array(progress, np.int64)), prices)


def random_prices(cluster, rng):
    node = rng.random(cluster.capacity.shape) * (rng.random(cluster.capacity.shape) < 0.8)
    return node, rng.random(cluster.num_links)


def least_costs(cluster, slot, node, link):
    """Cheapest enumerated ring of every size."""
    limit = np.zeros(cluster.num_jobs, int)
    limit[slot.jobs] = slot.largest
    rings = enumerate_rings(cluster, limit)
    cost = (rings.node_load(cluster) * node).sum(axis=(1, 2)) + rings.link_load(cluster) @ link
    least = np.full((len(slot.jobs), slot.largest_size), np.inf)
    places = slot.jobs.searchsorted(rings.job)
    np.minimum.at(least, (places, rings.size - 1), cost)
    return least


def dense_walks(slot, node_price, link_price):
    """Worth of the best closed walk of every job, at least 0: O(size^2 nodes^3), O(nodes^2) memory.

    Walks lay blocks of workers along shortest paths and may come back to a full host.
    """
    cluster = slot.cluster
    best = np.zeros(len(slot.jobs))
    for place, job in enumerate(slot.jobs.tolist()):
        price = node_price @ cluster.demand[job]
        distance = np.full((cluster.num_nodes, cluster.num_nodes), np.inf)
        fits = cluster.link_bandwidth * (1 + 1e-9) >= cluster.bandwidth[job]
        ends = cluster.link_source[fits], cluster.link_target[fits]
        np.minimum.at(distance, ends, (cluster.bandwidth[job] * link_price)[fits])
        np.fill_diagonal(distance, 0.0)
        for middle in range(cluster.num_nodes):
            distance = np.minimum(distance, distance[:, middle, None] + distance[None, middle])
        onward = distance.copy()
        np.fill_diagonal(onward, np.inf)
        size = int(slot.largest[place])
        blocks = np.arange(size + 1)
        block = np.where(blocks <= slot.cap[place][:, None], blocks * price[:, None], np.inf)
        laid = np.full((size + 1, cluster.num_nodes, cluster.num_nodes), np.inf)  # [, first, last]
        for k in range(1, size + 1):
            np.fill_diagonal(laid[k], block[:, k])
            for more in range(1, k):
                moved = (laid[k - more][:, :, None] + onward[None]).min(axis=1)
                laid[k] = np.minimum(laid[k], moved + block[:, more])
        gains = np.where(slot.allowed[place], slot.gains[place], -np.inf)[:size]
        best[place] = max(0.0, (gains - (laid[1:] + distance.T).min(axis=(1, 2))).max())
    return best
