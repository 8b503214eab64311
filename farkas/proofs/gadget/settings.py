"""Claims about the examples and the evaluation."""

from collections.abc import Iterator

import msgspec
import numpy as np

from farkas.instances.gadget import Cluster
from farkas.instances.generate.gadget import Published
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.portable import uniform
from farkas.proofs.claim import Verdict, claim, refuted
from farkas.proofs.gadget.small import random_clusters
from farkas.proofs.said import Among, Saying, said
from farkas.proofs.stated import Stated
from farkas.proofs.trials import refuted_by


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
