"""The program of a group: its multipliers are prices of leaves, its whole points are earned."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.certificates import check
from farkas.certificates.dps import SlotPrices
from farkas.certificates.dps_fixed import PriceCell, cell_bound
from farkas.certificates.dps_server_trees import LEAF
from farkas.certificates.dps_servers import ALL_WAYS, GroupedMarket
from farkas.errors import InvalidOption, NotACertificate, NotApplicable
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.models.dps.offline import Offline
from farkas.online.dps.best_fixed import best_exactly, best_on_grid
from farkas.quantities.names import program_optimum
from farkas.relaxations.dps import server_prices, server_trees
from farkas.relaxations.dps.group_program import GroupProgram, price_cells, prove_fixed_prices
from farkas.relaxations.dps.interval import IntervalLP
from farkas.relaxations.dps.server_prices import ServerProgram, blended, in_money
from farkas.relaxations.dps.server_trees import ServerTrees
from farkas.solvers import solve
from tests.generators.dps import empty_market, market_in, posted, random_market

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


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_is_above_the_exact_best_price_and_falls_with_cells(seed):
    market = random_market(seed, jobs=7, types=1).replace(price_cap=1.0)
    if seed % 2:  # ties: budgets that many prices meet
        jobs = [{**msgspec.to_builtins(j), "budget": round(4 * j.budget) / 4} for j in market.jobs]
        market = market.replace(jobs=jobs)
    best = best_exactly(market).profit
    found = [prove_fixed_prices(market, cells=cells) for cells in (1, 5, 21)]
    bounds = [Fraction(c.bound) for c in found]
    assert bounds[0] >= bounds[1] >= bounds[2] >= best * (1 - Fraction(1, 10**12))
    for one in found:
        assert check(one, instance=market).bound == Fraction(one.bound)
        assert sum(node.axis is None for node in one.cells) == 1 + len(one.cells) // 2


@pytest.mark.parametrize("parts", [1, 3])
def test_the_bound_is_that_of_the_worst_cell_that_is_not_cut(parts):
    fell = 0
    for seed in range(4):
        market = random_market(seed, jobs=7).replace(price_cap=1.0)
        proved = prove_fixed_prices(market, cells=9, parts=parts)
        waiting, nodes, bounds = [PriceCell.whole(market)], iter(proved.cells), []
        while waiting:  # depth first, the lower half of a cut cell first
            cell, node = waiting.pop(), next(nodes)
            if node.axis is None:
                bounds.append(cell_bound(market, cell, node.prices, parts))
            else:
                waiting += reversed(cell.halves(node.axis, node.at))
        assert next(nodes, None) is None
        assert Fraction(proved.bound) == max(bounds)
        fell += max(bounds) < Fraction(prove_fixed_prices(market, cells=1, parts=parts).bound)
    assert fell >= 2


def test_prices_are_cut_where_they_differ_most_in_payments():
    axes = set()
    for seed in range(8):
        market = random_market(seed, jobs=9, servers=2).replace(price_cap=1.0)
        roomy = [np.full_like(x, 99) for x in (market.installed_workers, market.installed_ps)]
        market = market.replace(server_workers=roomy[0].tolist(), server_ps=roomy[1].tolist())
        # everybody is served who pays anything
        units = [0] * (market.num_worker_types + market.num_ps_types)
        for job in market.jobs:
            if job.budget > 0:
                units[job.worker_type] += job.workers
                units[market.num_worker_types + job.ps_type] += job.ps
        axis = prove_fixed_prices(market, cells=3).cells[0].axis
        assert axis == units.index(max(units))
        axes.add(axis)
    assert len(axes) > 1


def test_cells_shrink_to_the_relaxation_at_single_prices():
    # one job: it pays its budget of 1 at the best prices, and no cell of the end hides that
    market = library.load("dps/one_server")
    market = market.replace(jobs=[msgspec.to_builtins(market.jobs[0])])
    assert best_exactly(market).profit == 1
    bound = Fraction(prove_fixed_prices(market, cells=60, gap=1e-6).bound)
    assert 1 <= bound <= 1 + Fraction(1, 10**9)


@pytest.mark.parametrize("seed", range(4))
def test_several_types_are_bounded_above_every_price_of_a_grid(seed):
    grid = [0.2, 0.35, 0.5, 0.8, 1.0]
    market = random_market(seed, jobs=12, types=2).replace(price_cap=1.0, price_grid=grid)
    best = best_on_grid(market).profit
    free = program_optimum("dps.interval_lp[capped]", market)
    plain, fine = (Fraction(prove_fixed_prices(market, cells=41, parts=p).bound) for p in (1, 4))
    assert best <= fine <= plain <= free * (1 + 1e-9)
    assert fine < free


def test_limits_of_cells_time_and_gap_end_the_search():
    market = random_market(1, jobs=8).replace(price_cap=1.0)
    for limits in ({"time_limit": 0.0}, {"cells": 2}):
        assert len(prove_fixed_prices(market, **limits).cells) == 1
    assert len(prove_fixed_prices(market, cells=9, time_limit=np.inf).cells) == 9
    # prices from 0 on reach nothing, so that cells are cut until none is
    assert len(prove_fixed_prices(market, cells=99, gap=3.0).cells) < 99


def test_what_has_no_bound_is_refused():
    market = random_market(1, jobs=4)
    with pytest.raises(NotApplicable, match="price_cap"):
        prove_fixed_prices(market.replace(price_cap=None))
    for wrong in ({"cells": 0}, {"parts": 0}):
        with pytest.raises(InvalidOption, match="at least one"):
            prove_fixed_prices(market.replace(price_cap=1.0), **wrong)
    nobody = empty_market().replace(price_cap=1.0)
    assert prove_fixed_prices(nobody).bound == "0"


def test_cells_that_bound_programs_stop_in_time():
    market = library.load("dps/one_server")
    assert price_cells(market, 60.0) == prove_fixed_prices(market)
    assert price_cells(market, 0.0) == prove_fixed_prices(market, cells=1)


def last_round(market, rewards="budget"):
    rounds = list(ServerProgram(market, rewards).rounds())
    return rounds[-1] if rounds else None


@pytest.mark.parametrize("seed", range(40))
def test_prices_prove_the_value_of_the_program_and_bound_the_optimum(seed):
    market = random_market(seed, jobs=9)
    found = last_round(market)
    best = solve(Offline().form(market), gap=0.0).require_optimal().objective
    if found is None:
        assert best == 0
        return
    program = ServerProgram(market, "budget")
    value = float(program.reward[found.ways.job] @ found.share)
    assert float(found.bound) == pytest.approx(value, rel=1e-9)
    assert float(found.bound) >= best * (1 - 1e-9)
    by_type = solve(IntervalLP().form(market)).require_optimal().objective
    assert value <= by_type * (1 + 1e-9)


def test_classes_see_what_types_do_not():
    market = library.load("dps/aggregate_gap")
    # the optimum is 13.1, the relaxation by type 17.9, that by server 17.3
    assert 13.1 <= float(last_round(market).bound) <= 17.3 + 1e-6


def test_one_class_of_one_server_is_the_relaxation_by_type():
    market = generate("dps", "published", 0, num_jobs=60, horizon=60, num_servers=1)
    value = solve(IntervalLP().form(market)).require_optimal().objective
    assert float(last_round(market).bound) == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_margins_are_what_ways_pay_beyond_their_charges(seed):
    market = random_market(seed, jobs=9)
    found = last_round(market)
    if found is None:
        return
    # complementary slackness: what the optimum takes pays its charge at least, and all of it
    # where a job is not served in full
    used = found.share > 1e-9
    largest = market.budget.max()
    assert (found.margin[used] >= -1e-9 * largest).all()
    served = np.bincount(found.ways.job, found.share, market.num_jobs)
    partly = served[found.ways.job] < 1 - 1e-9
    assert (found.margin[partly] <= 1e-9 * largest).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_unit_of_money_changes_nothing(seed):
    market = random_market(seed, jobs=9)
    one, other = last_round(market), last_round(market_in(market, 2.0**40))
    if one is None:
        assert other is None
        return
    assert other.bound == one.bound * 2**40
    assert (other.share == one.share).all()


def test_what_is_too_large_or_too_late_is_left_out(monkeypatch):
    market = random_market(1, jobs=9)
    assert not list(ServerProgram(market, "budget").rounds(lambda: 0.0))
    monkeypatch.setattr(server_prices, "MOST_ENTRIES", 3)
    assert not list(ServerProgram(market, "budget").rounds())


@pytest.mark.parametrize("seed", range(12))
def test_known_prices_change_the_way_not_the_end(seed):
    market = random_market(seed, jobs=9, servers=3)
    program = ServerProgram(market, "budget")
    found = last_round(market)
    assert found is not None, "nobody pays"
    first = next(program.rounds())
    *_, again = program.rounds(known=first.prices)
    assert float(again.bound) == pytest.approx(float(found.bound), rel=1e-9)
    rounds = list(program.rounds(close=0.01))
    assert [each.bound for each in rounds] == [
        each.bound for each in list(program.rounds())[: len(rounds)]
    ]
    assert float(min(each.bound for each in rounds)) <= 1.02 * float(found.bound)
    assert len(list(program.rounds(close=1.0))) == 1


def test_prices_between_two_are_half_of_both():
    market = generate("dps", "published", 0, num_jobs=60, horizon=60, num_servers=3)
    one, *_, other = (each.prices for each in ServerProgram(market, "budget").rounds())
    between = blended(market, one, other)
    for name in ("worker", "ps"):
        found = [
            dict(
                zip(
                    getattr(prices, f"{name}_positions").tolist(),
                    in_money(getattr(prices, f"{name}_numbers"), prices).tolist(),
                    strict=True,
                )
            )
            for prices in (one, other, between)
        ]
        assert set(found[2]) <= set(found[0]) | set(found[1])
        for at in set(found[0]) | set(found[1]):
            half = (found[0].get(at, 0.0) + found[1].get(at, 0.0)) / 2
            assert found[2].get(at, 0.0) == pytest.approx(half, rel=1e-6, abs=1e-9)


def test_nobody_and_nothing_to_pay():
    assert last_round(empty_market()) is None
    market = random_market(2, jobs=5)
    free = market.replace(jobs=[{**_plain(job), "budget": 0.0} for job in market.jobs])
    assert last_round(free) is None


def _plain(job) -> dict:
    return {name: getattr(job, name) for name in job.__struct_fields__}


def trees_of(market):
    program = ServerProgram(market, "budget")
    nobody = SlotPrices.of(market, *({"type": (), "slot": (), "price": ()} for _ in range(2)))
    priced = program.priced(nobody, program.whole_ways().chosen(np.zeros(0, np.int64)), np.zeros(0))
    *_, priced = priced, *program.rounds()
    return ServerTrees(program, priced), priced


def grown(market) -> ServerTrees:
    trees, _ = trees_of(market)
    trees.settle(lambda: 60.0, 0.0)
    while trees.expand():
        pass
    return trees


def optimum(market) -> float:
    return solve(Offline().form(market), gap=0.0).require_optimal().objective


@pytest.mark.parametrize("seed", range(40))
def test_roots_together_are_the_program_by_class(seed):
    market = random_market(seed, jobs=10, servers=1 + seed % 4, types=3)
    trees, priced = trees_of(market)
    assert float(trees.bound) == pytest.approx(float(priced.bound), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_trees_prove_the_optimum_of_whole_jobs_and_their_certificate_says_so(seed):
    market = random_market(seed, jobs=10, servers=1 if seed % 2 else 3, types=3)
    trees = grown(market)
    best = optimum(market)
    made = trees.certificate()
    assert made.prove_bound(market) == trees.bound == Fraction(made.bound)
    assert float(trees.bound) >= best * (1 - 1e-9)
    if market.num_servers == 1:  # one server is its class, and spreading is to no avail
        assert float(trees.bound) == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize("seed", range(20))
def test_no_step_proves_less_than_the_optimum_or_more_than_before(seed):
    market = random_market(400 + seed, jobs=9, servers=1 + seed % 3)
    trees, _ = trees_of(market)
    best, before = optimum(market), trees.bound
    for _ in range(30):
        if not trees.expand():
            break
        assert Fraction(best) * (1 - Fraction(1, 10**9)) <= trees.bound <= before
        before = trees.bound


def test_an_integrality_gap_is_closed_by_deciding_jobs():
    market = posted(*[(0, 3.0, 2, 4.0)] * 3, (1, 3.0, 1, 1.0), units=5)
    trees, priced = trees_of(market)
    assert float(priced.bound) == pytest.approx(10.0)
    assert float(trees.bound) == pytest.approx(10.0)
    shares = trees.settle(lambda: 60.0, 0.0)
    assert float(trees.excess) == pytest.approx(1.0)
    assert shares.sum() == 3
    while trees.expand():
        pass
    assert float(trees.bound) == pytest.approx(9.0, rel=1e-6)
    nodes = trees.certificate().trees
    assert nodes.count(LEAF) == len(nodes) // 2 + 1 > 1


@pytest.mark.parametrize("unit", [2.0**-40, 2.0**40])
@pytest.mark.parametrize("seed", [1, 5, 8])
def test_the_unit_of_money_changes_no_tree(seed, unit):
    market = random_market(seed, jobs=12)
    one, other = grown(market), grown(market_in(market, unit))
    assert float(other.bound) == pytest.approx(float(one.bound) * unit, rel=1e-12)


def test_too_many_columns_are_refused(monkeypatch):
    monkeypatch.setattr(server_trees, "MOST_COLUMNS", 3)
    with pytest.raises(NotACertificate, match="columns of groups"):
        trees_of(random_market(1, jobs=8))


def test_nodes_are_limited(monkeypatch):
    market = posted(*[(0, 3.0, 2, 4.0)] * 3, (1, 3.0, 1, 1.0), units=5)
    monkeypatch.setattr(server_trees, "MOST_NODES", 1)
    assert grown(market).nodes == 1


def test_a_market_that_nobody_visits():
    market = empty_market()
    trees, _ = trees_of(market)
    assert trees.bound == 0
    assert not trees.expand()
    assert trees.certificate().prove_bound(market) == 0
