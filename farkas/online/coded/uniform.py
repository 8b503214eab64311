"""Algorithm coded.uniform."""

from __future__ import annotations

import dataclasses

from farkas.instances.coded import CodedComputing
from farkas.models.coded.loads import blocks_owner
from farkas.models.coded.plans import Allocation, dedicated_plan
from farkas.online.coded.owners import Planner
from farkas.online.driver import algorithm


@algorithm("coded.uniform", source="Coded section V, benchmark 2")
@dataclasses.dataclass(frozen=True)
class Uniform(Planner):
    """Contiguous blocks of equal size, the first N mod M one larger, with Theorem 1's loads."""

    def plan(self, data: CodedComputing, seed: int) -> Allocation:
        """Split the workers; draws nothing."""
        return dedicated_plan(data, blocks_owner(data))
