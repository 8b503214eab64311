"""Sets, constants and slots that the programs of kind mlbroker share."""

import msgspec
import numpy as np

from farkas.algebra.declare import Declarations
from farkas.models.mlbroker.data import (
    busy_slots,
    declare_data,
    declare_sets,
    deployment_bound,
    of_busy_slots,
    valid_big_m,
)
from tests.generators.mlbroker import discounted, single


def test_constants_by_hand():
    # 3 and 2 workers: U = 1 + 3.  M = max(e, (a - b)(H - l)) = max(0.5, 0.5 (5 - 1))
    assert deployment_bound(discounted(), "printed") == 4
    assert valid_big_m(discounted(), "printed") == 2.0
    assert valid_big_m(discounted().replace(big_m=50.0), "printed") == 50.0


def test_an_idle_worker_under_strict_semantics_needs_larger_constants():
    # no data: 1 unit of the server as printed, one more of a worker that keeps the job there;
    # (a - b)(H - l) = 0.5 (1 - 0.5), then 0.5 (2 - 0.5)
    idle = single([[0.0]], discount_price=[[0.5]], discount_threshold=[[0.5]])
    assert (deployment_bound(idle, "printed"), deployment_bound(idle, "strict")) == (1, 2)
    assert (valid_big_m(idle, "printed"), valid_big_m(idle, "strict")) == (0.25, 0.75)


def later_job():
    """Jobs in slots 0-1 and 3 of 5."""
    data = single([[30.0, 0.0], [0.0, 12.0]], num_slots=5)
    late = msgspec.structs.replace(data.jobs[0], arrival=3, departure=3, data=((1.0, 1.0),))
    return data.replace(jobs=[data.jobs[0], late])


def test_slots_without_jobs_are_left_out():
    data = later_job()
    assert busy_slots(data).tolist() == [0, 1, 3]
    assert of_busy_slots(data, np.arange(5.0)[:, None]).tolist() == [[0], [1], [3]]
    assert busy_slots(data.replace(jobs=[])).tolist() == []


def test_pairs_are_first_or_later_and_known_by_slot():
    m = Declarations()
    declare_sets(m, later_job())
    declare_data(m, later_job(), "printed")
    assert m.job_slots.table.tolist() == [[0, 0], [0, 1], [1, 3]]
    assert m.first_slots.table.tolist() == [[0, 0], [1, 3]]
    assert m.later_slots.table.tolist() == [[0, 1]]
    assert (m.jobs_at.counts.tolist(), m.jobs_at.table[:, 0].tolist()) == ([1, 1, 1], [0, 0, 1])
    assert m.needed.values.tolist() == [3, 2, 1]
    assert m.volume.values.tolist() == [[30, 0], [0, 12], [1, 1]]
    assert m.rate.values.tolist() == [10, 10]
