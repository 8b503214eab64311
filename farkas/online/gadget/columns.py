"""Slots by columns of rings: the engine's search with prices of servers and links, and proofs."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from farkas.decomposition.protocol import Fit
from farkas.decomposition.search import Search
from farkas.errors import NotApplicable
from farkas.forms import LinearForm
from farkas.instances.gadget import Cluster
from farkas.models.gadget.circulation import Circulation, connected_part
from farkas.models.gadget.column import ColumnIP, Columns
from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.rings import Rings, enumerate_rings
from farkas.models.gadget.slot import SlotView, snapshot
from farkas.numbers import Ints
from farkas.online.gadget.environment import Baseline, Decision, SchedulerState, as_rings
from farkas.online.gadget.fixed_rings import DominantResourceFairness, Fifo, LeastAttainedService
from farkas.online.gadget.plans import decisions_of
from farkas.registry import once
from farkas.relaxations.gadget.size_choice import SizedRings
from farkas.relaxations.gadget.slot_pricing import SlotPricing
from farkas.solvers.answer import Answer
from farkas.solvers.session import optimum_by_any
from farkas.solvers.subproblem import Subproblem, SubproblemAnswer, own_solver

MOST_COLUMNS = 8000  #: Largest integer program that is solved for an exact slot.


def slot_problem(slot: SlotView, fastest: str, gap: float) -> Subproblem:
    """Compact integer program of the slot; it has the optimum of GADGET (12)-(19)."""
    return Subproblem(Circulation(), slot, functools.partial(rings_of, slot), fastest, {"gap": gap})


@own_solver("gadget.circulation", "exact")
def exact(subproblem: Subproblem) -> SubproblemAnswer:
    """List the sizes that fit together, where they are few; see `exact_rings`."""
    slot: SlotView = subproblem.data
    rings = exact_rings(slot, list_counts(slot.cluster))
    value = float(Columns(slot, rings).gains.sum())
    return SubproblemAnswer(rings, value, value)


def exact_rings(slot: SlotView, feasible: FeasibleCounts | None) -> Rings:
    """Best rings of one slot.

    Where all feasible counts are known, ties within a share 1e-9 go to the lexicographically
    largest; otherwise a compact integer program decides.
    """
    if not len(slot.jobs):
        return Rings.none(slot.cluster)
    if feasible is None:
        return compact_rings(slot)
    return rings_of_counts(slot.cluster, feasible.best(slot)[1])


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
    """Best rings by the compact integer program, of so many columns at most."""
    form = slot_problem(slot, "", gap).formulation.form(slot)
    if form.num_columns > most:
        raise NotApplicable(
            f"an exact slot has {form.num_columns} variables, more than {most}; use gadget.columns"
        )
    return rings_of(slot, form, optimum_by_any(form, gap=gap))


def rings_of(slot: SlotView, form: LinearForm, answer: Answer) -> Rings:
    """Rings of a point of the slot's program."""
    workers = np.rint(form.values(answer.point, "workers")).astype(np.int64)
    uses = np.rint(form.values(answer.point, "uses")).astype(np.int64)
    runs = workers.sum(axis=1) > 0
    for place in np.flatnonzero(runs).tolist():
        uses[place] = connected_part(slot.cluster, workers[place], uses[place])
    return Rings(slot.jobs[runs], workers[runs].sum(axis=1), workers[runs], uses[runs])


#: What a slot is never worse than.
BASELINES: tuple[Baseline, ...] = (Fifo(), LeastAttainedService(), DominantResourceFairness())

#: Columns of a slot's integer program up to which it decides what the search leaves open.
FEW_COLUMNS = 1000


@own_solver("gadget.circulation", "columns")
def columns(subproblem: Subproblem) -> SubproblemAnswer:
    """Solve a slot within the gap that it is given; see `column_rings`."""
    slot: SlotView = subproblem.data
    rings, bound = column_rings(slot, float(subproblem.options["gap"]))
    return SubproblemAnswer(rings, worth(slot, rings), bound)


def column_rings(slot: SlotView, gap: float) -> tuple[Rings, float]:
    """Rings of one slot, within ``gap`` of an upper bound where that can be reached, and the bound.

    Begins with the placements of the baselines and is never worse than any of them.  Where one of
    them gives every job its best size, nothing is left to search.  Then sizes are chosen as if all
    servers were one; where rings of these leave more open than ``gap``, prices of servers and links
    decide.  Where the slot's integer program is small, it decides what these leave open.
    """
    placed: list[Rings] = []
    for rings in (baseline_rings(slot, baseline) for baseline in BASELINES):
        if all_at_best(slot, rings):
            return rings, worth(slot, rings)
        placed.append(rings)
    known = Rings.join(placed, slot.cluster)
    problem = SlotPricing(slot)
    plans, bound = SizedRings(problem).run(gap)
    placed.append(problem.rings(plans))
    best = max(placed, key=lambda rings: worth(slot, rings))
    if bound - worth(slot, best) <= gap * bound:
        return best, bound
    problem = SlotPricing(slot, known)
    search = Search(problem, gap, lambda: math.inf)
    for _ in search.run():
        pass
    placed.append(problem.rings(search.packing.plans))
    if not search.near:
        with contextlib.suppress(NotApplicable):
            placed.append(compact_rings(slot, gap, FEW_COLUMNS))
    return max(placed, key=lambda rings: worth(slot, rings)), min(search.bound, bound)


def all_at_best(slot: SlotView, rings: Rings) -> bool:
    """Whether every job has the size that gains most, or no ring where none gains.

    Then no rings are worth more, whatever fits: this is the bound of prices 0.
    """
    most = np.where(slot.allowed, slot.gains, 0.0).max(axis=1, initial=0.0)
    gained = np.zeros(len(slot.jobs))
    gained[slot.jobs.searchsorted(rings.job)] = Columns(slot, rings).gains
    return bool((gained >= most).all())


def worth(slot: SlotView, rings: Rings) -> float:
    """Sum of the gains of rings."""
    return float(Columns(slot, rings).gains.sum())


def baseline_rings(slot: SlotView, baseline: Baseline) -> Rings:
    """Rings that a baseline would run in the slot, those of allowed sizes."""
    jobs = np.arange(slot.cluster.num_jobs)
    seen = SchedulerState(slot.cluster, jobs, slot.progress, slot.slot)
    rings = as_rings(slot.cluster, baseline.fill(seen))
    if not len(rings):
        return rings
    place = np.minimum(slot.jobs.searchsorted(rings.job), len(slot.jobs) - 1)
    known = (slot.jobs[place] == rings.job) & (rings.size <= slot.allowed.shape[1])
    rings, place = rings.take(known), place[known]
    return rings.take(slot.allowed[place, rings.size - 1])


class SlotPlans(SlotPricing):
    """The only slot of a horizon: all jobs come in it, and it is the last."""

    def __init__(self, cluster: Cluster) -> None:
        last = cluster.horizon - 1
        super().__init__(snapshot(cluster, last), name="gadget.offline")
        self.offset = float(cluster.idle_reward.sum())

    def decisions(self, plans: Mapping[int, Fit]) -> Sequence[Decision]:
        """See `Pricing.decisions`."""
        cluster = self.slot.cluster
        before: Iterator[Rings] = (Rings.none(cluster) for _ in range(self.slot.slot))
        return decisions_of(cluster, [*before, self.rings(plans)])
