"""Sweeps lose nothing, repeat nothing, and outlive what their tasks do."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from farkas.errors import FileProblem, InvalidOption, UnknownName
from farkas.experiments.sweeps import Store, plan, read_config, sweep
from farkas.experiments.sweeps.child import Child
from farkas.experiments.sweeps.config import product, seeds
from farkas.experiments.sweeps.schedule import Local
from farkas.experiments.sweeps.task import Request, Task
from farkas.instances import to_bytes
from farkas.instances.generate import generate

LP = 'name = "mlbroker.relaxed[tight]"'


def written(folder: Path, *, count: int = 6, more: str = "", programs: str = LP) -> Path:
    path = folder / "sweep.toml"
    path.write_text(
        textwrap.dedent(f"""
        name = "test"
        recheck = 1.0
        {more}
        [[instances]]
        kind = "mlbroker"
        preset = "small"
        seeds = "0..{count - 1}"
        settings = {{ num_slots = 3 }}
        [[programs]]
        {programs}
        """)
    )
    return path


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
        assert result.value == pytest.approx(float(result.ratio) * _number(result.bound))
        assert store.instance(result.task.instance).sha256 == result.task.instance
        assert result.output["feasible"]


def _number(text: str) -> float:
    top, _, bottom = text.partition("/")
    return int(top) / int(bottom or 1)


def test_the_address_covers_options_and_versions_but_not_the_sample(tmp_path, monkeypatch):
    task = Task(what="run", name="a.b", kind="a", instance="0" * 64)
    other = Task(what="run", name="a.b", kind="a", instance="0" * 64, options={"x": 1})
    sampled = Task(what="run", name="a.b", kind="a", instance="0" * 64, recheck=True)
    assert task.key != other.key
    assert task.key == sampled.key
    before = task.key
    monkeypatch.setattr("farkas.experiments.sweeps.task.versions", lambda: {"farkas": "9"})
    assert task.key != before


def test_a_killed_sweep_goes_on_where_it_stopped(tmp_path):
    # killed with -9 again and again at random moments, in the end every task is there once
    path = written(tmp_path, count=40)
    command = [sys.executable, "-m", "farkas", "sweep", str(path), "--workers", "2", "--json"]
    moments = random.Random(1)
    for _ in range(6):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(0.8, 3.0))
        process.kill()
        process.wait()
    end = sweep(path, workers=2)
    assert end.tasks == 40
    assert end.present + sum(end.performed.values()) == 40
    with Store(end.store) as store:
        assert {r.status for r in store.results()} == {"done"}
        assert len(store.present()) == 40
    with sqlite3.connect(end.store) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_two_sweeps_at_once_share_one_store(tmp_path):
    path = written(tmp_path, count=12)
    command = [sys.executable, "-m", "farkas", "sweep", str(path), "--workers", "1", "--json"]
    both = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [p.wait(timeout=120) for p in both] == [0, 0]
    assert sweep(path, workers=1).present == 12


def test_a_task_that_takes_too_long_is_recorded_and_the_others_go_on(tmp_path):
    # nothing can be read, traced and solved in 10 microseconds
    found = sweep(written(tmp_path, count=3, more="timeout = 0.00001"), workers=1)
    assert found.performed == {"overlong": 3}
    assert sweep(written(tmp_path, count=3), workers=1).performed == {}, "only retry tries again"
    assert sweep(written(tmp_path, count=3), workers=1, retry=True).performed == {"done": 3}


def test_a_crashing_process_is_recorded_with_its_signal(tmp_path):
    child = Child()
    request = _request()
    child.perform(request, 60.0)
    assert child._process is not None
    os.kill(child._process.pid, signal.SIGSTOP)
    child._process.send_signal(signal.SIGKILL)
    result = child.perform(request, 60.0)
    if result.status == "crashed":  # it died under this task: the next one gets a new process
        assert "signal 9" in result.error
        result = child.perform(request, 60.0)
    assert result.status == "done"
    child.stop()


def test_a_task_that_fails_is_recorded_with_its_reason(tmp_path):
    found = sweep(written(tmp_path, count=1, programs=LP + '\nsolvers = ["mosek"]'), workers=1)
    assert found.performed == {"failed": 1}
    with Store(found.store) as store:
        (result,) = store.results()
    assert "mosek" in result.error.lower()


def _request() -> Request:
    instance = generate("mlbroker", "small", 0)
    options = {"solver": "highs", "relax": True}
    name = "mlbroker.relaxed[tight]"
    sha = instance.sha256
    task = Task(what="solve", name=name, kind="mlbroker", instance=sha, options=options)
    return Request(task.key, task, to_bytes(instance).decode())


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("name = 1", InvalidOption, "Expected `str`"),
        ("name = ", FileProblem, "no TOML"),
        ('name = "a"\ninstances = []', InvalidOption, "no algorithm and no program"),
        ('name = "a"\ninstances = []\nrecheck = 2.0\nprograms = []', InvalidOption, "recheck"),
        ('name = "a"\ninstances = [{}]\nprograms = [{name = "x"}]', InvalidOption, "files or a"),
        ('name = "a"\nwrong = 1\ninstances = []', InvalidOption, "wrong"),
    ],
)
def test_bad_configurations_are_refused_before_anything_runs(tmp_path, text, error, words):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(error, match=words):
        read_config(path)


@pytest.mark.parametrize(
    ("programs", "error"),
    [('name = "mlbroker.relaxt"', UnknownName), ('name = "mlbroker.relaxed[x]"', InvalidOption)],
)
def test_unknown_names_are_refused_before_anything_runs(tmp_path, programs, error):
    path = written(tmp_path, programs=programs)
    with pytest.raises(error):
        plan(read_config(path), tmp_path)


def test_missing_files_name_the_nearest(tmp_path):
    (tmp_path / "first.json").write_text("{}")
    path = tmp_path / "sweep.toml"
    path.write_text(f'name = "a"\n[[instances]]\nfiles = ["frist.json"]\n[[programs]]\n{LP}\n')
    with pytest.raises(FileProblem, match=r"did you mean first\.json"):
        plan(read_config(path), tmp_path)


def test_seeds_and_products():
    assert seeds("2..4") == [2, 3, 4]
    assert list(product({"a": [1, 2], "b": [3, 4]})) == [
        {"a": 1, "b": 3}, {"a": 1, "b": 4}, {"a": 2, "b": 3}, {"a": 2, "b": 4},
    ]  # fmt: skip
    with pytest.raises(InvalidOption, match=r"first\.\.last"):
        seeds("1-4")
    with pytest.raises(InvalidOption, match="at least 1"):
        Local(0)


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
        until = time.monotonic() + 60
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
            process.wait(timeout=30)


def test_an_absent_scheduler_is_one_clear_line(tmp_path):
    path = written(tmp_path, count=1)
    command = [sys.executable, "-m", "farkas", "sweep", str(path)]
    command += ["--scheduler", "tcp://127.0.0.1:1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "no dask scheduler answers" in done.stderr
