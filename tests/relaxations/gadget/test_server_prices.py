"""A dual point of the embedding relaxation from server prices alone."""

import numpy as np
import pytest

from farkas.certificates import exact_bound
from farkas.forms import LinearForm
from farkas.models.gadget.slot import SlotView, snapshot
from farkas.numbers import Floats
from farkas.proofs.gadget.relaxations import random_clusters
from farkas.relaxations.gadget.embedding import GvneLP, NodeLP
from farkas.solvers import solve


def node_prices(slot: SlotView) -> Floats:
    """Prices of nodes at which the node relaxation is optimal, shape (nodes, resources)."""
    form, prices = NodeLP().form(slot), np.zeros(slot.cluster.capacity.shape)
    limits = form.row_block("node_capacity")
    duals = solve(form).require_optimal().row_duals[limits.where]
    prices[tuple(limits.axes[0].members.T)] = np.maximum(duals, 0.0)
    return prices


def network_free_multipliers(slot: SlotView, form: LinearForm, node_price: Floats) -> Floats:
    """Row multipliers of ``gadget.gvne_lp`` at prices of nodes.

    ``form`` is built from the slot; ``node_price`` is the reward per unit by node and resource, λ
    >= 0.  Multipliers are derivatives of the optimal value by each right-hand side.
    """
    cluster = slot.cluster
    rent = (cluster.demand[slot.jobs][:, None] * node_price).sum(axis=2)
    rent = np.where(cluster.host_cap[slot.jobs] > 0, rent, np.inf).min(axis=1)
    sizes = np.arange(1, slot.gains.shape[1] + 1)
    profit = np.where(slot.allowed, slot.gains - sizes * rent[:, None], 0.0)
    multipliers = np.zeros(form.num_rows)
    multipliers[form.row_block("one_size").where] = profit.max(axis=1, initial=0.0)
    seats = form.row_block("every_worker_sits_somewhere")
    jobs = seats.axes[0].members[:, 0]
    multipliers[seats.where] = -rent[slot.jobs.searchsorted(jobs)]
    limited = form.row_block("node_capacity")
    node, resource = limited.axes[0].members.T
    multipliers[limited.where] = node_price[node, resource]
    return multipliers


@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_server_prices_alone_prove_the_embedding_relaxation(network):
    for cluster in random_clusters(12, 1, network=network, resources=2):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        form = GvneLP().form(slot)
        bound = exact_bound(form, network_free_multipliers(slot, form, node_prices(slot)))
        assert float(bound) == pytest.approx(solve(form).objective, abs=1e-6)
