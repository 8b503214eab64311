"""What an algorithm decides on an instance, without price or proof."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from farkas.adversary.gap import Decisions, Gap
from farkas.errors import FarkasError
from farkas.instances import Instance
from farkas.online.driver import Algorithm, Clairvoyant, algorithms, environments
from farkas.online.recording import plain
from farkas.tolerances import ROUNDING


def decide(
    algorithm: Algorithm,
    options: Mapping[str, Any],
    instance: Instance,
    seed: int,
    arrivals: Iterable[Any] | None = None,
) -> Decisions | None:
    """Let an algorithm decide; None where it has no answer.

    Parameters
    ----------
    options
        All of them, settled.
    seed
        Of the algorithm's draws.
    arrivals
        Those of the instance, where they have been made already.
    """
    policy, world = algorithm.make(**options), environments[instance.kind]
    decisions: Sequence[Any]
    try:
        if isinstance(policy, Clairvoyant):
            decisions = policy.decide(instance, seed)
        else:
            state, decisions = policy.start(world.known(instance), seed), []
            for arrival in world.arrivals(instance) if arrivals is None else arrivals:
                state, decision = policy.step(state, arrival)
                decisions.append(decision)
    except (FarkasError, ArithmeticError):
        return None
    return Decisions(
        algorithm=algorithm.name,
        kind=instance.kind,
        options=plain(dict(options)),
        decisions=plain(decisions),
    )


def decides_again(gap: Gap, instance: Instance) -> bool:
    """Whether the algorithm of a statement decides today as the statement says, within rounding.

    Parameters
    ----------
    gap
        Its algorithm and options are registered; `farkas.adversary.gap.prove_gap` refuses others.
    instance
        Of the statement.
    """
    algorithm = algorithms[gap.reached.algorithm]
    found = decide(algorithm, algorithm.settle(gap.reached.options), instance, gap.seed)
    if found is None:
        return False
    # as files hold them: tuples are lists there
    one, other = (
        _apart(msgspec.json.decode(msgspec.json.encode(each.decisions)))
        for each in (found, gap.reached)
    )
    if one[0] != other[0]:
        return False
    numbers, others = np.array(one[1]), np.array(other[1])
    largest = np.abs(others).max(initial=0.0)
    return bool((np.abs(numbers - others) <= ROUNDING * largest).all())


def _apart(plain: Any) -> tuple[Any, list[float]]:
    """Plain data with None for each float, and the floats."""
    if isinstance(plain, float):
        return None, [plain]
    if not isinstance(plain, dict | list):
        return [plain], []
    parts = [_apart(part) for part in (plain.values() if isinstance(plain, dict) else plain)]
    keys = list(plain) if isinstance(plain, dict) else None
    return (keys, [shape for shape, _ in parts]), [x for _, numbers in parts for x in numbers]
