"""Algorithm coded.expected."""

from __future__ import annotations

import dataclasses

from farkas.instances.coded import CodedComputing
from farkas.models.coded.plans import Allocation, shared_plan
from farkas.online.coded.owners import Planner
from farkas.online.driver import algorithm
from farkas.relaxations.coded.assignment_lp import shared_optimum


@algorithm("coded.expected", source="Coded section IV, solved as the linear program it is")
@dataclasses.dataclass(frozen=True)
class ExpectedSharing(Planner):
    """Shared workers, optimal for P3: the vertex of a linear program with the loads t/φ.

    The global optimum in milliseconds, where the paper runs successive convex approximation.  A
    vertex shares at most M − 1 workers.  Look at ``recoverable``: the surrogate does not see that a
    master may never finish when a shared worker chooses another (coded.surrogate_is_meaningful).
    """

    def plan(self, data: CodedComputing, seed: int) -> Allocation:
        """Solve the linear program; draws nothing."""
        found = shared_optimum(data)
        return shared_plan(data, found.share, found.time)
