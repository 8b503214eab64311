"""The auction at the published scale: schedulers, certificates, and compiled against readable code.

R = 50 sites, T = 150 slots, I = 100 jobs, and I = 50, 150 for the schedulers.  CPU seconds are
printed beside the floors: prices and certificate in 0.4 s in all.  A ratio compares, in one
process, a compiled kernel with the readable version that tests hold it to.  Exponents say how a run
of eris.eris and its parts grow as jobs double from 25 to 400; the floor is 1.15.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.measure import Figures, drawn, side_by_side
from farkas.certificates.eris import certify_prices
from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices
from farkas.online import algorithms
from farkas.online.eris.environment import Environment, Ledger, pieces_of
from farkas.online.eris.eris import Eris, Scheduler
from farkas.online.eris.printed_scheduler import printed_slot
from farkas.online.eris.scheduler_dp import repaired_schedule
from farkas.online.loop import take_step
from farkas.relaxations.eris.welfare_bound import aggregated_prices
from tests.references.eris_printed import PaperValue

#: CPU seconds allowed at I = 100.
FLOORS = {"printed": 0.6, "dp": 4.0, "aggregated": 0.6}
DOUBLED = 25, 50, 100, 200, 400  #: Jobs of the auctions by which growth is measured.
SCHEDULERS: tuple[Scheduler, ...] = ("printed", "dp")


def auction(jobs: int) -> Auction:
    return drawn(Auction, num_jobs=jobs)


def policy_seconds(instance: Auction, scheduler: Scheduler) -> float:
    """CPU seconds of all steps of a run."""
    world, policy = Environment(), Eris(scheduler=scheduler)
    arrivals = world.arrivals(instance)
    state: Any = policy.start(world.known(instance), 0)
    rng, start = np.random.default_rng(0), time.process_time()
    for arrival in arrivals:
        state, _, _ = take_step(policy, state, arrival, rng)
    return time.process_time() - start


def gap(instance: Auction) -> tuple[float, int]:
    """Share of the payoff bounds that schedules miss, and jobs without any gap."""
    ledger, earned, bounded, exact = Ledger(instance), 0.0, 0.0, 0
    for job in instance.jobs:
        seen = ledger.meet(job)
        found = repaired_schedule(instance, job, seen)
        earned, bounded = earned + found.payoff, bounded + found.bound
        exact += found.bound - found.payoff <= 1e-6 * float(seen.worth[0])
        if found.pays:
            ledger.book(job, pieces_of(0, job, found))
    return 1.0 - earned / bounded, exact


def certificates(instance: Auction) -> dict[str, float]:
    """Bounds and CPU seconds: everything free, prices of all sites together."""
    start = time.process_time()
    prices = aggregated_prices(instance)
    pooled = certify_prices(instance, prices.transfer, prices.resource)
    end = time.process_time()
    free = Prices.zero(instance)
    return {
        "free": _number(certify_prices(instance, free.transfer, free.resource).bound),
        "aggregated": _number(pooled.bound),
        "aggregated seconds": end - start,
    }


def growth() -> dict[str, list[float]]:
    """CPU seconds of a run, of its steps, of its prices and of their proof, by `DOUBLED`."""
    found: dict[str, list[float]] = {"run": [], "steps": [], "prices": [], "proof": []}
    for jobs in DOUBLED:
        instance = auction(jobs)
        fresh = (instance.replace(name=str(turn)) for turn in range(3))  # bounds are kept
        prices = aggregated_prices(instance)
        works: dict[str, Callable[[], Any]] = {
            "run": partial(run_next, fresh),
            "prices": partial(aggregated_prices, instance),
            "proof": partial(certify_prices, instance, prices.transfer, prices.resource),
        }
        for name, seconds in side_by_side(works, 3).items():
            found[name].append(seconds)
        found["steps"].append(min(policy_seconds(instance, "dp") for _ in range(3)))
    return found


def run_next(instances: Iterator[Auction]) -> None:
    """Run eris.eris on an auction of which nothing is known yet."""
    algorithms["eris.eris"].run(next(instances))


def exponents(seconds: list[float]) -> list[float]:
    """Of growth, one a doubling."""
    return [math.log2(b / a) for a, b in itertools.pairwise(seconds)]


def _number(exact: str) -> float:
    top, _, bottom = exact.partition("/")
    return int(top) / int(bottom or 1)


def readable_over_compiled(instance: Auction) -> float:
    """Ratio of times of Algorithm 3."""
    rng = np.random.default_rng(0)
    shape = instance.used.shape
    longest = max(range(instance.num_jobs), key=lambda i: sum(instance.jobs[i].data))
    used = (instance.capacity[:, :, None] * rng.uniform(0, 0.5, shape)).tolist()
    busy = instance.replace(occupied={"transfer": [0.0] * instance.slots, "resources": used})
    met, first = Ledger.in_state_of(busy).meet(busy.jobs[longest]), busy.jobs[longest].arrival
    slot = side_by_side(
        {
            "compiled": lambda: printed_slot(met, 0, 20),
            "readable": lambda: PaperValue(busy, longest).deploy(first, 20),
        },
        3,
    )
    return slot["readable"] / slot["compiled"]


def main() -> None:
    figures = Figures("eris")
    for name in SCHEDULERS:
        policy_seconds(auction(50), name)  # compiles the kernels, which is not measured
    certificates(auction(10))  # so are those of prices
    for jobs in (50, 100, 150):
        instance = auction(jobs)
        for name in SCHEDULERS:
            floor = FLOORS[name] if jobs == 100 else None
            spent = policy_seconds(instance, name)
            figures.add(f"decisions, scheduler {name}, I = {jobs}", spent, most=floor)
        share, exact = gap(instance)
        figures.add(f"payoff gap of scheduler dp, I = {jobs}", 100 * share, "%")
        figures.add(f"jobs without a gap, I = {jobs}", exact, "jobs", least=0)
    found = certificates(auction(100))
    what = "prices and proof of a bound, aggregated, I = 100"
    figures.add(what, found["aggregated seconds"], most=FLOORS["aggregated"])
    figures.add(
        f"{what}: above everything free", 100 * (found["aggregated"] / found["free"] - 1), "%"
    )
    for part, spent_by in growth().items():
        seconds = ", ".join(f"{value:.2f}" for value in spent_by)
        print(f"  {part} of {', '.join(map(str, DOUBLED))} jobs: {seconds} s")
        figures.add(f"{part}: exponent of the last doubling", exponents(spent_by)[-1], "exponent",
                    most=1.15)  # fmt: skip
    ratio = readable_over_compiled(auction(100))
    figures.add("readable code over Algorithm 3", ratio, "x", least=2)
    print(figures.keep())


if __name__ == "__main__":
    main()
