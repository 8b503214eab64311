"""Owners who meet in slots where most is missing, placed anew."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from farkas.decomposition.neighbours import Targets
from farkas.decomposition.packing import Packing
from farkas.decomposition.prices import Left
from farkas.decomposition.renewal import PLANS, renew
from farkas.numbers import Bools, Floats, Ints
from farkas.tolerances import FINE_GAP

WIDER = 1.5  #: How many times as many owners as meet in a slot come after each one in vain.
DISCOUNT = 3.0  #: Divisor of what a slot promises for each program in vain.
MOST_IDLE = 6  #: Programs in a row that gain nothing, after which others have their turn.


class ScarceSlots:
    """What was tried where.

    ``slots``: of each row.
    """

    def __init__(self, slots: Ints) -> None:
        many = int(slots.max(initial=-1)) + 1
        self.slots = slots
        self.wider: Ints = np.zeros(many, np.int64)
        """Programs around each slot since others last gained as much as is missing there."""
        self.value: Floats = np.zeros(many)
        """That was reached after the last of them."""
        self.closed: Bools = np.zeros(many, np.bool_)
        """Where all owners with plans were placed anew in vain."""

    def improve(
        self, packing: Packing, targeted: Callable[[], Targets], *, gap: float, left: Left
    ) -> None:
        """Renew owners where that promises most, until many programs in a row gain nothing."""
        idle = 0
        while idle < MOST_IDLE and left():
            targets = targeted()
            rows = targets.missing(packing, targets.losses(packing))
            missing = np.bincount(self.slots, rows, len(self.wider))
            again = packing.value - self.value > missing
            self.wider[again], self.closed[again] = 0, False
            self.value[again] = packing.value
            promise = np.where(self.closed, 0.0, missing * DISCOUNT ** -self.wider.astype(float))
            slot = int(promise.argmax()) if len(promise) else 0
            if not promise.any() or promise[slot] <= FINE_GAP * abs(targets.bound):
                return
            before, had = packing.value, len(packing.plans)
            owners = targets.in_slot(packing, slot, self.slots, WIDER ** self.wider[slot])
            everybody = had <= sum(owner in packing.plans for owner in owners)
            renew(packing, targets.prices, targets, owners, many=PLANS, gap=gap, left=left)
            gained = packing.value > before * (1.0 + FINE_GAP)
            self.wider[slot] += 1
            self.value[slot], self.closed[slot] = packing.value, everybody and not gained
            idle = 0 if gained else idle + 1
