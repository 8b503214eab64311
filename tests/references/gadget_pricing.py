"""Cheapest rings on a forest by array operations: what `tree_pricing.cheapest` computes."""

import numpy as np

from farkas.models.gadget.rings import enumerate_rings
from farkas.relaxations.gadget.tree_pricing import TreePricing


def tree_costs(pricing: TreePricing, node_price: np.ndarray, link_price: np.ndarray) -> np.ndarray:
    """Cheapest cost of each size, shape (participants, largest size), all jobs at once."""
    worker, edge = pricing.prices(node_price, link_price)
    size = int(pricing.largest.max(initial=0))
    counts = np.arange(size + 1)
    own = np.where(counts <= pricing.cap[:, :, None], counts * worker[:, :, None], np.inf)
    best = np.full((len(pricing.jobs), size + 1), np.inf)
    for v in pricing.tree.order[::-1].tolist():
        best = np.minimum(best, own[:, v])
        up = pricing.tree.parent[v]
        if up < 0:
            continue
        joined = own[:, v] + np.where(counts > 0, edge[:, v, None], 0.0)
        merged = np.full_like(joined, np.inf)
        for k in range(size + 1):
            for j in range(k + 1):
                merged[:, k] = np.minimum(merged[:, k], own[:, up, k - j] + joined[:, j])
        own[:, up] = merged
    return best[:, 1:]


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
