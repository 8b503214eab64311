"""Sweeps lose nothing, repeat nothing, and outlive what their tasks do."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest

from farkas.cli import call
from farkas.errors import FileProblem, InvalidOption, UnknownName
from farkas.experiments.sweeps import Result, Store, plan, read_config, sweep
from farkas.experiments.sweeps.audit import audit
from farkas.experiments.sweeps.child import Child
from farkas.experiments.sweeps.config import product, seeds
from farkas.experiments.sweeps.schedule import Local
from farkas.experiments.sweeps.task import Request, Task
from farkas.instances import to_bytes
from farkas.instances.generate import generate

LP = 'name = "mlbroker.relaxed[tight]"'
PATIENCE = 3600.0
"""Seconds that no task of these tests takes, whatever else the machine does."""


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
    # killed with -9 while it starts and again and again between results, in the end every task is
    # there once
    path = written(tmp_path, count=24)
    command = [sys.executable, "-m", "farkas", "sweep", str(path), "--workers", "2", "--json"]
    moments = random.Random(1)
    for enough in (0, 1, 7, 13):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while _stored(tmp_path / "sweep.sqlite") < enough and process.poll() is None:
            time.sleep(0.01)
        time.sleep(moments.uniform(0.0, 0.05))
        process.kill()
        process.wait()
    end = sweep(path, workers=2)
    assert end.tasks == 24
    assert end.present >= 13
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


@pytest.fixture
def child():
    child = Child()
    yield child
    child.stop()


def frozen(child: Child) -> int:
    """Process id of a child that has done a task and now stands still, whatever it is given."""
    assert child.perform(_request(), PATIENCE).status == "done"
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
    result = child.perform(_request(), PATIENCE)
    monkeypatch.undo()
    assert result.status == "crashed"
    assert "signal 9" in result.error
    assert child.perform(_request(), PATIENCE).status == "done", "the next task has a new process"


def test_a_task_that_does_not_end_is_killed_after_its_time(child):
    process = frozen(child)
    result = child.perform(_request(), 0.3)
    assert (result.status, result.error) == ("overlong", "stopped after 0.3 s")
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert child.perform(_request(), PATIENCE).status == "done"


def test_a_process_that_was_already_dead_is_replaced(child):
    os.kill(frozen(child), signal.SIGKILL)
    assert {child.perform(_request(), PATIENCE).status for _ in range(2)} <= {"crashed", "done"}
    assert child.perform(_request(), PATIENCE).status == "done"


ALGORITHM = """
[[algorithms]]
name = "mlbroker.fractional"
seeds = "0..1"
options = { epsilon = [0.1, 1.0] }
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> str:
    """Store of 2 instances x 2 values of epsilon x 2 seeds, and 2 programs, all re-checked."""
    path = written(tmp_path_factory.mktemp("ran"), count=2)
    path.write_text(path.read_text() + ALGORITHM)
    found = sweep(path, workers=2)
    assert (found.performed, found.rejected) == ({"done": 10}, 0)
    return found.store


def test_runs_keep_their_certificate_and_every_one_was_proved_again(ran):
    with Store(ran) as store:
        results = list(store.results(output=True))
        runs = [result for result in results if result.task.what == "run"]
        assert {result.recheck for result in results} == {"proved again"}
        assert len({(r.task.instance, r.task.seed, r.task.options["epsilon"]) for r in runs}) == 8
        for result in runs:
            assert result.ratio == pytest.approx(result.value / _number(result.bound))
            assert result.output["manifest"]["instance_sha256"] == result.task.instance
        assert [words for _, words in audit(store)] == ["proved again"] * 10


def test_a_sample_is_a_share_of_the_addresses(ran):
    with Store(ran) as store:
        everything = {result.key for result, _ in audit(store, 1.0)}
        half = {result.key for result, _ in audit(store, 0.5)}
        assert half == {key for key in everything if int(key[:8], 16) < 2**31}
        assert not list(audit(store, 0.0))


def _raised(bound: str) -> str:
    """Bound that claims one part in a million too much."""
    return str(Fraction(bound) * Fraction(1_000_001, 1_000_000))


def _other_byte(text: str) -> str:
    place = len(text) // 2
    return text[:place] + ("A" if text[place] != "A" else "B") + text[place + 1 :]


def raise_bound(result: Result, output: dict[str, Any]) -> Result:
    bound = _raised(result.bound)
    ratio = result.value / _number(bound)
    return msgspec.structs.replace(result, bound=bound, ratio=ratio)


def raise_both(result: Result, output: dict[str, Any]) -> Result:
    inner = output["certificate"]["certificate"]
    inner["bound"] = _raised(inner["bound"])
    return raise_bound(result, output)


def change_guide(result: Result, output: dict[str, Any]) -> Result:
    inner = output["certificate"]["certificate"]
    inner["guide"] = _other_byte(inner["guide"])
    return result


def change_ratio(result: Result, output: dict[str, Any]) -> Result:
    return msgspec.structs.replace(result, ratio=1.0 + (result.ratio - 1.0) / 2 + 1e-6)


def lie_about_sense(result: Result, output: dict[str, Any]) -> Result:
    output["sense"] = "max"
    return result


def other_instance(result: Result, output: dict[str, Any]) -> Result:
    output["certificate"]["certificate"]["instance"] = "0" * 64
    return result


def divide_by_zero(result: Result, output: dict[str, Any]) -> Result:
    output["certificate"]["certificate"]["bound"] = "1/0"
    return result


@pytest.mark.parametrize(
    "change",
    [raise_bound, raise_both, change_guide, change_ratio, lie_about_sense, other_instance,
     divide_by_zero],
)  # fmt: skip
def test_a_store_that_was_tampered_with_is_found_out(ran, tmp_path, capsys, change):
    copy = tmp_path / "copy.sqlite"
    with Store(ran) as original, Store(copy) as store:
        results = list(original.results(output=True))
        store.add_instances((r.task.instance, original.instance(r.task.instance)) for r in results)
        victim = max((r for r in results if r.task.what == "run"), key=lambda r: r.ratio)
        output = json.loads(json.dumps(victim.output))
        changed = msgspec.structs.replace(change(victim, output), output=output)
        for result in results:
            store.add(changed if result.key == victim.key else result)
        opinions = {result.key: words for result, words in audit(store)}
    assert opinions.pop(victim.key).startswith("rejected")
    assert set(opinions.values()) == {"proved again"}
    assert call(["ratios", str(copy), "--recheck", "1", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert list(found["rejected"]) == [victim.key]
    left_out = [item["left_out"] for item in found["ratios"] if item["left_out"]]
    assert left_out == [{"certificate rejected": 1}]


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
