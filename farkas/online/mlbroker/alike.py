"""Several roundings of one fractional run: its slots are solved once."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from farkas.errors import InvalidOption
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.one_shot import Snapshot
from farkas.online.driver import algorithms
from farkas.online.loop import drive
from farkas.online.mlbroker.environment import PlacedSlot
from farkas.online.mlbroker.fractional import Fractional, FractionalSlot, FractionalState
from farkas.online.mlbroker.rounded import Rounded
from farkas.online.recording import plain
from farkas.online.run import Bound, Run


@dataclasses.dataclass(frozen=True)
class SolvedOnce(Fractional):
    """The fractional algorithm on one instance: who asks again gets the same steps and bound."""

    taken: dict[int, tuple[FractionalState, FractionalSlot]] = dataclasses.field(
        default_factory=dict
    )
    proved: list[Bound] = dataclasses.field(default_factory=list)

    def step(
        self, state: FractionalState, arrivals: Snapshot
    ) -> tuple[FractionalState, FractionalSlot]:
        """Solve the regularised slot, or return what came of it."""
        if arrivals.slot not in self.taken:
            self.taken[arrivals.slot] = super().step(state, arrivals)
        return self.taken[arrivals.slot]

    def certify(
        self, instance: Brokerage, state: FractionalState, decisions: Sequence[FractionalSlot]
    ) -> Bound:
        """Complete the multipliers once."""
        if not self.proved:
            self.proved.append(super().certify(instance, state, decisions))
        return self.proved[0]


@dataclasses.dataclass(frozen=True, kw_only=True)
class RoundedAgain(Rounded):
    """A rounding of decisions that others round, too."""

    rule: Rounded
    shared: SolvedOnce

    @property
    def fractional(self) -> Fractional:
        """The one that all of them round."""
        return self.shared

    def whole(
        self, decision: FractionalSlot, market: Brokerage, rng: np.random.Generator
    ) -> PlacedSlot:
        """Round as the rule does."""
        return self.rule.whole(decision, market, rng)


def run_alike(
    instance: Brokerage, chosen: Sequence[tuple[str, Mapping[str, Any]]], seed: int = 0
) -> list[Run]:
    """Run the fractional algorithm and roundings of it, each as if alone, on the same slots.

    No rounding is seen by the fractional algorithm, so all of them round the same decisions; only
    the timings of the runs tell that these were made once.

    Parameters
    ----------
    chosen
        Name and options of every algorithm.
    seed
        Of each run.

    Raises
    ------
    InvalidOption
        An algorithm that rounds nothing, or whose fractional decisions are not those of the first.
    """
    runs: list[Run] = []
    shared: SolvedOnce | None = None
    for name, options in chosen:
        settled = algorithms[name].settle(dict(options))
        policy = algorithms[name].make(**settled)
        inner = policy.fractional if isinstance(policy, Rounded) else policy
        if not isinstance(inner, Fractional):
            raise InvalidOption(f"{name} rounds no fractional decisions")
        variant = inner.relax, inner.semantics, inner.epsilon
        shared = shared or SolvedOnce(*variant)
        if variant != (shared.relax, shared.semantics, shared.epsilon):
            raise InvalidOption(f"{name} rounds other decisions than {chosen[0][0]}")
        again = RoundedAgain(rule=policy, shared=shared) if isinstance(policy, Rounded) else shared
        runs.append(drive(again, instance, seed, name=name, options=plain(settled)))
    return runs
