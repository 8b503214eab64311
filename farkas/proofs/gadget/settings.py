"""Claims about the examples and the evaluation."""

import numpy as np

from farkas.instances.generate.gadget import Published
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.proofs.claim import Verdict, claim, refuted
from farkas.proofs.gadget.small import shipped
from farkas.proofs.stated import Stated


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


@claim("gadget.example_utilities_are_nondecreasing", source="GADGET IV-3, example 2 (energy)")
def example_utilities_are_nondecreasing() -> Verdict:
    """The utilities of the examples are nondecreasing.

    The energy utility falls, and the best schedule idles the job.
    """
    cluster = shipped("energy")
    received = offline_optimum(FeasibleCounts.of(cluster))[1]
    rewards = cluster.reward(0, np.arange(3))
    return refuted(
        "gadget/energy",
        Stated(float(rewards[1]), ">=", float(rewards[0])),
        "the job is never run",
        given=Stated(float(received[0]), "==", 0),
        worker_slots=float(received[0]),
        reward_of_one=float(rewards[1]),
    )


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
