"""A child process may die, freeze or be killed; the next task is performed all the same."""

from __future__ import annotations

import os
import pickle
import signal

import pytest

from farkas.errors import InvalidInstance, NoAnswer
from farkas.executor import AskedTask, Child, ChildEnded, Shared
from farkas.executor.child import portable
from tests.executor.works import Chatty, Counted, Doubled, Failing, Nested, Odd, Opened

PATIENCE = 3600.0
"""Seconds that no task of these tests takes, whatever else the machine does."""


@pytest.fixture
def child():
    child = Child()
    yield child
    child.stop()


def double(number: int) -> AskedTask:
    return AskedTask.of(Doubled, number)


def frozen(child: Child) -> int:
    """Process id of a child that has done a task and now stands still, whatever it is given."""
    end = child.ask(double(4), PATIENCE)
    assert end.status == "done"
    eight, process, _ = end.value()
    assert (eight, process) != (8, os.getpid())
    os.kill(process, signal.SIGSTOP)
    return process


def test_a_process_that_dies_in_the_middle_of_a_task_is_recorded_with_its_signal(
    child, monkeypatch
):
    process = frozen(child)
    wait = child._read

    def die_first(until: float) -> bytes:
        os.kill(process, signal.SIGKILL)  # the task is handed over, nothing has come back
        return wait(until)

    monkeypatch.setattr(child, "_read", die_first)
    end = child.ask(double(5), PATIENCE)
    monkeypatch.undo()
    assert end.status == "crashed"
    assert "signal 9" in end.error
    assert child.ask(double(5), PATIENCE).value()[0] == 10, "the next task has a new process"


@pytest.mark.parametrize("size", [10, 10_000_000], ids=["small", "larger than any pipe holds"])
def test_a_task_that_does_not_end_is_killed_after_its_time(child, size):
    process = frozen(child)
    end = child.ask(AskedTask.of(Doubled, bytes(size)), 0.3)
    assert (end.status, end.error) == ("overlong", "stopped after 0.3 s")
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert child.ask(double(6), PATIENCE).value()[0] == 12


class Meanwhile:
    """A process of which the asking thread is rid before whoever ends it has waited."""

    def __init__(self, child: Child) -> None:
        self.child, self.process = child, child._process

    def __getattr__(self, name: str) -> object:
        return getattr(self.process, name)

    def wait(self) -> int | None:
        self.child._process = self.process
        self.child.stop()
        return self.process.wait() if self.process is not None else None


def test_a_child_may_be_ended_while_another_thread_is_rid_of_its_process(child):
    process = frozen(child)
    child._process = Meanwhile(child)  # type: ignore[assignment]
    child.end()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


@pytest.mark.parametrize("for_good", [True, False])
def test_a_task_under_way_ends_with_its_process(child, monkeypatch, for_good):
    process = frozen(child)
    wait = child._read

    def end_first(until: float) -> bytes:
        child.end() if for_good else child.kill()  # as Ctrl-C does in the main thread
        return wait(until)

    monkeypatch.setattr(child, "_read", end_first)
    end = child.ask(double(7), PATIENCE)
    monkeypatch.undo()
    assert (end.status, "signal 9" in end.error) == ("crashed", True)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    if for_good:
        with pytest.raises(ChildEnded):
            child.ask(double(7), PATIENCE)
        assert child._process is None
    else:
        assert child.ask(double(7), PATIENCE).value()[0] == 14


@pytest.mark.parametrize("path", ["", ":", ".", "same"])
def test_no_module_of_the_current_folder_is_executed(path, child, tmp_path, monkeypatch):
    for name in (
        "msgspec.py",
        "numpy.py",
        "selectors.py",
        "sitecustomize.py",
        "farkas/__init__.py",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"open({str(tmp_path / 'executed')!r}, 'w')")
    known = [entry for entry in os.environ.get("PYTHONPATH", "").split(":") if entry]
    monkeypatch.setenv(
        "PYTHONPATH", ":".join([path, *known]) if path != "same" else ":".join(known)
    )
    monkeypatch.chdir(tmp_path)
    assert child.ask(AskedTask("farkas.executor.spread:InTurn", pickle.dumps((dict, []))), PATIENCE)
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize(
    ("task", "kind", "words"),
    [
        ("typed", InvalidInstance, "Expected more"),
        ("odd", NoAnswer, "1 is not 2"),
        ("left", SystemExit, "3"),
        ("plain", ValueError, "what it is"),
    ],
)
def test_an_error_keeps_its_type_and_words_and_the_child_lives_on(child, task, kind, words):
    end = child.ask(AskedTask.of(Failing, task), PATIENCE)
    assert end.status == "raised"
    with pytest.raises(kind, match=words):
        end.value()
    before = child._process.pid
    assert child.ask(double(1), PATIENCE).value()[1] == before


def test_errors_that_cannot_be_pickled_are_those_of_the_nearest_type_that_can():
    error = ValueError("same")
    assert portable(error) is error
    found = portable(Odd(1, 2))
    assert (type(found), str(found)) == (NoAnswer, "1 is not 2")

    class Local(Exception):
        pass

    found = portable(Local("inside"))
    assert (type(found), str(found)) == (RuntimeError, "Local: inside")


def test_what_is_shared_travels_once_for_every_process(child, monkeypatch):
    sent = []
    write = child._write

    def note(content: bytes, until: float) -> None:
        sent.append(len(content))
        write(content, until)

    monkeypatch.setattr(child, "_write", note)
    big, other = Shared.of(bytes(1_000_000)), Shared.of("other")
    asked = [
        AskedTask.of(Doubled, k, shared) for k, shared in enumerate([big, big, other, other, big])
    ]
    ends = [child.ask(one, PATIENCE) for one in asked]
    found = [end.value() for end in ends]
    assert [len(shared) for _, _, shared in found] == [1_000_000] * 2 + [5] * 2 + [1_000_000]
    assert [size > 1_000_000 for size in sent] == [True, False, False, False, True]
    child.kill()
    again = child.ask(AskedTask.of(Doubled, 9, big), PATIENCE)
    assert again.status == "done", "a new process is given it again"
    assert sent[-1] > 1_000_000


def test_what_is_shared_is_opened_once_for_many_tasks(child):
    shared = Shared.of(Counted())
    found = {child.ask(AskedTask.of(Opened, k, shared), PATIENCE).value() for k in range(4)}
    assert [opened for _, opened in found] == [1]


def test_what_tasks_print_does_not_reach_the_protocol(child):
    assert child.ask(AskedTask.of(Chatty, 3_000_000), PATIENCE).value() == bytes(3_000_000)


def test_a_child_starts_no_children(child):
    assert child.ask(AskedTask.of(Nested, 0), PATIENCE).value() is False
