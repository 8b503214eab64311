"""Bounds on fixed prices against prices that are tried, and files that prove less."""

import dataclasses
import itertools
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.certificates import check
from farkas.certificates.dps import SlotPrices, prices_bound
from farkas.certificates.dps_fixed import (
    CellNode,
    DpsFixedPrices,
    PriceCell,
    asked_in,
    cell_bound,
    cell_rewards,
)
from farkas.certificates.files import from_json
from farkas.errors import NotACertificate, NotApplicable
from farkas.online.dps.seller import FixedPrice
from farkas.relaxations.dps.fixed_prices import prove_fixed_prices
from farkas.relaxations.dps.prices import lp_prices
from tests.generators.dps import random_market


def no_prices(market):
    nothing = dict.fromkeys(("type", "slot", "price"), np.zeros(0))
    return SlotPrices.of(market, nothing, nothing)


def test_the_cell_of_all_prices_is_bounded_as_every_run_with_capped_prices():
    market = random_market(2).replace(price_cap=1.0)
    prices, cell = lp_prices(market, "capped"), PriceCell.whole(market)
    found = cell_bound(market, cell, prices, 1)
    wanted = prices_bound(market, prices, "capped")
    assert wanted <= found <= wanted * (1 + Fraction(1, 10**12))


def test_rewards_of_a_cell_are_the_least_of_budget_and_its_highest_prices():
    # 2 workers and 1 server asked for: at prices of 1/4 to 1/2 from 3/4 to 3/2
    job = {"arrival": 0, "worker_type": 0, "workers": 2, "ps_type": 0, "ps": 1, "model_size": 0,
           "epochs": 1, "epoch_compute": 1.0}  # fmt: skip
    budgets = [0.7, 0.75, 1.0, 1.5, 2.0]
    market = random_market(0).replace(
        server_workers=[[2]], server_ps=[[1]], worker_bandwidth=[None], ps_bandwidth=[None],
        jobs=[{**job, "budget": budget} for budget in budgets],
    )  # fmt: skip
    rewards = cell_rewards(market, np.arange(5), (0.25, 0.25), (0.5, 0.5))
    assert rewards.tolist() == pytest.approx([0.0, 0.75, 1.0, 1.5, 1.5])
    assert rewards[3] == 1.5  # its whole budget, whatever is rounded
    assert rewards[4] >= 1.5
    assert PriceCell.whole(market.replace(price_cap=0.75)).low.tolist() == [0.0, 0.0]
    assert PriceCell.whole(market.replace(price_cap=0.75)).high.tolist() == [0.75, 0.75]


@pytest.mark.parametrize("unit", [1.0, 2.0**-40, 5e-324])
def test_what_prices_ask_for_is_enclosed(unit):
    market = single_jobs(workers=[3, 5, 7, 11], ps=[1, 3, 9, 1])
    rng, jobs = np.random.default_rng(0), np.arange(4)
    prices = rng.uniform(0, 1, (2, 4000, 1)) if unit > 5e-324 else rng.integers(0, 9, (2, 40, 1))
    low, high = (asked_in(market, jobs, *(prices * unit), up=up) for up in (False, True))
    for (a,), (b,), below, above in zip(*(prices * unit).tolist(), low, high, strict=True):
        for job, (least, most) in enumerate(zip(below.tolist(), above.tolist(), strict=True)):
            exact = Fraction(a) * int(market.workers[job]) + Fraction(b) * int(market.ps[job])
            assert Fraction(least) <= exact <= Fraction(most)
            seller = a * int(market.workers[job]) + b * int(market.ps[job])
            assert least <= seller <= most
            assert most - least <= 6 * max(np.spacing(seller), 5e-324)


def single_jobs(workers, ps, kinds=1, others=1, budget=1.0):
    """Jobs one after the other of all types of either side; 3 units of each type are installed."""
    places = range(len(workers))
    return random_market(0).replace(
        server_workers=[[3] * kinds], server_ps=[[3] * others], price_cap=1.0,
        worker_bandwidth=[None] * kinds, ps_bandwidth=[None] * others,
        jobs=[
            {"arrival": 0, "worker_type": n % kinds, "workers": workers[n], "ps_type": n % others,
             "ps": ps[n], "model_size": 0, "epochs": 1, "epoch_compute": 1.0, "budget": budget}
            for n in places
        ],
    )  # fmt: skip


