"""Proved bounds of runs: prices from linear programs, bounds from prices alone."""

import math
from collections.abc import Sequence
from fractions import Fraction

import msgspec
import numpy as np

from farkas.certificates.enclosures import enclose
from farkas.certificates.gadget import HorizonCertificate, certify_horizon, grid_of
from farkas.certificates.sums import scaled
from farkas.errors import NoAnswer
from farkas.forms import LinearForm
from farkas.instances.gadget import Cluster
from farkas.numbers import Floats
from farkas.online.gadget.environment import Decision
from farkas.online.run import Bound
from farkas.registry import once
from farkas.relaxations.gadget.offline_bound import (
    OfflineBound,
    PooledBound,
    ServerClasses,
    Timeline,
)
from farkas.relaxations.integrality import price_bounds
from farkas.solvers.highs_session import multipliers_by_any, optimum_by_any


@once
def merged_horizon(cluster: Cluster) -> tuple[Floats, Floats | None]:
    """Row duals and point of ``gadget.offline_bound``, solved once for a cluster.

    Where no solver reaches an optimum there is no point, and any multipliers stand in for duals.
    """
    if len(ServerClasses.of(cluster).count) <= 1:
        return pooled_horizon(cluster)  # the same program
    return _solved(OfflineBound().form(cluster))


@once
def pooled_horizon(cluster: Cluster) -> tuple[Floats, Floats | None]:
    """As `merged_horizon`, of `PooledBound`."""
    return _solved(PooledBound().form(cluster))


def _solved(form: LinearForm) -> tuple[Floats, Floats | None]:
    try:
        answer = optimum_by_any(form, duals=True)
    except NoAnswer:
        return multipliers_by_any(form).rows, None
    return answer.row_duals, answer.point


def horizon_certificate(cluster: Cluster, *, pooled: bool = False) -> HorizonCertificate:
    """Certificate at the optimal prices of ``gadget.offline_bound``, or of `PooledBound`."""
    timeline, servers = Timeline.of(cluster), ServerClasses.of(cluster)
    form = (PooledBound() if pooled else OfflineBound()).form(cluster)
    duals, _ = pooled_horizon(cluster) if pooled else merged_horizon(cluster)
    limits = form.row_block("node_capacity")
    prices = np.zeros((len(timeline.length), len(servers.count), cluster.num_resources))
    members = limits.axes[0].members
    block, kind, resource = members.T
    if pooled:
        prices[block, :, resource] = duals[limits.where][:, None]
    else:
        prices[block, kind, resource] = duals[limits.where]
    return certify_horizon(cluster, timeline.start, servers.members, prices)


@price_bounds.register("gadget.horizon_prices")
def horizon_prices(cluster: Cluster, seconds: float) -> HorizonCertificate:
    """As `horizon_certificate`; the linear program of merged slots is solved within seconds."""
    return horizon_certificate(cluster)


def horizon_bound(cluster: Cluster, *, pooled: bool = False) -> Bound:
    """Proved bound on every schedule, with its certificate; see `horizon_certificate`."""
    certificate = horizon_certificate(cluster, pooled=pooled)
    prices = "prices" if np.any(certificate.prices) else "prices 0"
    merged = "merged slots, the same on all servers" if pooled else "merged slots and servers"
    return Bound(
        exact=certificate.bound,
        method=f"{prices} of {merged}, each job's best reply in exact arithmetic",
        certificate=msgspec.to_builtins(certificate),
    )


@once
def default_bound(cluster: Cluster) -> Bound:
    """As `horizon_bound`, computed once for a cluster."""
    return horizon_bound(cluster)


def proved_so_far(cluster: Cluster, bound: Bound) -> list[Fraction] | None:
    """Return what the prices of a bound prove of the instance that ends in each slot.

    The last is the bound itself; None where its certificate has no prices of the horizon.
    """
    made = bound.certificate
    if made is None or made["certificate"] != HorizonCertificate.__struct_config__.tag:
        return None
    known, key = _so_far(cluster), msgspec.json.encode(made)
    if key not in known:
        known[key] = msgspec.convert(made, HorizonCertificate).bounds_so_far(cluster)
    return known[key]


@once
def _so_far(cluster: Cluster) -> dict[bytes, list[Fraction]]:
    """By certificate: both the record of slots and a theorem about them ask."""
    return {}


def earned_so_far(cluster: Cluster, decisions: Sequence[Decision]) -> list[Fraction]:
    """Least that all jobs together have earned at the end of each slot, rounded down."""
    given = [0] * cluster.num_jobs
    worth = [enclose(job.utility, job.efficiency, 0)[0] for job in cluster.jobs]
    total, found = sum(worth, Fraction(0)), []
    for rings in decisions:
        for ring in rings:
            given[ring.job] += ring.size
            job = cluster.jobs[ring.job]
            now = enclose(job.utility, job.efficiency, given[ring.job])[0]
            total += now - worth[ring.job]
            worth[ring.job] = now
        found.append(total)
    # what a sigmoid earns far from its bend takes thousands of digits
    grid = grid_of(total)
    return [scaled(math.floor(each * scaled(1, grid)), -grid) for each in found]
