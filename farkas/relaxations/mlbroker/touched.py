"""A slot with tangents of its entropy terms."""

from __future__ import annotations

import dataclasses

from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.models.mlbroker.slot import SlotProblem
from farkas.relaxations.mlbroker.tangents import Tangents


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Touched:
    """A slot problem with tangents of its entropy terms."""

    problem: SlotProblem
    tangents: Tangents

    @classmethod
    def of(
        cls, data: Brokerage | SlotProblem | Touched, semantics: Semantics = "printed"
    ) -> Touched:
        """Return ``data``, or the slot (the first busy one of an instance) with three tangents."""
        if isinstance(data, Touched):
            return data
        problem = SlotProblem.of(data, semantics)
        grows, epsilon = semantics == "printed", problem.market.epsilon
        tangents = Tangents.first(problem.before, problem.scale, epsilon, grows=grows, pieces=3)
        return cls(problem, tangents)
