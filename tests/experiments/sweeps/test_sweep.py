"""Sweeps lose nothing, repeat nothing, and outlive what their tasks do."""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import multiprocessing
import random
import sqlite3
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

from farkas.cli import call
from farkas.errors import InvalidOption, UnknownName
from farkas.executor import CallEnd
from farkas.experiments.sweeps import Result, Store, Task, plan, read_config, sweep
from farkas.experiments.sweeps import task as module
from farkas.experiments.sweeps.task import Request, perform
from farkas.instances import library, to_bytes
from tests.executor.clusters import DaskCluster
from tests.experiments.sweeps.made import LOCAL, number, written


def test_every_task_is_done_once_and_nothing_is_done_twice(tmp_path):
    path = written(tmp_path)
    first = sweep(path, workers=2)
    assert (first.tasks, first.present, first.performed) == (6, 0, {"done": 6})
    second = sweep(path, workers=2)
    assert (second.tasks, second.present, second.performed) == (6, 6, {})


def test_results_carry_a_proved_bound_and_the_instance(tmp_path):
    found = sweep(written(tmp_path, count=1), workers=1)
    with Store(found.store) as store:
        (result,) = store.results(output=True)
        assert result.value == pytest.approx(float(result.ratio) * number(result.bound))
        assert store.instance(result.task.instance).sha256 == result.task.instance


def test_a_killed_sweep_goes_on_where_it_stopped(tmp_path):
    # killed with -9 while it starts and again and again between results, in the end every task is
    # there once
    path = written(tmp_path, count=24)
    brief = "from farkas.experiments.sweeps import store; store.LEASE = 2.0; store.BEAT = 0.5;"
    code = f"{brief} from farkas.cli import main; main()"
    command = [sys.executable, "-c", code, "sweep", str(path), "--workers", "2", "--json"]
    moments = random.Random(1)
    for enough in (0, 2, 9):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while _stored(tmp_path / "sweep.sqlite") < enough and process.poll() is None:
            time.sleep(0.01)
        time.sleep(moments.uniform(0.0, 0.05))
        process.kill()
        process.wait()
    end = sweep(path, workers=2)  # waits until claims of the killed ones have lapsed
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
            query = "SELECT count(*) FROM results WHERE status = 'done'"
            return int(database.execute(query).fetchone()[0])
        except sqlite3.OperationalError:  # the file is there and its tables are not
            return 0


