"""The slot loop of the baselines."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from farkas.instances import library
from farkas.online.eris.environment import (
    Award,
    Environment,
    Piece,
)
from farkas.online.eris.one_slot import SlotPolicy, System, workers_asked
from farkas.online.eris.slot_room import SlotPlacement, SlotRoom, Waiting
from tests.generators.eris import one_resource


def test_baselines_ask_for_workers_that_finish_in_eight_slots() -> None:
    job = library.load("eris/tiny").jobs[0]  # 3 chunks, E = 3, P = 4
    assert workers_asked(job) == 1
    big = dataclasses.replace(Waiting(0, job, np.array([40, 0])))
    assert big.slots_needed(2) == 15  # 40 · 3 / (4 · 2)


class Everything(SlotPolicy):
    """Runs every job with one worker at site 0; only worths above 5 count."""

    def run_slot(self, system: System, room: SlotRoom) -> Iterator[Piece | None]:
        for waiting in system.waiting:
            yield room.run(waiting, SlotPlacement(np.array([1, 0]), 0))

    def counts(self, waiting: Waiting, worth: float) -> bool:
        return worth > 5


def test_jobs_leave_when_their_last_chunk_is_processed() -> None:
    auction = one_resource(
        {"data": [2, 0], "utility": [9.0, 6.0, 1.0]},
        {"data": [2, 0], "utility": [9.0, 5.0, 1.0]},
        {"data": [0, 0], "utility": [3.0, 2.0, 1.0]},
    )
    policy, arrivals = Everything(), Environment().arrivals(auction)
    start = policy.start(auction, 0)
    first, decision = policy.step(start, arrivals[0])
    assert start.waiting == []
    # without data: served at once, whatever counts; the others need two slots
    assert decision.awards == (Award(2, True, 0, 0.0),)
    assert [w.left for w in first.waiting] == [1, 1]
    assert first.worths == [9.0, 9.0, 3.0]
    second, decision = policy.step(first, arrivals[1])
    assert [w.left for w in first.waiting] == [1, 1]
    assert second.waiting == []
    served, left = decision.awards
    assert (served.job, served.accepted, served.completed) == (0, True, 1)
    assert left == Award(1, False, None, 0.0)
    # the first of two pays nothing in either slot, the second 4**.5 - 1 in both
    assert served.payment == 0.0


def test_baselines_ask_for_one_worker_at_least() -> None:
    job = one_resource({"data": [9, 8], "epochs": 2, "worker_rate": 3}).jobs[0]
    assert workers_asked(job) == 2  # 34 passes, 24 by one worker in 8 slots
    assert workers_asked(one_resource({"data": [0, 0]}).jobs[0]) == 1
