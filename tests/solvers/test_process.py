"""A solver in a process of its own may crash, hang or be stopped, and takes nobody along."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from farkas.solvers import process
from farkas.solvers.process import ask

CHILD = "tests.solvers.process_child"
ENDLESS = float("inf")


def asked(do: str, *, time_limit: float = ENDLESS, log: bool = False, **words: str):
    arrays = {"a": np.arange(3), "b": np.array([np.inf, 0.1])}
    return ask(CHILD, {"do": do, **words}, arrays, time_limit=time_limit, log=log)


@pytest.mark.parametrize("log", [False, True])
def test_words_and_arrays_go_there_and_back_and_stdout_stays_free(log, capfd):
    said, found, how = asked("answer", log=log)
    assert (said, how) == ({"said": {"do": "answer"}, "nothing": None}, "done")
    assert found["a"].tolist() == [0, 2, 4]
    assert found["b"].tolist() == [np.inf, 0.2]
    shown = capfd.readouterr()
    assert shown.out == ""
    assert shown.err.split() == (["chatter", "log"] if log else [])


@pytest.mark.parametrize(
    ("do", "words"),
    [
        ("die", "its process ended by signal 9"),
        ("raise", "its process raised ValueError: no such thing"),
    ],
)
def test_a_death_is_an_error_with_its_last_words(do, words):
    with pytest.raises(RuntimeError) as failure:
        asked(do)
    assert str(failure.value) == words


def test_one_that_does_not_look_at_the_clock_is_killed(monkeypatch, tmp_path):
    monkeypatch.setattr(process, "GRACE", 2.0)
    pid = tmp_path / "pid"
    assert asked("sleep", time_limit=0.5, pid=str(pid)) == ({}, {}, "overlong")
    assert gone(int(pid.read_text()))


@pytest.mark.parametrize(("do", "said"), [("until told", {"heard": True}), ("deaf", {})])
def test_ctrl_c_asks_it_to_stop_and_then_stops_it(do, said, monkeypatch, tmp_path):
    monkeypatch.setattr(process, "FAREWELL", 1.0)
    pid = tmp_path / "pid"

    def press():
        while not (pid.exists() and pid.read_text()):
            time.sleep(0.01)
        time.sleep(0.2)  # it has to reach what it does
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    assert asked(do, pid=str(pid)) == (said, {}, "interrupted")
    thread.join()
    assert gone(int(pid.read_text()))


def gone(pid: int) -> bool:
    """Whether a process is no more, or only waits to be buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True