@pytest.mark.slow
def test_two_sweeps_at_once_share_one_store(tmp_path):
    path = written(tmp_path, count=12)
    command = [sys.executable, "-m", "farkas", "sweep", str(path), "--workers", "1", "--json"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
    said = [json.loads(process.communicate(timeout=600)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    # no task is performed twice: what one has performed is present, or shared, for the other
    assert sum(summary["performed"].get("done", 0) for summary in said) == 12
    for summary in said:
        assert sum(summary["performed"].values()) + summary["shared"] + summary["present"] == 12
    assert sweep(path, workers=1).present == 12
    assert sorted(p.name for p in tmp_path.iterdir()) == ["sweep.sqlite", "sweep.toml"]


@pytest.mark.slow
def test_a_sweep_waits_for_the_tasks_of_another_and_takes_them_when_it_is_gone(
    tmp_path, monkeypatch
):
    path = written(tmp_path, count=2)
    tasks, _ = plan(read_config(path), tmp_path)
    other = Store(tmp_path / "sweep.sqlite")
    for task in tasks:
        assert other.claim(task.key, task, None) == "ours"
    pauses = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 1:  # one is done by the other sweep, which then ends
            other.add(Result(key=tasks[0].key, task=tasks[0], status="failed", error="there"))
        if len(pauses) == 2:
            other.close()

    monkeypatch.setattr("time.sleep", pause)
    found = sweep(path, workers=1)
    assert len(pauses) == 2
    assert (found.present, found.shared, found.performed) == (0, 1, {"done": 1})
    assert found.not_done == {"failed": 1}


@pytest.mark.slow
def test_a_task_whose_process_was_killed_is_reported_and_done_by_the_next_sweep(
    tmp_path, monkeypatch
):
    path = written(tmp_path, count=3)
    with monkeypatch.context() as patched:
        patched.setattr("farkas.executor.START", "import os; os.kill(os.getpid(), 9)")
        first = sweep(path, workers=1)
    assert (first.performed, first.not_done) == ({"crashed": 3}, {"crashed": 3})
    second = sweep(path, workers=1)
    assert (second.present, second.performed, second.not_done) == (0, {"done": 3}, {})


def test_a_disk_that_is_full_ends_the_sweep_in_one_line(tmp_path, monkeypatch, capsys):
    path = written(tmp_path, count=2)

    def full(store: Store, result: Result) -> None:
        with store._typed():
            raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Store, "add", full)
    assert call(["sweep", str(path), "--workers", "1"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "disk is full" in captured.err


def test_a_task_that_takes_too_long_is_recorded_and_the_others_go_on(tmp_path):
    # nothing can be read and decided in 10 microseconds
    found = sweep(written(tmp_path, count=3, more="timeout = 0.00001"), workers=1)
    assert found.performed == {"overlong": 3}
    again = sweep(written(tmp_path, count=3), workers=1)
    assert again.performed == {}, "only retry tries again"
    assert again.not_done == {"overlong": 3}
    for done in ({"done": 3}, {}):  # what is done is not tried again
        assert sweep(written(tmp_path, count=3), workers=1, retry=True).performed == done


@pytest.mark.slow
def test_a_task_that_fails_is_recorded_with_its_reason(tmp_path):
    algorithm = 'name = "mlbroker.opt"\noptions = { solver = "mosek" }'
    found = sweep(written(tmp_path, count=1, algorithm=algorithm), workers=1)
    assert found.performed == {"failed": 1}
    with Store(found.store) as store:
        (result,) = store.results()
    assert "mosek" in result.error.lower()


def press(done: int, total: int, newest: Result | None) -> None:
    if newest is not None:
        raise KeyboardInterrupt


def test_ctrl_c_between_two_tasks_keeps_the_first_and_leaves_the_rest_for_later(tmp_path):
    path = written(tmp_path, count=3)
    stopped = sweep(path, workers=2, report=press)
    assert (stopped.interrupted, stopped.performed) == (True, {"done": 1})
    later = sweep(path, workers=1)
    assert (later.interrupted, later.present, later.performed) == (False, 1, {"done": 2})


def test_any_executor_performs_a_sweep(tmp_path):
    path = written(tmp_path, count=3)
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert sweep(path, executor=pool, workers=2).performed == {"done": 3}


def test_a_task_that_raises_what_nobody_expects_counts_as_a_crash(tmp_path, monkeypatch):
    path = written(tmp_path, count=1)
    monkeypatch.setattr("farkas.executor._end_of", lambda future: CallEnd("raised", error="odd"))
    found = sweep(path, workers=1)
    with Store(found.store) as store:
        assert [(one.status, one.error) for one in store.results()] == [("crashed", "odd")]


@pytest.mark.slow
def test_a_dask_scheduler_with_two_workers_performs_a_sweep(tmp_path):
    with DaskCluster(tmp_path) as address:
        found = sweep(written(tmp_path, count=8), scheduler=address)
    assert (found.tasks, found.performed) == (8, {"done": 8})


def test_an_absent_scheduler_is_one_clear_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("farkas.executor.PATIENCE", 0.5)
    path = written(tmp_path, count=1)
    assert call(["sweep", str(path), "--scheduler", "tcp://127.0.0.1:1"]) == 3
    error = capsys.readouterr().err
    assert "no dask scheduler answers" in error
    assert error.count("\n") == 1


TINY = library.load("mlbroker/tiny")


def asked(name: str, **more: object) -> Request:
    task = Task(name=name, kind="mlbroker", instance=TINY.sha256, **more)  # type: ignore[arg-type]
    return Request(task.key, task, to_bytes(TINY).decode())


def test_a_run_keeps_value_bound_and_ratio() -> None:
    # Local pays 19.4, the optimum of the tight relaxation is 16.8
    result = perform(asked("mlbroker.local"))
    assert (result.status, result.error) == ("done", "")
    assert result.value == pytest.approx(19.4)
    assert float(Fraction(result.bound)) == pytest.approx(16.8)
    assert result.ratio == pytest.approx(19.4 / 16.8)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (asked("mlbroker.nobody"), "unknown algorithm"),
        (asked("mlbroker.fractional", options={"epsilon": "x"}), "epsilon"),
        (msgspec.structs.replace(asked("mlbroker.local"), instance="{}"), "instance"),
    ],
)
def test_what_goes_wrong_is_a_failed_result(request_: Request, words: str) -> None:
    result = perform(request_)
    assert (result.status, result.value, result.bound) == ("failed", None, "")
    assert words in result.error


def test_an_unexpected_error_is_named_with_its_type(monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(task: Task, instance: object) -> dict[str, object]:
        raise SystemExit(3)

    monkeypatch.setattr(module, "_run", leave)
    result = perform(asked("mlbroker.local"))
    assert (result.status, result.error) == ("failed", "SystemExit: 3")


def test_the_address_covers_options_and_versions(tmp_path, monkeypatch):
    task = Task(name="a.b", kind="a", instance="0" * 64)
    other = Task(name="a.b", kind="a", instance="0" * 64, options={"x": 1})
    assert task.key != other.key
    before = task.key
    monkeypatch.setattr("farkas.experiments.sweeps.task.versions", lambda: {"farkas": "9"})
    assert task.key != before


@pytest.mark.parametrize(
    ("algorithm", "error"),
    [('name = "mlbroker.locl"', UnknownName), (f"{LOCAL}\noptions = {{ x = 1 }}", InvalidOption)],
)
def test_unknown_names_are_refused_before_anything_runs(tmp_path, algorithm, error):
    path = written(tmp_path, algorithm=algorithm)
    with pytest.raises(error):
        plan(read_config(path), tmp_path)


def test_what_is_of_another_kind_is_left_out_and_the_rest_is_planned(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(
        'name = "one"\n[[instances]]\nkind = "coded"\n'
        '[[algorithms]]\nname = "dps.pa"\n[[algorithms]]\nname = "coded.simple_greedy"\n'
    )
    tasks, instances = plan(read_config(path), tmp_path)
    assert {task.name for task in tasks} == {"coded.simple_greedy"}
    assert {instance.kind for instance in instances.values()} == {"coded"}
