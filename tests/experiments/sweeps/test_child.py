"""A child process may die, freeze or be killed; the next task is performed all the same."""

from __future__ import annotations

import os
import signal

import pytest

from farkas.experiments.sweeps.child import Child, ChildEnded
from tests.experiments.sweeps.made import PATIENCE, request


@pytest.fixture
def child():
    child = Child()
    yield child
    child.stop()


def frozen(child: Child) -> int:
    """Process id of a child that has done a task and now stands still, whatever it is given."""
    assert child.perform(request(), PATIENCE).status == "done"
    assert child._process is not None
    os.kill(child._process.pid, signal.SIGSTOP)
    return child._process.pid


def test_a_process_that_dies_in_the_middle_of_a_task_is_recorded_with_its_signal(
    child, monkeypatch
):
    process = frozen(child)
    wait = child._line

    def die_first(until: float) -> bytes | None:
        os.kill(process, signal.SIGKILL)  # the request is handed over, nothing has come back
        return wait(until)

    monkeypatch.setattr(child, "_line", die_first)
    result = child.perform(request(), PATIENCE)
    monkeypatch.undo()
    assert result.status == "crashed"
    assert "signal 9" in result.error
    assert child.perform(request(), PATIENCE).status == "done", "the next task has a new process"


def test_a_task_that_does_not_end_is_killed_after_its_time(child):
    process = frozen(child)
    result = child.perform(request(), 0.3)
    assert (result.status, result.error) == ("overlong", "stopped after 0.3 s")
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert child.perform(request(), PATIENCE).status == "done"


class Meanwhile:
    """A process of which the performing thread is rid before whoever ends it has waited."""

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


def test_a_task_under_way_ends_with_its_child_and_none_starts_again(child, monkeypatch):
    process = frozen(child)
    wait = child._line

    def end_first(until: float) -> bytes | None:
        child.end()  # as Ctrl-C does in the main thread
        return wait(until)

    monkeypatch.setattr(child, "_line", end_first)
    result = child.perform(request(), PATIENCE)
    assert (result.status, "signal 9" in result.error) == ("crashed", True)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    with pytest.raises(ChildEnded):
        child.perform(request(), PATIENCE)
    assert child._process is None


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
    assert child.perform(request(), PATIENCE).status == "done"
    assert not (tmp_path / "executed").exists()
