"""Replies of jobs to prices of servers: against all plans, exact replies, programs and optima."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates import check
from farkas.certificates.priced_tree import Window
from farkas.decomposition.column_generation import price_rows
from farkas.decomposition.cuts import CutLoop
from farkas.decomposition.master import Master, Pool
from farkas.decomposition.protocol import Demand, Tree
from farkas.models.dps.offline import Offline
from farkas.relaxations.dps.interval import IntervalLP
from farkas.relaxations.dps.pricing import ServerPricing
from farkas.solvers import solve
from tests.generators.dps import posted, random_market


def drawn(seed: int, **options) -> tuple[ServerPricing, np.random.Generator]:
    """Pricing of a random market, each third time in one pool, and what draws prices for it."""
    market, rng = random_market(seed, **options), np.random.default_rng(seed)
    return ServerPricing(market, single=seed % 3 == 0), rng


def prices_for(problem: ServerPricing, rng: np.random.Generator) -> np.ndarray:
    return rng.choice([0.0, 0.0, 0.125, 0.25, 0.5], len(problem.rows))


def splits(units: int, most: list[int]) -> list[tuple[int, ...]]:
    """All ways to take so many units of places that have only so many."""
    return [
        each
        for each in itertools.product(*(range(min(units, n) + 1) for n in most))
        if sum(each) == units
    ]


def plans_of(problem: ServerPricing, job: int) -> list[np.ndarray]:
    """Use of rows by every plan of a job, written slot by slot."""
    market, program = problem.market, problem.program

    def held(end: float) -> list[bool]:
        first = int(market.arrival[job])
        return [t == first or (t > first and market.still_held(end, t)) for t in program.slots]

    def use(units: tuple, end: float) -> np.ndarray:
        found = [np.zeros(shape) for shape in program.shapes]
        kinds = market.worker_type[job], market.ps_type[job]
        for side, (kind, by_pool) in enumerate(zip(kinds, units, strict=True)):
            found[side][:, kind, :] = np.outer(by_pool, held(end))
        return np.concatenate([each.ravel() for each in found])

    asked = int(market.workers[job]), int(market.ps[job])
    each, found = np.eye(problem.pools.count, dtype=int), []
    for pool in np.flatnonzero(problem.pools.hosts[job]):
        whole = tuple(units * each[pool] for units in asked)
        found.append(use(whole, market.colocated_end[job]))
    there = (
        problem.pools.workers[:, market.worker_type[job]],
        problem.pools.ps[:, market.ps_type[job]],
    )
    for units in itertools.product(
        *(splits(n, m.tolist()) for n, m in zip(asked, there, strict=True))
    ):
        found.append(use(units, market.spread_end[job]))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_replies_are_the_best_of_all_plans(seed):
    problem, rng = drawn(seed, jobs=5)
    prices = prices_for(problem, rng)
    cases = {0: Window(0.0, 0.0), 1: Window(problem.program.most(1), problem.program.most(1))}
    case = {job: window for job, window in cases.items() if problem.program.most(job) > 0}
    earned, plans = problem.replies(prices, case)
    exact = problem.program.replies(prices, case, range(problem.owners))
    for job in range(problem.owners):
        worth = problem.most[job]
        if job in case:
            worth = case[job].worth(np.array([worth]))[0]
        charges = [use @ prices for use in plans_of(problem, job)]
        best = max([0.0, *(worth - charge for charge in charges)])
        assert earned[job] == pytest.approx(best, abs=1e-12)
        assert float(exact[job]) == pytest.approx(best, abs=1e-12)
        own = plans.owner == job
        told = worth - plans.use[own] @ prices
        assert best == 0 or told.max() == pytest.approx(best, abs=1e-12)
        for use in plans.use[own].toarray():
            assert any((use == plan).all() for plan in plans_of(problem, job))


@pytest.mark.parametrize("seed", range(40))
def test_certificates_prove_what_prices_by_class_do(seed):
    problem, rng = drawn(seed, jobs=8)
    prices = prices_for(problem, rng)
    made = problem.certificate(Tree.of(prices))
    proved = check(made, instance=problem.market).bound
    assert Fraction(made.bound) == proved
    earned, _ = problem.replies(prices, {})
    assert float(proved) == pytest.approx(float(problem.rows @ prices + earned.sum()))


def settled(problem: ServerPricing):
    master = Master(problem, Pool(problem))
    *_, last = price_rows(problem, master, gap=0.0, left=lambda: 60.0)
    return last, master


@pytest.mark.parametrize("seed", range(30))
def test_settled_prices_bound_the_optimum_and_no_less_than_types_do(seed):
    market = random_market(seed, jobs=9)
    problem = ServerPricing(market)
    last, _ = settled(problem)
    rewards = "budget" if market.price_cap is None else "capped"
    by_type = solve(IntervalLP(rewards=rewards).form(market)).require_optimal().objective
    prices = "free" if market.price_cap is None else "capped"
    best = solve(Offline(prices=prices).form(market), gap=0.0).require_optimal().objective
    proved = float(Fraction(problem.certificate(Tree.of(last.prices)).bound))
    assert best * (1 - 1e-9) <= proved <= by_type * (1 + 1e-9) + 1e-9
    assert proved == pytest.approx(max(last.value, 0.0), rel=1e-9, abs=1e-9)
    pooled = ServerPricing(market, single=True)
    assert settled(pooled)[0].bound == pytest.approx(by_type, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_knapsacks_hold_every_choice_of_whole_jobs(seed):
    """What is charged is least use times what it says, and no more than the best of all choices."""
    market = random_market(seed, jobs=9, servers=2)
    problem = ServerPricing(market)
    master = Master(problem, Pool(problem))
    *_, last = price_rows(problem, master, gap=0.0, left=lambda: 60.0)
    prices = "free" if market.price_cap is None else "capped"
    best = solve(Offline(prices=prices).form(market), gap=0.0).require_optimal().objective
    bounds = [last.bound]
    charging = CutLoop(problem, master, last)
    for found in charging.run(0.0, lambda: 60.0):
        proved = Fraction(problem.certificate(charging.tree()).bound)
        assert float(proved) == pytest.approx(found.bound, rel=1e-9, abs=1e-9)
        bounds.append(float(proved))
    assert min(bounds) >= best * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_least_use_is_that_of_the_plan_that_uses_least(seed):
    problem, _ = drawn(seed, jobs=5)
    program, pools = problem.program, problem.pools.count
    number = np.arange(program.width)
    begin = 0
    for shape in program.shapes:
        of_side = number[begin : begin + np.prod(shape)].reshape(shape)
        begin += of_side.size
        for kind, slot in np.ndindex(shape[1:]):
            rows = of_side[:, kind, slot]
            assert program.capacity(rows) == sum(Fraction(x) for x in problem.rows[rows].tolist())
            for job in np.flatnonzero(problem.most > 0).tolist():
                uses = [plan[rows].sum() for plan in plans_of(problem, job)]
                assert program.least_use(job, 1.0, rows) == min(uses)
                assert program.least_use(job, 0.0, rows) == 0
                if pools > 1:  # what is not on some of the pools may be on others
                    assert program.least_use(job, 1.0, rows[:-1]) == 0


def test_whole_jobs_that_exclude_each_other_are_seen_by_a_knapsack():
    """Three jobs of two units each on five: two are served, where parts of jobs serve 2.5."""
    problem = ServerPricing(posted(*[(0, 3.0, 2, 4.0)] * 3, (1, 3.0, 1, 1.0), units=5))
    master = Master(problem, Pool(problem))
    *_, last = price_rows(problem, master, gap=0.0, left=lambda: 60.0)
    *_, found = CutLoop(problem, master, last).run(0.0, lambda: 60.0)
    assert (last.bound, found.bound) == (pytest.approx(10.0), pytest.approx(9.0))


@pytest.mark.parametrize("seed", range(30))
def test_what_fits_keeps_every_limit_and_stays_in_its_pools(seed):
    problem, rng = drawn(seed, jobs=8)
    market, prices = problem.market, prices_for(problem, rng)
    used, quiet = np.zeros(len(problem.hard)), np.ones(market.num_servers)
    _, plans = problem.replies(prices, {})
    likes = {int(owner): plans.use[[k]] for k, owner in enumerate(plans.owner)}
    for job in rng.permutation(problem.owners).tolist():
        like = likes.get(job)
        for many, rows in ((1, None), (3, None), (3, like)):
            for fit in problem.fits(job, Demand(used, prices, quiet, 0.0, rows, many)):
                after = used.copy()
                np.add.at(after, fit.limit, fit.amount)
                assert (after <= problem.hard).all()
                assert fit.value == problem.most[job] > 0
                assert [sum(units) for _, units in fit.what] == [
                    market.workers[job], market.ps[job],
                ]  # fmt: skip
                row = np.bincount(problem.row_of[fit.limit], fit.amount, len(problem.rows))
                assert any((row == plan).all() for plan in plans_of(problem, job))
                if rows is not None:  # no row but those of the plan that is to be followed
                    assert set(np.flatnonzero(row)) <= set(rows.indices.tolist())
        found = problem.fits(job, Demand(used, 0.0 * prices, quiet))
        for fit in found:
            used[fit.limit] += fit.amount
        assert not problem.fits(job, Demand(used, prices, quiet, float(problem.most[job])))


def test_the_fullest_server_hosts_a_whole_job():
    market = random_market(0).replace(
        server_workers=[[3], [2]], server_ps=[[3], [2]], worker_bandwidth=[None],
        ps_bandwidth=[None], jobs=[],
    )  # fmt: skip
    job = {
        "arrival": 0, "worker_type": 0, "workers": 1, "ps_type": 0, "ps": 1, "model_size": 1.0,
        "epochs": 1.0, "epoch_compute": 1.0, "budget": 2.0,
    }  # fmt: skip
    problem = ServerPricing(market.replace(jobs=[job, {**job, "workers": 3}]))
    free, used, quiet = np.zeros(len(problem.rows)), np.zeros(len(problem.hard)), np.ones(2)
    (fit,) = problem.fits(0, Demand(used, free, quiet))
    assert [servers.tolist() for servers, _ in fit.what] == [[1], [1]]
    (fit,) = problem.fits(1, Demand(used, free, quiet))
    assert [servers.tolist() for servers, _ in fit.what] == [[0], [0]]
