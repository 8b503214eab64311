"""Children of this machine, or the workers of a dask scheduler, perform the tasks."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from farkas.errors import InvalidOption
from farkas.experiments.sweeps import Result, sweep
from farkas.experiments.sweeps.schedule import Children
from tests.experiments.sweeps.made import written


def test_nobody_performs_nothing():
    with pytest.raises(InvalidOption, match="at least 1"):
        Children(0)


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
    with _dask_cluster(tmp_path) as address:
        found = sweep(written(tmp_path, count=8), scheduler=address)
    assert (found.tasks, found.performed, found.rejected) == (8, {"done": 8}, 0)


class _dask_cluster:
    """A real scheduler and two worker processes on this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> str:
        where = self.folder / "scheduler.json"
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
                    "--scheduler-file", str(where))  # fmt: skip
        until = time.monotonic() + 600
        while not where.exists():
            assert time.monotonic() < until, "the scheduler did not start"
            time.sleep(0.1)
        for _ in range(2):
            self._start("worker", "--scheduler-file", str(where), "--nthreads", "1",
                        "--no-dashboard")  # fmt: skip
        address: str = json.loads(where.read_text())["address"]
        return address

    def _start(self, *words: str) -> None:
        command = [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]]
        quiet = subprocess.DEVNULL
        self.processes.append(subprocess.Popen(command, stdout=quiet, stderr=quiet))

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.processes):
            process.terminate()
            process.wait(timeout=600)


def test_an_absent_scheduler_is_one_clear_line(tmp_path):
    path = written(tmp_path, count=1)
    hasty = (
        "from farkas.experiments.sweeps.schedule import Dask; from farkas.cli import main; "
        "Dask.__init__.__kwdefaults__['patience'] = 0.5; main()"
    )
    command = [sys.executable, "-c", hasty, "sweep", str(path), "--scheduler", "tcp://127.0.0.1:1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "no dask scheduler answers" in done.stderr
