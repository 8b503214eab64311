"""Cells of prices bound the best fixed ones: against exact optima and grids."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.certificates import check
from farkas.certificates.dps_fixed import PriceCell, cell_bound
from farkas.errors import InvalidOption, NotApplicable
from farkas.instances import library
from farkas.online.dps.best_fixed import best_exactly, best_on_grid
from farkas.quantities.names import program_optimum
from farkas.relaxations.dps.fixed_prices import price_cells, prove_fixed_prices
from tests.generators.dps import empty_market, random_market


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
