"""Exact slots: the best rings that fit together, with a fixed rule for ties."""

import functools

import numpy as np

from farkas.errors import NotApplicable
from farkas.forms import LinearForm
from farkas.instances.gadget import Cluster
from farkas.models.gadget.circulation import Circulation, connected_part
from farkas.models.gadget.column import ColumnIP, Columns
from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.forest import Forest, forest
from farkas.models.gadget.rings import Rings, enumerate_rings
from farkas.models.gadget.slot import SlotView
from farkas.models.gadget.tree import Tree
from farkas.numbers import Ints
from farkas.registry import once
from farkas.solvers.answer import Answer
from farkas.solvers.session import optimum_by_any
from farkas.solvers.subproblem import Subproblem, SubproblemAnswer, own_solver
from farkas.tolerances import ROUNDING

MOST_COLUMNS = 4000  #: Largest integer program that is solved for an exact slot.


def slot_problem(slot: SlotView, fastest: str, gap: float) -> Subproblem:
    """Smallest exact integer program of the slot; it has the optimum of GADGET (12)-(19)."""
    program = Circulation() if forest(slot.cluster) is None else Tree()
    return Subproblem(program, slot, functools.partial(rings_of, slot), fastest, {"gap": gap})


@own_solver("gadget.circulation", "exact")
@own_solver("gadget.tree", "exact")
def exact(subproblem: Subproblem) -> SubproblemAnswer:
    """List the sizes that fit together, where they are few; see `exact_rings`."""
    slot: SlotView = subproblem.data
    rings = exact_rings(slot, list_counts(slot.cluster))
    value = float(Columns(slot, rings).gains.sum())
    return SubproblemAnswer(rings, value, value)


def exact_rings(slot: SlotView, feasible: FeasibleCounts | None) -> Rings:
    """Best rings of one slot.

    Parameters
    ----------
    feasible
        All feasible counts of the cluster, if they could be listed: then ties within a share
        1e-9 go to the lexicographically largest counts.  Otherwise a compact integer program
        decides.
    """
    if not len(slot.jobs):
        return Rings.none(slot.cluster)
    if feasible is None:
        return compact_rings(slot)
    return rings_of_counts(slot.cluster, best_counts(slot, feasible))


def list_counts(cluster: Cluster) -> FeasibleCounts | None:
    """Feasible counts, or None when they are too many to list."""
    vectors = _vectors(cluster)
    return None if vectors is None else FeasibleCounts(cluster, vectors)


@once
def _vectors(cluster: Cluster) -> Ints | None:
    try:
        return FeasibleCounts.of(cluster, most=50_000).vectors
    except NotApplicable:
        return None


def best_counts(slot: SlotView, feasible: FeasibleCounts) -> Ints:
    """Lexicographically largest among the best counts, shape (jobs,)."""
    limit = np.zeros(slot.cluster.num_jobs, np.int64)
    limit[slot.jobs] = slot.largest
    vectors = feasible.within(limit)
    total = np.zeros(len(vectors))
    for place, job in enumerate(slot.jobs.tolist()):
        total += np.append(0.0, slot.gains[place])[vectors[:, job]]
    best = float(total.max())
    last: Ints = vectors[np.flatnonzero(total >= best - ROUNDING * abs(best))[-1]]
    return last


def rings_of_counts(cluster: Cluster, counts: Ints) -> Rings:
    """Rings of the given sizes that fit together, one per job with a positive count."""
    rings = enumerate_rings(cluster, counts)
    rings = rings.take(rings.size == counts[rings.job])
    if not len(rings):
        return rings
    jobs = np.flatnonzero(counts)
    gains = np.ones((len(jobs), int(counts.max())))
    slot = SlotView(cluster, 0, np.zeros(cluster.num_jobs), jobs, gains, gains > 0)
    answer = optimum_by_any(ColumnIP().form(Columns(slot, rings)), gap=0.0)
    return rings.take(answer.point > 0.5)


def compact_rings(slot: SlotView, gap: float = 0.0, most: int = MOST_COLUMNS) -> Rings:
    """Best rings by the smallest exact integer program of the network, of so many columns."""
    form = slot_problem(slot, "", gap).formulation.form(slot)
    if form.num_columns > most:
        raise NotApplicable(
            f"an exact slot has {form.num_columns} variables, more than {most}; use gadget.columns"
        )
    return rings_of(slot, form, optimum_by_any(form, gap=gap))


def rings_of(slot: SlotView, form: LinearForm, answer: Answer) -> Rings:
    """Rings of a point of the slot's program."""
    tree = forest(slot.cluster)
    workers = np.rint(form.values(answer.point, "workers")).astype(np.int64)
    runs = workers.sum(axis=1) > 0
    flow = np.zeros((len(slot.jobs), slot.cluster.num_links), np.int64)
    if tree is not None:
        _tree_flow(tree, workers, flow)
    else:
        uses = np.rint(form.values(answer.point, "uses")).astype(np.int64)
        for place in np.flatnonzero(runs).tolist():
            flow[place] = connected_part(slot.cluster, workers[place], uses[place])
    return Rings(slot.jobs[runs], workers[runs].sum(axis=1), workers[runs], flow[runs])


def _tree_flow(tree: Forest, workers: Ints, flow: Ints) -> None:
    for place, row in enumerate(workers):
        hosts = np.flatnonzero(row).tolist()
        if len(hosts) > 1:
            flow[place, tree.steiner_links(hosts)] = 1
