"""What algorithms that dedicate workers have in common."""

from collections.abc import Sequence
from typing import Any

from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs
from farkas.models.coded.plans import Allocation, dedicated_plan
from farkas.numbers import Floats, Ints
from farkas.online.coded.environment import certify
from farkas.online.run import Bound


class Planner:
    """One step, no state; the plan itself is certified along with the bound."""

    def start(self, known: None, seed: int) -> int:
        """Keep the seed."""
        return seed

    def step(self, state: Any, arrivals: CodedComputing) -> tuple[Any, Allocation]:
        """Plan for the whole instance."""
        return state, self.plan(arrivals, state)

    def plan(self, data: CodedComputing, seed: int) -> Allocation:
        """Return shares and loads."""
        raise NotImplementedError(f"{type(self).__name__} plans nothing")

    def certify(
        self, instance: CodedComputing, state: Any, decisions: Sequence[Allocation]
    ) -> Bound | None:
        """Prove the bound, and that the plan meets the surrogate."""
        return certify(instance, decisions[0])


class OwnerPlanner(Planner):
    """Chooses an owner of every worker; loads follow from Theorem 1."""

    def plan(self, data: CodedComputing, seed: int) -> Allocation:
        """Choose owners and load their workers."""
        return dedicated_plan(data, self.owner(Pairs.of(data).speed, seed))

    def owner(self, speed: Floats, seed: int) -> Ints:
        """Return the master of each worker, shape (workers,), −1 where idle."""
        raise NotImplementedError(f"{type(self).__name__} chooses no owners")
