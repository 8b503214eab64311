"""Answers are those of a plain loop, whoever gives them and whatever happens to them."""

from __future__ import annotations

import concurrent.futures
import os
import signal

import pytest

from farkas import executor as module
from farkas.errors import InvalidInstance, InvalidOption, SolverUnavailable
from farkas.executor import LEAST_STEPS, MOST_WORKERS, Child, Executor, Workers
from tests.executor.clusters import DaskCluster
from tests.executor.works import (
    Counted,
    Doubled,
    Dying,
    Failing,
    Opened,
    chatty,
    doubled,
    nested,
    sleeping,
)

PATIENCE = 3600.0
"""Seconds that no call of these tests takes, whatever else the machine does."""
LONG = LEAST_STEPS


@pytest.fixture
def child():
    child = Child()
    yield child
    child.close()


def answers(executor, work, shared, tasks):
    return list(executor.each(work, shared, tasks, [LONG] * len(tasks)))


def gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_process_that_dies_within_a_call_is_told_with_its_signal_and_replaced(child):
    _, process = child.call(PATIENCE, doubled, 4).answer
    assert process != os.getpid()
    end = child.call(PATIENCE, os.kill, process, signal.SIGKILL)
    assert (end.status, end.error) == ("crashed", "ended by signal 9")
    eight, other = child.call(PATIENCE, doubled, 4).answer
    assert (eight, other != process) == (8, True)
    end = child.call(PATIENCE, os._exit, 3)
    assert (end.status, end.error) == ("crashed", "ended with status 3")


@pytest.mark.parametrize("size", [10, 10_000_000], ids=["small", "larger than any pipe holds"])
def test_a_call_that_does_not_end_is_killed_after_its_time(child, size):
    _, process = child.call(PATIENCE, doubled, 4).answer
    os.kill(process, signal.SIGSTOP)
    end = child.call(0.3, len, bytes(size))
    assert (end.status, end.error) == ("overlong", "stopped after 0.3 s")
    assert gone(process)
    assert child.call(PATIENCE, len, bytes(size)).answer == size


def test_an_error_is_told_in_words_and_the_process_lives_on(child):
    _, process = child.call(PATIENCE, doubled, 4).answer
    end = child.call(PATIENCE, int, "x\ny")
    assert (end.status, end.answer) == ("raised", None)
    assert end.error.startswith("ValueError: invalid literal")
    assert child.call(PATIENCE, doubled, 1).answer == (2, process)


def test_what_calls_print_is_no_answer_and_children_start_no_children(child):
    assert child.call(PATIENCE, chatty, 3_000_000).answer == bytes(3_000_000)
    assert child.call(PATIENCE, nested).answer is False


