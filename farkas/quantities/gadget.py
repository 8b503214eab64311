"""Slots, schedules and relaxations of kind gadget, as named quantities."""

import functools

import numpy as np

from farkas.errors import NotApplicable
from farkas.instances.gadget import Cluster, Timing
from farkas.models.gadget.circulation import Circulation
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.models.gadget.offline import Offline
from farkas.models.gadget.slot import snapshot
from farkas.numbers import Floats, floats
from farkas.quantities.names import optimum, program_optimum
from farkas.quantities.quantity import quantity
from farkas.relaxations.gadget.embedding import fixed_sizes


@functools.lru_cache(maxsize=4)
def counts(instance: Cluster) -> FeasibleCounts:
    """Enumerate feasible ring sizes, remembered for the keys that share it."""
    return FeasibleCounts.of(instance)


def iteration_times(timing: Timing, most_workers: int) -> Floats:
    """Time of one iteration with 1..``most_workers`` workers, shape (most_workers,).  GADGET (1).

    d (w-1)/w (2/b + 1/G) + t_f M + t_b + γ: one worker has no ring to wait for.
    """
    workers = np.arange(1, most_workers + 1)
    exchange = timing.gradient_size * (workers - 1) / workers
    per_entry = 2.0 / timing.bandwidth + 1.0 / timing.compute_speed
    compute = timing.forward_time_per_sample * timing.batch_size + timing.backward_time
    return floats(exchange * per_entry + compute + timing.overhead)


@quantity("gadget.iteration_time")
def iteration_time(instance: Cluster) -> list[list[float]]:
    """List iteration times (1) for 1..N workers, of every job that states its timing."""
    timed = [(job.timing, job.max_workers) for job in instance.jobs if job.timing is not None]
    if not timed:
        raise NotApplicable("no job states its timing")
    return [iteration_times(timing, most).tolist() for timing, most in timed]


@quantity("gadget.efficiency_by_workers")
def efficiency_by_workers(instance: Cluster) -> list[list[float]]:
    """List ζ as (1) gives it: iterations a time for 1..N workers, of every job with a timing."""
    return [[1.0 / time for time in times] for times in iteration_time(instance)]


@quantity("gadget.{relaxation}_fixed", relaxation=("gvne_lp", "node_lp"))
def fixed_relaxation(instance: Cluster, relaxation: str) -> float | None:
    """Relaxation of (12)-(19), or that by node, at the largest sizes that fit alone."""
    return program_optimum(f"gadget.{relaxation}", fixed_sizes(instance))


@quantity("gadget.slot_counts")
def slot_counts(instance: Cluster) -> list[int]:
    """Lexicographically largest ring sizes among the best, one per job."""
    best = counts(instance).best(snapshot(instance))[1]
    return [int(size) for size in best]


@quantity("gadget.slot")
def slot(instance: Cluster) -> float:
    """Optimum of (10), (11): rewards of the active jobs after the slot."""
    idle = instance.idle_reward[instance.active(instance.at_slot)]
    return optimum(Circulation().form(instance)) + float(idle.sum())


@quantity("gadget.offline")
def offline(instance: Cluster) -> float:
    """Best total reward of all schedules."""
    try:
        return offline_optimum(counts(instance))[0]
    except NotApplicable:
        form = Offline().form(instance)
        if form.num_columns > 20_000:
            raise
        return optimum(form)
