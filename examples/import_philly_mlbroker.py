r"""Real jobs on real prices: import, compare every algorithm, and trust none of them.

The same on the command line::

    farkas import philly PHILLY.csv --prices GPU_PRICES.csv --kind mlbroker \
        --set slots=12 --set jobs=10 --set sites=4 \
        --set 'start="2017-10-10 08:00"' -o broker.json
    farkas compare broker.json

Run with the paths of both tables, or without: then the tables in ``../shared/data`` beside the
checkout are taken, and where they are absent a small synthetic twin with the same columns.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import farkas

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def synthetic_twin(folder: Path) -> tuple[Path, Path]:
    """Write twelve jobs and four regions in the formats of the public tables."""
    rng = np.random.default_rng(0)
    jobs, prices = folder / "philly.csv", folder / "prices.csv"
    lines = ["timestamp,duration,num_gpus,gpu_time,cluster"]
    for hour in range(12):
        gpus, seconds = int(rng.choice([1, 2, 4, 8])), int(rng.integers(2000, 20000))
        when = f"2017-10-09 {hour:02d}:00:00"
        lines.append(f"{when},{seconds}.0,{gpus},{gpus * seconds}.0,twin")
    jobs.write_text("\n".join(lines) + "\n")
    head = "instance,gpu,gpu_count,vcpu,memory,network,region"
    lines = [f"{head},on_demand_usd_per_hour,reserved_usd_per_hour"]
    for region, price in {"east": 3.9, "north": 4.4, "south": 5.1, "west": 4.1}.items():
        row = f"g4dn.12xlarge,NVIDIA T4,4,48,192 GB,50 Gigabit,{region}"
        lines.append(f"{row},{price},{0.63 * price:.4f}")
    prices.write_text("\n".join(lines) + "\n")
    return jobs, prices


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        window = {}
        if len(sys.argv) == 3:
            jobs, prices = map(Path, sys.argv[1:])
        elif DATA.exists():
            jobs = DATA / "philly" / "philly.csv"
            prices = DATA / "prices" / "gpu_prices.csv"
            # The trace begins with a trickle; this is a working day of its first autumn.
            window["start"] = "2017-10-10 08:00"
        else:
            jobs, prices = synthetic_twin(Path(folder))
        imported = farkas.import_trace(
            "philly", jobs, "mlbroker", prices=str(prices), slots=12, jobs=10, sites=4, **window
        )
    broker = imported.instance
    print(f"{broker.name}: {imported.kept} jobs on {broker.num_sites} regions")
    names = ("fractional", "mlbroker", "ir", "gr", "central", "oasis", "one_shot", "local")
    table = farkas.compare(broker, [f"mlbroker.{name}" for name in names])
    assert table.bound is not None
    print(f"every placement costs at least {float(table.bound):.2f} USD ({table.bound.method})")
    print(f"{'algorithm':22} {'USD':>10} {'at most x times the optimum':>28}")
    for entry in table.entries:
        print(f"{entry.algorithm:22} {entry.value:10.2f} {entry.ratio:28.4f}")


if __name__ == "__main__":
    main()
