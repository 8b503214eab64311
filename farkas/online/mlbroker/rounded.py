"""Fractional decisions of every slot, rounded: dependently, or every number by itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.one_shot import Snapshot
from farkas.numbers import Bools, Floats, Ints
from farkas.online.driver import algorithm
from farkas.online.mlbroker.bound import tight_bound
from farkas.online.mlbroker.environment import Known, PlacedSlot, present
from farkas.online.mlbroker.fractional import Fractional, FractionalSlot, FractionalState
from farkas.online.policy import Policy
from farkas.online.run import Bound
from farkas.rounding import (
    add_missing_workers,
    draw_servers,
    round_workers,
    snap,
    snap_workers,
)
from farkas.rounding.workers import Combine

if TYPE_CHECKING:
    from farkas.solvers.subproblem import SubproblemAnswer

TIGHT = {"tight": {"relax": "tight"}}  #: Variants of every algorithm that rounds.


@dataclasses.dataclass(frozen=True)
class Rounded(Fractional):
    """Fractional algorithm whose decisions are rounded by slot; it never sees the rounding."""

    def round(
        self,
        state: FractionalState,
        arrivals: Snapshot,
        answer: SubproblemAnswer | None,
        rng: np.random.Generator,
    ) -> tuple[FractionalState, PlacedSlot]:
        """Decide fractionally, then round."""
        state, decision = super().round(state, arrivals, answer, rng)
        return state, self.whole(decision, arrivals.market, rng)

    def whole(
        self, decision: FractionalSlot, market: Brokerage, rng: np.random.Generator
    ) -> PlacedSlot:
        """Make the fractional decision of a slot integer."""
        raise NotImplementedError

    def evaluate(self, instance: Brokerage, decisions: Sequence[Any]) -> None:
        """Whole decisions are worth what the environment says."""

    def theorem(self, instance: Brokerage, state: Any, decisions: Sequence[Any]) -> None:
        """Theorem 5 is about means over draws, not about a slot."""

    def certify(
        self, instance: Brokerage, state: FractionalState, decisions: Sequence[Any]
    ) -> Bound:
        """Prove the bound of the fractional run or the tight one, whichever is higher.

        Both hold for integer runs of every semantics; with a single constant M the run's own is far
        below the tight one, which costs a small share of the run.
        """
        own = super().certify(instance, state, ())
        return max(own, tight_bound(instance), key=lambda bound: bound.fraction)


def clean(decision: FractionalSlot, market: Brokerage) -> tuple[Floats, Floats]:
    """Workers and server shares of a slot without solver noise, shape (jobs, sites) each."""
    workers = snap_workers(decision.workers, market.workers_needed)
    return workers.reshape(decision.workers.shape), snap(decision.server)


@algorithm("mlbroker.mlbroker", source="mlBroker Algorithms 1, 2 and 3", variants=TIGHT)
@dataclasses.dataclass(frozen=True)
class MlBroker(Rounded):
    """Fractional decisions, rounded dependently so that all data are trained.

    Parameters
    ----------
    combine
        ``"max"`` is the paper's: the largest of a rounding per resource and one per job.
        ``"round2"`` takes the rounding per job alone, which is feasible already and cheaper.
    """

    combine: Combine = "max"

    def whole(
        self, decision: FractionalSlot, market: Brokerage, rng: np.random.Generator
    ) -> PlacedSlot:
        """Round workers by Algorithm 3 and draw one server a job."""
        workers, server = clean(decision, market)
        placed = round_workers(workers, market.worker_demand, rng, combine=self.combine)
        return PlacedSlot(decision.jobs, placed, draw_servers(server, rng))


@algorithm("mlbroker.ir", source="mlBroker section 6.2, IR", variants=TIGHT)
@dataclasses.dataclass(frozen=True)
class IndependentRounding(Rounded):
    """Workers rounded to the nearest integer, server drawn by its shares; too few are added to.

    The paper does not say what happens to a job left with too few workers.  Here the decision
    counts such jobs and repairs them where most data are untrained.
    """

    def whole(
        self, decision: FractionalSlot, market: Brokerage, rng: np.random.Generator
    ) -> PlacedSlot:
        """Round to the nearest, then repair."""
        workers, server = clean(decision, market)
        nearest = np.floor(workers + 0.5).astype(np.int64)
        short = nearest.sum(axis=1) < market.workers_needed
        for job in np.flatnonzero(short):
            nearest[job] = add_missing_workers(
                nearest[job],
                int(market.workers_needed[job]),
                market.volume[job],
                float(market.worker_capacity[job]),
            )
        return PlacedSlot(decision.jobs, nearest, draw_servers(server, rng), int(short.sum()))


@algorithm("mlbroker.gr", source="mlBroker section 6.2, GR", variants=TIGHT)
@dataclasses.dataclass(frozen=True)
class GreedyRounding(Rounded):
    """Workers rounded up, server where its share is largest, the first such site on ties."""

    def whole(
        self, decision: FractionalSlot, market: Brokerage, rng: np.random.Generator
    ) -> PlacedSlot:
        """Round up."""
        workers, server = clean(decision, market)
        return PlacedSlot(
            decision.jobs, np.ceil(workers).astype(np.int64), np.argmax(server, axis=1)
        )


Presence = dict[int, Bools]  #: Where each job was one slot before, shape (sites,) each.


@dataclasses.dataclass(frozen=True)
class Placing(Policy):
    """Baseline that decides from one slot and the presence one slot before."""

    def start(self, known: Known, seed: int) -> Presence:
        """Nothing is deployed."""
        return {}

    def now(self, state: Presence, arrivals: Snapshot) -> Snapshot:
        """Return the slot with where its jobs were."""
        none = np.zeros(arrivals.market.num_sites, bool)
        before = [state.get(job, none) for job in arrivals.jobs.tolist()]
        deployed = np.reshape(before, (len(before), len(none))).astype(bool)
        return dataclasses.replace(arrivals, deployed=deployed)

    def step(self, state: Presence, arrivals: Snapshot) -> tuple[Presence, PlacedSlot]:
        """Place the slot's jobs."""
        return placed(arrivals, *self.place(self.now(state, arrivals)))

    def place(self, now: Snapshot) -> tuple[Ints, Ints]:
        """Workers, shape (jobs, sites), and server site, shape (jobs,)."""
        raise NotImplementedError


def placed(arrivals: Snapshot, workers: Ints, server: Ints) -> tuple[Presence, PlacedSlot]:
    """Return where the jobs are after a slot, and the decision."""
    decision = PlacedSlot(arrivals.jobs, workers, server)
    return dict(zip(arrivals.jobs.tolist(), present(decision), strict=True)), decision
