"""Proved bounds of runs: prices from linear programs, bounds from prices alone."""

from __future__ import annotations

import msgspec
import numpy as np

from farkas.certificates.gadget import (
    HorizonCertificate,
    SlotCertificate,
    certify_horizon,
    certify_slot,
)
from farkas.instances.gadget import Cluster
from farkas.models.gadget.slot import snapshot
from farkas.online.run import Bound
from farkas.relaxations.gadget.generation import generate_columns
from farkas.relaxations.gadget.horizon import OfflineBound, ServerClasses, Timeline
from farkas.solvers import solve


def horizon_certificate(cluster: Cluster) -> HorizonCertificate:
    """Certificate at the optimal prices of ``gadget.offline_bound``."""
    timeline, servers = Timeline.of(cluster), ServerClasses.of(cluster)
    form = OfflineBound().form(cluster)
    duals = solve(form).require_optimal().row_duals
    limits = form.row_block("node_capacity")
    prices = np.zeros((len(timeline.length), len(servers.count), cluster.num_resources))
    members = limits.axes[0].members
    prices[members[:, 0], members[:, 1], members[:, 2]] = duals[limits.where]
    return certify_horizon(cluster, timeline.start, servers.members, prices)


def horizon_bound(cluster: Cluster) -> Bound:
    """Proved bound on every schedule, with its certificate."""
    certificate = horizon_certificate(cluster)
    return Bound(
        exact=certificate.bound,
        method="prices of merged slots and servers, each job's best reply in exact arithmetic",
        certificate=msgspec.to_builtins(certificate),
    )


def slot_certificate(
    cluster: Cluster, slot: int | None = None, progress: np.ndarray | None = None
) -> SlotCertificate:
    """Certificate of one slot at the prices of column generation."""
    view = snapshot(cluster, slot, progress)
    prices = generate_columns(view).prices
    received = view.progress.astype(np.int64)
    return certify_slot(cluster, view.slot, received, prices.node, prices.link)
