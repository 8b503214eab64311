"""A climber of every kind: what its algorithms decide, and what their runs prove."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from farkas.offline.ladder import Ascent, Climber, Rung
from farkas.online.driver import Certifying, Clairvoyant, algorithms, environments
from farkas.online.run import Bound


def policies(*names: str) -> Climber:
    """Let algorithms decide in turn, with their default options and seed 0."""

    def climber(instance: Any, ascent: Ascent) -> Iterator[Rung]:
        for name in names:
            if ascent.over():
                return
            decisions, bound = decided(name, instance, certify=True)
            yield Rung(name, decisions, bound or environments[instance.kind].bound(instance))

    return climber


def decided(
    name: str, instance: Any, *, certify: bool = False
) -> tuple[Sequence[Any], Bound | None]:
    """Return what an algorithm decides; to certify, with the bound that it proves, if it does."""
    policy, world = algorithms[name].policy(), environments[instance.kind]
    decisions: Sequence[Any]
    state: Any = None
    if isinstance(policy, Clairvoyant):
        decisions = policy.decide(instance, 0)
    else:
        state, decisions = policy.start(world.known(instance), 0), []
        for arrival in world.arrivals(instance):
            state, decision = policy.step(state, arrival)
            decisions.append(decision)
    bound = None
    if certify and isinstance(policy, Certifying):
        bound = policy.certify(instance, state, decisions)
    return decisions, bound
