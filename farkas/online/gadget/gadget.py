"""Algorithms 1 and 2: greedy in time, every slot by LP-RS-MDE or by a program of its own.

GADGET V.  Algorithm 2 solves two programs in turn: the relaxation of (12)-(19), by which every job
gets one ring size, and the augmented relaxation at these sizes, which is decomposed and rounded.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np

from farkas.certificates.sums import scaled
from farkas.instances.base import Count, Nonnegative
from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import Gains, SlotView
from farkas.numbers import Floats, Ints, Rng
from farkas.online.driver import algorithm
from farkas.online.gadget.environment import (
    Arrival,
    Decision,
    Room,
    SchedulerState,
    as_rings,
    default_bound,
)
from farkas.online.policy import Increments, Policy
from farkas.rounding.rings import Mix, round_printed, round_repaired, violation_factor
from farkas.solvers.subproblem import Subproblem, SubproblemAnswer, solve_subproblem
from farkas.tolerances import SHARE

if TYPE_CHECKING:
    from farkas.forms import LinearForm
    from farkas.relaxations.gadget.mixture import Mixture
    from farkas.solvers.answer import Answer

SlotSolver = Literal["lp_rs_mde", "columns", "exact"]
Rounding = Literal["repair", "printed"]

#: Columns up to which the printed relaxation is solved; beyond, the node relaxation equals it.
SMALL_EMBEDDING = 200_000

ALPHA = 1 / 3  #: Share of the relaxation that a printed round has to reach.


@dataclasses.dataclass(frozen=True, eq=False)
class GadgetState(SchedulerState):
    """State between the programs of a slot."""

    chosen: SlotView | None = None  #: The slot at the selected sizes; None before their selection.


@algorithm("gadget.gadget", source="GADGET Algorithms 1, 2")
@dataclasses.dataclass(frozen=True)
class Gadget(Policy):
    """In every slot, run the rings that Algorithm 2 (LP-RS-MDE) finds.

    It selects sizes, decomposes the augmented relaxation, and rounds up to ``rounds`` times.
    Printed rounds break capacities, so the least that makes them executable is the default:
    ``rounding=repair`` drops what does not fit and keeps the best round.  ``printed`` rounds as
    the paper does, and returns the round of least violation where none qualifies, of which it
    says nothing.  Sizes that do not fit alone are dropped first, without which Theorem 8 is false.

    ``slots`` are ``lp_rs_mde``, or solve the slot's program as `gadget.columns` and
    `gadget.greedy_exact` do.  ``gains`` are the printed marginal rewards or slopes of concave
    envelopes, which see what a sigmoid is worth later.  ``fill`` then places jobs left over, in
    job order, as large as the baselines' heuristic can; never after Algorithm 2 unless asked.
    """

    slots: SlotSolver = "lp_rs_mde"
    gains: Gains = "printed"
    fill: bool | None = None
    rounding: Rounding = "repair"
    rounds: Count = 100
    gap: Nonnegative = 1e-3
    solver: str = ""

    def start(self, known: Cluster, seed: int) -> GadgetState:
        """Know nobody."""
        return GadgetState.start(known)

    def model(self, state: GadgetState, arrivals: tuple[Arrival, ...]) -> Subproblem | None:
        """State the slot's program, of Algorithm 2 the next one; none where nobody can run."""
        if state.chosen is not None:
            return embedding(state.chosen) if len(state.chosen.jobs) else None
        slot = state.meet(arrivals).now(self.gains)
        if self.slots == "lp_rs_mde":
            slot = only_lone(slot)
            return size_selection(slot) if len(slot.jobs) else None
        if not len(slot.jobs):
            return None
        from farkas.online.gadget.columns import slot_problem  # here: Algorithm 2 has its own

        return slot_problem(slot, self.slots, self.gap if self.slots == "columns" else 0.0)

    def round(
        self,
        state: GadgetState,
        arrivals: tuple[Arrival, ...],
        answer: SubproblemAnswer | None,
        rng: Rng,
    ) -> tuple[GadgetState, Decision | None]:
        """Keep the sizes for the second program, or run the rings."""
        seen = state.meet(arrivals)
        rings = Rings.none(seen.cluster)
        if self.slots == "lp_rs_mde" and answer is not None:
            if state.chosen is None:
                return dataclasses.replace(seen, chosen=answer.decisions), None
            rings = round_rings(state.chosen, answer, self.rounding, self.rounds, rng)
        elif answer is not None:
            rings = answer.decisions
        if self._fills:
            rings = filled(seen.now(self.gains), rings)
        after, decision = seen.run(rings)
        return dataclasses.replace(after, chosen=None), decision

    @property
    def _fills(self) -> bool:
        if self.fill is None:
            return self.slots != "lp_rs_mde" and self.gains == "printed"
        return self.fill

    def theorem(
        self, instance: Cluster, state: GadgetState, decisions: Sequence[Decision]
    ) -> Increments | None:
        """Theorem 6 of every slot's end: α/(1 + α) of what is proved so far is reached.

        Slots of Algorithm 2 have α = 1/(3Γ), Γ the most sizes of a ring (Theorem 10), others 1 but
        for their gap.  Concave rewards keep it; it is about printed gains.
        """
        if self.gains != "printed":
            return None
        bounds = default_bound(instance).so_far(instance)
        if bounds is None:
            return None
        alpha, name = 1 - Fraction(self.gap if self.slots == "columns" else 0), "GADGET Theorem 6"
        if self.slots == "lp_rs_mde":
            most = max((job.max_workers for job in instance.jobs), default=1)
            alpha, name = Fraction(1, 3 * most), "GADGET Theorem 10"
        left = [alpha / (1 + alpha) * bound for bound in bounds]
        return Increments(name, left, earned_so_far(instance, decisions))


