"""Simulation, interval relaxation, certificate and best fixed price, against the clock.

Published scale: 10 000 jobs, 50 servers, 25 types; also five times the load.  Ratios compare, in
one process, the compiled simulation with the readable one, the two shapes of the interval
relaxation, and the integer check with the solve it certifies.
"""

from __future__ import annotations

import time
from typing import Any

from benchmarks.measure import fastest, keep
from farkas.certificates.dps import prices_bound
from farkas.instances.dps import Market
from farkas.instances.generate import generate
from farkas.online.dps.best_fixed import best_by_coordinates
from farkas.online.dps.knapsacks import Knapsacks
from farkas.online.dps.learning import Dps
from farkas.online.dps.pairs import PairPrices
from farkas.online.dps.posted import Random, run_seller
from farkas.relaxations.dps.interval import IntervalLP
from farkas.relaxations.dps.prices import lp_prices, subgradient_prices
from farkas.solvers import solve

FLOORS = {"simulation": 1.5e-6, "check": 2e-3, "relaxation": 1.5, "best_fixed_price": 13.0}
"""CPU seconds allowed: per job, and for 10 000 jobs."""
SIZES = (10_000, 100_000, 1_000_000)


def market(jobs: int, preset: str = "published") -> Market:
    """As many slots as jobs; arrays are made before the clock starts."""
    knobs = {"explore_cap": 0.112}
    made = generate("dps", preset, 1, num_jobs=jobs, horizon=jobs, dps=knobs)
    assert isinstance(made, Market)
    assert len(made.spread_end) == len(made.colocated_end) == len(made.budget) == jobs
    return made


def simulation(jobs: int) -> dict[str, float]:
    """CPU seconds a job of Algorithm 1 and of random prices."""
    instance = market(jobs)
    Dps().simulate(instance)  # compiles, or reads what was compiled
    repeats = 5 if jobs <= 100_000 else 1
    found = {
        "dps": fastest(lambda: Dps().simulate(instance), repeats) / jobs,
        "random": fastest(lambda: Random().simulate(instance), repeats) / jobs,
    }
    if jobs == SIZES[0]:
        found["readable"] = fastest(lambda: run_seller(Dps(), instance), 1) / jobs
    return found


def pairs(jobs: int) -> dict[str, float]:
    """CPU seconds a job of the bandits of pairs, compiled and readable."""
    instance = market(jobs)
    found = {}
    sellers: dict[str, PairPrices | Knapsacks] = {"dps_pairs": PairPrices(), "bwk": Knapsacks()}
    for name, seller in sellers.items():
        seller.simulate(instance)
        found[name] = fastest(lambda s=seller: s.simulate(instance), 3) / jobs  # type: ignore[misc]
        slow = fastest(lambda s=seller: run_seller(s, instance), 1)  # type: ignore[misc]
        found[f"{name}_readable"] = slow / jobs
    return found


def relaxation(preset: str) -> dict[str, float]:
    """CPU seconds of trace, solve, check, prices and best fixed price."""
    instance = market(SIZES[0], preset)
    found: dict[str, float] = {}
    for shape in ("cliques", "state"):
        program = IntervalLP(shape=shape)
        form = program.form(instance)
        found[f"trace_{shape}"] = fastest(lambda p=program: p.form(instance), 1)  # type: ignore[misc]
        found[f"solve_{shape}"] = fastest(lambda f=form: solve(f), 1)  # type: ignore[misc]
    prices = lp_prices(instance)
    rough = subgradient_prices(instance)
    found["relaxation"] = fastest(lambda: lp_prices(instance), 1)
    found["subgradient"] = fastest(lambda: subgradient_prices(instance), 1)
    found["check"] = fastest(lambda: prices_bound(instance, prices))
    found["check_subgradient"] = fastest(lambda: prices_bound(instance, rough))
    found["gap_of_subgradient"] = float(
        prices_bound(instance, rough) / prices_bound(instance, prices) - 1
    )
    start = time.process_time()
    best = best_by_coordinates(instance)
    found["best_fixed_price"] = time.process_time() - start
    found["simulations"] = best.simulations
    return found


def main() -> None:
    results: dict[str, Any] = {"floors": FLOORS}
    for jobs in SIZES:
        found = results[f"simulation_{jobs}"] = simulation(jobs)
        line = f"{jobs} jobs: {1e6 * found['dps']:.2f} µs a job (floor 1.5), "
        line += f"random prices {1e6 * found['random']:.2f}"
        if "readable" in found:
            line += f", {found['readable'] / found['dps']:.0f} times faster than the readable one"
        print(line, flush=True)
    found = results["pairs"] = pairs(SIZES[0])
    for name in ("dps_pairs", "bwk"):
        ratio = found[f"{name}_readable"] / found[name]
        print(f"{name}: {1e6 * found[name]:.2f} µs a job, {ratio:.0f} times faster than readable")
    for preset in ("published", "heavy"):
        found = results[preset] = relaxation(preset)
        print(
            f"{preset}: relaxation {found['relaxation']:.2f} s (floor 1.5), "
            f"solve cliques {found['solve_cliques']:.2f}, state {found['solve_state']:.2f} s; "
            f"check {1e3 * found['check']:.2f} ms (floor 2), "
            f"{found['relaxation'] / found['check']:.0f} times faster than what it certifies; "
            f"subgradient {found['subgradient']:.2f} s, gap {found['gap_of_subgradient']:.2%}; "
            f"best fixed price {found['best_fixed_price']:.2f} s (floor 13), "
            f"{found['simulations']:.0f} simulations",
            flush=True,
        )
    print(keep("dps", results))


if __name__ == "__main__":
    main()
