"""What workers give to a search for an optimum: CPU seconds, messages and memory, here and there.

``python -m benchmarks.bench_workers [JOBS ...]``.  Each number of jobs of Philly, six regions, kind
mlbroker, is bounded at prices of chords and at the roots of all slots, by this process and by two
workers.  CPU seconds of this process are the sequential part; those of the workers fall apart.
"""

from __future__ import annotations

import json
import pickle
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from fractions import Fraction
from typing import Any

import farkas
from benchmarks.measure import keep
from benchmarks.optimum_windows import REGION, WEEK
from farkas.exact.node_bounds import Deadline
from farkas.executor import About, CallEnd, Executor, nothing
from farkas.offline import SearchState
from farkas.offline.mlbroker import SlotSearch
from tests.tools.shared import ROOT, SHARED

DATA = SHARED / "data"
WEEKS_OF_JOBS = 5_000  #: Jobs for which a week is long enough.


class Weighed(Executor):
    """Workers whose messages are counted, with what they need of the instance and without."""

    bytes_there = bytes_back = messages = shared = 0

    def ends(
        self,
        calls: Iterable[tuple[About, Callable[..., Any], tuple[Any, ...]]],
        timeout: float,
        check: Callable[[], None] = nothing,
    ) -> Generator[tuple[About, CallEnd], None, None]:
        """Count what is performed."""

        def counted() -> Iterator[tuple[About, Callable[..., Any], tuple[Any, ...]]]:
            for about, function, arguments in calls:
                self.messages += 1
                self.shared = len(arguments[1])
                self.bytes_there += len(pickle.dumps(arguments))
                yield about, function, arguments

        with closing(super().ends(counted(), timeout, check)) as ends:
            for about, end in ends:
                self.bytes_back += len(pickle.dumps(end.answer))
                yield about, end


def used(who: int) -> float:
    found = resource.getrusage(who)
    return found.ru_utime + found.ru_stime


def measured(jobs: int, workers: int) -> dict[str, object]:
    """Bound an instance of so many jobs; with 0 workers in this process."""
    weeks = -(-jobs // WEEKS_OF_JOBS)
    philly = DATA / "philly" / "philly.csv"
    prices = str(DATA / REGION["prices"])
    options = {"jobs": jobs, "slots": WEEK * weeks, **REGION, "prices": prices}
    data: Any = farkas.import_trace("philly", philly, "mlbroker", **options).instance
    farkas.optimum("mlbroker/tiny", gap=0.0)  # loads and compiles
    others = Weighed.of(workers or None)
    begin, own = time.perf_counter(), used(resource.RUSAGE_SELF)
    with others as executor:
        state = SearchState("min", Deadline(), Fraction(1, 1000), executor=executor)
        search = SlotSearch(data, state)
        lives = used(resource.RUSAGE_SELF) - own, time.perf_counter() - begin
        search.look(1)
        bound = search.bound
    found = {
        "jobs": data.num_jobs, "pairs": data.num_pairs, "slots": data.num_slots,
        "workers": workers, "value": search.cost, "bound": str(bound), "gap":
        (search.cost - float(bound)) / search.cost,
        "wall seconds": time.perf_counter() - begin, "of jobs": lives[1],
        "own CPU seconds": used(resource.RUSAGE_SELF) - own, "own of jobs": lives[0],
        "CPU seconds of workers": used(resource.RUSAGE_CHILDREN),
        "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "MB of a worker": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
    }  # fmt: skip
    if workers:
        found |= {
            "messages": others.messages, "MB there": others.bytes_there / 1e6,
            "MB back": others.bytes_back / 1e6, "MB shared": others.shared / 1e6,
        }  # fmt: skip
    return found


def apart(jobs: int, workers: int) -> dict[str, Any]:
    """`measured` in a process of its own."""
    what = f"b.measured({jobs}, {workers})"
    code = f"import json, benchmarks.bench_workers as b; print(json.dumps({what}))"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    row: dict[str, Any] = json.loads(done.stdout)
    return row


def main(*sizes: str) -> None:
    """Measure and keep."""
    if not DATA.exists():
        print(f"no {DATA}")
        return
    rows = []
    for jobs in map(int, sizes or ("1250", "5000")):
        for workers in (0, 2):
            rows.append(apart(jobs, workers))
            print(json.dumps(rows[-1]), flush=True)
        assert rows[-1]["bound"] == rows[-2]["bound"], "the same for any number of workers"
    keep("workers", {"rows": rows})


if __name__ == "__main__":
    main(*sys.argv[1:])