@algorithm("gadget.columns", source="GADGET Algorithm 1, our slots")
def columns(
    gains: Gains = "printed",
    fill: bool | None = None,
    gap: Nonnegative = 1e-3,
    solver: str = "",
) -> Gadget:
    """Algorithm 1 whose slots are within ``gap`` of a bound, by prices and choices of rings.

    ``gains`` and ``fill`` as of `gadget.gadget`; with printed gains jobs left over are placed too
    unless ``fill`` says otherwise.  A general ``solver`` takes the slot's integer program.
    """
    return Gadget("columns", gains, fill, gap=gap, solver=solver)


@algorithm("gadget.greedy_exact", source="GADGET Algorithm 1 with exact slots")
def greedy_exact(solver: str = "") -> Gadget:
    """Algorithm 1 with exact slots, printed gains, and nothing filled in afterwards.

    Ties within 1e-9 go to the lexicographically largest ring sizes, unless a general ``solver``
    takes the slot's integer program.
    """
    return Gadget("exact", fill=False, solver=solver)


def only_lone(slot: SlotView) -> SlotView:
    """Keep the sizes that fit when their job is alone."""
    from farkas.models.gadget.base import lone_sizes

    sizes = np.arange(1, slot.allowed.shape[1] + 1)
    return slot.restrict(slot.allowed & (sizes[None, :] <= lone_sizes(slot)[:, None]))


