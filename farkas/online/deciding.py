"""A policy meets the arrivals: one after the other, or in one pass that decides alike."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from farkas.kernels import clock
from farkas.online.policies import AtOnce, Clairvoyant, Preparing

if TYPE_CHECKING:
    from farkas.online.driver import Environment

Progress = Callable[[int, int], None]  #: Called with the steps done and the number of steps.


@dataclasses.dataclass(frozen=True, slots=True)
class DecisionsMade:
    """What a policy did."""

    decisions: Sequence[Any]  #: One per arrival.
    state: Any  #: The last one; None where there were no steps.
    #: seconds, longest: time in all, and that of the longest step, by `clock`.
    seconds: float
    longest: float


def decide(
    policy: Any, world: Environment, instance: Any, seed: int, progress: Progress | None
) -> DecisionsMade:
    """Ask a policy for all its decisions.

    Parameters
    ----------
    policy
        `Policy` or `Clairvoyant`; may also be `AtOnce` or `Preparing`.
    world, instance, seed
        Who arrives, the instance, and the seed of every random draw.
    progress
        Called after every step.
    """
    if isinstance(policy, Preparing):
        policy.prepare(instance)
    begin = clock()
    if isinstance(policy, Clairvoyant):
        decisions = policy.decide(instance, seed)
        return DecisionsMade(decisions, None, clock() - begin, 0.0)
    if isinstance(policy, AtOnce):
        found = policy.at_once(instance, seed)
        if found is not None:
            return DecisionsMade(found, None, clock() - begin, 0.0)
    arrivals = world.arrivals(instance)
    begin, longest = clock(), 0.0
    state, decisions = policy.start(world.known(instance), seed), []
    for arrival in _reported(arrivals, progress):
        step_begin = clock()
        state, decision = policy.step(state, arrival)
        longest = max(longest, clock() - step_begin)
        decisions.append(decision)
    return DecisionsMade(decisions, state, clock() - begin, longest)


def _reported(arrivals: Sequence[Any], progress: Progress | None) -> Iterable[Any]:
    for done, arrival in enumerate(arrivals):
        yield arrival
        if progress is not None:
            progress(done + 1, len(arrivals))
