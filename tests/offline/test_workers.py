"""Searches for an optimum that share work out: the same results, and nobody left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from fractions import Fraction

import msgspec
import pytest

import farkas
from farkas import executor as module
from farkas.executor import Executor, Workers
from farkas.offline import find_optimum, searches
from tests.executor.clusters import DaskCluster
from tests.generators.eris import random_auction
from tests.generators.mlbroker import random_brokerage

SHARED_OUT = {
    "mlbroker": lambda: random_brokerage(2, sites=3, slots=4, jobs=6, resources=2),
    "mlbroker, many sites": lambda: random_brokerage(2, sites=11, slots=3, jobs=3, resources=1),
    "eris": lambda: random_auction(1, most_chunks=3, jobs=6),
}
"""An instance of every kind of whose bounds parts are handed to workers, and of either tolls."""


UNHURRIED = 3600.0
"""Seconds that workers may take to compile on a busy machine before a search ends without a gap."""


class Watched(Executor):
    """Processes that are known after their end."""

    def __init__(self, workers: int) -> None:
        self.workers = Workers(workers)
        super().__init__(self.workers, lambda: workers, self.workers.stop)
        self.messages, self.processes = 0, set[int]()

    def ends(self, calls, timeout, check=module.nothing):
        def looked() -> None:
            self._look()
            check()

        for about, end in super().ends(calls, timeout, looked):
            self.messages += 1
            self._look()
            yield about, end

    def _look(self) -> None:
        started = [child._process for child in list(self.workers.children.values())]
        self.processes |= {process.pid for process in started if process is not None}

    def gone(self) -> bool:
        return not any(alive(process) for process in self.processes)


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(autouse=True)
def _however_short(monkeypatch):
    monkeypatch.setattr(module, "LEAST_STEPS", 0.0)


def plain(found) -> bytes:
    """Everything but when: decisions, value, bound with its certificate, steps, remarks."""
    run = msgspec.structs.replace(found.run, timings={})
    steps = [(step.value, step.bound, step.method) for step in found.steps]
    texts = [(str(value), str(bound), method) for value, bound, method in steps]
    return msgspec.json.encode((run, texts, found.remarks, found.complete))


@pytest.mark.slow
@pytest.mark.parametrize("kind", SHARED_OUT)
def test_results_are_the_same_for_any_number_of_workers(kind):
    instance, results = SHARED_OUT[kind](), set()
    search = searches[f"{kind.partition(',')[0]}.optimum"]
    results.add(plain(find_optimum(instance, search, gap=Fraction(1, 10**6))))
    for workers in (1, 2, 3):
        with Watched(workers) as executor:
            found = find_optimum(instance, search, gap=Fraction(1, 10**6), executor=executor)
        results.add(plain(found))
        assert executor.messages >= workers, "something was handed out"
        assert executor.gone()
    assert len(results) == 1
    assert plain(farkas.optimum(instance, gap=1e-6, workers=2)) in results


@pytest.mark.slow
@pytest.mark.parametrize("kind", SHARED_OUT)
def test_results_are_the_same_on_a_dask_scheduler(kind, tmp_path):
    instance = SHARED_OUT[kind]()
    with DaskCluster(tmp_path) as address:
        found = farkas.optimum(instance, gap=1e-6, scheduler=address, time_limit=UNHURRIED)
    assert plain(found) == plain(farkas.optimum(instance, gap=1e-6))


def test_ctrl_c_leaves_the_best_of_both_sides_and_no_process():
    executor = Watched(2)

    def press(step):
        if executor.processes and step.value is not None and step.bound is not None:
            signal.raise_signal(signal.SIGINT)

    with executor:
        found = find_optimum(
            SHARED_OUT["mlbroker"](), searches["mlbroker.optimum"], gap=Fraction(0),
            executor=executor, progress=press,
        )  # fmt: skip
    assert found.interrupted
    assert found.bound <= found.value
    assert executor.processes
    assert executor.gone()


@pytest.mark.slow
def test_a_time_limit_ends_what_is_under_way():
    class Frozen(Watched):
        """Stand still once both sides are known."""

        freezing = False

        def _look(self):
            super()._look()
            for process in self.processes if self.freezing else ():
                if alive(process):
                    os.kill(process, signal.SIGSTOP)

        def told(self, step):
            known = step.value is not None and step.bound is not None
            self.freezing = bool(self.processes) and known

    with Frozen(2) as executor:
        found = find_optimum(
            SHARED_OUT["mlbroker"](), searches["mlbroker.optimum"], gap=Fraction(0),
            time_limit=6.0, executor=executor, progress=executor.told,
        )  # fmt: skip
    assert executor.freezing
    assert not found.complete
    assert found.bound <= found.value
    assert executor.gone()


def test_workers_whose_parent_was_killed_end_by_themselves(tmp_path):
    mark = tmp_path / "mark"
    code = (
        "import math; from farkas.executor import Executor;"
        "from tests.executor.works import sleeping;"
        f"calls = ((k, sleeping, ({str(mark)!r}, 3600.0)) for k in range(10**6));"
        "list(Executor.of(2).ends(calls, math.inf))"
    )
    parent = subprocess.Popen([sys.executable, "-c", code])
    until = time.monotonic() + 600
    while not mark.exists() or len(set(mark.read_text().split())) < 2:
        assert time.monotonic() < until
        time.sleep(0.05)
    parent.kill()
    parent.wait()
    until = time.monotonic() + 60
    processes = {int(word) for word in mark.read_text().split()}
    while any(map(alive, processes)):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_worker_that_dies_changes_no_result():
    class Deadly(Watched):
        """Kill every process once, while it is at work."""

        killed = frozenset[int]()

        def _look(self):
            super()._look()
            for process in self.processes - self.killed:
                self.killed |= {process}
                if len(self.killed) <= 3 and alive(process):
                    os.kill(process, signal.SIGKILL)

    instance = SHARED_OUT["mlbroker"]()
    with Deadly(2) as executor:
        found = find_optimum(
            instance, searches["mlbroker.optimum"], gap=Fraction(1, 10**6), executor=executor
        )
    (remark,) = found.remarks
    assert remark == "a worker ended by signal 9; its tasks were performed here"
    alone = farkas.optimum(instance, gap=1e-6)
    assert (found.value, found.bound) == (alone.value, alone.bound)
    assert found.run.certificate == alone.run.certificate
