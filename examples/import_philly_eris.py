r"""Five thousand real jobs at auction: import a trace, run Eris with a price floor, prove the rest.

The same on the command line::

    farkas import philly PHILLY.csv --kind eris --set slots=72 --set jobs=5000 --set scale=0.05 \
        --set 'start="2017-10-10 00:00"' -o auction.json
    farkas run auction.json --algorithm eris.eris --set price_floor=0.5

Run with the path of the trace, or without: then the table in ``../shared/data`` beside the checkout
is taken, and where it is absent a small synthetic twin with the same columns.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import farkas

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "philly" / "philly.csv"


def synthetic_twin(folder: Path) -> Path:
    """Write five thousand jobs of six clusters in the format of the public trace."""
    rng = np.random.default_rng(0)
    path = folder / "philly.csv"
    lines = ["timestamp,duration,num_gpus,gpu_time,cluster"]
    for minute in np.sort(rng.integers(0, 72 * 60, 5000)):
        gpus, seconds = int(rng.choice([1, 1, 2, 4, 8])), int(rng.exponential(6000)) + 60
        when = f"2017-10-{10 + minute // 1440:02d} {minute // 60 % 24:02d}:{minute % 60:02d}:00"
        cluster = f"cluster{rng.integers(6)}"
        lines.append(f"{when},{seconds}.0,{gpus},{gpus * seconds}.0,{cluster}")
    path.write_text("\n".join(lines) + "\n")
    return path


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
        if not path.exists():
            path = synthetic_twin(Path(folder))
        # Three working days; a twentieth of each cluster's GPUs, so that jobs compete.
        imported = farkas.import_trace(
            "philly", path, "eris", slots=72, jobs=5000, scale=0.05, start="2017-10-10 00:00"
        )
    auction = imported.instance
    print(f"{auction.name}: {imported.report()}")
    print(
        f"{auction.sites} sites with {auction.capacity[:, 0].sum():.0f} GPUs, T = {auction.slots}"
    )
    for name, options in (("eris.eris", {"price_floor": 0.5}), ("eris.antman", {})):
        run = farkas.run(auction, name, **options)
        assert not run.violations
        print(
            f"{name:12} welfare {run.value:12.0f}  at most {run.ratio:6.3f} times from the optimum "
            f"({run.numbers['accepted']:.0f} jobs served)"
        )
    print(f"no schedule of these jobs is worth more than {float(run.certificate):.0f}")


if __name__ == "__main__":
    main()
