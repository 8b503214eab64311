"""What a sweep costs beyond its tasks, and how well two processes share the work.

Floors: a sweep with nothing left to do ends after 0.5 CPU seconds; of two processes 1.8 are at work
on tasks between the first task's start and the last one's end, whatever else the machine does.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.measure import Figures, of_process
from farkas.executor import Child
from farkas.experiments.sweeps import Store, read_config, sweep
from farkas.experiments.sweeps.task import Request, perform, plan
from farkas.instances import library, to_bytes, write

FLOORS = {"nothing to do": 0.5, "at work": 1.8}
FINISHED = """
name = "finished"
[[instances]]
files = ["demo.json"]
[[algorithms]]
name = "mlbroker.central"
seeds = "0..199"
"""
CONFIG = """
name = "benchmark"
[[instances]]
kind = "mlbroker"
preset = "small"
seeds = "0..{last}"
settings = {{ num_slots = {slots}, jobs_per_slot = {jobs} }}
[[algorithms]]
name = "mlbroker.opt"
"""


def requests(folder: Path, count: int, slots: int, jobs: int) -> list[Request]:
    """Tasks of the sweep that `configuration` writes."""
    tasks, found = plan(read_config(configuration(folder, count, slots, jobs)), folder)
    return [Request(t.key, t, to_bytes(found[t.instance]).decode()) for t in tasks]


def configuration(folder: Path, count: int, slots: int, jobs: int) -> Path:
    path = folder / f"sweep-{slots}.toml"
    path.write_text(CONFIG.format(last=count - 1, slots=slots, jobs=jobs))
    return path


def seconds(work: object, *arguments: object) -> float:
    start = time.perf_counter()
    work(*arguments)  # type: ignore[operator]
    return time.perf_counter() - start


def overhead(folder: Path, count: int) -> dict[str, float]:
    """Medians over tasks: seconds inside a task, around it in its child process, in the store."""
    wanted = requests(folder, count, slots=2, jobs=2)
    child = Child()
    child.call(600.0, perform, wanted[0])  # imports and compilation happen once
    inside, around, writing = [], [], []
    with Store(folder / "writing.sqlite") as store:
        for request in wanted:
            start = time.perf_counter()
            found = child.call(600.0, perform, request).answer
            around.append(time.perf_counter() - start - found.seconds)
            inside.append(found.seconds)
            writing.append(seconds(store.add, found))
    child.close()
    each = {"task": median(inside), "process": median(around), "store": median(writing)}
    return {**each, "overhead": each["process"] + each["store"]}


def efficiency(folder: Path, count: int, workers: int) -> dict[str, float]:
    """Wall seconds of a sweep with one and with several processes, start-up included.

    ``at work`` is how many tasks were under way on average from the first start to the last end;
    other work on the machine slows tasks and sweep alike and hardly moves it, while it spoils
    ``efficiency``.
    """
    walls, at_work = {}, {}
    for number in (1, workers):
        path = configuration(folder, count, slots=8, jobs=6)
        path = path.rename(folder / f"with-{number}.toml")
        walls[number] = seconds(lambda path=path, number=number: sweep(path, workers=number))
        with Store(path.with_suffix(".sqlite"), readonly=True) as store:
            spent = {result.key: result.seconds for result in store.results()}
            ends = {key: when for key, (_, when) in store.stamps().items()}
        begin = min(ends[key] - spent[key] for key in spent)
        at_work[number] = sum(spent.values()) / (max(ends.values()) - begin)
    return {"one": walls[1], "several": walls[workers], "workers": workers,
            "at work": at_work[workers],
            "efficiency": walls[1] / (workers * walls[workers])}  # fmt: skip


def nothing_to_do(folder: Path) -> float:
    """CPU seconds of a process that finds all 200 tasks of a sweep done, the least of several."""
    write(library.load("mlbroker/demo"), folder / "demo.json")
    path = folder / "finished.toml"
    path.write_text(FINISHED)
    sweep(path, workers=1)
    return min(of_process("sweep", str(path)) for _ in range(5))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=200)
    arguments, _ = parser.parse_known_args()
    workers = min(2, os.cpu_count() or 1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cost = overhead(folder, arguments.tasks)
        shared = efficiency(folder, arguments.tasks, workers)
        resumed = nothing_to_do(folder)
    figures = Figures("sweeps")
    figures.add("a small task", cost["task"])
    figures.add("overhead of a task", cost["overhead"])
    figures.add("of it the store", cost["store"])
    figures.add(f"{arguments.tasks} tasks, 1 process, by the clock", shared["one"], "wall s")
    what = f"{arguments.tasks} tasks, {workers} processes, by the clock"
    figures.add(what, shared["several"], "wall s")
    figures.add("parallel efficiency, by the clock", shared["efficiency"], "x", least=0.5)
    figures.add("tasks under way at once", shared["at work"], "x", least=FLOORS["at work"])
    figures.add("resuming with nothing to do", resumed, most=FLOORS["nothing to do"])
    print(figures.keep())


if __name__ == "__main__":
    main()
