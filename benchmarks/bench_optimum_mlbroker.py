"""The search for the cheapest placement on windows of two traces: gap, time and memory by jobs.

Philly jobs on six regions: a day for up to 908 jobs, a week for more; thresholds of the discounts
as published, and a fiftieth of them, where they are within reach.  Pods of Alibaba on the same
regions, a week.  Every window runs in a process of its own, whose peak memory is printed; time is
CPU seconds, without import and compiling, until the gap is met or nothing moves.
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

DATA = SHARED / "data"
COLUMNS = {"submit": "creation_time", "gpus": "num_gpu", "end": "deletion_time"}
DAY, WEEK = 24, 168
WINDOWS = (
    *(("philly", jobs, DAY, scale) for scale in (1.0, 0.02) for jobs in (100, 500, 908)),
    *(("philly", jobs, WEEK, 1.0) for jobs in (1_250, 2_500, 5_000)),
    *(("philly", jobs, WEEK, 0.02) for jobs in (1_250, 5_000)),
    *(("alibaba", jobs, WEEK, 1.0) for jobs in (100, 576)),
)
"""Trace, jobs, slots of an hour, multiple of the published thresholds."""
FLOORS = {"gap": 0.001, "seconds": 600.0, "MB": 4096.0, "exponent": 1.3}


def window(trace: str, jobs: int, slots: int, scale: float) -> Any:
    """Import a window."""
    options: dict[str, Any] = {
        "prices": str(DATA / "prices" / "gpu_prices.csv"),
        "slots": slots, "jobs": jobs, "sites": 6, "threshold_scale": scale,
    }  # fmt: skip
    if trace == "philly":
        table = DATA / "philly" / "philly.csv"
        return farkas.import_trace("philly", table, "mlbroker", **options).instance
    table = DATA / "alibaba" / "openb_pod_list_default.csv"
    return farkas.import_trace("csv", table, "mlbroker", map=COLUMNS, **options).instance


def measured(
    trace: str, jobs: int, slots: int, scale: float, gap: float = 0.001, seconds: float = 3600.0
) -> dict[str, object]:
    """Search once; the curve is (CPU seconds, value, bound) whenever a side moved."""
    instance = window(trace, jobs, slots, scale)
    farkas.optimum("mlbroker/tiny", gap=0.0)  # loads and compiles what is used
    begin = time.process_time()
    curve: list[tuple[float, float | None, float | None, str]] = []

    def told(step: Advance) -> None:
        value = None if step.value is None else float(step.value)
        bound = None if step.bound is None else float(step.bound)
        curve.append((time.process_time() - begin, value, bound, step.method))

    found = farkas.optimum(instance, gap=gap, time_limit=seconds, progress=told)
    used, begin = time.process_time() - begin, time.process_time()
    farkas.check(found.run, instance)
    return {
        "window": [trace, jobs, slots, scale],
        "jobs": instance.num_jobs,
        "job_slots": instance.num_pairs,
        "value": float(found.value),
        "bound": float(found.bound or 0),
        "gap": found.gap,
        "CPU seconds": used,
        "check CPU seconds": time.process_time() - begin,
        "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "found by": found.found_by,
        "curve": curve,
    }


def main() -> None:
    if not DATA.exists():
        print(f"no {DATA}")
        return
    rows = []
    for chosen in WINDOWS:
        code = f"import json, {__name__} as b; print(json.dumps(b.measured(*{chosen!r})))"
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
            f"{chosen[0]:8} {row['jobs']:5d} jobs {row['job_slots']:6d} job-slots"
            f" thresholds x {chosen[3]:<4g}  value {row['value']:12.2f}  bound {row['bound']:12.2f}"
            f"  gap {row['gap']:.5f}  {row['CPU seconds']:6.1f} CPU s, check"
            f" {row['check CPU seconds']:5.1f}  {row['MB']:5.0f} MB",
            flush=True,
        )
    week = [row for row in rows if row["window"][2:] == [WEEK, 1.0] and row["jobs"] > 1000]
    few, many = week[0], week[-1]
    exponent = math.log(many["CPU seconds"] / few["CPU seconds"]) / math.log(
        many["jobs"] / few["jobs"]
    )
    print(f"growth exponent of CPU time from {few['jobs']} Philly jobs on: {exponent:.2f}")
    print("floors:", FLOORS)
    keep("optimum_mlbroker", {"rows": rows, "exponent": exponent})


if __name__ == "__main__":
    main()
