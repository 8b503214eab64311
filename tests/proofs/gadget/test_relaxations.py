"""A dual point of the embedding relaxation from server prices alone."""

import numpy as np
import pytest

from farkas.certificates import exact_bound
from farkas.instances import library
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.relaxations import node_prices, random_clusters
from farkas.relaxations.gadget.embedding import GvneLP, network_free_multipliers
from farkas.solvers import solve


@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_server_prices_alone_prove_the_embedding_relaxation(network):
    for cluster in random_clusters(12, 1, network=network, resources=2):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        form = GvneLP().form(slot)
        bound = exact_bound(form, network_free_multipliers(slot, form, node_prices(slot)))
        assert float(bound) == pytest.approx(solve(form).objective, abs=1e-6)


def test_any_nonnegative_prices_bound_it():
    rng = np.random.default_rng(0)
    for cluster in random_clusters(12, 2, network="any"):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        form = GvneLP().form(slot)
        price = rng.random(cluster.capacity.shape) * 3
        bound = exact_bound(form, network_free_multipliers(slot, form, price))
        assert float(bound) >= solve(form).objective - 1e-9


def test_prices_by_hand():
    # gadget/tiny in slot 0: job 0 alone, gains 3 sqrt(k), three GPUs; at price sqrt(3) a worker
    # costs what its share of the largest ring earns: 3 sqrt(3) + max(0, 3 - sqrt 3, 3 sqrt 2 - 2
    # sqrt 3, 0) = 5.196 + 1.268
    slot = snapshot(library.load("gadget/tiny"))
    form = GvneLP().form(slot)
    price = np.full(slot.cluster.capacity.shape, np.sqrt(3.0))
    bound = float(exact_bound(form, network_free_multipliers(slot, form, price)))
    assert bound == pytest.approx(3 * np.sqrt(3) + 3 - np.sqrt(3))
