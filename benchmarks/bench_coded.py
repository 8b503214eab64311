"""Kind coded: linear program, Monte Carlo, exact law, convex step, certificate.

Floors: linear program 4x50 in 5 ms and 20x2000 in 0.3 s, 100,000 draws at 4x50 in 0.15 s, exact
law at 100,000 rows and 12 workers in 1.5 ms, convex step at 4x50 in 20 ms; a run of coded.round_lp
at 20x2000 in 1 s, and a process that compares all algorithms at 4x50 in 6 s.  CPU time of one
thread.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Figures, drawn, fastest, of_process, side_by_side
from farkas.algebra import ConvexModel
from farkas.certificates.coded import MasterPrices, time_bound
from farkas.instances import write
from farkas.instances.coded import CodedComputing
from farkas.models.coded.completion_times import counts, recovery_probability, shared_plan
from farkas.models.coded.kernel import Pairs
from farkas.online import algorithms
from farkas.online.coded.environment import P3
from farkas.online.coded.exhaustive import best_owner
from farkas.online.coded.simulation import simulate
from farkas.relaxations.coded.sca import SharedPoint, solve_step
from farkas.relaxations.coded.sharing import best_sharing, shared_optimum

FLOORS = {
    "lp_4x50": 5e-3,
    "lp_20x2000": 0.3,
    "round_lp_20x2000": 1.0,
    "compare_4x50": 6.0,
    "monte_carlo_100000": 0.15,
    "law_by_counts": 1.5e-3,
    "law_by_subsets": 1.5e-3,
    "convex_step_4x50": 2e-2,
}


GROWING = ("coded.round_lp", "coded.iterated_greedy")
WORKERS = 125, 250, 500, 1000, 2000


def main() -> None:
    data, large = (
        drawn(CodedComputing, num_masters=m, num_workers=n) for m, n in ((4, 50), (20, 2000))
    )
    found, speed = shared_optimum(data), Pairs.of(data).speed.copy()  # speeds that are solved anew
    plan = shared_plan(data, found.share, found.time)
    rng = np.random.default_rng(0)
    loads, success = rng.integers(5_000, 15_000, 12), rng.uniform(0.4, 0.9, 12)
    models: dict[float, ConvexModel] = {}
    works: dict[str, Callable[[], Any]] = {
        "lp_4x50": lambda: best_sharing(speed),
        "monte_carlo_100000": lambda: simulate(data, plan, 100_000, np.random.default_rng(0)),
        "law_by_subsets": lambda: recovery_probability(loads, success, 100_000),
        "law_by_counts": lambda: counts(loads, success, 100_000),
        "convex_step_4x50": lambda: solve_step(data, "product", SharedPoint.uniform(data), models),
        "certificate_4x50": lambda: time_bound(data, P3, found.prices, None),
        "certificate_with_file": lambda: MasterPrices.of(data, P3, found.prices),
    }
    for work in works.values():
        work()  # compilation and imports do not count
    seconds = side_by_side(works, repeats=5)
    more = Pairs.of(large).speed.copy()
    seconds["lp_20x2000"] = fastest(lambda: best_sharing(more), repeats=3)
    fresh = (large.replace(name=str(turn)) for turn in range(4))  # nothing is known of it yet
    run = algorithms["coded.round_lp"].run
    run(next(fresh))
    seconds["round_lp_20x2000"] = fastest(lambda: run(next(fresh)), repeats=3)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "published.json"
        write(data, path)
        seconds["compare_4x50"] = min(of_process("compare", str(path)) for _ in range(3))
    small = Pairs.of(drawn(CodedComputing, "two_masters")).speed
    best_owner(small)
    seconds["dedicated_optimum_2x20"] = fastest(lambda: best_owner(small), repeats=3)
    figures = Figures("coded")
    for name, value in seconds.items():
        figures.add(name, value, most=FLOORS.get(name))
    steps = seconds["lp_4x50"] / seconds["convex_step_4x50"]
    figures.add("linear program over a convex step", steps, "x")
    certificate = seconds["certificate_4x50"] / seconds["lp_4x50"]
    figures.add("certificate over linear program", certificate, "x")
    for name in GROWING:
        spent = [run_seconds(name, workers) for workers in WORKERS]
        print(f"  {name}, 20 masters, {WORKERS} workers: {', '.join(f'{s:.2f}' for s in spent)} s")
        exponent = math.log(spent[-1] / spent[0]) / math.log(WORKERS[-1] / WORKERS[0])
        figures.add(f"growth of {name}, workers", exponent, "exponent", most=1.15)
    print(figures.keep())


def run_seconds(name: str, workers: int) -> float:
    """CPU seconds of a run on an instance of which nothing is known yet."""
    data = drawn(CodedComputing, num_masters=20, num_workers=workers)
    fresh = (data.replace(name=str(turn)) for turn in range(3))
    return fastest(lambda: algorithms[name].run(next(fresh)), repeats=3)


if __name__ == "__main__":
    main()
