"""The search for the optimum on windows of public traces: gap, time and memory by jobs.

``python -m benchmarks.bench_optimum [--data FOLDER] [KIND ...]``.  Every window of
`benchmarks.optimum_windows` runs in a process of its own, whose peak memory is printed; time is CPU
seconds, without import and compiling, until the gap is met, nothing moves or the limit is over.
What was measured, and the curve of both sides against time, is a JSON file for every window:
windows whose file was made by the same sources are not measured again.  Traces are read
from ``FOLDER``, by default ``../shared/data`` beside the checkout.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import farkas
from benchmarks.measure import RESULTS, keep
from benchmarks.optimum_windows import KINDS, Window, windows
from farkas.experiments.figures.writing import sources
from farkas.files.writing import write_text
from farkas.offline.search import Advance
from tests.tools.shared import ROOT, SHARED

FLOORS = {"gap": 0.001, "CPU seconds": 600.0, "MB": 4096.0, "exponent": 1.3}
#: Instances of each kind whose search loads what a larger one uses.
COMPILED_BY = {
    "gadget": "gadget/demo", "eris": "eris/single_site", "dps": "dps/tiny",
    "mlbroker": "mlbroker/tiny",
}  # fmt: skip


KEPT = RESULTS / "optimum"
#: What the summary of a kind tells of a window.
TOLD = (
    "series", "begin", "seed", "jobs", "value", "bound", "gap", "CPU seconds", "MB", "last moved",
)  # fmt: skip


def measured(window: Window, data: Path) -> dict[str, object]:
    """Search a window; the curve is (CPU seconds, value, bound, method)."""
    instance = window.instance(data)
    farkas.optimum(COMPILED_BY[window.kind], gap=0.0)
    begin = time.process_time()
    curve: list[tuple[float, float | None, float | None, str]] = []

    def told(step: Advance) -> None:
        value = None if step.value is None else float(step.value)
        bound = None if step.bound is None else float(step.bound)
        curve.append((time.process_time() - begin, value, bound, step.method))

    found = farkas.optimum(instance, gap=FLOORS["gap"], time_limit=window.seconds, progress=told)
    used, begin = time.process_time() - begin, time.process_time()
    farkas.check(found.run, instance)
    return {
        "kind": window.kind,
        "series": window.series,
        "begin": window.begin,
        "seed": window.seed,
        "jobs": instance.num_jobs,
        "value": float(found.value),
        "bound": float(found.bound or 0),
        "gap": found.gap,
        "CPU seconds": used,
        "wall seconds": found.seconds,
        "check CPU seconds": time.process_time() - begin,
        "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "found by": found.found_by,
        "last moved": last_moved(curve),
        "curve": curve,
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "sources": sources(),
    }


def last_moved(curve: Sequence[tuple[float, float | None, float | None, str]]) -> str:
    """Say which side moved last.

    >>> last_moved([(0.1, None, 9.0, "prices"), (0.2, 8.0, 9.0, "greedy")])
    'value'
    """
    if len(curve) < 2:
        return "value" if curve and curve[0][1] is not None else "bound"
    return "value" if curve[-1][1] != curve[-2][1] else "bound"


def apart(kind: str, number: int, data: Path, file: Path) -> dict[str, Any] | None:
    """`measured` in a process of its own, or what its file keeps; None where it failed."""
    if file.exists():
        kept: dict[str, Any] = json.loads(file.read_text())
        if kept["sources"] == sources():
            return kept
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_optimum", "--data", str(data), "--one",
         str(number), kind],
        stdout=subprocess.PIPE, text=True, cwd=ROOT, check=False,
    )  # fmt: skip
    if done.returncode:
        return None
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, done.stdout)
    row: dict[str, Any] = json.loads(done.stdout)
    return row


def exponents(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Exponent of CPU time in jobs of every series: the slope of a line through logarithms."""
    found = {}
    for series in dict.fromkeys(row["series"] for row in rows):
        jobs = [math.log(row["jobs"]) for row in rows if row["series"] == series]
        used = [math.log(row["CPU seconds"]) for row in rows if row["series"] == series]
        if len(set(jobs)) > 1:
            found[series] = statistics.linear_regression(jobs, used).slope
    return found


def main(words: Sequence[str] = ()) -> None:
    """Measure and keep, a file for every window and one for every kind."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="*", default=KINDS)
    parser.add_argument("--data", type=Path, default=SHARED / "data")
    parser.add_argument("--one", type=int, metavar="PLACE",
                        help="measure this one of a kind alone and print JSON")  # fmt: skip
    asked = parser.parse_args(words)
    if not asked.data.exists():
        print(f"no {asked.data}")
        return
    if asked.one is not None:
        most = len(windows(asked.kinds[0])) - 1
        if not 0 <= asked.one <= most:
            parser.error(f"--one {asked.one}: {asked.kinds[0]} has windows 0 to {most}")
        print(json.dumps(measured(windows(asked.kinds[0])[asked.one], asked.data)))
        return
    print("floors:", FLOORS)
    for kind in asked.kinds:
        rows = []
        for number, window in enumerate(windows(kind)):
            row = apart(kind, number, asked.data, KEPT / f"{window.name}.json")
            if row is None:
                print(f"{window.name}: failed")
                continue
            rows.append(row)
            print(
                f"{kind}, {window.series}, {window.begin}, seed {window.seed},"
                f" {row['jobs']:5d} jobs  value {row['value']:12.2f}"
                f"  bound {row['bound']:12.2f}  gap {row['gap']:.5f}"
                f"  {row['CPU seconds']:6.1f} CPU s, check {row['check CPU seconds']:5.1f},"
                f" {row['MB']:5.0f} MB, {row['last moved']} moved last",
                flush=True,
            )
        growth = exponents(rows)
        for series, exponent in growth.items():
            print(f"{kind}, {series}: CPU time grows with exponent {exponent:.2f}")
        told = [{what: row[what] for what in TOLD} for row in rows]  # the curves stay with `KEPT`
        keep(f"optimum_{kind}", {"rows": told, "exponents": growth})


if __name__ == "__main__":
    main(sys.argv[1:])
