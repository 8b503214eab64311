"""Slots and runs of mlBroker against their floors and each other; CPU seconds.

Published scale: R = 15 sites, T = 50 slots, 10 and 50 jobs a slot.  In one process: a slot whose
sites are filled, the same by cutting planes, and given to Clarabel (cones built by hand, so that
no modelling language is measured); the certificate beside the run it belongs to; runs of all
algorithms and bounds when jobs double.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable
from typing import Any

import clarabel
import numpy as np
import scipy.sparse as sp

from benchmarks.measure import Figures, drawn, side_by_side
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.data import Constants, SlotProblem, snapshot
from farkas.online import algorithms
from farkas.online.loop import decide
from farkas.online.mlbroker.environment import Environment, tight_bound
from farkas.online.mlbroker.fractional import Fractional
from farkas.relaxations.mlbroker.slot_solver import Together
from farkas.relaxations.mlbroker.slot_transport import JobPrices, follow

FLOORS = {10.0: 6.0, 50.0: 30.0}  #: CPU seconds allowed for a run with certificate, by jobs a slot.
SLOT_FLOOR = 0.06  #: CPU seconds allowed for a slot of 52 jobs.
#: CPU seconds allowed for a run at the published size.
PROGRAM_FLOORS = {"mlbroker.one_shot": 8.0, "mlbroker.oasis": 4.0}
GROWTH_FLOOR = 1.15  #: Exponent allowed when the jobs of a slot double.
SIZES = (5.0, 10.0, 20.0, 40.0)
GROWING = ("fractional", "mlbroker", "ir", "gr", "central", "local", "pooled")


def run(instance: Brokerage) -> dict[str, float]:
    """CPU seconds of the steps, the certificate and the pricing of one run."""
    world, policy = Environment(), Fractional("tight")
    start = time.process_time()
    made = decide(policy, world, instance, 0)
    stepped = time.process_time()
    bound = policy.certify(instance, made.state, made.decisions)
    certified = time.process_time()
    cost = policy.price(instance, made.decisions).total
    done = time.process_time()
    return {
        "job_slots": instance.num_pairs,
        "steps": stepped - start,
        "certificate": certified - stepped,
        "pricing": done - certified,
        "total": done - start,
        "ratio": cost / float(bound),
    }


class ByCones:
    """The tight slot of one job for Clarabel: shares, v >= p, and one exponential cone a site."""

    def __init__(self, sites: int) -> None:
        self.sites = sites
        square = sites * sites
        self.size = 2 * square + 3 * sites  # moved, connected, server, v, w
        eye, ones = sp.eye_array(sites), np.ones((1, sites))
        rows, columns = sp.kron(eye, ones), sp.kron(ones, eye)  # sums over targets, over origins
        none = sp.csr_array((sites, sites))
        wide = sp.csr_array((sites, square))
        equal = sp.block_array(
            [
                [rows, wide, none, none, none],
                [None, None, sp.csr_array(ones), None, None],
            ]
        )
        below = sp.block_array(
            [
                [columns, -rows, none, none, none],
                [wide, -columns, eye, none, none],
                [wide, rows, none, -eye, none],
                [wide, wide, eye, -eye, none],
                [-sp.eye_array(square), None, None, None, None],
                [None, -sp.eye_array(square), None, None, None],
                [None, None, -eye, None, None],
            ]
        )
        cones = sp.lil_array((3 * sites, self.size))
        for site in range(sites):
            cones[3 * site, 2 * square + 2 * sites + site] = 1.0  # -w
            cones[3 * site + 1, 2 * square + sites + site] = -1.0  # v + ε
        self.matrix = sp.vstack([equal, below, cones.tocsr()], format="csc")
        self.below = below.shape[0]

    def solve(self, problem: SlotProblem, prices: JobPrices, job: int) -> float:
        sites, epsilon = self.sites, problem.market.epsilon
        before, scale = problem.before[job], float(problem.scale[job, 0])
        cost = np.concatenate(
            [
                prices.moved[job].ravel(),
                prices.connected[job].ravel(),
                prices.server[job],
                np.full(sites, -scale),
                np.full(sites, scale),
            ]
        )
        cone = np.zeros(3 * sites)
        cone[1::3] = epsilon
        cone[2::3] = before + epsilon
        side = np.concatenate([prices.volume[job], [1.0], np.zeros(self.below), cone])
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.max_threads = 1
        kinds: list[Any] = [
            clarabel.ZeroConeT(sites + 1),
            clarabel.NonnegativeConeT(self.below),
            *(clarabel.ExponentialConeT() for _ in range(sites)),
        ]
        zero = sp.csc_array((self.size, self.size))
        solver = clarabel.DefaultSolver(zero, cost, self.matrix, side, kinds, settings)
        return float(solver.solve().obj_val) + scale * float(before.sum())


def slot_ratio(jobs: float) -> dict[str, float]:
    """CPU seconds of one busy slot, a little deployed before, in three ways."""
    instance = drawn(Brokerage, seed=5, num_slots=10, jobs_per_slot=jobs)
    slot = max(range(10), key=lambda t: len(instance.jobs_at(t)))
    market = snapshot(instance, slot).market
    rng = np.random.default_rng(0)
    before = rng.uniform(0, 0.3, (market.num_jobs, market.num_sites))
    problem = SlotProblem(market=market, before=before, constants=Constants.of(instance))
    planes, cones, prices = Together("tight"), ByCones(15), JobPrices.of(market)
    ours = follow(problem).objective
    assert abs(ours - planes.solve(problem).objective) <= 1e-8 * ours
    theirs = sum(cones.solve(problem, prices, job) for job in range(market.num_jobs))
    assert abs(ours - theirs) <= 1e-5 * ours, (ours, theirs)
    seconds = side_by_side(
        {
            "filled": lambda: follow(problem),
            "planes": lambda: planes.solve(problem),
            "cones": lambda: [cones.solve(problem, prices, j) for j in range(market.num_jobs)],
        },
        repeats=5,
    )
    return {"jobs": market.num_jobs, **seconds, "floor": SLOT_FLOOR}


def seconds_of(work: Callable[[], Any]) -> float:
    """CPU seconds of one call: runs keep bounds, so that none is repeated on an instance."""
    start = time.process_time()
    work()
    return time.process_time() - start


def growth(name: str) -> dict[str, Any]:
    """CPU seconds of a run when jobs double, shortest of three seeds, and the exponent.

    That from the smallest to the largest, since seeds decide about single doublings.
    """
    best = []
    for jobs in SIZES:
        runs = [drawn(Brokerage, seed=seed, jobs_per_slot=jobs) for seed in (5, 6, 7)]
        pairs = [one.num_pairs for one in runs]
        spent = [
            seconds_of(functools.partial(algorithms[f"mlbroker.{name}"].run, one, seed=0))
            for one in runs
        ]
        best.append(min(zip(spent, pairs, strict=True), key=lambda one: one[0] / one[1]))
    (least, fewest), (most, many) = best[0], best[-1]
    return {
        "seconds": [one[0] for one in best],
        "pairs": [one[1] for one in best],
        "exponent": math.log(most / least) / math.log(many / fewest),
        "floor": GROWTH_FLOOR,
    }


def main() -> None:
    figures = Figures("mlbroker")
    for jobs in (10.0, 50.0):
        slot = slot_ratio(jobs)
        what = f"regularised slot of {slot['jobs']} jobs"
        figures.add(what, slot["filled"], most=SLOT_FLOOR if jobs == 50.0 else None)
        figures.add(f"{what}: planes over filling", slot["planes"] / slot["filled"], "x", least=2)
        figures.add(f"{what}: cones over filling", slot["cones"] / slot["filled"], "x", least=2)
    for jobs, floor in FLOORS.items():
        found = run(drawn(Brokerage, seed=5, jobs_per_slot=jobs))
        what = f"run of mlbroker.fractional, {jobs:g} jobs a slot"
        figures.add(what, found["total"], most=floor)
        figures.add(f"{what}: certificate", 100 * found["certificate"] / found["total"], "%")
        figures.add(f"{what}: certified ratio", found["ratio"], "x")
    for name, floor in PROGRAM_FLOORS.items():
        total = seconds_of(functools.partial(algorithms[name].run, drawn(Brokerage, seed=0)))
        figures.add(f"run of {name}, 10 jobs a slot", total, most=floor)
    small = drawn(Brokerage, seed=5)
    figures.add("tight bound, job by job, proved", seconds_of(lambda: tight_bound(small)))
    for name in GROWING:
        grown = growth(name)
        what = f"run of mlbroker.{name}, 5, 10, 20, 40 jobs a slot"
        print(f"  {what}: {', '.join(f'{one:.2f}' for one in grown['seconds'])} s")
        figures.add(f"{what}: exponent", grown["exponent"], "exponent", most=GROWTH_FLOOR)
    print(figures.keep())


if __name__ == "__main__":
    main()
