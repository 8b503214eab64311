"""Programs, bounds and runs of kind gadget, as named quantities."""

from __future__ import annotations

import functools

import numpy as np

from farkas.errors import NotApplicable
from farkas.forms import LinearForm
from farkas.instances.gadget import Cluster, iteration_times
from farkas.models.gadget.circulation import Circulation
from farkas.models.gadget.column import ColumnIP, ColumnLP
from farkas.models.gadget.counts import FeasibleCounts, count_vectors, greedy, offline_optimum
from farkas.models.gadget.forest import forest
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.offline import Offline
from farkas.models.gadget.slot import SlotView, snapshot
from farkas.models.gadget.tree import Tree
from farkas.online.driver import algorithms, environments
from farkas.quantities.quantity import quantity
from farkas.relaxations.gadget.augmented import Augmented, fixed_sizes
from farkas.relaxations.gadget.embedding import GvneLP, LocalNodeLP, NodeLP
from farkas.relaxations.gadget.horizon import OfflineBound, OfflineColumnBound
from farkas.relaxations.gadget.workers import WorkerRelaxation
from farkas.solvers import solve
from farkas.solvers.via_cvxpy import solve_problem

MOST_VECTORS = 5000
"""Ring size vectors up to which the best slot is found by enumeration."""

SMALL_EMBEDDING = 1500
"""Columns up to which the embedding program itself is solved; beyond, its compact equals."""


def optimum(form: LinearForm) -> float:
    """Optimal value; integer programs are solved to a gap of 0."""
    answer = solve(form, gap=0.0) if form.is_mip else solve(form)
    return answer.require_optimal().objective


def compact(data: Cluster | SlotView) -> Tree | Circulation:
    """Pick the smallest exact program for the network."""
    slot = snapshot(data)
    return Tree() if forest(slot.cluster) is not None else Circulation()


@functools.lru_cache(maxsize=4)
def counts(instance: Cluster) -> FeasibleCounts:
    """Enumerate feasible ring sizes, remembered for the keys that share it."""
    return FeasibleCounts.of(instance)


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


@quantity("gadget.gvne_lp")
def gvne_lp(instance: Cluster) -> float:
    """Linear relaxation of (12)-(19)."""
    return optimum(GvneLP().form(instance))


@quantity("gadget.node_lp")
def node_lp(instance: Cluster) -> float:
    """Relax without ring edges; equal to it."""
    return optimum(NodeLP().form(instance))


@quantity("gadget.local_node_lp")
def local_node_lp(instance: Cluster) -> float:
    """Relax with what each node can hold of each ring."""
    return optimum(LocalNodeLP().form(instance))


@quantity("gadget.column_lp")
def column_lp(instance: Cluster) -> float:
    """Relaxation over all locally feasible rings."""
    return optimum(ColumnLP().form(instance))


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


@quantity("gadget.worker_relaxation")
def worker_relaxation(instance: Cluster) -> float:
    """Optimum of the concave relaxation over (2), (4), (11)."""
    problem = WorkerRelaxation().model(instance).problem
    return float(solve_problem(problem, tolerance=1e-7).require_optimal().objective)


@quantity("gadget.augmented")
def augmented(instance: Cluster) -> float:
    """Augmented relaxation at the largest sizes that fit alone."""
    return optimum(Augmented().form(instance))


@quantity("gadget.gvne_lp_fixed")
def gvne_lp_fixed(instance: Cluster) -> float:
    """Relaxation of (12)-(19) at those sizes."""
    return optimum(GvneLP().form(fixed_sizes(instance)))


@quantity("gadget.node_lp_fixed")
def node_lp_fixed(instance: Cluster) -> float:
    """Node relaxation at those sizes."""
    return optimum(NodeLP().form(fixed_sizes(instance)))


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


@quantity("gadget.offline_bound")
def offline_bound(instance: Cluster) -> float:
    """Bound by merged slots and servers and concave envelopes."""
    return optimum(OfflineBound().form(instance))


@quantity("gadget.offline_column_bound")
def offline_column_bound(instance: Cluster) -> float:
    """Bound with fractions of rings, links included."""
    return optimum(OfflineColumnBound().form(instance))


def run_value(name: str, instance: Cluster) -> float:
    """Total reward of a deterministic algorithm; nothing is certified."""
    policy = algorithms[name].policy()
    market = environments[instance.kind]
    state = policy.start(market.known(instance), 0)
    decisions = []
    for arrivals in market.arrivals(instance):
        state, decision = policy.step(state, arrivals)
        decisions.append(decision)
    outcome = market.evaluate(instance, decisions)
    return float(outcome.total)


@quantity("gadget.fifo")
def fifo(instance: Cluster) -> float:
    """Total reward of first in, first out."""
    return run_value("gadget.fifo", instance)


@quantity("gadget.drf")
def drf(instance: Cluster) -> float:
    """Total reward of dominant resource fairness."""
    return run_value("gadget.drf", instance)


@quantity("gadget.las")
def las(instance: Cluster) -> float:
    """Total reward of least attained service."""
    return run_value("gadget.las", instance)
