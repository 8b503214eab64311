"""Slots by columns of rings: the engine's search with prices of servers and links, and proofs."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from farkas.decomposition.protocol import Fit
from farkas.decomposition.search import Search
from farkas.errors import NotApplicable
from farkas.instances.gadget import Cluster
from farkas.models.gadget.column import Columns
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import SlotView, snapshot
from farkas.online.gadget.environment import Baseline, Decision, Seen, as_rings
from farkas.online.gadget.exact import compact_rings
from farkas.online.gadget.fixed_rings import DominantResourceFairness, Fifo, LeastAttainedService
from farkas.online.gadget.plans import decisions_of
from farkas.relaxations.gadget.slot_pricing import SlotPricing
from farkas.solvers.subproblem import Subproblem, SubproblemAnswer, own_solver

#: What a slot is never worse than.
BASELINES: tuple[Baseline, ...] = (Fifo(), LeastAttainedService(), DominantResourceFairness())

#: Columns of a slot's integer program up to which it decides what the search leaves open.
FEW_COLUMNS = 500


@own_solver("gadget.circulation", "columns")
@own_solver("gadget.tree", "columns")
def columns(subproblem: Subproblem) -> SubproblemAnswer:
    """Solve a slot within the gap that it is given; see `column_rings`."""
    slot: SlotView = subproblem.data
    rings, bound = column_rings(slot, float(subproblem.options["gap"]))
    return SubproblemAnswer(rings, worth(slot, rings), bound)


def column_rings(slot: SlotView, gap: float) -> tuple[Rings, float]:
    """Rings of one slot, within ``gap`` of an upper bound where that can be reached.

    Begins with the placements of the baselines and is never worse than any of them.  Where one of
    them gives every job its best size, nothing is left to search.  Where the slot's integer program
    is small, it decides what is left open.

    Returns
    -------
    The rings, and a bound on the worth of all.
    """
    placed: list[Rings] = []
    for rings in (baseline_rings(slot, baseline) for baseline in BASELINES):
        if all_at_best(slot, rings):
            return rings, worth(slot, rings)
        placed.append(rings)
    problem = SlotPricing(slot, Rings.join(placed, slot.cluster))
    search = Search(problem, gap, lambda: math.inf)
    for _ in search.run():
        pass
    placed.append(problem.rings(search.packing.plans))
    if not search.near:
        with contextlib.suppress(NotApplicable):
            placed.append(compact_rings(slot, gap, FEW_COLUMNS))
    return max(placed, key=lambda rings: worth(slot, rings)), search.bound


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
    seen = Seen(slot.cluster, jobs, slot.progress, slot.slot)
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
