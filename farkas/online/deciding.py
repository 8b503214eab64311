"""A policy meets the arrivals: one after the other, or in one pass that decides alike."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from farkas.kernels import clock

if TYPE_CHECKING:
    from farkas.online.driver import Environment, Outcome
    from farkas.online.run import Bound


@runtime_checkable
class Policy(Protocol):
    """An online algorithm: state in, state out, and never a look at the future."""

    def start(self, known: Any, seed: int) -> Any:
        """Return the state before the first arrival; ``known`` is what is known in advance."""

    def step(self, state: Any, arrivals: Any) -> tuple[Any, Any]:
        """Return the next state and the decision about ``arrivals``."""


@runtime_checkable
class Clairvoyant(Protocol):
    """A baseline that sees the whole instance, for example the offline optimum."""

    def decide(self, instance: Any, seed: int) -> Sequence[Any]:
        """Return every decision, in the order of the environment's arrivals."""


@runtime_checkable
class AtOnce(Protocol):
    """A policy that can decide about all arrivals in one pass, as its steps would."""

    def at_once(self, instance: Any, seed: int) -> Sequence[Any] | None:
        """Return every decision; None where steps are to be taken, which is never wrong.

        Decisions that are kept as columns have a method ``plain`` that returns what a file holds.
        """


@runtime_checkable
class Preparing(Protocol):
    """A policy that has its kernels compiled, if the whole run is worth it, before clocks start."""

    def prepare(self, instance: Any) -> None:
        """Prepare kernels (see `farkas.kernels`) and nothing else."""


@runtime_checkable
class Priced(Protocol):
    """A policy whose decisions cost something else than the environment says (fractional ones)."""

    def evaluate(self, instance: Any, decisions: Sequence[Any]) -> Outcome:
        """Return the costs of the decisions."""


@runtime_checkable
class Certifying(Protocol):
    """A policy that can rebuild a dual point from its last state."""

    def certify(self, instance: Any, state: Any, decisions: Sequence[Any]) -> Bound | None:
        """Return a proved bound; ``state`` is None for a clairvoyant baseline."""


@runtime_checkable
class Remarking(Protocol):
    """A policy whose last state says something of the run that its decisions do not."""

    def remarks(self, state: Any) -> list[str]:
        """Return it in words, for the run's remarks."""


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
