"""Baselines mlbroker.oasis and mlbroker.one_shot: the best integers for one slot."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from farkas.models.mlbroker.one_shot import OneShot, Snapshot, placement
from farkas.online.driver import algorithm
from farkas.online.mlbroker.environment import PlacedSlot
from farkas.online.mlbroker.rounded import Placing, Presence, placed

if TYPE_CHECKING:
    from farkas.solvers.subproblem import Subproblem, SubproblemAnswer


@dataclasses.dataclass(frozen=True)
class Solving(Placing):
    """Baseline that solves mlbroker.one_shot in every slot."""

    solver: str = ""
    gap: float = 0.0
    prices: Any = ""

    def model(self, state: Presence, arrivals: Snapshot) -> Subproblem | None:
        """State the program of the slot."""
        from farkas.solvers.subproblem import Subproblem  # here: for these alone

        if not arrivals.market.num_jobs:
            return None
        program, now = OneShot(prices=self.prices), self.now(state, arrivals)
        return Subproblem(program, now, placement, "one_site", {"gap": self.gap})

    def round(
        self,
        state: Presence,
        arrivals: Snapshot,
        answer: SubproblemAnswer | None,
        rng: np.random.Generator,
    ) -> tuple[Presence, PlacedSlot]:
        """Take the program's placement."""
        if answer is None:
            none = np.zeros(arrivals.deployed.shape, np.int64)
            return placed(arrivals, none, np.zeros(0, np.int64))
        return placed(arrivals, *answer.decisions)


@algorithm("mlbroker.one_shot", source="added: all jobs of a slot, with discounts")
@dataclasses.dataclass(frozen=True)
class Myopic(Solving):
    """All jobs of a slot placed optimally together, blind for the slots to come.

    Parameters
    ----------
    solver
        Integer solver; by default a tree over jobs at one site each, and HiGHS where that proves
        nothing.
    gap
        Relative gap at which a slot counts as solved.
    prices
        Form of the discount, "choice" or "single"; optima are the same, ties may differ.
    """

    prices: Literal["choice", "single"] = "choice"


@algorithm("mlbroker.oasis", source="mlBroker section 6.3, OASiS")
@dataclasses.dataclass(frozen=True)
class Oasis(Solving):
    """Every job placed optimally by itself at list prices; discounts come as a surprise.

    At list prices jobs do not meet, so that one program places all of a slot.

    Parameters
    ----------
    solver
        Integer solver; by default a closed form for jobs that are proved to be best at one site,
        and HiGHS for each of the others.
    gap
        Relative gap at which a program counts as solved.
    prices
        "list", or "single" for the same prices written with (8c) to (8e); ties may differ.
    """

    prices: Literal["list", "single"] = "list"

    def now(self, state: Presence, arrivals: Snapshot) -> Snapshot:
        """Return the slot with where its jobs were, without discounts."""
        now = super().now(state, arrivals)
        market = msgspec.structs.replace(now.market, discount_price=None, discount_threshold=None)
        return dataclasses.replace(now, market=market)
