"""Claims about the examples and the evaluation."""

from collections.abc import Iterator

import msgspec
import numpy as np

from farkas.instances.gadget import Cluster
from farkas.instances.generate.gadget import Published
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.printed import OfflinePrinted
from farkas.portable import uniform
from farkas.proofs.claim import Verdict, claim, refuted
from farkas.proofs.gadget.small import among, random_clusters, shipped
from farkas.proofs.said import Among, Saying, Stated, said
from farkas.proofs.trials import optimum, refuted_by
from farkas.tolerances import SOLVER_GAP


@claim("gadget.evaluated_budgets_bind", source="GADGET VI, (3) as specialised")
def evaluated_budgets_bind() -> Verdict:
    """Σ_t Σ_s y <= F limits a job, with F in [1000, 6000], N in [1, 5] and T = 200.

    y counts worker-slots and F iterations; a job has at most N T = 1000 worker-slots.
    """
    settings = Published()
    most, budget = settings.max_workers[1] * settings.horizon, settings.iterations[0]
    return refuted(
        {"T": settings.horizon, "N": settings.max_workers[1], "F": budget},
        Stated(budget, "<", most),
        "the smallest budget is the largest number of worker-slots",
        most_worker_slots=float(most),
        smallest_budget=float(budget),
    )


def _first_worker_slot(cluster: Cluster) -> Saying:
    """Of the first job."""
    received = offline_optimum(FeasibleCounts.of(cluster))[1]
    rewards = cluster.reward(0, np.arange(3))
    return said(
        Stated(float(rewards[1]), ">=", float(rewards[0])),
        given=[Stated(float(received[0]), "==", 0)],
        worker_slots=float(received[0]),
        reward_of_one=float(rewards[1]),
    )


def _examples() -> Iterator[Cluster]:
    """Clusters whose first job has the utility of example 2, with any factors."""
    rng = np.random.default_rng(0)
    for cluster in random_clusters(20, 1000, network="any", jobs=2):
        first, *others = msgspec.to_builtins(cluster.jobs)
        quadratic, linear = uniform(rng, 0.0, 1.0, 2).tolist()
        first["utility"] = {"kind": "quadratic_cost", "quadratic": quadratic, "linear": linear}
        yield cluster.replace(jobs=[first, *others])


@claim(
    "gadget.example_utilities_are_nondecreasing",
    source="GADGET IV-3, example 2 (energy)",
    says=_first_worker_slot,
    among=Among(samples=_examples),
)
def example_utilities_are_nondecreasing() -> Verdict:
    """The utilities of the examples are nondecreasing.

    The energy utility falls, and the best schedule idles the job.
    """
    return refuted_by(_first_worker_slot, "gadget/energy", "the job is never run")


@claim("gadget.logarithm_is_a_reward", source="GADGET IV-3, example 3 (logarithm)")
def logarithm_is_a_reward() -> Verdict:
    """μ = log(k) is finite for every schedule: it is -inf for a job that never runs."""
    with np.errstate(divide="ignore"):
        printed = float(np.log(0.0))
    note = "the reward of a job that never runs is -inf; log1p is used"
    return refuted({"progress": 0.0}, Stated(printed, ">", -np.inf), note)


@claim("gadget.fixed_rings_respect_sizes", source="GADGET VI-2, fixed workers in [1, 10]")
def fixed_rings_respect_sizes() -> Verdict:
    """The fixed ring sizes of FIFO and LAS obey (2).  N is at most 5, so they are capped."""
    settings = Published()
    drawn, most = settings.fixed_workers[1], settings.max_workers[1]
    return refuted(
        {"fixed_workers": list(settings.fixed_workers), "max_workers": list(settings.max_workers)},
        Stated(drawn, "<=", most),
        f"sizes up to {drawn} are drawn, rings have at most {most}",
        largest_fixed=float(drawn),
        largest_ring=float(most),
    )


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
