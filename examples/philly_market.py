r"""A whole trace through a market, with proof: every Philly job priced, placed and bounded.

Prints what each seller earns, and that against a bound that holds for every way to serve the jobs,
checked in integer arithmetic.

Run with the path of the table, or without: then ``../shared/data`` beside the checkout is taken,
and where it is absent a small synthetic twin with the same columns.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import farkas
from farkas.certificates import check
from farkas.certificates.dps import certify_prices
from farkas.online import algorithms
from farkas.relaxations.dps.prices import subgradient_prices

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "philly" / "philly.csv"
SELLERS = ("dps", "simple", "top", "dps_scaled", "random", "bfp_fluid")


def synthetic_twin(folder: Path) -> Path:
    """Write four hundred jobs of two clusters in the format of the public table."""
    rng = np.random.default_rng(0)
    lines = ["timestamp,duration,num_gpus,gpu_time,cluster"]
    for minute in range(400):
        gpus, seconds = int(rng.choice([1, 1, 2, 4, 8])), int(rng.lognormal(7.5, 1.5))
        when = f"2017-10-09 {minute // 60:02d}:{minute % 60:02d}:00"
        lines.append(f"{when},{seconds}.0,{gpus},{gpus * seconds}.0,{'ab'[minute % 2]}")
    path = folder / "philly.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def main() -> None:
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        table = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
        if not table.exists():
            table = synthetic_twin(Path(folder))
        imported = farkas.import_trace("philly", table, "dps", slots=60_000)
    market = imported.instance.replace(dps={"explore_cap": 0.05, "delta": 0.2})
    print(f"{imported.report()}, {market.num_servers} servers, {market.num_worker_types} types")
    prices = subgradient_prices(market, "capped")
    certificate = certify_prices(market, prices, "capped")
    bound = float(check(certificate, instance=market).bound)
    print(f"no way to serve these jobs earns more than {bound:.2f}, proved in integers")
    print(f"{'seller':16} {'profit':>12} {'of the bound':>12} {'jobs served':>12}")
    for name in SELLERS:
        done = algorithms[f"dps.{name}"].policy().simulate(market, 0)
        share = done.profit / bound
        print(f"{'dps.' + name:16} {done.profit:12.2f} {share:12.1%} {done.served.sum():12d}")
    last = int(market.arrival.max())
    dates = certificate.bounds_so_far(market)
    assert dates is not None
    for share in (0.25, 0.5, 0.75):
        slot = int(share * last)
        date = float(dates[slot])
        print(f"until slot {slot}: nobody can have earned more than {date:.2f}")
    print(f"{time.perf_counter() - begin:.1f} s in all")


if __name__ == "__main__":
    main()
