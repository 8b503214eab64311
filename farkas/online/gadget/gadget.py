"""Algorithm 1: greedy in time.  GADGET V-B."""

import dataclasses
from collections.abc import Sequence
from typing import Literal

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import Gains, SlotView
from farkas.online.driver import algorithm
from farkas.online.gadget.bounds import run_bound
from farkas.online.gadget.columns import column_rings
from farkas.online.gadget.environment import Arrival, Decision
from farkas.online.gadget.exact import exact_rings, list_counts
from farkas.online.gadget.lp_rs_mde import Rounding, lp_rs_mde
from farkas.online.gadget.placement import PlacedRing, Room, as_rings
from farkas.online.gadget.seen import Seen
from farkas.online.policy import Policy
from farkas.online.run import Bound

SlotSolver = Literal["columns", "exact", "lp_rs_mde"]
PriceSource = Literal["horizon", "run"]


@dataclasses.dataclass(frozen=True, eq=False)
class GadgetState(Seen):
    """State with the feasible counts of the jobs seen, where exact slots list them."""

    feasible: FeasibleCounts | None = None


@algorithm("gadget.gadget", source="GADGET Algorithm 1")
@dataclasses.dataclass(frozen=True)
class Gadget(Policy):
    """In every slot, run the rings of largest marginal reward.

    ``slots`` solves the slot: ``columns`` (column generation and the best subset of its rings,
    within ``gap``), ``exact``, or ``lp_rs_mde`` (Algorithm 2 with ``rounding`` and ``rounds``).
    ``gains`` are the printed marginal rewards or slopes of concave envelopes, which see what a
    sigmoid is worth later.  ``fill`` then places jobs left over, in job order, as large as the
    baselines' heuristic can; by default with printed gains only.

    The run is certified by ``prices`` of the relaxed ``horizon``, or by those of the ``run``'s own
    slots, which prove no more but need no program of the horizon.
    """

    slots: SlotSolver = "columns"
    gains: Gains = "printed"
    fill: bool | None = None
    rounding: Rounding = "repair"
    rounds: int = 100
    gap: float = 1e-3
    prices: PriceSource = "horizon"

    def start(self, known: Cluster, seed: int) -> GadgetState:
        """Know nobody."""
        return GadgetState.start(known, seed)

    def step(
        self, state: GadgetState, arrivals: tuple[Arrival, ...]
    ) -> tuple[GadgetState, Decision]:
        """Solve the slot."""
        seen = state.meet(arrivals)
        feasible = state.feasible
        if self.slots == "exact" and (arrivals or state.slot == 0):
            feasible = list_counts(seen.cluster)
        slot = seen.now(self.gains)
        rings = self._solve(slot, feasible, state.rng)
        if self.fill if self.fill is not None else self.gains == "printed":
            rings = filled(slot, rings)
        after, decision = seen.run(rings)
        return dataclasses.replace(after, feasible=feasible), decision

    def certify(
        self, instance: Cluster, state: GadgetState, decisions: Sequence[Decision]
    ) -> Bound | None:
        """Prove a bound by the run's own prices, or leave it to the relaxed horizon."""
        return run_bound(instance, decisions) if self.prices == "run" else None

    def _solve(
        self, slot: SlotView, feasible: FeasibleCounts | None, rng: np.random.Generator
    ) -> Rings:
        if self.slots == "columns":
            return column_rings(slot, self.gap)[0]
        if self.slots == "exact":
            return exact_rings(slot, feasible)
        return lp_rs_mde(slot, self.rounding, self.rounds, rng).rings


@algorithm("gadget.greedy_exact", source="GADGET Algorithm 1 with exact slots")
def greedy_exact() -> Gadget:
    """Algorithm 1 with exact slots, printed gains, and nothing filled in afterwards.

    Ties within 1e-9 go to the lexicographically largest ring sizes.
    """
    return Gadget(slots="exact", gains="printed", fill=False)


@algorithm("gadget.lp_rs_mde", source="GADGET Algorithm 2")
def algorithm_2(
    rounding: Rounding = "repair", gains: Gains = "printed", rounds: int = 1000
) -> Gadget:
    """Algorithm 1 whose slots are those of Algorithm 2 (LP-RS-MDE), nothing filled in afterwards.

    Select sizes, decompose the augmented relaxation, round up to ``rounds`` times.  ``rounding``
    is ``printed``, which may break capacities, ``repair``, which drops what does not fit, or
    ``milp``, the best subset of the decomposition.
    """
    return Gadget(slots="lp_rs_mde", rounding=rounding, gains=gains, rounds=rounds, fill=False)


def filled(slot: SlotView, rings: Rings) -> Rings:
    """Add rings for jobs without one, in job order, as large as the heuristic places.

    A gain of 0 is filled (a sigmoid far from its bend gains nothing that a double can show), a
    loss is not.
    """
    cluster = slot.cluster
    room = Room(cluster)
    placed: dict[int, PlacedRing] = {}
    for place, job in enumerate(rings.job.tolist()):
        links = np.repeat(np.arange(cluster.num_links), rings.flow[place]).tolist()
        placed[job] = PlacedRing(rings.workers[place], links)
        room.free -= rings.workers[place][:, None] * cluster.demand[job]
        for link in links:
            room.residual[link] -= float(cluster.bandwidth[job])
    for place, job in enumerate(slot.jobs.tolist()):
        if job in placed:
            continue
        for size in (np.flatnonzero(slot.allowed[place] & (slot.gains[place] >= 0)) + 1)[::-1]:
            ring = room.place(job, int(size))
            if ring is not None:
                placed[job] = ring
                break
    return as_rings(cluster, placed)