@pytest.mark.parametrize("path", ["", ":", ".", "same"])
def test_no_module_of_the_current_folder_is_executed(path, child, tmp_path, monkeypatch):
    for name in ("msgspec.py", "numpy.py", "socket.py", "sitecustomize.py", "farkas/__init__.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"open({str(tmp_path / 'executed')!r}, 'w')")
    known = [entry for entry in os.environ.get("PYTHONPATH", "").split(":") if entry]
    monkeypatch.setenv("PYTHONPATH", ":".join(known if path == "same" else [path, *known]))
    monkeypatch.chdir(tmp_path)
    assert child.call(PATIENCE, abs, -2).answer == 2
    assert not (tmp_path / "executed").exists()


class Enough(Exception):
    pass


def test_what_ends_the_work_kills_calls_under_way_and_no_later_ones(tmp_path):
    mark = tmp_path / "mark"
    mark.touch()

    def check() -> None:
        if len(mark.read_text().splitlines()) == 2:
            raise Enough

    def calls():
        yield 0, sleeping, (str(mark), PATIENCE)
        yield 1, sleeping, (str(mark), PATIENCE)
        raise Enough

    with Executor.of(2) as executor:
        slow = ((k, sleeping, (str(mark), PATIENCE)) for k in range(5))
        with pytest.raises(Enough):
            list(executor.ends(slow, PATIENCE, check))
        assert all(gone(int(line)) for line in mark.read_text().splitlines())
        with pytest.raises(Enough):  # whoever hands out calls may fail
            list(executor.ends(calls(), PATIENCE))
        ends = list(executor.ends(((k, doubled, (k,)) for k in range(9)), PATIENCE))
        assert sorted((k, end.answer[0]) for k, end in ends) == [(k, 2 * k) for k in range(9)]
        processes = {end.answer[1] for _, end in ends}
        assert len(processes) <= 2
    assert all(map(gone, processes))


@pytest.mark.parametrize("workers", [None, 1, 2, 3])
def test_answers_come_in_the_order_of_tasks(workers):
    tasks = list(range(20))
    steps = [LONG * (1 + (7 * k) % 5) for k in tasks]
    with Executor.of(workers) as executor:
        for shared in ("one", "two", "one"):
            found = list(executor.each(Doubled(shared), shared, tasks, steps))
            assert [(two, seen) for two, _, seen in found] == [(2 * k, shared) for k in tasks]
            assert (os.getpid() in {process for _, process, _ in found}) == (workers is None)
        assert (answers(executor, Doubled(0), 0, []), executor.remarks) == ([], [])


def test_short_work_stays_here():
    with Executor.of(2) as executor:
        found = executor.each(Doubled(0), 0, [1, 2], [LONG / 3, LONG / 3])
        assert {process for _, process, _ in found} == {os.getpid()}


def test_the_longest_tasks_come_first_in_pieces_of_about_the_same_length():
    steps = [LONG * (1 + k % 97) for k in range(1000)]
    with Executor.of(2) as executor:
        pieces = [piece for piece, *_ in executor._pieces(Doubled, 0, range(1000), steps)]
        few = [piece for piece, *_ in executor._pieces(Doubled, 0, range(3), steps[:3])]
    assert few == [[2], [1], [0]]
    assert len(pieces) == 2 * module.PIECES
    assert sorted(k for piece in pieces for k in piece) == list(range(1000))
    assert all(steps[piece[0]] == 97 * LONG for piece in pieces[:10])
    totals = [sum(steps[k] for k in piece) for piece in pieces]
    assert max(totals) < 1.2 * min(totals)


def test_what_is_shared_is_opened_once_for_many_tasks():
    with Executor.of(1) as executor:
        assert len(set(answers(executor, Opened(Counted()), Counted(), range(40)))) == 1


def test_what_a_dead_worker_was_to_do_is_done_here(tmp_path):
    mark = str(tmp_path / "mark")
    with Executor.of(2) as executor:
        for _ in range(2):  # others take its place
            assert answers(executor, Dying(mark), mark, range(50)) == [-k for k in range(50)]
        assert executor.remarks == ["a worker ended by signal 9; its tasks were performed here"]


def test_errors_of_workers_are_raised_here_with_their_type():
    with Executor.of(1) as executor, pytest.raises(InvalidInstance, match="7 is none"):
        answers(executor, Failing(None), None, [7])


def test_a_check_ends_the_work_before_the_next_task():
    asked = []

    def check():
        asked.append(1)
        if len(asked) == 3:
            raise Enough

    found = Executor().each(Doubled(0), 0, [1, 2, 3, 4], [1.0] * 4, check)
    assert [next(found)[0], next(found)[0]] == [2, 4]
    with pytest.raises(Enough):
        next(found)


def test_any_executor_hands_out_calls_until_it_is_shut_down():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        executor = Executor(pool)
        found = answers(executor, Doubled(0), 0, [1, 2])
        assert os.getpid() not in {process for _, process, _ in found}
    with pytest.raises(SolverUnavailable, match="takes no calls: cannot schedule"):
        answers(executor, Doubled(0), 0, [1, 2])


def test_impossible_numbers_and_addresses_are_refused_at_once():
    for workers in (0, -1, MOST_WORKERS + 1):
        with pytest.raises(InvalidOption, match="at least 1"):
            Executor.of(workers)
        with pytest.raises(InvalidOption, match="at least 1 and at most 1024"):
            Workers(workers)
    for address in ("nonsense", "tcp://host"):
        with pytest.raises(InvalidOption, match="has no port; write tcp://host:8786"):
            Executor.of(scheduler=address)


def raise_enough() -> None:
    raise Enough


@pytest.mark.slow
def test_dask_workers_answer_as_this_process_does(tmp_path):
    with DaskCluster(tmp_path) as address, Executor.of(scheduler=address) as executor:
        found = answers(executor, Doubled("all"), "all", range(40))
        assert [(two, shared) for two, _, shared in found] == [(2 * k, "all") for k in range(40)]
        assert os.getpid() not in {process for _, process, _ in found}
        with pytest.raises(Enough):
            list(executor.each(Doubled(0), 0, [1], [LONG], raise_enough))
