"""Sweeps lose nothing, repeat nothing, and outlive what their tasks do."""

from __future__ import annotations

import contextlib
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from farkas.experiments.sweeps import Store, sweep
from tests.experiments.sweeps.made import LP, number, written


def test_every_task_is_done_once_and_nothing_is_done_twice(tmp_path):
    path = written(tmp_path)
    first = sweep(path, workers=2)
    assert (first.tasks, first.present, first.performed) == (6, 0, {"done": 6})
    second = sweep(path, workers=2)
    assert (second.tasks, second.present, second.performed) == (6, 6, {})


def test_a_larger_sweep_performs_only_what_is_new(tmp_path):
    sweep(written(tmp_path, count=2), workers=1)
    grown = sweep(written(tmp_path, count=5), workers=1)
    assert (grown.present, grown.performed) == (2, {"done": 3})


def test_results_carry_a_proved_bound_and_the_instance(tmp_path):
    found = sweep(written(tmp_path, count=1), workers=1)
    with Store(found.store) as store:
        (result,) = store.results(output=True)
        assert result.value == pytest.approx(float(result.ratio) * number(result.bound))
        assert store.instance(result.task.instance).sha256 == result.task.instance
        assert result.output["feasible"]


def test_a_killed_sweep_goes_on_where_it_stopped(tmp_path):
    # killed with -9 while it starts and again and again between results, in the end every task is
    # there once
    path = written(tmp_path, count=24)
    command = [sys.executable, "-m", "farkas", "sweep", str(path), "--workers", "2", "--json"]
    moments = random.Random(1)
    for enough in (0, 2, 9):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while _stored(tmp_path / "sweep.sqlite") < enough and process.poll() is None:
            time.sleep(0.01)
        time.sleep(moments.uniform(0.0, 0.05))
        process.kill()
        process.wait()
    end = sweep(path, workers=2)
    assert end.tasks == 24
    assert end.present >= 9
    assert end.present + sum(end.performed.values()) == 24
    with Store(end.store) as store:
        assert {r.status for r in store.results()} == {"done"}
        assert len(store.present()) == 24
    with sqlite3.connect(end.store) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def _stored(path: Path) -> int:
    """Results in a store that somebody may be writing."""
    if not path.exists():
        return 0
    with contextlib.closing(sqlite3.connect(path, timeout=600)) as database:
        try:
            return int(database.execute("SELECT count(*) FROM results").fetchone()[0])
        except sqlite3.OperationalError:  # the file is there and its tables are not
            return 0


def test_two_sweeps_at_once_share_one_store(tmp_path):
    path = written(tmp_path, count=12)
    command = [sys.executable, "-m", "farkas", "sweep", str(path), "--workers", "1", "--json"]
    both = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [p.wait(timeout=600) for p in both] == [0, 0]
    assert sweep(path, workers=1).present == 12


def test_a_task_that_takes_too_long_is_recorded_and_the_others_go_on(tmp_path):
    # nothing can be read, traced and solved in 10 microseconds
    found = sweep(written(tmp_path, count=3, more="timeout = 0.00001"), workers=1)
    assert found.performed == {"overlong": 3}
    assert sweep(written(tmp_path, count=3), workers=1).performed == {}, "only retry tries again"
    assert sweep(written(tmp_path, count=3), workers=1, retry=True).performed == {"done": 3}


def test_a_task_that_fails_is_recorded_with_its_reason(tmp_path):
    found = sweep(written(tmp_path, count=1, programs=LP + '\nsolvers = ["mosek"]'), workers=1)
    assert found.performed == {"failed": 1}
    with Store(found.store) as store:
        (result,) = store.results()
    assert "mosek" in result.error.lower()
