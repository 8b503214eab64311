"""What algorithms share that round the fractional decisions of every slot."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Literal

import numpy as np

from farkas.instances.base import Nonnegative
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.models.mlbroker.one_shot import Snapshot
from farkas.numbers import Floats
from farkas.online.mlbroker.environment import Known, PlacedSlot
from farkas.online.mlbroker.fractional import Fractional, FractionalSlot, FractionalState
from farkas.online.run import Bound
from farkas.rounding import snap, snap_workers


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class RoundedState:
    """State of the fractional algorithm, and the generator of the rounding."""

    fractional: FractionalState
    rng: np.random.Generator


@dataclasses.dataclass(frozen=True)
class Rounded:
    """Fractional algorithm whose decisions are rounded, slot by slot; it never sees the rounding.

    Parameters
    ----------
    relax, semantics, epsilon
        As in mlbroker.fractional.
    """

    relax: Literal["tight", "printed"] = "tight"
    semantics: Semantics = "printed"
    epsilon: Nonnegative = 0.0

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
        rounded = self.round(decision, arrivals.market, state.rng)
        return dataclasses.replace(state, fractional=inner), rounded

    def round(
        self, decision: FractionalSlot, market: Brokerage, rng: np.random.Generator
    ) -> PlacedSlot:
        """Make the fractional decision of a slot integer."""
        raise NotImplementedError

    def certify(
        self, instance: Brokerage, state: RoundedState, decisions: Sequence[PlacedSlot]
    ) -> Bound:
        """Prove the bound of the fractional run, which holds for integer runs all the more."""
        return self.fractional.certify(instance, state.fractional, ())


def clean(decision: FractionalSlot, market: Brokerage) -> tuple[Floats, Floats]:
    """Workers and server shares of a slot without solver noise, shape (jobs, sites) each."""
    workers = snap_workers(decision.workers, market.workers_needed)
    return workers.reshape(decision.workers.shape), snap(decision.server)
