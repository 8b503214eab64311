"""Programs, bounds and runs of kind gadget, as named quantities."""

import functools

import numpy as np

from farkas.errors import NotApplicable
from farkas.instances.gadget import Cluster, Timing
from farkas.models.gadget.circulation import Circulation
from farkas.models.gadget.column import ColumnIP
from farkas.models.gadget.counts import FeasibleCounts, count_vectors, greedy, offline_optimum
from farkas.models.gadget.forest import forest
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.offline import Offline
from farkas.models.gadget.slot import SlotView, snapshot
from farkas.models.gadget.tree import Tree
from farkas.numbers import Floats, floats
from farkas.online.driver import algorithms, environments
from farkas.online.gadget.hindsight import improved_schedule, reward_of
from farkas.quantities.optimum import list_optima, list_optimum, optimum
from farkas.quantities.quantity import quantity
from farkas.relaxations.gadget.augmented import fixed_sizes

MOST_VECTORS = 5000
"""Ring size vectors up to which the best slot is found by enumeration."""

SMALL_EMBEDDING = 1500
"""Columns up to which the embedding program itself is solved; beyond, its compact equals."""


list_optima(
    "gadget.augmented",
    "gadget.column_lp",
    "gadget.gvne_lp",
    "gadget.local_node_lp",
    "gadget.node_lp",
    "gadget.offline_bound",
    "gadget.offline_column_bound",
    "gadget.worker_relaxation",
)
list_optimum(
    "gadget.gvne_lp_fixed",
    "gadget.gvne_lp",
    fixed_sizes,
    "Relaxation of (12)-(19) at the largest sizes that fit alone.",
)
list_optimum(
    "gadget.node_lp_fixed", "gadget.node_lp", fixed_sizes, "Node relaxation at those sizes."
)


def compact(data: Cluster | SlotView) -> Tree | Circulation:
    """Pick the smallest exact program for the network."""
    slot = snapshot(data)
    return Tree() if forest(slot.cluster) is not None else Circulation()


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
    timed = [job for job in instance.jobs if job.timing is not None]
    if not timed:
        raise NotApplicable("no job states its timing")
    return [iteration_times(job.timing, job.max_workers).tolist() for job in timed if job.timing]


@quantity("gadget.gvne")
def gvne(instance: Cluster) -> float:
    """Optimum of (12)-(19) with marginal rewards, idle allowed."""
    form = Gvne().form(instance)
    if form.num_columns > SMALL_EMBEDDING:
        form = compact(instance).form(instance)
    return optimum(form)


@quantity("gadget.column_ip")
def column_ip(instance: Cluster) -> float:
    """Best set of locally feasible rings; equal to the embedding program."""
    try:
        form = ColumnIP().form(instance)
    except NotApplicable:  # too many rings to list
        form = compact(instance).form(instance)
    return optimum(form)


@quantity("gadget.slot_gain")
def slot_gain(instance: Cluster) -> float:
    """Best sum of marginal rewards over ring sizes that fit together."""
    if count_vectors(instance) > MOST_VECTORS:
        return optimum(compact(instance).form(instance))
    return counts(instance).best(instance.at_slot, np.zeros(instance.num_jobs))[0]


@quantity("gadget.slot_counts")
def slot_counts(instance: Cluster) -> list[int]:
    """Lexicographically largest ring sizes among the best, one per job."""
    best = counts(instance).best(instance.at_slot, np.zeros(instance.num_jobs))[1]
    return [int(size) for size in best]


@quantity("gadget.slot")
def slot(instance: Cluster) -> float:
    """Optimum of (10), (11): rewards of the active jobs after the slot."""
    active = instance.active(instance.at_slot)
    return float(slot_gain(instance)) + float(instance.idle_reward[active].sum())


@quantity("gadget.greedy_exact")
def greedy_exact(instance: Cluster) -> float:
    """Total reward of Algorithm 1 with exact slots."""
    return instance.total_reward(greedy(counts(instance)))


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


@quantity("gadget.offline_rounded")
def offline_rounded(instance: Cluster) -> float:
    """Total reward of a schedule that knows all jobs; at most that of the best schedule.

    Slots are solved again beside all others, to 0.1 % where that is reached.
    """
    return reward_of(instance, improved_schedule(instance))


@quantity("gadget.{rule}", rule=("fifo", "drf", "las"))
def rule_reward(instance: Cluster, rule: str) -> float:
    """Total reward of first in first out, dominant fairness, or least attained service.

    Nothing is certified.
    """
    policy, market = algorithms[f"gadget.{rule}"].policy(), environments[instance.kind]
    state = policy.start(market.known(instance), 0)
    decisions = []
    for arrivals in market.arrivals(instance):
        state, decision = policy.step(state, arrivals)
        decisions.append(decision)
    return float(market.evaluate(instance, decisions).total)
