"""AntMan: guaranteed jobs first, opportunistic ones on what is left."""

import dataclasses
from collections.abc import Iterator
from typing import Annotated

import msgspec
import numpy as np

from farkas.online.driver import algorithm
from farkas.online.eris.environment import CertifiedRun, Piece
from farkas.online.eris.one_slot import SLOTS_AIMED_AT, SlotPolicy, System, workers_asked
from farkas.online.eris.slot_room import SlotPlacement, SlotRoom, Waiting
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


Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


@algorithm("eris.liquid", source="Eris section VI-B, baseline Liquid")
@dataclasses.dataclass(frozen=True)
class Liquid(CertifiedRun, SlotPolicy):
    """Chooses workers once, places them once, and keeps the placement until the job is done.

    On its first attempt a job takes the number of workers, up to twice what it asks for, of least
    weight · (share of the transfer budget) + (1 - weight) · (slots needed / 8).  It waits until
    these fit; others may pass.
    """

    weight: Share = 0.5
    effort: Effort = "aggregated"

    def welcome(self, system: System, waiting: Waiting) -> None:
        """Leave the number of workers open."""
        waiting.count = 0

    def run_slot(self, system: System, room: SlotRoom) -> Iterator[Piece | None]:
        """Run placed jobs, then place those that fit."""
        for waiting in system.waiting:
            if waiting.placement is not None:
                yield room.run(waiting, waiting.placement)
        for waiting in system.waiting:
            if waiting.placement is None and waiting.left > 0:
                if waiting.count == 0:
                    self._choose(waiting, room)
                if waiting.count == 0:
                    continue
                waiting.placement = room.place(waiting, waiting.count)
                if waiting.placement is not None:
                    yield room.run(waiting, waiting.placement)

    def _choose(self, waiting: Waiting, room: SlotRoom) -> None:
        """Fix the number of workers; leave it open when not even one fits now."""
        best = float("inf")
        for count in range(1, 2 * workers_asked(waiting.job) + 1):
            placement = room.place(waiting, count)
            if placement is None:
                break
            score = self._score(waiting, placement, room, count)
            if score < best:
                best, waiting.count = score, count

    def _score(
        self, waiting: Waiting, placement: SlotPlacement, room: SlotRoom, count: int
    ) -> float:
        remote = count - int(placement.workers[placement.server])
        budget = room.auction.transfer_budget
        traffic = waiting.job.parameter_size * remote / budget if budget > 0 else float(remote)
        return (
            self.weight * traffic + (1 - self.weight) * waiting.slots_needed(count) / SLOTS_AIMED_AT
        )
