"""What a sweep costs beyond its tasks, and how well two processes share the work."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.measure import keep
from farkas.executor import Child
from farkas.experiments.sweeps import Store, read_config, sweep
from farkas.experiments.sweeps.schedule import asked, result
from farkas.experiments.sweeps.task import Request, plan
from farkas.instances import to_bytes

CONFIG = """
name = "benchmark"
recheck = {recheck}
[[instances]]
kind = "mlbroker"
preset = "small"
seeds = "0..{last}"
settings = {{ num_slots = {slots}, jobs_per_slot = {jobs} }}
[[programs]]
name = "mlbroker.relaxed[tight]"
"""


def requests(folder: Path, count: int, slots: int, jobs: int) -> list[Request]:
    """Tasks of the sweep that `configuration` writes."""
    tasks, found = plan(read_config(configuration(folder, count, slots, jobs)), folder)
    return [Request(t.key, t, to_bytes(found[t.instance]).decode()) for t in tasks]


def configuration(folder: Path, count: int, slots: int, jobs: int) -> Path:
    path = folder / f"sweep-{slots}.toml"
    path.write_text(CONFIG.format(last=count - 1, slots=slots, jobs=jobs, recheck=0.0))
    return path


def seconds(work: object, *arguments: object) -> float:
    start = time.perf_counter()
    work(*arguments)  # type: ignore[operator]
    return time.perf_counter() - start


def overhead(folder: Path, count: int) -> dict[str, float]:
    """Medians over tasks: seconds inside a task, around it in its child process, in the store."""
    wanted = requests(folder, count, slots=2, jobs=2)
    child = Child()
    child.ask(asked(wanted[0]), 600.0)  # imports and compilation happen once
    inside, around, writing = [], [], []
    with Store(folder / "writing.sqlite") as store:
        for request in wanted:
            start = time.perf_counter()
            found = result(request, child.ask(asked(request), 600.0))
            around.append(time.perf_counter() - start - found.seconds)
            inside.append(found.seconds)
            writing.append(seconds(store.add, found))
    child.stop()
    each = {"task": median(inside), "process": median(around), "store": median(writing)}
    return {**each, "overhead": each["process"] + each["store"]}


def efficiency(folder: Path, count: int, workers: int) -> dict[str, float]:
    """Wall seconds of a sweep with one and with several processes, start-up included.

    ``busy`` is the share of the processes' time that went into tasks; other work on the machine
    slows tasks and sweep alike and hardly moves it, while it spoils ``efficiency``.
    """
    walls, busy = {}, {}
    for number in (1, workers):
        path = configuration(folder, count, slots=8, jobs=6)
        path = path.rename(folder / f"with-{number}.toml")
        walls[number] = seconds(lambda path=path, number=number: sweep(path, workers=number))
        with Store(path.with_suffix(".sqlite"), readonly=True) as store:
            spent = sum(result.seconds for result in store.results())
        busy[number] = spent / (number * walls[number])
    return {"one": walls[1], "several": walls[workers], "workers": workers,
            "busy": busy[workers],
            "efficiency": walls[1] / (workers * walls[workers])}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=200)
    arguments, _ = parser.parse_known_args()
    workers = min(2, os.cpu_count() or 1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cost = overhead(folder, arguments.tasks)
        shared = efficiency(folder, arguments.tasks, workers)
    print(f"  a small task          {1e3 * cost['task']:8.2f} ms")
    print(f"  overhead per task     {1e3 * cost['overhead']:8.2f} ms"
          f"   (of it {1e3 * cost['store']:.2f} ms for the store)")  # fmt: skip
    print(f"  {arguments.tasks} tasks, 1 process   {shared['one']:8.2f} s")
    print(f"  {arguments.tasks} tasks, {workers} processes {shared['several']:8.2f} s")
    print(f"  parallel efficiency   {shared['efficiency']:8.2f}")
    print(f"  busy with tasks       {shared['busy']:8.2f}   (start-up included)")
    keep("sweeps", {"tasks": arguments.tasks, "overhead": cost, "parallel": shared})


if __name__ == "__main__":
    main()
