"""Claims about the printed ring constraints (7)-(9)."""

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.printed import OfflinePrinted
from farkas.proofs.claim import Verdict, claim, refuted
from farkas.proofs.gadget.small import among, shipped
from farkas.proofs.said import Saying, said
from farkas.proofs.stated import Stated
from farkas.proofs.trials import optimum, refuted_by
from farkas.tolerances import SOLVER_GAP


def printed_optimum(cluster: Cluster, degree: str = "own_servers") -> float:
    """Optimum of the printed program."""
    return optimum(OfflinePrinted(degree=degree).form(cluster))


def _admitted(cluster: Cluster) -> Saying:
    printed = printed_optimum(cluster)
    best = offline_optimum(FeasibleCounts.of(cluster))[0]
    return said(Stated(printed, ">=", best, SOLVER_GAP), printed=printed, optimum=best)


@claim(
    "gadget.degree_two_admits_rings",
    source="GADGET (9)",
    says=_admitted,
    among=among(jobs=2, horizon=2),
)
def degree_two_admits_rings() -> Verdict:
    """(9) admits every ring: two servers joined by one path can carry a ring of two.

    Their degree is one, so the printed program forbids what fits.
    """
    return refuted_by(_admitted, "gadget/two_ring_star", "printed slots run one worker each")


def _one_ring(cluster: Cluster) -> Saying | None:
    """One slot, in which (9) admits no more than rings."""
    if cluster.horizon != 1:
        return None
    printed, best = printed_optimum(cluster), optimum(Gvne().form(cluster))
    return said(Stated(printed, "<=", best, SOLVER_GAP), printed=printed, optimum=best)


@claim(
    "gadget.degree_two_means_one_ring",
    source="GADGET (9), text below it",
    says=_one_ring,
    among=among(servers=6, jobs=1, horizon=1),
)
def degree_two_means_one_ring() -> Verdict:
    """(9) guarantees one big cycle instead of several small ones."""
    note = "six workers on two separate triangles have degree two everywhere"
    return refuted_by(_one_ring, "gadget/two_triangles", note)


@claim("gadget.path_capacities_bound_links", source="GADGET (8)")
def path_capacities_bound_links() -> Verdict:
    """(8), the capacity of each path, keeps all links within bandwidth."""
    cluster = shipped("shared_link")
    # job 0 on servers 0 and 1, job 1 on servers 2 and 1: paths 0-3-1 and 2-3-1
    shared = int(np.flatnonzero((cluster.link_source == 3) & (cluster.link_target == 1))[0])
    each, room = float(cluster.bandwidth[0]), float(cluster.link_bandwidth[shared])
    return refuted(
        "gadget/shared_link",
        Stated(2 * each, "<=", room),
        f"each path holds {each:g} of {room:g}; together they put {2 * each:g} on the link",
        given=Stated(each, "<=", room),
        path=each,
        link=2 * each,
        bandwidth=room,
    )
