"""Jobs placed anew: against the exact program, within what others leave, and never for less."""

from __future__ import annotations

import math

import numpy as np
import pytest

from farkas.decomposition.column_generation import price_rows
from farkas.decomposition.local_search import SlotSearch
from farkas.decomposition.master import Master, Pool
from farkas.decomposition.neighbourhoods import Targets
from farkas.decomposition.packing import Packing
from farkas.models.dps.offline import Offline
from farkas.offline.dps import repacking
from farkas.offline.dps.optimum import PlacementPricing
from farkas.offline.dps.repacking import placed_anew
from farkas.offline.methods import searches
from farkas.solvers import solve
from tests.generators.dps import posted, random_market


def optimum(market):
    prices = "free" if market.price_cap is None else "capped"
    return solve(Offline(prices=prices).form(market), gap=0.0).require_optimal().objective


def placed(market):
    """Jobs in order of arrival, each where it is cheapest at no prices."""
    problem = PlacementPricing(market)
    packing, free = Packing(problem), np.zeros(len(problem.rows))
    packing.fill(free, np.zeros(problem.owners), lambda: 60.0)
    return problem, packing, free


@pytest.mark.parametrize("few", [0, 2_000])
@pytest.mark.parametrize("seed", range(20))
def test_all_jobs_anew_are_the_optimum_and_among_few_columns_no_less_than_before(
    seed, few, monkeypatch
):
    monkeypatch.setattr(repacking, "FEW_COLUMNS", few)
    market = random_market(seed, jobs=9, servers=3)
    problem, packing, free = placed(market)
    before, best = packing.value, optimum(market)
    kept = {job: packing.take(job) for job in range(problem.owners)}
    found = placed_anew(problem, kept, packing.used, free, math.inf, 0.0, 60.0)
    run = searches["dps.optimum"].run(market, problem.decisions(found))
    assert not run.violations
    least = before if few == 0 else best
    assert least * (1 - 1e-9) <= float(run.reached) <= best * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_some_jobs_anew_leave_the_others_and_lose_nothing(seed):
    market = random_market(seed, jobs=12, servers=3)
    problem, packing, _ = placed(market)
    before, rng = packing.value, np.random.default_rng(seed)
    prices = rng.choice([0.0, 0.1, 0.3], len(problem.rows))
    for room in (0.0, 0.5, math.inf):
        jobs = rng.permutation(problem.owners)[:5].tolist()
        stay = {job: fit for job, fit in packing.plans.items() if job not in jobs}
        kept = {job: packing.take(job) for job in jobs}
        for job, fit in placed_anew(problem, kept, packing.used, prices, room, 0.0, 60.0).items():
            packing.put(job, fit)
        assert all(packing.plans[job] is fit for job, fit in stay.items())
        assert (packing.used <= problem.hard).all()
        assert packing.value >= before * (1 - 1e-9)
        before = packing.value
    run = searches["dps.optimum"].run(market, problem.decisions(packing.plans))
    assert not run.violations


def test_a_job_moves_aside_for_a_larger_one():
    """Two servers of 2 units: a small job on each leaves no room for one that takes a server."""
    market = posted((0, 3.0, 1, 1.0), (0, 3.0, 1, 1.0), (1, 1.0, 2, 4.0), units=2).replace(
        server_workers=[[2], [2]], server_ps=[[2], [2]]
    )
    problem = PlacementPricing(market)
    packing, free = Packing(problem), np.zeros(len(problem.rows))
    for job, server in ((0, 0), (1, 1)):
        units = [(np.array([server]), np.array([1]))] * 2
        packing.put(job, problem.fit(job, units, 1))
    kept = {job: packing.take(job) for job in (0, 2)} | {1: packing.take(1)}
    found = placed_anew(problem, kept, packing.used, free, math.inf, 0.0, 60.0)
    assert sorted(found) == [0, 1, 2]
    where = {job: fit.what[0][0].tolist() for job, fit in found.items()}
    assert where[0] == where[1] != where[2]
    for job in (0, 1):
        packing.put(job, kept[job])
    slots = SlotSearch(problem.slot_of)
    slots.improve(packing, lambda: targeted(problem, packing), gap=0.0, left=lambda: 60.0)
    assert packing.value == 6


def targeted(problem, packing):
    """What is targeted at settled prices, of all owners."""
    pool = Pool(problem)
    *_, last = price_rows(problem, Master(problem, pool), gap=0.0, left=lambda: 60.0)
    return Targets.nearest(problem, pool, last, packing.value)


@pytest.mark.parametrize("seed", range(20))
def test_who_meets_in_scarce_slots_is_placed_anew_and_nothing_is_lost(seed):
    market = random_market(seed, jobs=12, servers=3)
    problem, packing, _ = placed(market)
    before = packing.value
    slots = SlotSearch(problem.slot_of)
    slots.improve(packing, lambda: targeted(problem, packing), gap=0.0, left=lambda: 60.0)
    assert packing.value >= before * (1 - 1e-12)
    assert (packing.used <= problem.hard).all()
    run = searches["dps.optimum"].run(market, problem.decisions(packing.plans))
    assert not run.violations
    assert float(run.reached) == pytest.approx(packing.value)


def test_those_meet_who_hold_units_in_a_slot_or_near_it_and_half_as_many_wait():
    market = posted(
        (0, 2.0, 1, 1.0), (1, 1.0, 1, 1.0), (1, 1.0, 3, 9.0), (4, 1.0, 1, 1.0), (4, 1.0, 3, 9.0),
        units=3,
    )  # fmt: skip
    problem = PlacementPricing(market)
    packing = Packing(problem)
    for job in (0, 1, 3):
        assert packing.insert(job, np.zeros(len(problem.rows)))
    targets = targeted(problem, packing)
    slots = problem.slot_of
    # arrivals are in slots 0, 1 and 4, and the dear job of slot 1 is the nearest that waits
    assert targets.slot_neighbourhood(packing, 1, slots, 1.0) == [0, 1, 2]
    assert targets.slot_neighbourhood(packing, 2, slots, 1.0) == [3, 4]
    assert targets.slot_neighbourhood(packing, 2, slots, 2.0)[:2] == [3, 0]
