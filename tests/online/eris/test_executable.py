"""Whether a schedule's workers and moves can process all data."""

from __future__ import annotations

import numpy as np

from farkas.instances import library
from farkas.instances.eris import Job
from farkas.online.eris.environment import Proposal, can_run
from tests.generators.eris import one_resource


def runs(job: Job, workers: list[list[int]], moved: list[int]) -> bool:
    placed = np.array(workers)
    server = np.where(placed.any(axis=1), placed.argmax(axis=1), -1)
    return can_run(job, Proposal(1.0, 0, 0.0, placed, server, np.array(moved)))


def test_chunks_are_counted_over_all_slots() -> None:
    # one chunk at each of two sites; site 0 works in both slots, nothing moves: site 1 is left out
    job = library.load("eris/one_chunk_twice").jobs[0]
    assert not runs(job, [[1, 0], [1, 0]], [0, 0])
    assert runs(job, [[1, 0], [1, 0]], [0, 1])
    assert runs(job, [[1, 1]], [0])
    assert not runs(job, [[0, 0]], [9])


def test_workers_make_whole_chunks_of_their_passes() -> None:
    # two workers make 2 · 3 passes, one chunk of 4 and no second
    job = one_resource({"data": [1, 0], "epochs": 4, "worker_rate": 3}).jobs[0]
    assert runs(job, [[2, 0]], [0])
    assert not runs(job, [[1, 0]], [0])
    two = one_resource({"data": [2, 0], "epochs": 4, "worker_rate": 3}).jobs[0]
    assert not runs(two, [[2, 0]], [0])


def test_moves_of_a_slot_serve_that_slot_only() -> None:
    job = one_resource({"data": [1, 0]}).jobs[0]
    workers = [[1, 0], [0, 1]]
    two = one_resource({"data": [2, 0]}).jobs[0]
    assert runs(job, [[0, 0], [0, 1]], [0, 1])
    assert not runs(two, workers, [1, 0])
    assert runs(two, workers, [0, 1])
