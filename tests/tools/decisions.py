"""What a policy decides about an instance: no bound, no replay."""

from __future__ import annotations

from typing import Any

from farkas.instances import Instance
from farkas.online import algorithms, environments


def decisions(name: str, instance: Instance, seed: int = 0, **options: Any) -> list[Any]:
    """Decisions of an algorithm, arrival by arrival."""
    world, policy = environments[instance.kind], algorithms[name].policy(**options)
    state, made = policy.start(world.known(instance), seed), []
    for arrival in world.arrivals(instance):
        state, decision = policy.step(state, arrival)
        made.append(decision)
    return made
