"""Proved bounds of runs: prices from linear programs, bounds from prices alone."""

from collections.abc import Sequence
from fractions import Fraction

import msgspec
import numpy as np

from farkas.certificates.enclosures import enclose
from farkas.certificates.gadget import HorizonCertificate, certify_horizon
from farkas.certificates.gadget_slot import (
    SharedServers,
    SlotBound,
    SlotCertificate,
    certify_slot,
)
from farkas.certificates.gadget_slot_tree import SlotTree, certify_slot_tree
from farkas.errors import NoAnswer
from farkas.forms import LinearForm
from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import SlotView, snapshot
from farkas.numbers import Floats
from farkas.online.gadget.columns import by_cases, column_rings, worth
from farkas.online.gadget.environment import Decision, received
from farkas.online.run import Bound
from farkas.registry import once
from farkas.relaxations.gadget.generation import closed, generate_columns
from farkas.relaxations.gadget.horizon import Timeline
from farkas.relaxations.gadget.offline_bound import OfflineBound, PooledBound, ServerClasses
from farkas.relaxations.gadget.ring_pricing import LOOSE_LABELS
from farkas.relaxations.gadget.whole_sizes import whole_sizes
from farkas.relaxations.integrality import price_bounds
from farkas.solvers.highs_session import multipliers_by_any, optimum_by_any
from farkas.tolerances import SOLVER_GAP

#: Relative gap that certificates of slots may leave before they are proved by cases.
SLOT_GAP = 1e-3


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


@price_bounds.register("gadget.slot_prices")
def slot_prices(cluster: Cluster, seconds: float) -> SlotCertificate:
    """As `slot_certificate`, of the slot that the instance stands at."""
    return slot_certificate(cluster)


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
    """Least that all jobs together have earned at the end of each slot, in exact arithmetic."""
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
    return found


def run_certificate(cluster: Cluster, decisions: Sequence[Decision]) -> HorizonCertificate:
    """Certificate at the slot prices of a run, averaged over the slots of each block.

    Every slot is priced by column generation at what its jobs had received.  No program of the
    horizon is solved, so the prices are known as the run goes; those of links are left out.
    Prices of the horizon's own program never prove less.

    Parameters
    ----------
    decisions
        Rings of every slot.
    """
    timeline, servers = Timeline.of(cluster), ServerClasses.of(cluster)
    shape = (len(timeline.length), len(servers.count), cluster.num_resources)
    total = np.zeros(shape)
    for slot, before in enumerate(received(cluster, decisions)[:-1]):
        prices = generate_columns(snapshot(cluster, slot, before)).prices.node
        block = np.searchsorted(timeline.start, slot, side="right") - 1
        for c, members in enumerate(servers.members):
            total[block, c] += prices[members].mean(axis=0)
    average = total / timeline.length[:, None, None]
    return certify_horizon(cluster, timeline.start, servers.members, average)


def run_bound(cluster: Cluster, decisions: Sequence[Decision]) -> Bound:
    """Proved bound on every schedule by the prices of a run, with its certificate."""
    certificate = run_certificate(cluster, decisions)
    return Bound(
        exact=certificate.bound,
        method="slot prices averaged over blocks, each job's best reply in exact arithmetic",
        certificate=msgspec.to_builtins(certificate),
    )


def slot_certificate(
    cluster: Cluster, slot: int | None = None, progress: np.ndarray | None = None
) -> SlotCertificate:
    """Certificate of one slot at the prices of column generation, or of whole sizes at these.

    Whole sizes are looked at where they prove less by more than what column generation leaves.
    """
    view = snapshot(cluster, slot, progress)
    generated = generate_columns(view)
    prices, received = generated.prices, view.progress.astype(np.int64)
    plain = certify_slot(cluster, view.slot, received, prices.node, prices.link)
    sizes = whole_sizes(view, prices, LOOSE_LABELS)
    if sizes is None or sizes.bound >= generated.bound - SOLVER_GAP * abs(generated.bound):
        return plain
    rest, knapsack = sizes.prices, sizes.knapsack
    shared = SharedServers(resource=knapsack.resource, unit=knapsack.unit)
    whole = certify_slot(cluster, view.slot, received, rest.node, rest.link, shared)
    return min(whole, plain, key=lambda made: Fraction(made.bound))


def best_slot_certificate(
    cluster: Cluster, slot: int, progress: np.ndarray, gap: float = SLOT_GAP
) -> SlotBound:
    """As `slot_certificate`, by cases where that is further than ``gap`` above the rings found."""
    made = slot_certificate(cluster, slot, progress)
    view = snapshot(cluster, slot, progress)
    rings, _ = column_rings(view, gap)
    bound = float(Fraction(made.bound))
    if closed(view.pair_gains, worth(view, rings), bound, gap * bound):
        return made
    cases = tree_certificate(view, rings, gap)
    return min(made, cases, key=lambda each: Fraction(each.bound))


def tree_certificate(view: SlotView, rings: Rings, gap: float) -> SlotTree:
    """Certificate of a slot by cases, from rings to begin with."""
    found = by_cases(view, rings, gap, generate_columns(view).prices)
    received = view.progress.astype(np.int64)
    return certify_slot_tree(view.cluster, view.slot, received, found.level, *found.written())
