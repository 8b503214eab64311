"""Answers are those of a plain loop, whoever performs and whatever happens to them."""

from __future__ import annotations

import os

import pytest

from farkas.errors import InvalidInstance, InvalidOption
from farkas.executor import Children, Executor
from farkas.executor import spread as module
from tests.executor.works import Doubled, Dying, Failing

LONG = module.LEAST_STEPS


@pytest.fixture(params=[None, 1, 2, 3])
def executor(request):
    with Executor.of(request.param) as found:
        yield found


def test_answers_come_in_the_order_of_tasks(executor):
    tasks = list(range(20))
    steps = [LONG * (1 + (7 * k) % 5) for k in tasks]
    found = executor.map(Doubled("it"), "it", tasks, steps)
    assert [two for two, _, _ in found] == [2 * k for k in tasks]
    here = {process == os.getpid() for _, process, _ in found}
    assert here == {not executor.elsewhere}
    assert executor.map(Doubled("it"), "it", [], []) == []
    assert executor.remarks == []


def test_short_work_stays_here():
    with Executor.of(2) as executor:
        assert executor.elsewhere
        found = executor.map(Doubled(0), 0, [1, 2], [LONG / 3, LONG / 3])
        assert {process for _, process, _ in found} == {os.getpid()}
        found = executor.map(Doubled(0), 0, [1, 2], [LONG / 2, LONG / 2])
        assert os.getpid() not in {process for _, process, _ in found}


class Noted(Children):
    """Notes how many messages there were."""

    def perform(self, tasks, timeout, check=module.nothing):
        listed = list(tasks)
        self.messages = [about for about, _ in listed]
        return super().perform(listed, timeout, check)


def test_the_longest_tasks_come_first_and_short_ones_together():
    performer = Noted(2)
    with Executor(performer) as executor:
        steps = [1.0] * 1000 + [3 * LONG, 2 * LONG, *[LONG / 100] * 10]
        executor.map(Doubled(0), 0, list(range(len(steps))), steps)
    assert performer.messages[:2] == [[1000], [1001]]
    assert len(performer.messages) == 3, "the rest is less than a piece"
    assert sorted(k for message in performer.messages for k in message) == list(range(len(steps)))


def test_many_equal_tasks_are_some_pieces_for_each_worker():
    performer = Noted(2)
    with Executor(performer) as executor:
        executor.map(Doubled(0), 0, list(range(160)), [LONG] * 160)
    assert [len(message) for message in performer.messages] == [5] * (2 * module.PIECES)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_dead_worker_was_to_do_is_done_here(tmp_path, workers):
    mark = str(tmp_path / "mark")
    with Executor.of(workers) as executor:
        tasks = list(range(50))
        found = executor.map(Dying(mark), mark, tasks, [LONG] * 50)
        assert found == [-k for k in tasks]
        (words,) = executor.remarks
        assert words == "a worker ended by signal 9; its tasks were performed here"
        assert executor.map(Dying(mark), mark, tasks, [LONG] * 50) == found, "others take its place"


@pytest.mark.parametrize(
    ("task", "kind"), [("typed", InvalidInstance), ("plain", ValueError), ("left", SystemExit)]
)
def test_errors_keep_their_type(executor, task, kind):
    with pytest.raises(kind):
        executor.map(Failing(None), None, [task] * 3, [LONG] * 3)


def test_workers_are_given_what_is_shared_now():
    with Executor.of(1) as executor:
        for shared in ("one", "two", "two", "one"):
            found = executor.map(Doubled(shared), shared, [1], [LONG])
            assert [seen for _, _, seen in found] == [shared]


def test_a_check_ends_the_work_before_the_next_task():
    class Over(Exception):
        pass

    asked = []

    def check():
        asked.append(1)
        if len(asked) == 3:
            raise Over

    class Listed:
        kernels = ()

        def __init__(self, shared):
            self.done = []

        def __call__(self, task):
            self.done.append(task)

    work = Listed(None)
    with pytest.raises(Over):
        Executor().map(work, None, [1, 2, 3, 4], [1.0] * 4, check)
    assert work.done == [1, 2]


@pytest.mark.parametrize("workers", [0, -1])
def test_nobody_performs_nothing(workers):
    with pytest.raises(InvalidOption, match="at least 1"):
        Executor.of(workers)
