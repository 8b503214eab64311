"""Claims about the printed ring constraints (7)-(9)."""

import numpy as np

from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.printed import OfflinePrinted
from farkas.proofs.claim import Verdict, claim, refuted
from farkas.proofs.gadget.small import shipped
from farkas.proofs.stated import Stated
from farkas.proofs.trials import optimum
from farkas.search_tolerances import SOLVER_GAP


def printed_optimum(name: str, degree: str) -> float:
    """Optimum of the printed program on a shipped instance."""
    return optimum(OfflinePrinted(degree=degree).form(shipped(name)))


@claim("gadget.degree_two_admits_rings", source="GADGET (9)")
def degree_two_admits_rings() -> Verdict:
    """(9) admits every ring: two servers joined by one path can carry a ring of two.

    Their degree is one, so the printed program forbids what fits.
    """
    printed = printed_optimum("two_ring_star", "own_servers")
    best = offline_optimum(FeasibleCounts.of(shipped("two_ring_star")))[0]
    return refuted(
        "gadget/two_ring_star",
        Stated(printed, ">=", best, SOLVER_GAP),
        "printed slots run one worker each",
        printed=printed,
        optimum=best,
    )


@claim("gadget.degree_two_means_one_ring", source="GADGET (9), text below it")
def degree_two_means_one_ring() -> Verdict:
    """(9) guarantees one big cycle instead of several small ones."""
    printed = printed_optimum("two_triangles", "own_servers")
    best = optimum(Gvne().form(shipped("two_triangles")))
    return refuted(
        "gadget/two_triangles",
        Stated(printed, "<=", best, SOLVER_GAP),
        "six workers on two separate triangles have degree two everywhere",
        printed=printed,
        optimum=best,
    )


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
