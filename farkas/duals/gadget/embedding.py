"""Dual point of the embedding relaxation from server prices alone.  GADGET (12)-(19).

The dual has multipliers γ of (13), η of (14), φ of (15), λ of (18) and ν of (19).  At any λ >= 0
the choice φ = ν = 0, η = -min_u Σ_r l λ_u and γ = max(0, max_k π_k + k η) is feasible, and at the
prices of the node relaxation it is optimal: links carry no price, the relaxation ignores them.
"""

import numpy as np

from farkas.forms import LinearForm
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Floats


def network_free_multipliers(slot: SlotView, form: LinearForm, node_price: Floats) -> Floats:
    """Row multipliers of ``gadget.gvne_lp`` at prices of nodes.

    Parameters
    ----------
    slot
        The slot that ``form`` was built from.
    form
        Linear form of ``gadget.gvne`` or ``gadget.gvne_lp``.
    node_price
        Shape (nodes, resources), reward per unit, >= 0; λ.

    Returns
    -------
    Shape (rows,), derivatives of the optimal value with respect to each right-hand side.
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
