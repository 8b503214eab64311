"""Prices of a slot as multipliers of the linear program over all rings."""

from __future__ import annotations

import numpy as np

from farkas.algebra import programs
from farkas.certificates.gadget import SlotCertificate
from farkas.duals.restated import best_replies, restatements
from farkas.errors import NotApplicable
from farkas.forms import LinearForm
from farkas.instances.gadget import Cluster
from farkas.numbers import Floats


@restatements.register("gadget.gadget.slot")
def restated(certificate: SlotCertificate, cluster: Cluster) -> tuple[str, LinearForm, Floats]:
    """Price nodes and links; a job pays what its best ring earns beyond."""
    if certificate.slot != cluster.at_slot or any(certificate.progress):
        raise NotApplicable("gadget.column_lp speaks of the instance's own slot")
    program = programs.build("gadget.column_lp")
    form = program.form(cluster)
    multipliers = np.zeros(form.num_rows)
    nodes = form.row_block("node_capacity")
    price = np.array(certificate.node_prices, float)
    multipliers[nodes.where] = price[tuple(nodes.axes[0].members.T)]
    links = form.row_block("link_capacity")
    multipliers[links.where] = np.array(certificate.link_prices)[links.axes[0].members[:, 0]]
    return program.full_name, form, best_replies(form, multipliers, "one_ring")
