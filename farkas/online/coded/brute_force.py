"""Algorithm coded.brute_force."""

from __future__ import annotations

import dataclasses
from typing import Literal

from farkas.numbers import Floats, Ints
from farkas.online.coded.exhaustive import best_owner, every_owner, meet_in_the_middle
from farkas.online.coded.owners import OwnerPlanner
from farkas.online.driver import algorithm


@algorithm("coded.brute_force", source="Coded section V, benchmark 3")
@dataclasses.dataclass(frozen=True)
class BruteForce(OwnerPlanner):
    """The best dedicated assignment, with the loads of Theorem 1.

    Parameters
    ----------
    method
        ``search``: branch and bound with prices of masters, and the solver's integer program where
        that takes too long; ``enumerate``: all M^N owners, at most 3 million; ``halves``: meet in
        the middle, two masters and at most 40 workers.
    """

    method: Literal["search", "enumerate", "halves"] = "search"

    def owner(self, speed: Floats, seed: int) -> Ints:
        """Choose by the method; draws nothing."""
        if self.method == "enumerate":
            return every_owner(speed)
        return best_owner(speed) if self.method == "search" else meet_in_the_middle(speed)
