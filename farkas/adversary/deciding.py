"""What an algorithm decides on an instance, without price or proof."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from farkas.adversary.gap import Decisions, Gap
from farkas.errors import FarkasError
from farkas.instances import Instance
from farkas.online.driver import Algorithm, Clairvoyant, algorithms, environments
from farkas.online.recording import plain


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
    """Whether the algorithm of a statement decides today as the statement says.

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
    both = (msgspec.json.encode(one.decisions) for one in (found, gap.reached))
    return next(both) == next(both)
