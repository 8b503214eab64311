"""Whether a schedule's workers and moves can process all data."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.online.eris.executable import executable
from tests.generators.eris import one_resource


def test_workers_make_whole_chunks_of_their_passes() -> None:
    # two workers make 2 · 3 passes, one chunk of 4 and no second
    job = one_resource({"data": [1, 0], "epochs": 4, "worker_rate": 3}).jobs[0]
    assert executable(job, np.array([[2, 0]]), np.array([0]))
    assert not executable(job, np.array([[1, 0]]), np.array([0]))
    two = one_resource({"data": [2, 0], "epochs": 4, "worker_rate": 3}).jobs[0]
    assert not executable(two, np.array([[2, 0]]), np.array([0]))


def test_jobs_beyond_the_numbers_of_the_flow_are_refused() -> None:
    job = one_resource({"data": [2**31, 0]}).jobs[0]
    with pytest.raises(OverflowError, match="2147483648 chunks"):
        executable(job, np.array([[1, 0]]), np.array([0]))
