"""AntMan: guaranteed jobs first, opportunistic ones on what is left."""

import dataclasses
from collections.abc import Iterator

import numpy as np

from farkas.online.driver import algorithm
from farkas.online.eris.environment import CertifiedRun, Piece
from farkas.online.eris.slot_loop import SlotPolicy, System
from farkas.online.eris.slot_room import SlotRoom, Waiting
from farkas.relaxations.eris.welfare_bound import Effort

PATIENCE = 6  #: Slots after which a guaranteed job that still waits becomes opportunistic.


@algorithm("eris.antman", source="Eris section VI-B, baseline AntMan")
@dataclasses.dataclass(frozen=True)
class AntMan(CertifiedRun, SlotPolicy):
    """Runs guaranteed jobs first come, first served, and others on what they leave.

    A job is guaranteed when it is worth at least the median of all arrivals so far; it keeps its
    placement until it is done, and those behind it wait when it does not fit.  Opportunistic jobs,
    and guaranteed ones that waited long, get up to the workers they ask for, in every slot anew.
    """

    effort: Effort = "aggregated"

    def welcome(self, system: System, waiting: Waiting) -> None:
        """Say whether the job is guaranteed."""
        super().welcome(system, waiting)
        waiting.guaranteed = waiting.job.utility[0] >= float(np.median(system.worths))

    def run_slot(self, system: System, room: SlotRoom) -> Iterator[Piece | None]:
        """Run placed jobs, then place guaranteed ones, then opportunistic ones."""
        for waiting in system.waiting:
            if waiting.placement is not None:
                yield room.run(waiting, waiting.placement)
        for waiting in system.waiting:
            if waiting.placement is None and waiting.guaranteed:
                if room.slot - waiting.job.arrival > PATIENCE:
                    waiting.guaranteed = False
                    continue
                waiting.placement = room.place(waiting, waiting.count)
                if waiting.placement is None:
                    break
                yield room.run(waiting, waiting.placement)
        for waiting in system.waiting:
            if waiting.placement is None and not waiting.guaranteed and waiting.left > 0:
                placement = room.place(waiting, waiting.count, fewer=True)
                if placement is not None:
                    yield room.run(waiting, placement)
