"""One slot's problem: who may run, with which sizes, worth what."""

import numpy as np
import pytest

from farkas.errors import InvalidOption
from farkas.instances import library
from farkas.models.gadget.slot import snapshot
from tests.generators.gadget import small, table


def test_envelope_gains_see_what_a_sigmoid_is_worth_later():
    cluster = library.load("gadget/late_sigmoid")
    printed = snapshot(cluster, 0).gains[0, 0]
    envelope = snapshot(cluster, 0, gains="envelope").gains[0, 0]
    assert printed < 1e-40
    # the chord from 0 to the seventh worker-slot, just past the bend at 6
    rewards = cluster.reward(0, np.arange(11))
    assert envelope == pytest.approx(max(rewards[m] / m for m in range(1, 11)))


def test_envelope_gains_know_the_slots_left():
    cluster = library.load("gadget/late_sigmoid")
    last = snapshot(cluster, 9, gains="envelope").gains[0, 0]
    assert last == pytest.approx(snapshot(cluster, 9).gains[0, 0])


def slot(progress=None):
    """Three GPUs; job 0 has not arrived, job 1 may run 2 workers, job 2 has a budget of 2."""
    jobs = {"arrival": 1}, {"max_workers": 2} | table(0, 1, 5, 6, 8), {"budget": [2.0]}
    return snapshot(small([3], (), *jobs, horizon=2), 0, progress)


def test_gains_are_differences_of_rewards_after_what_was_received():
    view = slot([0, 2, 1])
    assert view.jobs.tolist() == [1, 2]
    assert view.gains.tolist() == [[1, 3], [5, 10]]  # 6 - 5 and 8 - 5; 5 a worker
    assert view.allowed.tolist() == [[True, True], [True, False]]  # one worker-slot is left
    assert view.pairs.tolist() == [[1, 1], [1, 2], [2, 1]]
    assert view.pair_gains.tolist() == [1, 3, 5]
    assert view.largest.tolist() == [2, 1]
    assert (view.largest_size, view.cap.tolist()) == (2, [[2], [1]])
    assert view.value([9, 2, 1]) == 3 + 5
    assert view.value([9, 0, 1]) == 5


def test_a_job_without_budget_left_does_not_run():
    assert slot([0, 0, 2]).jobs.tolist() == [1]


def test_without_jobs_there_is_nothing_to_choose():
    done = snapshot(small([3], (), {"budget": [2.0]}), 0, [2])
    for view in (snapshot(small([3]).replace(jobs=[])), done):
        assert len(view.jobs) == 0
        assert view.gains.shape == view.allowed.shape == (0, 0)
        assert view.value(np.full(view.cluster.num_jobs, 9)) == 0.0


def test_fixing_a_size_forbids_the_others_and_zero_removes_the_job():
    assert slot().fixed([2, 0]).pairs.tolist() == [[1, 2]]
    assert slot().fixed([1, 2]).pairs.tolist() == [[1, 1], [2, 2]]
    assert slot().fixed([1, 3]).jobs.tolist() == [1]  # three workers were not allowed


def test_a_snapshot_of_a_snapshot_is_itself_and_unknown_gains_are_named():
    view = slot()
    assert snapshot(view) is view
    with pytest.raises(InvalidOption, match="did you mean envelope"):
        snapshot(view.cluster, gains="envelop")


def test_envelope_gains_count_no_more_worker_slots_than_the_job_can_still_get():
    # values 0, 0, 10: with two worker-slots to come the first is worth half of 10, with one nothing
    jobs = ({"max_workers": 1} | table(0, 0, 10),)
    cluster = small([1], (), *jobs, horizon=2)
    assert snapshot(cluster, 0, gains="envelope").gains.tolist() == [[5]]
    assert snapshot(cluster, 1, gains="envelope").gains.tolist() == [[0]]
    assert snapshot(cluster, 1, [1], gains="envelope").gains.tolist() == [[10]]


def test_envelope_gains_end_with_the_budget():
    # one of two worker-slots of the budget is left: 10, although 99 after four would bend it to 33
    jobs = ({"max_workers": 1, "budget": [2.0]} | table(0, 0, 10, 10, 99),)
    cluster = small([1], (), *jobs, horizon=5)
    assert snapshot(cluster, 1, [1], gains="envelope").gains.tolist() == [[10]]
