"""Children of this machine, or the workers of a dask scheduler, perform tasks."""

from __future__ import annotations

import math
import os
import threading
import time

import pytest

from farkas.errors import InvalidOption
from farkas.executor import AskedTask, Children, Dask, Executor, Shared
from farkas.executor.child import Child
from tests.executor.clusters import DaskCluster
from tests.executor.works import Doubled, Sleeping


def test_nobody_performs_nothing():
    for workers in (0, -1, 1025, 10**9):
        with pytest.raises(InvalidOption, match="at least 1 and at most 1024"):
            Children(workers)


@pytest.mark.parametrize("address", ["nonsense", "tcp://host", ""])
def test_addresses_without_a_port_are_refused_at_once(address):
    with pytest.raises(InvalidOption, match="has no port; write tcp://host:8786"):
        Dask(address)


def test_children_perform_all_tasks_and_live_until_they_are_stopped():
    children = Children(2)
    shared = Shared.of("same")
    processes = set()
    for _ in range(2):
        tasks = ((k, AskedTask.of(Doubled, k, shared)) for k in range(9))
        found = {k: end.value() for k, end in children.perform(tasks, math.inf)}
        assert {k: two for k, (two, _, _) in found.items()} == {k: 2 * k for k in range(9)}
        processes |= {process for _, process, _ in found.values()}
    assert len(processes) <= 2
    children.stop()
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


class Enough(Exception):
    pass


def test_what_ends_the_work_kills_tasks_under_way_and_no_later_ones(tmp_path):
    children, mark = Children(2), tmp_path / "mark"
    mark.touch()

    def check() -> None:
        if len(mark.read_text().splitlines()) == 2:
            raise Enough

    asked = AskedTask.of(Sleeping, (str(mark), 3600.0))
    with pytest.raises(Enough):
        list(children.perform(((k, asked) for k in range(5)), math.inf, check))
    processes = [int(line) for line in mark.read_text().splitlines()]
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
    ((_, end),) = children.perform([("again", AskedTask.of(Doubled, 1))], math.inf)
    assert end.value()[0] == 2
    children.stop()


def test_who_leaves_while_a_child_starts_leaves_nobody_who_asks_it(tmp_path, monkeypatch):
    # the kill comes between the decision to start and the start
    children, mark, begun = Children(1), tmp_path / "mark", threading.Event()
    mark.touch()
    start = Child._start

    def late(child):
        begun.set()
        time.sleep(0.3)
        return start(child)

    def check() -> None:
        if begun.wait(60):
            raise Enough

    monkeypatch.setattr(Child, "_start", late)
    asked = AskedTask.of(Sleeping, (str(mark), 3600.0))
    with pytest.raises(Enough):
        list(children.perform([("slow", asked)], math.inf, check))
    monkeypatch.setattr(Child, "_start", start)
    assert not any(thread.is_alive() for thread in children._threads)
    ((_, end),) = children.perform([("again", AskedTask.of(Doubled, 1))], math.inf)
    assert end.value()[0] == 2
    children.stop()


def test_an_interrupt_between_the_starts_of_threads_leaves_nobody_at_work(monkeypatch):
    class Interrupted(threading.Thread):
        started = 0

        def start(self):
            Interrupted.started += 1
            if Interrupted.started == 2:
                raise KeyboardInterrupt
            super().start()

    children = Children(2)
    with monkeypatch.context() as patch:
        patch.setattr("farkas.executor.performers.threading.Thread", Interrupted)
        tasks = ((k, AskedTask.of(Sleeping, (os.devnull, 3600.0))) for k in range(4))
        with pytest.raises(KeyboardInterrupt):
            next(children.perform(tasks, math.inf))
    assert not any(thread.is_alive() for thread in children._threads)
    children.stop()


def test_an_error_of_who_hands_out_tasks_is_raised():
    def tasks():
        yield 0, AskedTask.of(Doubled, 1)
        raise Enough

    children = Children(1)
    with pytest.raises(Enough):
        list(children.perform(tasks(), math.inf))
    children.stop()


@pytest.mark.slow
def test_dask_workers_answer_as_this_process_does(tmp_path):
    tasks = list(range(40))
    with DaskCluster(tmp_path) as address:
        with Executor(Dask(address)) as executor:
            assert executor.elsewhere
            found = executor.map(Doubled("all"), "all", tasks, [1e9] * len(tasks))
            assert [two for two, _, _ in found] == [2 * k for k in tasks]
            assert {shared for _, _, shared in found} == {"all"}
            assert os.getpid() not in {process for _, process, _ in found}
            with pytest.raises(Enough):
                executor.map(Doubled("all"), "all", tasks, [1e9] * len(tasks), raise_enough)
        with pytest.raises(InvalidOption):
            Executor.of(0, address)


def raise_enough() -> None:
    raise Enough
