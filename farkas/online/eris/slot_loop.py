"""The slot loop that the baselines share: who runs in a slot, what completes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from farkas.instances.eris import Auction, Job, workers_for
from farkas.online.eris.environment import Award, Piece, SlotArrivals, SlotDecision
from farkas.online.eris.slot_room import SlotRoom, Waiting

SLOTS_AIMED_AT = 8  #: A job asks for as many workers as finish it in this many slots.


@dataclasses.dataclass(slots=True, eq=False)
class System:
    """Jobs in the system in order of arrival, and the worths seen so far."""

    auction: Auction  #: The sites.
    waiting: list[Waiting] = dataclasses.field(default_factory=list)  #: Jobs that are not done.
    #: Utility on arrival of every job so far.
    worths: list[float] = dataclasses.field(default_factory=list)

    def copy(self) -> System:
        """Return an independent copy."""
        return System(self.auction, [w.copy() for w in self.waiting], list(self.worths))


def workers_asked(job: Job) -> int:
    """Workers that finish ``job`` in `SLOTS_AIMED_AT` slots: max(1, ⌈E D̄ / (8 P)⌉)."""
    return max(1, workers_for(sum(job.data), job.epochs, job.worker_rate * SLOTS_AIMED_AT))


class SlotPolicy:
    """Base of the baselines: subclasses say who runs in a slot, and how."""

    def start(self, known: Auction, seed: int) -> System:
        """Nobody is in the system yet."""
        return System(known)

    def run_slot(self, system: System, room: SlotRoom) -> Iterable[Piece | None]:
        """Run jobs of ``system`` in the slot, yielding what each runs."""
        raise NotImplementedError

    def welcome(self, system: System, waiting: Waiting) -> None:
        """Prepare a job that just arrived."""
        waiting.count = workers_asked(waiting.job)

    def counts(self, waiting: Waiting, worth: float) -> bool:
        """Whether a completed job counts as served."""
        return True

    def step(self, state: System, arrivals: SlotArrivals) -> tuple[System, SlotDecision]:
        """Let jobs in, run the slot, let completed jobs out."""
        state = state.copy()
        awards: list[Award] = []
        for index, job in arrivals.jobs:
            waiting = Waiting(index, job, np.array(job.data, dtype=np.int64))
            state.worths.append(job.utility[0])
            self.welcome(state, waiting)
            if waiting.left == 0:
                awards.append(Award(index, True, arrivals.slot, 0.0))
            else:
                state.waiting.append(waiting)
        room = SlotRoom(state.auction, arrivals.slot)
        pieces = [piece for piece in self.run_slot(state, room) if piece is not None]
        for waiting in state.waiting:
            if waiting.left == 0:
                worth = waiting.job.utility[arrivals.slot - waiting.job.arrival]
                served = self.counts(waiting, worth)
                done = arrivals.slot if served else None
                awards.append(Award(waiting.index, served, done, waiting.paid if served else 0.0))
        state.waiting = [waiting for waiting in state.waiting if waiting.left > 0]
        return state, SlotDecision(tuple(awards), tuple(pieces))
