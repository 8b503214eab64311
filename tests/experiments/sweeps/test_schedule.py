"""Children of this machine, or the workers of a dask scheduler, perform the tasks."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from farkas.executor import Child, TaskEnd
from farkas.experiments.sweeps import Result, sweep
from farkas.experiments.sweeps.perform import perform
from farkas.experiments.sweeps.schedule import asked, result
from tests.executor.clusters import DaskCluster
from tests.experiments.sweeps.made import PATIENCE, request, written


def test_what_a_child_performs_is_what_is_performed_here():
    child, wanted = Child(), request()
    found = result(wanted, child.ask(asked(wanted), PATIENCE))
    child.stop()
    here = perform(wanted)
    assert found.status == "done"
    assert (found.key, found.value, found.bound) == (here.key, here.value, here.bound)


@pytest.mark.parametrize("status", ["crashed", "overlong"])
def test_a_task_without_an_answer_is_recorded_with_what_became_of_it(status):
    found = result(request(), TaskEnd(status, error="in words", seconds=2.0))
    assert (found.status, found.error, found.seconds) == (status, "in words", 2.0)


def test_what_cannot_be_read_counts_as_a_crash():
    ended = TaskEnd("raised", pickle.dumps(ValueError("not JSON")))
    assert result(request(), ended).status == "crashed"


def test_ctrl_c_between_two_tasks_keeps_the_first_and_leaves_the_rest_for_later(tmp_path):
    path = written(tmp_path, count=3)

    def press(done: int, total: int, newest: Result | None) -> None:
        if newest is not None:
            raise KeyboardInterrupt

    stopped = sweep(path, workers=2, report=press)
    assert (stopped.interrupted, stopped.performed) == (True, {"done": 1})
    later = sweep(path, workers=1)
    assert (later.interrupted, later.present, later.performed) == (False, 1, {"done": 2})


@pytest.mark.slow
def test_a_dask_scheduler_with_two_workers_performs_a_sweep(tmp_path):
    with DaskCluster(tmp_path) as address:
        found = sweep(written(tmp_path, count=8), scheduler=address)
    assert (found.tasks, found.performed, found.rejected) == (8, {"done": 8}, 0)


def test_an_absent_scheduler_is_one_clear_line(tmp_path):
    path = written(tmp_path, count=1)
    hasty = (
        "from farkas.executor import Dask; from farkas.cli import main; "
        "Dask.__init__.__kwdefaults__['patience'] = 0.5; main()"
    )
    command = [sys.executable, "-c", hasty, "sweep", str(path), "--scheduler", "tcp://127.0.0.1:1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "no dask scheduler answers" in done.stderr
