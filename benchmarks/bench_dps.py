"""Generation, simulation, runs, interval relaxation and best fixed price of kind dps.

Published scale: 10 000 jobs, 50 servers, 25 types; also five times the load.
"""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction
from typing import Any

from benchmarks.measure import Figures, fastest
from farkas.certificates.dps import certify_prices
from farkas.instances.dps import Market
from farkas.instances.generate import generate
from farkas.online import algorithms
from farkas.online.dps.environment import run_bound
from farkas.online.dps.fixed_prices import best_by_coordinates
from farkas.online.dps.learning import Dps
from farkas.online.dps.seller import Random
from farkas.relaxations.dps.interval import IntervalLP
from farkas.relaxations.dps.prices import lp_prices, subgradient_prices
from farkas.replay import replay
from farkas.solvers import solve

JOBS = 10_000
MILLION = """
import resource
import time
from farkas.instances.generate import generate
from farkas.online import algorithms
market = generate("dps", "published", 1, num_jobs=1_000_000, horizon={horizon})
run = algorithms["dps.dps"].run(market)
assert not run.violations and run.certificate is not None
print(time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)
"""


def market(jobs: int, preset: str = "published", **settings: Any) -> Market:
    """As many slots as jobs; arrays are made before the clock starts."""
    made = generate("dps", preset, 1, num_jobs=jobs, horizon=jobs, **settings)
    assert isinstance(made, Market)
    assert len(made.spread_end) == len(made.colocated_end) == len(made.budget) == jobs
    return made


def simulations(figures: Figures) -> None:
    """CPU time a job of the simulations."""
    for jobs in (JOBS, 10 * JOBS, 100 * JOBS):
        instance = market(jobs, dps={"explore_cap": 0.112})
        works: dict[str, Any] = {"dps.dps": Dps(), "dps.random": Random()}
        for name, seller in works.items():
            seller.simulate(instance)  # compiles, or reads what was compiled
            repeats = 5 if jobs <= 10 * JOBS else 2
            spent = fastest(lambda s=seller, i=instance: s.simulate(i), repeats) / jobs  # type: ignore[misc]
            figures.add(f"simulation {name}, {jobs:,} jobs", 1e6 * spent, "µs a job", most=1.5)


def whole_runs(figures: Figures) -> None:
    """What users wait for: drawing a market, and running on it with a certificate."""
    spent = fastest(lambda: generate("dps", seed=1, num_jobs=10 * JOBS), 3) / (10 * JOBS)
    figures.add("generate", 1e6 * spent, "µs a job", most=2.0)
    growth = {}
    for name in ("dps.dps", "dps.simple"):
        for jobs in (JOBS, 16 * JOBS):
            instance = market(jobs)

            def run(instance: Market = instance, name: str = name) -> None:
                run_bound.cache_clear()
                vars(instance).clear()  # arrays and hash, as if it were new
                algorithms[name].run(instance)

            run()
            growth[jobs] = fastest(run, 7 if jobs == JOBS else 3)
        figures.add(f"run {name}, {JOBS:,} jobs", growth[JOBS], most=0.1)
        exponent = math.log(growth[16 * JOBS] / growth[JOBS]) / math.log(16)
        figures.add(f"growth of run {name}, 16 times as many jobs", exponent, "exponent", most=1.15)
    for horizon in (1_000_000, 10_000):
        code = MILLION.format(horizon=horizon)
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        spent, memory = map(float, done.stdout.split())
        what = f"a million jobs in {horizon:,} slots"
        figures.add(f"{what}: drawn, run, certified", spent, most=60)
        figures.add(f"{what}: memory", memory, "GB", most=4)


def replays(figures: Figures) -> None:
    """The exact replay."""
    instance = market(JOBS, dps={"explore_cap": 0.112})
    run = algorithms["dps.dps"].run(instance)
    spent = fastest(lambda: replay(run, instance), 3)
    figures.add(f"replay of {JOBS:,} decisions", spent)


def relaxations(figures: Figures, preset: str) -> None:
    """Trace, solve, prices, check and best fixed price."""
    instance = market(JOBS, preset)
    for shape in ("cliques", "scarce"):
        program = IntervalLP(shape=shape)
        form = program.form(instance)
        trace = fastest(lambda p=program: p.form(instance), 3)  # type: ignore[misc]
        floor = 0.1 if shape == "cliques" and preset == "published" else None
        figures.add(f"{preset}: trace of dps.interval_lp[{shape}]", trace, most=floor)
        spent = fastest(lambda f=form: solve(f), 1)  # type: ignore[misc]
        figures.add(f"{preset}: solve dps.interval_lp[{shape}]", spent)
    prices, rough = lp_prices(instance), subgradient_prices(instance)
    figures.add(f"{preset}: prices of the bound", fastest(lambda: lp_prices(instance), 3), most=1.5)
    spent = fastest(lambda: subgradient_prices(instance), 3)
    figures.add(f"{preset}: prices by subgradients", spent)
    spent = fastest(lambda: certify_prices(instance, prices, "budget"))
    figures.add(f"{preset}: exact bound of prices", spent, most=0.1)
    bounds = [Fraction(certify_prices(instance, each, "budget").bound) for each in (rough, prices)]
    gap = float(bounds[0] / bounds[1] - 1)
    figures.add(f"{preset}: what subgradients lose", 100 * gap, "%")
    spent = fastest(lambda: best_by_coordinates(instance), 1)
    figures.add(f"{preset}: best fixed price by coordinates", spent, most=13)


def main() -> None:
    figures = Figures("dps")
    simulations(figures)
    whole_runs(figures)
    replays(figures)
    for preset in ("published", "heavy"):
        relaxations(figures, preset)
    print(figures.keep())


if __name__ == "__main__":
    main()
