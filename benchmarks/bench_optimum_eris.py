"""The search for the greatest welfare on windows of the Philly trace: gap, time and memory by jobs.

Three days from 2017-10-10 on, the eight largest virtual clusters with a twentieth of their GPUs,
the earliest 156 ... 5,000 jobs.  Every size runs in a process of its own, whose peak memory is
printed; time is CPU seconds, without import and compiling, until the gap is met or nothing moves.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import farkas
from benchmarks.measure import keep
from farkas.offline.climbing import Advance
from tests.tools.shared import SHARED

TRACE = SHARED / "data" / "philly" / "philly.csv"
JOBS = (156, 312, 625, 1_250, 2_500, 5_000)
FLOORS = {"gap": 0.001, "seconds": 600.0, "MB": 4096.0, "exponent": 1.3}


def measured(jobs: int, gap: float = 0.001, seconds: float = 600.0) -> dict[str, object]:
    """Search once; the curve is (CPU seconds, value, bound) whenever a side moved."""
    instance: Any = farkas.import_trace(
        "philly", TRACE, "eris", slots=72, jobs=jobs, scale=0.05, start="2017-10-10 00:00"
    ).instance
    farkas.optimum("eris/single_site", gap=0.0)  # loads and compiles what is used
    begin = time.process_time()
    curve: list[tuple[float, float | None, float | None, str]] = []

    def told(step: Advance) -> None:
        value = None if step.value is None else float(step.value)
        bound = None if step.bound is None else float(step.bound)
        curve.append((time.process_time() - begin, value, bound, step.method))

    found = farkas.optimum(instance, gap=gap, time_limit=seconds, progress=told)
    return {
        "jobs": instance.num_jobs,
        "value": float(found.value),
        "bound": float(found.bound or 0),
        "gap": found.gap,
        "CPU seconds": time.process_time() - begin,
        "wall seconds": found.seconds,
        "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "found by": found.found_by,
        "curve": curve,
    }


def main() -> None:
    if not TRACE.exists():
        print(f"no {TRACE}")
        return
    rows = []
    for jobs in JOBS:
        code = f"import json, {__name__} as b; print(json.dumps(b.measured({jobs})))"
        done = subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            cwd=Path(__file__).resolve().parents[1],
        )
        row = json.loads(done.stdout)
        rows.append(row)
        print(
            f"{row['jobs']:6d} jobs  value {row['value']:12.1f}  bound {row['bound']:12.1f}"
            f"  gap {row['gap']:.5f}  {row['CPU seconds']:6.1f} CPU s  {row['MB']:5.0f} MB"
            f"  ({row['found by']})",
            flush=True,
        )
    few, many = rows[2], rows[-1]
    exponent = math.log(many["CPU seconds"] / few["CPU seconds"]) / math.log(
        many["jobs"] / few["jobs"]
    )
    print(f"growth exponent of CPU time from {few['jobs']} jobs on: {exponent:.2f}")
    print("floors:", FLOORS)
    keep("optimum_eris", {"rows": rows, "exponent": exponent})


if __name__ == "__main__":
    main()
