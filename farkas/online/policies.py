"""What a policy may be: protocols that `farkas.online.driver` asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from farkas.online.driver import Outcome
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
