"""A dual point of the embedding relaxation from server prices alone."""

import pytest

from farkas.certificates import exact_bound
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
