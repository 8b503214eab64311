"""Guarantees of greedy slots."""

from collections.abc import Mapping
from typing import Any

from farkas.experiments.sweeps.guarantee import guarantee
from farkas.instances.gadget import Cluster
from farkas.instances.utilities.curvature import concave_in_reach, monotone_in_reach

SCHEDULES = ("gadget.drf", "gadget.fifo", "gadget.gadget", "gadget.greedy_exact", "gadget.las",
             "gadget.offline", "gadget.optimum")  # fmt: skip
"""Rewards that any of them reaches, the optimum reaches."""


@guarantee("gadget.greedy_exact", "printed", source="GADGET Theorem 6", witnesses=SCHEDULES,
           claim="gadget.greedy_ratio_without_concavity")  # fmt: skip
def as_printed(instance: Cluster, options: Mapping[str, Any]) -> float:
    """(1 + α) / α with α = 1: exact slots reach half of the optimum."""
    return 2.0


@guarantee("gadget.greedy_exact", "repaired", source="GADGET Theorem 6, with its assumptions",
           witnesses=SCHEDULES, claim="gadget.exact_greedy_is_half")  # fmt: skip
def concave_only(instance: Cluster, options: Mapping[str, Any]) -> float | None:
    """2 where every utility is concave, never falls, and is not negative."""
    fits = (
        concave_in_reach(instance, job)
        and monotone_in_reach(instance, job)
        and instance.reward(job, 0.0) >= 0
        for job in range(instance.num_jobs)
    )
    return 2.0 if all(fits) else None


@guarantee("gadget.gadget", "printed", source="GADGET Theorem 10", witnesses=SCHEDULES,
           claim="gadget.competitive_ratio")  # fmt: skip
def whole_algorithm(instance: Cluster, options: Mapping[str, Any]) -> float | None:
    """3 Γ + 1, Γ the most sizes of a job's ring, for slots by Algorithm 2 that all qualify."""
    if options.get("slots", "columns") != "lp_rs_mde" or not instance.jobs:
        return None
    return 3.0 * max(job.max_workers for job in instance.jobs) + 1