def test_the_bound_of_a_single_price_is_what_its_jobs_pay():
    # 2 types of workers and 3 of servers, all six pairs; the last job never fits
    market = single_jobs([1, 2, 1, 2, 1, 2, 4], [1, 1, 2, 2, 3, 3, 1], 2, 3, budget=2.5)
    point = np.array([0.25, 0.5, 0.125, 0.375, 0.75])
    asked = [point[n % 2] * (1 + n % 2) + point[2 + n % 3] * (1 + n // 2) for n in range(6)]
    found = cell_bound(market, PriceCell(point, point), no_prices(market), 3)
    assert sum(pay > 2.5 for pay in asked) == 1
    assert float(found) == pytest.approx(sum(pay for pay in asked if pay <= 2.5), rel=1e-12)


def test_rewards_that_64_bits_do_not_hold_together_are_added_up_all_the_same():
    market = single_jobs([1] * 8, [1] * 8, budget=0.75)
    empty = no_prices(market)
    for scale in (2, 61, 62, 1000):
        prices = dataclasses.replace(empty, scale=scale)
        assert cell_bound(market, PriceCell.whole(market), prices, 1) == 6


@pytest.mark.ids(10)
@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("seed", range(6))
def test_no_price_of_a_cell_earns_more_than_its_bound(seed, parts):
    # budgets in eighths and prices in quarters: many are met exactly
    market = random_market(seed, jobs=12, types=2)
    market = market.replace(
        price_cap=1.0,
        jobs=[{**msgspec.to_builtins(j), "budget": round(8 * j.budget) / 8} for j in market.jobs],
    )
    size = market.num_worker_types
    steps = np.arange(0, 5) / 4
    rng = np.random.default_rng(seed)
    reached = 0.0
    for low in rng.integers(0, 4, (6, 4)):
        cell = PriceCell(steps[low], steps[low + 1])
        bounds = [
            cell_bound(market, cell, p, parts) for p in (no_prices(market), lp_prices(market))
        ]
        for corner in itertools.product(*zip(cell.low, cell.high, strict=True)):
            for prices in (np.array(corner), rng.uniform(cell.low, cell.high)):
                profit = FixedPrice(prices[:size], prices[size:]).simulate(market).profit
                assert profit <= min(bounds) * (1 + Fraction(1, 10**12))
                reached = max(reached, profit)
    assert reached > 0


def test_parts_of_a_pair_only_tighten_a_cell():
    market = random_market(5, jobs=20, types=2).replace(price_cap=1.0)
    cell, prices = PriceCell.whole(market), no_prices(market)
    one, two, four = (cell_bound(market, cell, prices, parts) for parts in (1, 2, 4))
    assert one > two > four


AXES = 4
"""Types of workers and servers of the market of `certificate`."""


def certificate():
    market = random_market(4, jobs=6).replace(price_cap=1.0)
    return market, prove_fixed_prices(market, cells=7)


def test_a_file_is_checked_with_its_parts():
    market = random_market(5, jobs=20, types=2).replace(price_cap=1.0)
    coarse, fine = (prove_fixed_prices(market, cells=1, parts=parts) for parts in (1, 8))
    assert Fraction(fine.bound) < Fraction(coarse.bound)
    assert check(fine, instance=market).bound == Fraction(fine.bound)
    with pytest.raises(NotACertificate, match="prove"):
        check(msgspec.structs.replace(fine, parts=1), instance=market)


def test_a_file_proves_its_bound_and_names_the_instance():
    market, found = certificate()
    assert market.num_worker_types + market.num_ps_types == AXES
    again = from_json(msgspec.json.encode(found))
    proof = check(again, instance=market)
    assert proof.bound == Fraction(found.bound)
    assert "dps.bfp" in proof.statement
    with pytest.raises(NotApplicable, match="price_cap"):
        msgspec.structs.replace(found).prove_bound(market.replace(price_cap=None))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: {"bound": str(Fraction(c.bound) - Fraction(1, 10**9))}, "prove"),
        (lambda c: {"cells": c.cells[:-1]}, "leave prices out"),
        (lambda c: {"cells": (*c.cells, CellNode())}, "more cells"),
        (lambda c: {"cells": (CellNode(axis=9, at=0.5), CellNode(), CellNode())}, "outside"),
        (lambda c: {"cells": (CellNode(axis=AXES, at=0.5), CellNode(), CellNode())}, "type 4, out"),
        (lambda c: {"cells": (CellNode(axis=0, at=1.0), CellNode(), CellNode())}, "outside"),
        (lambda c: {"cells": (CellNode(axis=0, at=0.0), CellNode(), CellNode())}, "outside"),
        (lambda c: {"cells": (CellNode(),)}, "prove"),
        (lambda c: {"program": "dps.interval_lp"}, "numbers bound dps.bfp"),
    ],
)
def test_a_file_that_proves_less_is_refused(change, message):
    market, found = certificate()
    assert any(node.axis is not None for node in found.cells)
    with pytest.raises(NotACertificate, match=message):
        check(msgspec.structs.replace(found, **change(found)), instance=market)


def test_a_node_without_a_type_or_a_price_to_cut_at_is_no_cut():
    market, found = certificate()
    for node in (CellNode(axis=0), CellNode(at=0.5), CellNode(axis=0, scale=9)):
        loose = msgspec.structs.replace(found, cells=(node,))
        whole = cell_bound(market, PriceCell.whole(market), node.prices, found.parts)
        assert loose.prove_bound(market) == whole


def test_what_nodes_leave_out_of_a_file_is_0():
    assert msgspec.json.encode(CellNode(axis=None, at=None, scale=0)) == b"{}"
    assert (CellNode().prices.scale, len(CellNode().prices.worker_numbers)) == (0, 0)


def test_jobs_without_a_budget_pay_nothing():
    market, found = certificate()
    none = market.replace(jobs=[{**msgspec.to_builtins(j), "budget": 0.0} for j in market.jobs])
    assert msgspec.structs.replace(found, cells=(CellNode(),)).prove_bound(none) == 0


def test_a_cell_left_to_another_ones_prices_is_bounded_anew():
    market, found = certificate()
    cells = tuple(CellNode() if n.axis is None else n for n in found.cells)
    loose = msgspec.structs.replace(found, cells=cells)
    assert isinstance(loose, DpsFixedPrices)
    assert loose.prove_bound(market) >= Fraction(found.bound)
