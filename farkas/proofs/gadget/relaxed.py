"""Claims about relaxations: the collapse, the order, duals without network prices."""

import itertools

from farkas.certificates import exact_bound
from farkas.duals.dualize import dualize
from farkas.duals.gadget.size_paths import network_free_multipliers
from farkas.instances.gadget import Cluster
from farkas.models.gadget.column import ColumnIP, ColumnLP
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.slot import snapshot
from farkas.proofs.claim import Verdict, claim
from farkas.proofs.gadget.small import among, random_clusters, shipped
from farkas.proofs.said import Saying, Stated, said
from farkas.proofs.trials import Trials, optimum, refuted_by
from farkas.relaxations.gadget.embedding import GvneLP, LocalNodeLP, NodeLP
from farkas.relaxations.gadget.generation import generate_columns, start
from farkas.relaxations.gadget.horizon import Augmented, fixed_sizes
from farkas.relaxations.gadget.offline_bound import OfflineBound, OfflineColumnBound
from farkas.tolerances import SIMPLEX, SOLVER_GAP


def _collapsed(cluster: Cluster) -> Saying:
    node = optimum(NodeLP().form(cluster))
    fixed, slot, form = fixed_sizes(cluster), snapshot(cluster), GvneLP().form(cluster)
    prices = network_free_multipliers(slot, form, start(slot)[0].node)
    pairs = [
        (optimum(form), node),
        (optimum(dualize(form).form), node),
        (float(exact_bound(form, prices)), node),
        (optimum(Augmented().form(fixed)), optimum(NodeLP().form(fixed))),
    ]
    return said(*(Stated(a, "==", b, SIMPLEX, node) for a, b in pairs))


@claim(
    "gadget.embedding_collapses",
    source="GADGET (12)-(19), ours",
    says=_collapsed,
    among=among(resources=2),
)
def embedding_collapses() -> Verdict:
    """The relaxation of (12)-(19) equals the node relaxation: it never sees bandwidth.

    Replace each worker's placement by the average over the ring: node loads stay, and (15) holds
    without any flow.  The augmented relaxation at fixed sizes and the dual agree, and prices of
    servers alone prove the value.
    """
    trials = Trials()
    for resources in (1, 2):
        for cluster in random_clusters(30, 30 + resources, network="any", resources=resources):
            trials.hear(cluster, _collapsed(cluster))
    return trials.verdict(largest_gap=-trials.slack)


def _ordered(cluster: Cluster) -> Saying:
    chain = [
        optimum(program.form(cluster))
        for program in (NodeLP(), LocalNodeLP(), ColumnLP(), ColumnIP())
    ]
    order = [Stated(a, ">=", b, SIMPLEX, chain[0]) for a, b in itertools.pairwise(chain)]
    last = Stated(chain[-1], "==", optimum(Gvne().form(cluster)), SIMPLEX, chain[0])
    return said(*order, last)


@claim("gadget.relaxations_are_ordered", source="GADGET V-C, ours", says=_ordered, among=among())
def relaxations_are_ordered() -> Verdict:
    """gvne_lp = node_lp >= local_node_lp >= column_lp >= column_ip = gvne."""
    trials = Trials()
    for cluster in random_clusters(40, 41, network="any", servers=3, jobs=3):
        trials.hear(cluster, _ordered(cluster))
    return trials.verdict()


def _decomposable(cluster: Cluster) -> Saying:
    relaxation, rings = optimum(GvneLP().form(cluster)), optimum(ColumnLP().form(cluster))
    return said(Stated(relaxation, "<=", rings, SOLVER_GAP), relaxation=relaxation, rings=rings)


@claim(
    "gadget.embedding_relaxation_is_decomposable",
    source="GADGET Algorithm 2, line 3",
    says=_decomposable,
    among=among(),
)
def embedding_relaxation_is_decomposable() -> Verdict:
    """A point of the relaxation of (12)-(19) is a mixture of feasible rings.

    On the one-way cycle two half rings run, and no ring fits.
    """
    cluster = shipped("six_cycle_half")
    note = (
        f"a ring needs bandwidth {cluster.bandwidth[0]:g} on links, which have "
        f"{cluster.link_bandwidth.max():g}"
    )
    return refuted_by(_decomposable, "gadget/six_cycle_half", note)


def _bounded(cluster: Cluster) -> Saying:
    best = offline_optimum(FeasibleCounts.of(cluster))[0]
    columns = optimum(OfflineColumnBound().form(cluster))
    merged = optimum(OfflineBound().form(cluster))
    return said(
        Stated(merged, ">=", columns, SIMPLEX), Stated(columns, ">=", best, SIMPLEX, size=merged)
    )


@claim(
    "gadget.horizon_bounds",
    source="GADGET (2)-(9), bounds (ours)",
    says=_bounded,
    among=among(concave=False),
)
def horizon_bounds() -> Verdict:
    """offline_bound >= offline_column_bound >= optimum, for any utility."""
    trials = Trials()
    for concave in (True, False):
        for cluster in random_clusters(30, 51, network="any", concave=concave):
            trials.hear(cluster, _bounded(cluster))
    return trials.verdict()


def _priced(cluster: Cluster) -> Saying:
    slot = snapshot(cluster)
    value = optimum(ColumnLP().form(slot))
    most = float(slot.gains.max(initial=0.0))  # what is far below one ring's gain is noise
    return said(Stated(generate_columns(slot).bound, "==", value, 2 * SOLVER_GAP, size=most))


@claim(
    "gadget.prices_prove_slots",
    source="GADGET (12), dual prices (ours)",
    says=_priced,
    among=among(servers=4, jobs=4),
)
def prices_need_no_network_multipliers() -> Verdict:
    """Prices of nodes and links alone prove the value of the relaxation over rings.

    Rings are priced exactly on any network, unless the search for a job's best ring runs out of
    labels: closed walks stand for its rings then, and the bound may lie above the value.
    """
    trials = Trials()
    for cluster in random_clusters(40, 61, network="any", servers=4, jobs=4):
        trials.hear(cluster, _priced(cluster))
    return trials.verdict(largest_gap=-trials.slack)
