r"""The optimum of a window of a trace, from both sides, and the proof checked without a solver.

The same on the command line::

    farkas import philly PHILLY.csv --kind gadget --set slots=24 --set jobs=300 -o window.json
    farkas optimum window.json -o best.json
    farkas check best.json --instance window.json

Run with the path of the trace, or without: then the table in ``../shared/data`` beside the checkout
is taken, and where it is absent a small synthetic twin with the same columns.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import farkas
from farkas.certificates.ratio import ratio_words

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "philly" / "philly.csv"


def synthetic_twin(folder: Path) -> Path:
    """Write three hundred jobs of a day in the format of the public table."""
    rng = np.random.default_rng(0)
    lines = ["timestamp,duration,num_gpus,gpu_time,cluster"]
    for minute in np.sort(rng.integers(0, 24 * 60, 300)):
        gpus, seconds = int(rng.choice([1, 1, 2, 4, 8])), int(rng.exponential(9000)) + 60
        when = f"2017-10-09 {minute // 60:02d}:{minute % 60:02d}:00"
        lines.append(f"{when},{seconds}.0,{gpus},{gpus * seconds}.0,a")
    path = folder / "philly.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
        if not table.exists():
            table = synthetic_twin(Path(folder))
        imported = farkas.import_trace("philly", table, "gadget", slots=24, jobs=300)
    cluster = imported.instance
    print(f"{cluster.name}: {imported.report()}")
    found = farkas.optimum(cluster, gap=0.001, time_limit=60.0)
    for step in found.steps:
        value = "no value" if step.value is None else f"value {float(step.value):.6g}"
        bound = "no bound" if step.bound is None else f"bound {float(step.bound):.6g}"
        print(f"{step.seconds:7.2f} s  {value}, {bound}  ({step.method})")
    farkas.check(found.run, cluster)  # raises unless decisions and certificate hold
    print(f"checked without a solver; value and bound are within {found.gap:.2g} of each other")
    for name in ("gadget.columns", "gadget.fifo"):
        run = farkas.run(cluster, name)
        ratio = float(found.bound / run.value)
        print(f"{name} decides slot by slot and is within a factor {ratio_words(ratio)}")


if __name__ == "__main__":
    main()