def size_selection(slot: SlotView) -> Subproblem:
    """Program of line 3: the embedding relaxation, or its equal without ring edges if large."""
    from farkas.relaxations.gadget.embedding import GvneLP, NodeLP

    q = slot.allowed.sum(axis=1)
    edges = int((q * (q + 1) // 2).sum()) * (slot.cluster.num_nodes + slot.cluster.num_links)
    program = GvneLP() if edges <= SMALL_EMBEDDING else NodeLP()
    return Subproblem(program, slot, functools.partial(largest_terms, slot))


def largest_terms(slot: SlotView, form: LinearForm, answer: Answer) -> SlotView:
    """One size per job that the relaxation runs: largest gain x share, ties smallest."""
    share = np.zeros(slot.gains.shape)
    share[slot.allowed] = form.values(answer.point, "chosen")
    weight = np.where(slot.allowed & (share > SHARE), slot.gains * share, -np.inf)
    best = weight.argmax(axis=1)
    return slot.fixed(np.where(np.isfinite(weight.max(axis=1)), best + 1, 0))


def select_sizes(slot: SlotView) -> SlotView:
    """Solve the program of line 3; return the slot at the selected sizes."""
    if not len(slot.jobs):
        return slot
    chosen: SlotView = solve_subproblem(size_selection(slot)).decisions
    return chosen


def embedding(chosen: SlotView) -> Subproblem:
    """Program of lines 4 and 5, the augmented relaxation, and its decomposition of line 6."""
    from farkas.relaxations.gadget.embedding import AugmentedRelaxation
    from farkas.relaxations.gadget.mixture import decompose

    def read(form: LinearForm, answer: Answer) -> Mixture:
        return decompose(chosen, form, answer.point)

    return Subproblem(AugmentedRelaxation(), chosen, read)


def round_rings(
    chosen: SlotView, answer: SubproblemAnswer, rounding: Rounding, rounds: int, rng: Rng
) -> Rings:
    """Round the answer of `embedding`; lines 7 to 9."""
    mixture: Mixture = answer.decisions
    mix, factor = rounding_problem(chosen, mixture)
    if rounding == "printed":
        picked, _ = round_printed(mix, ALPHA * answer.value, factor, rounds, rng)
    else:
        picked = round_repaired(mix, mixture.rings.size, rounds, rng)
    return mixture.rings.take(picked)


def rounding_problem(slot: SlotView, mixture: Mixture) -> tuple[Mix, Floats]:
    """Collect loads and rooms of everything that can fill up, and the factors of Theorem 8."""
    from farkas.models.gadget.column import Columns

    cluster, rings = slot.cluster, mixture.rings
    nodes = np.isfinite(cluster.capacity) & cluster.is_server[:, None]
    links = np.isfinite(cluster.link_bandwidth)
    load = [rings.node_load(cluster)[:, nodes], rings.link_load(cluster)[:, links]]
    room = [cluster.capacity[nodes], cluster.link_bandwidth[links]]
    gain = Columns(slot, rings).gains
    mix = Mix(rings.job, mixture.share, gain, np.concatenate(load, axis=1), np.concatenate(room))
    beta = node_factors(cluster, slot.jobs, slot.largest)
    gamma = violation_factor(cluster.bandwidth[slot.jobs], slot.largest, room[1], cluster.num_links)
    resource = np.argwhere(nodes)[:, 1]
    return mix, np.concatenate([beta[resource], np.full(len(room[1]), gamma)])


def node_factors(cluster: Cluster, jobs: Ints, size: Ints) -> Floats:
    """β of every resource, shape (resources,)."""
    servers = int(cluster.is_server.sum())
    found = []
    for r in range(cluster.num_resources):
        room = cluster.capacity[cluster.is_server, r]
        demand = cluster.demand[jobs, r]
        found.append(violation_factor(demand, size, room[np.isfinite(room)], servers))
    return np.array(found)


def filled(slot: SlotView, rings: Rings) -> Rings:
    """Add rings for jobs without one, in job order, as large as the heuristic places.

    A gain of 0 is filled (a sigmoid far from its bend gains nothing that a double can show), a
    loss is not.
    """
    room = Room(slot.cluster)
    placed = room.hold(rings)
    for place, job in enumerate(slot.jobs.tolist()):
        if job in placed:
            continue
        for size in (np.flatnonzero(slot.allowed[place] & (slot.gains[place] >= 0)) + 1)[::-1]:
            ring = room.place(job, int(size))
            if ring is not None:
                placed[job] = ring
                break
    return as_rings(slot.cluster, placed)


def earned_so_far(cluster: Cluster, decisions: Sequence[Decision]) -> list[Fraction]:
    """Least that all jobs together have earned at the end of each slot, rounded down."""
    from farkas.certificates.enclosures import enclose
    from farkas.certificates.gadget import grid_of

    given = [0] * cluster.num_jobs
    worth = [enclose(job.utility, job.efficiency, 0)[0] for job in cluster.jobs]
    total, found = sum(worth, Fraction(0)), []
    for rings in decisions:
        for ring in rings:
            given[ring.job] += ring.size
            job = cluster.jobs[ring.job]
            now = enclose(job.utility, job.efficiency, given[ring.job])[0]
            total += now - worth[ring.job]
            worth[ring.job] = now
        found.append(total)
    # what a sigmoid earns far from its bend takes thousands of digits
    grid = grid_of(total)
    return [scaled(math.floor(each * scaled(1, grid)), -grid) for each in found]
