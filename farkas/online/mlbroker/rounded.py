"""Fractional decisions of every slot, rounded: dependently, or every number by itself."""

import dataclasses
from collections.abc import Sequence
from typing import Literal

import numpy as np

from farkas.instances.base import Nonnegative
from farkas.instances.mlbroker import Brokerage, Semantics
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


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class RoundedState:
    """State of the fractional algorithm, and the generator of the rounding."""

    fractional: FractionalState
    rng: np.random.Generator


@dataclasses.dataclass(frozen=True)
class Rounded(Policy):
    """Fractional algorithm whose decisions are rounded by slot; it never sees the rounding."""

    relax: Literal["tight", "printed"] = "tight"  #: As in mlbroker.fractional.
    semantics: Semantics = "printed"  #: As in mlbroker.fractional.
    epsilon: Nonnegative = 0.0  #: As in mlbroker.fractional.

    @property
    def fractional(self) -> Fractional:
        """Algorithm that is rounded."""
        return Fractional(self.relax, self.semantics, self.epsilon)

    def start(self, known: Known, seed: int) -> RoundedState:
        """Start both parts."""
        return RoundedState(self.fractional.start(known, seed), np.random.default_rng(seed))

    def step(self, state: RoundedState, arrivals: Snapshot) -> tuple[RoundedState, PlacedSlot]:
        """Decide fractionally, then round."""
        inner, decision = self.fractional.step(state.fractional, arrivals)
        rounded = self.whole(decision, arrivals.market, state.rng)
        return dataclasses.replace(state, fractional=inner), rounded

    def whole(
        self, decision: FractionalSlot, market: Brokerage, rng: np.random.Generator
    ) -> PlacedSlot:
        """Make the fractional decision of a slot integer."""
        raise NotImplementedError

    def certify(
        self, instance: Brokerage, state: RoundedState, decisions: Sequence[PlacedSlot]
    ) -> Bound:
        """Prove the bound of the fractional run or the tight one, whichever is higher.

        Both hold for integer runs of every semantics; with a single constant M the run's own is far
        below the tight one, which costs a small share of the run.
        """
        own = self.fractional.certify(instance, state.fractional, ())
        return max(own, tight_bound(instance), key=lambda bound: bound.fraction)


def clean(decision: FractionalSlot, market: Brokerage) -> tuple[Floats, Floats]:
    """Workers and server shares of a slot without solver noise, shape (jobs, sites) each."""
    workers = snap_workers(decision.workers, market.workers_needed)
    return workers.reshape(decision.workers.shape), snap(decision.server)


@algorithm("mlbroker.mlbroker", source="mlBroker Algorithms 1, 2 and 3")
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


@algorithm("mlbroker.ir", source="mlBroker section 6.2, IR")
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


@algorithm("mlbroker.gr", source="mlBroker section 6.2, GR")
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


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """Presence of every job that was active in the slot before, shape (sites,) each."""

    rng: np.random.Generator
    before: dict[int, Bools]


@dataclasses.dataclass(frozen=True)
class Placing(Policy):
    """Baseline that decides from one slot and the presence one slot before."""

    def start(self, known: Known, seed: int) -> Memory:
        """Nothing is deployed."""
        return Memory(np.random.default_rng(seed), {})

    def step(self, state: Memory, arrivals: Snapshot) -> tuple[Memory, PlacedSlot]:
        """Place the slot's jobs."""
        none = np.zeros(arrivals.market.num_sites, bool)
        before = [state.before.get(job, none) for job in arrivals.jobs.tolist()]
        deployed = np.reshape(before, (len(before), len(none))).astype(bool)
        now = dataclasses.replace(arrivals, deployed=deployed)
        workers, server = self.place(now, state)
        decision = PlacedSlot(arrivals.jobs, workers, server)
        after = dict(zip(arrivals.jobs.tolist(), present(decision), strict=True))
        return dataclasses.replace(state, before=after), decision

    def place(self, now: Snapshot, state: Memory) -> tuple[Ints, Ints]:
        """Workers, shape (jobs, sites), and server site, shape (jobs,)."""
        raise NotImplementedError
