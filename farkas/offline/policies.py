"""A climber of every kind: what its algorithms decide, and what their runs prove."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from farkas.offline.ladder import Ascent, Climber, Rung
from farkas.online.driver import Certifying, Clairvoyant, algorithms, environments


def policies(*names: str) -> Climber:
    """Let algorithms decide in turn, with their default options and seed 0."""

    def climber(instance: Any, ascent: Ascent) -> Iterator[Rung]:
        for name in names:
            ascent.deadline.check()
            yield _rung(name, instance)

    return climber


def _rung(name: str, instance: Any) -> Rung:
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
    if isinstance(policy, Certifying):
        bound = policy.certify(instance, state, decisions)
    return Rung(name, decisions, bound or world.bound(instance))
