"""Cheapest rings on a forest by array operations: what `tree_pricing.cheapest` computes."""

import numpy as np

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
