"""The search for the optimum on windows of public traces: gap, time and memory by jobs.

``python -m benchmarks.bench_optimum [KIND ...]``.  Every window runs in a process of its own, whose
peak memory is printed; time is CPU seconds, without import and compiling, until the gap is met,
nothing moves or the limit is over.  The curve of a row says when which side moved.
"""

from __future__ import annotations

import dataclasses
import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

import farkas
from benchmarks.measure import keep
from farkas.offline.climbing import Advance
from tests.tools.shared import ROOT, SHARED

DATA = SHARED / "data"
FLOORS = {"gap": 0.001, "CPU seconds": 600.0, "MB": 4096.0, "exponent": 1.3}
COMPILED_BY = {
    "gadget": "gadget/demo", "eris": "eris/single_site", "dps": "dps/tiny",
    "mlbroker": "mlbroker/tiny",
}  # fmt: skip
"""Instances of each kind whose search loads and compiles what a larger one uses."""


@dataclasses.dataclass(frozen=True, slots=True)
class Window:
    """Jobs of a trace, and what the importer is told of them.

    Parameters
    ----------
    series
        Windows that differ in their number of jobs alone; time grows along them.
    seconds
        Limit of wall time.
    """

    kind: str
    series: str
    jobs: int
    trace: str = "philly"
    seconds: float = 600.0
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def instance(self) -> Any:
        """Import it."""
        options = {"jobs": self.jobs, **self.options}
        if self.trace == "philly":
            table = DATA / "philly" / "philly.csv"
            return farkas.import_trace("philly", table, self.kind, **options).instance
        table = DATA / "alibaba" / "openb_pod_list_default.csv"
        return farkas.import_trace("csv", table, self.kind, map=COLUMNS, **options).instance


COLUMNS = {"submit": "creation_time", "gpus": "num_gpu", "end": "deletion_time"}
THREE_DAYS = {"slots": 72, "scale": 0.05, "start": "2017-10-10 00:00"}


def region(slots: int, threshold_scale: float) -> dict[str, Any]:
    """Six regions of a cloud, slots of an hour, thresholds as multiples of the published ones."""
    prices = str(DATA / "prices" / "gpu_prices.csv")
    return {"prices": prices, "slots": slots, "sites": 6, "threshold_scale": threshold_scale}


DAY, WEEK = 24, 168
WINDOWS = (
    *(Window("gadget", "a day", jobs, options={"slots": DAY}) for jobs in (312, 908)),
    *(
        Window("eris", "three days", jobs, options=THREE_DAYS)
        for jobs in (156, 312, 625, 1_250, 2_500, 5_000)
    ),
    *(
        Window("dps", "5 minutes a slot", jobs, seconds=seconds)
        for jobs, seconds in ((300, 10.0), (1_250, 30.0), (2_500, 30.0), (5_000, 60.0))
    ),
    *(
        Window("mlbroker", f"a day, thresholds x {scale}", jobs, options=region(DAY, scale))
        for scale in (1.0, 0.02)
        for jobs in (100, 500, 908)
    ),
    *(
        Window("mlbroker", f"a week, thresholds x {scale}", jobs, seconds=3600.0,
               options=region(WEEK, scale))
        for scale, sizes in ((1.0, (1_250, 2_500, 5_000)), (0.02, (1_250, 5_000)))
        for jobs in sizes
    ),
    *(
        Window("mlbroker", "Alibaba, a week", jobs, "alibaba", options=region(WEEK, 1.0))
        for jobs in (100, 576)
    ),
)  # fmt: skip


def measured(number: int) -> dict[str, object]:
    """Search one of `WINDOWS`; the curve is (CPU seconds, value, bound, method)."""
    window = WINDOWS[number]
    instance = window.instance()
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
        "jobs": instance.num_jobs,
        "value": float(found.value),
        "bound": float(found.bound or 0),
        "gap": found.gap,
        "CPU seconds": used,
        "wall seconds": found.seconds,
        "check CPU seconds": time.process_time() - begin,
        "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "found by": found.found_by,
        "curve": curve,
    }


def apart(number: int) -> dict[str, Any]:
    """`measured` in a process of its own."""
    code = f"import json, benchmarks.bench_optimum as b; print(json.dumps(b.measured({number})))"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    row: dict[str, Any] = json.loads(done.stdout)
    return row


def exponents(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Exponent of CPU time from the fewest to the most jobs of every series."""
    found = {}
    for series in dict.fromkeys(row["series"] for row in rows):
        ordered = sorted(
            (row for row in rows if row["series"] == series), key=lambda row: int(row["jobs"])
        )
        few, many = ordered[0], ordered[-1]
        if many["jobs"] > few["jobs"]:
            grown = math.log(many["CPU seconds"] / few["CPU seconds"])
            found[series] = grown / math.log(many["jobs"] / few["jobs"])
    return found


def main(*kinds: str) -> None:
    """Measure and keep, a file for every kind."""
    if not DATA.exists():
        print(f"no {DATA}")
        return
    print("floors:", FLOORS)
    for kind in kinds or COMPILED_BY:
        rows = []
        for number, window in enumerate(WINDOWS):
            if window.kind != kind:
                continue
            row = {"series": window.series, **apart(number)}
            rows.append(row)
            print(
                f"{kind}, {window.series}, {row['jobs']:5d} jobs  value {row['value']:12.2f}"
                f"  bound {row['bound']:12.2f}  gap {row['gap']:.5f}"
                f"  {row['CPU seconds']:6.1f} CPU s, check {row['check CPU seconds']:5.1f},"
                f" {row['MB']:5.0f} MB",
                flush=True,
            )
        growth = exponents(rows)
        for series, exponent in growth.items():
            print(f"{kind}, {series}: CPU time grows with exponent {exponent:.2f}")
        keep(f"optimum_{kind}", {"rows": rows, "exponents": growth})


if __name__ == "__main__":
    main(*sys.argv[1:])
