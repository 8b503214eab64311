"""Tiresias: least remaining work first, preemptive."""

import dataclasses
from collections.abc import Iterator

from farkas.online.driver import algorithm
from farkas.online.eris.environment import CertifiedRun, Piece
from farkas.online.eris.slot_loop import SlotPolicy, System
from farkas.online.eris.slot_room import SlotRoom, Waiting
from farkas.relaxations.eris.welfare_bound import Effort


@algorithm("eris.tiresias", source="Eris section VI-B, baseline Tiresias")
@dataclasses.dataclass(frozen=True)
class Tiresias(CertifiedRun, SlotPolicy):
    """Runs, in every slot anew, the jobs with least workers times remaining slots.

    A job gets all workers it asks for or none.  A completed job that is worth less than it would
    pay does not count, as published; what it used is lost.
    """

    effort: Effort = "aggregated"

    def run_slot(self, system: System, room: SlotRoom) -> Iterator[Piece | None]:
        """Place jobs in order of remaining work; those that do not fit wait."""

        def work(waiting: Waiting) -> tuple[int, int]:
            return waiting.count * waiting.slots_needed(waiting.count), waiting.index

        for waiting in sorted(system.waiting, key=work):
            placement = room.place(waiting, waiting.count)
            if placement is not None:
                yield room.run(waiting, placement)

    def counts(self, waiting: Waiting, worth: float) -> bool:
        """Leave out jobs with a negative payoff."""
        return worth >= waiting.paid
