"""What a policy decides about an instance: no bound, no replay."""

from __future__ import annotations

from typing import Any

import numpy as np

from farkas.instances import Instance
from farkas.online import algorithms, environments
from farkas.online.loop import take_step


def decisions(name: str, instance: Instance, seed: int = 0, **options: Any) -> list[Any]:
    """Decisions of an algorithm, arrival by arrival."""
    world, policy = environments[instance.kind], algorithms[name].policy(**options)
    state, made = policy.start(world.known(instance), seed), []
    rng = np.random.default_rng(seed)
    for arrival in world.arrivals(instance):
        state, decision, _ = take_step(policy, state, arrival, rng)
        made.append(decision)
    return made
