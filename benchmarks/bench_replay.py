"""Exact replays, as shares of the runs that they check, at the published scale; and `farkas check`.

Floors: a replay is at most 20 % of its run, for every algorithm; `farkas check RUN --instance FILE`
of the run of a paper's own algorithm takes at most a second, start-up included.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.measure import fastest, keep
from farkas.errors import FarkasError
from farkas.instances import Instance, write
from farkas.instances.generate import generate
from farkas.online import algorithms
from farkas.online.driver import demos
from farkas.online.run import Run, write_run
from farkas.replay import audit

KINDS = ("coded", "dps", "eris", "gadget", "mlbroker")
FLOORS = {"share": 0.2, "check": 1.0}
OPTIMAL = ("mlbroker.opt", "gadget.greedy_exact")
"""Solved to the end, for hours at this scale; their decisions are replayed like all others."""
REPEATS = 3


def share(name: str, instance: Instance) -> tuple[Run, float, float]:
    """Run an algorithm; also CPU seconds of the run and its replay's share of them."""
    algorithms[name].run(instance)  # compiles, loads, and makes the arrays of the instance
    start = time.process_time()
    run = algorithms[name].run(instance)
    whole = time.process_time() - start
    return run, whole, fastest(lambda: audit(run, instance), REPEATS) / whole


def checked(run: Run, instance: Instance) -> float:
    """Shortest wall time of ``farkas check`` in a process of its own, seconds."""
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder, name)) for name in ("run.json", "instance.json")]
        write_run(run, files[0])
        write(instance, files[1])
        words = [sys.executable, "-m", "farkas", "check", files[0], "--instance", files[1]]
        best = float("inf")
        for _ in range(REPEATS):
            start = time.perf_counter()
            subprocess.run(words, check=True, capture_output=True)
            best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    results: dict[str, Any] = {"floors": FLOORS}
    for kind in KINDS:
        instance = generate(kind, "published", 1)
        for name in algorithms.names(f"{kind}."):
            if name in OPTIMAL:
                continue
            try:
                run, whole, part = share(name, instance)
            except FarkasError as error:  # asks for more than the published settings hold
                print(f"{name:28} {error}")
                continue
            results[name] = {"seconds": whole, "share": part}
            line = f"{name:28} {whole:8.3f} s, replay {100 * part:5.1f} % (floor 20)"
            if name == demos[kind].algorithm:
                results[name]["check"] = checked(run, instance)
                line += f", check {results[name]['check']:.2f} s (floor 1)"
            print(line, flush=True)
    print(keep("replay", results))


if __name__ == "__main__":
    main()
