"""Whether a schedule's workers and moves can process all data."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances import library
from farkas.online.eris.environment import executable
from tests.generators.eris import one_resource


def test_flow_audit_counts_chunks_over_all_slots() -> None:
    # one chunk at each of two sites; site 0 works in both slots, nothing moves: site 1 is left out
    job = library.load("eris/one_chunk_twice").jobs[0]
    assert not executable(job, np.array([[1, 0], [1, 0]]), np.array([0, 0]))
    assert executable(job, np.array([[1, 0], [1, 0]]), np.array([0, 1]))
    assert executable(job, np.array([[1, 1]]), np.array([0]))
    assert not executable(job, np.zeros((1, 2), int), np.array([9]))


def test_workers_make_whole_chunks_of_their_passes() -> None:
    # two workers make 2 · 3 passes, one chunk of 4 and no second
    job = one_resource({"data": [1, 0], "epochs": 4, "worker_rate": 3}).jobs[0]
    assert executable(job, np.array([[2, 0]]), np.array([0]))
    assert not executable(job, np.array([[1, 0]]), np.array([0]))
    two = one_resource({"data": [2, 0], "epochs": 4, "worker_rate": 3}).jobs[0]
    assert not executable(two, np.array([[2, 0]]), np.array([0]))


def test_moves_of_a_slot_serve_that_slot_only() -> None:
    job = one_resource({"data": [1, 0]}).jobs[0]
    workers = np.array([[0, 0], [0, 1]])
    assert not executable(job, workers, np.array([1, 0]))
    assert executable(job, workers, np.array([0, 1]))


def test_jobs_beyond_the_numbers_of_the_flow_are_refused() -> None:
    job = one_resource({"data": [2**31, 0]}).jobs[0]
    with pytest.raises(OverflowError, match="2147483648 chunks"):
        executable(job, np.array([[1, 0]]), np.array([0]))
