"""The fractional algorithm with its certificate, against the clock and against a cone solver.

Published scale: R = 15 sites, T = 50 slots, 10 and 50 jobs a slot.  Ratios compare, in one process,
a slot solved by cutting planes with the same slot given to Clarabel (cones built by hand, so that
no modelling language is measured), and the certificate with the run it belongs to.
"""

from __future__ import annotations

import time
from typing import Any

import clarabel
import numpy as np
import scipy.sparse as sp

from benchmarks.measure import keep, side_by_side
from farkas.instances.generate import generate
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.slot import Constants, SlotProblem
from farkas.models.mlbroker.snapshot import snapshot
from farkas.online.mlbroker.bound import tight_bound
from farkas.online.mlbroker.environment import Environment
from farkas.online.mlbroker.fractional import Fractional
from farkas.online.mlbroker.slot_solver import JobByJob
from farkas.relaxations.mlbroker.outer_job import JobPrices

FLOORS = {10.0: 6.0, 50.0: 30.0}
"""CPU seconds allowed for a run with certificate, by jobs a slot."""


def run(instance: Brokerage) -> dict[str, float]:
    """CPU seconds of the steps, the certificate and the pricing of one run."""
    world, policy = Environment(), Fractional()
    start = time.process_time()
    state, decisions = policy.start(world.known(instance), 0), []
    for arrival in world.arrivals(instance):
        state, decision = policy.step(state, arrival)
        decisions.append(decision)
    stepped = time.process_time()
    bound = policy.certify(instance, state, decisions)
    certified = time.process_time()
    cost = policy.evaluate(instance, decisions).total
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


def slot_ratio() -> dict[str, float]:
    """CPU seconds of one busy slot, nothing deployed before, both ways."""
    instance = generate("mlbroker", "published", 5, num_slots=10)
    assert isinstance(instance, Brokerage)
    slot = max(range(10), key=lambda t: len(instance.jobs_at(t)))
    market = snapshot(instance, slot).market
    rng = np.random.default_rng(0)
    before = rng.uniform(0, 0.3, (market.num_jobs, market.num_sites))
    problem = SlotProblem(market=market, before=before, constants=Constants.of(instance))
    warm, cones, prices = JobByJob(15), ByCones(15), JobPrices.of(market)
    ours = warm.solve(problem).objective
    theirs = sum(cones.solve(problem, prices, job) for job in range(market.num_jobs))
    assert abs(ours - theirs) <= 1e-5 * ours, (ours, theirs)
    seconds = side_by_side(
        {
            "planes": lambda: warm.solve(problem),
            "cones": lambda: [cones.solve(problem, prices, j) for j in range(market.num_jobs)],
        },
        repeats=5,
    )
    return {"jobs": market.num_jobs, **seconds, "ratio": seconds["cones"] / seconds["planes"]}


def main() -> None:
    results: dict[str, Any] = {"slot": slot_ratio()}
    slot = results["slot"]
    print(
        f"slot (10) tight, R = 15, {slot['jobs']} jobs: {1e3 * slot['planes']:.1f} ms by planes, "
        f"{1e3 * slot['cones']:.1f} ms by cones, ratio {slot['ratio']:.1f}"
    )
    for jobs, floor in FLOORS.items():
        instance = generate("mlbroker", "published", 5, jobs_per_slot=jobs)
        assert isinstance(instance, Brokerage)
        found = run(instance)
        share = found["certificate"] / found["total"]
        results[f"run_{jobs:g}"] = {**found, "share_of_certificate": share, "floor": floor}
        print(
            f"run, R = 15, T = 50, {jobs:g} jobs a slot ({found['job_slots']} job-slots): "
            f"{found['total']:.2f} s of {floor:g} s allowed, certificate {100 * share:.1f} %, "
            f"certified ratio {found['ratio']:.4f}"
        )
    small = generate("mlbroker", "published", 5)
    assert isinstance(small, Brokerage)
    start = time.process_time()
    tight_bound(small)
    results["tight_bound"] = time.process_time() - start
    print(f"tight bound, job by job, proved: {results['tight_bound']:.2f} s")
    print(keep("mlbroker", results))


if __name__ == "__main__":
    main()
