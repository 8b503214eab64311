"""The program of a group: its multipliers are prices of leaves, its whole points are earned."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.certificates.dps import SlotPrices
from farkas.certificates.dps_server_groups import ALL_WAYS, GroupedMarket
from farkas.models.dps.offline import Offline
from farkas.relaxations.dps.group_program import GroupProgram
from farkas.solvers import solve
from tests.generators.dps import posted, random_market

NONE = np.zeros(0, np.int64)
SCALE = 30


def programs(market):
    free = SlotPrices(SCALE, NONE, NONE, NONE, NONE)
    return [GroupProgram(group) for group in GroupedMarket(market, free, "budget").groups]


@pytest.mark.parametrize("seed", range(30))
def test_multipliers_prove_what_the_program_earns_at_every_decision(seed):
    """Strong duality, node by node.

    Where a spread job has several classes to choose from, the leaf proves more: half of the job
    takes no more than half of what there is of the cheapest.
    """
    market, rng = random_market(seed, jobs=9, types=3), np.random.default_rng(seed)
    for program in programs(market):
        jobs = len(program.group.home)
        if not len(program.columns.job):
            continue
        allowed = np.full(jobs, ALL_WAYS, np.uint8)
        for job in rng.permutation(jobs)[: jobs // 3].tolist():
            allowed[job] = rng.choice([0b100, 0b101, 0b110])
        cost, upper = program.decided(allowed)
        answer = solve(program.form.replace(cost=cost, upper=upper)).require_optimal()
        bound = program.group.bound(program.leaf(answer.row_duals), allowed)
        proved = bound / 2.0**SCALE
        assert proved <= answer.objective * (1 + 1e-6) + 1e-6
        if program.group.classes.count == 1:
            assert proved == pytest.approx(answer.objective, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_whole_points_of_one_server_are_the_optimum(seed):
    market = random_market(seed, jobs=9, servers=1)
    (program,) = programs(market)
    best = solve(Offline().form(market), gap=0.0).require_optimal().objective
    if not len(program.columns.job):
        assert best == 0
        return
    point = program.whole_jobs(60.0, 0.0).require_optimal().point
    assert float(program.form.cost @ point) == pytest.approx(best, rel=1e-6, abs=1e-9)
    assert program.parts(point).sum(axis=1).max() <= 1 + 1e-6


def test_market_prices_lower_what_jobs_earn_by_their_parameter_servers():
    market = posted((0, 2.0, 2, 9.0), (1, 1.0, 1, 4.0), units=3)
    price = SlotPrices(0, NONE, NONE, np.array([0, 1]), np.array([1, 2]))
    (group,) = GroupedMarket(market, price, "budget").groups
    program = GroupProgram(group)
    whole = program.columns.way == 0
    # the first holds two of them in slots 0 and 1, the second one in slot 1
    assert program.columns.cost[whole].tolist() == [9 - 2 * 3, 4 - 2]


def test_a_job_that_must_be_served_displaces_dearer_ones():
    market = posted((0, 1.0, 1, 1.0), (0, 1.0, 1, 9.0))
    (program,) = programs(market)
    allowed = np.array([0b001, ALL_WAYS], np.uint8)
    cost, upper = program.decided(allowed)
    answer = solve(program.form.replace(cost=cost, upper=upper)).require_optimal()
    assert program.parts(answer.point).tolist() == [[1.0, 0.0], [0.0, 0.0]]
    bound = program.group.bound(program.leaf(answer.row_duals), allowed)
    assert bound / 2.0**SCALE == pytest.approx(1.0, rel=1e-6)
