"""Decisions replayed by columns: never sure of what is broken, and sure of nearly all else."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction as F
from typing import Any

import msgspec
import numpy as np
import pytest

from farkas.instances.dps import Market
from farkas.instances.generate import generate
from farkas.online import algorithms
from farkas.replay import dps_columns
from farkas.replay.base import Replayed
from farkas.replay.dps import SaleEntry, first_free, one_by_one, replay
from farkas.replay.dps_columns import earned_if_kept
from tests.generators.dps import empty_market, market_in, posted, random_market
from tests.tools.edits import edits

UNITS = (1.0, 1e-300, 1e300, 5e-324)


def entries(decisions: Any) -> list[SaleEntry]:
    return msgspec.convert(decisions, list[SaleEntry])


def at_once(market: Market, decisions: Any) -> F | None:
    """By columns, held against one by one."""
    found = earned_if_kept(market, entries(decisions))
    if found is not None:
        assert one_by_one(market, entries(decisions)) == Replayed.of(found)
    return found


def sold(
    worker: float, ps: float, units: tuple[int, int] = (1, 1), **others: Any
) -> dict[str, Any]:
    return {
        "outcome": "sold", "payment": worker * units[0] + ps * units[1], "worker_price": worker,
        "ps_price": ps, "servers": [0], "workers": [units[0]], "ps": [units[1]], "exploring": False,
    } | others  # fmt: skip


def turned(outcome: str, price: float | None = None) -> dict[str, Any]:
    return {
        "outcome": outcome, "payment": 0.0, "worker_price": price, "ps_price": price,
        "servers": [], "workers": [], "ps": [], "exploring": False,
    }  # fmt: skip


@pytest.mark.ids(3)
@pytest.mark.parametrize("seed", range(12))
def test_one_change_leaves_nothing_unseen(seed: int) -> None:
    market = random_market(300 + seed, jobs=9)
    honest = [algorithms[name].run(market).decisions for name in ("dps.simple", "dps.pa")]
    seen = 0
    for _, changed in itertools.chain(*map(edits, honest)):
        try:
            decisions = entries(changed)
        except msgspec.ValidationError:
            continue
        if len(decisions) != market.num_jobs:
            continue
        one = one_by_one(market, decisions)
        found = at_once(market, changed)
        assert (found is None) is bool(one.broken or one.excess)
        seen += found is None
    assert seen > 8


def test_long_lists_are_replayed_by_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    market = generate("dps", "small", 1, num_jobs=201)
    run = algorithms["dps.simple"].run(market)
    whole = replay(market, run)
    monkeypatch.setattr("farkas.replay.dps.one_by_one", None)
    assert replay(market, run) == whole
    monkeypatch.setattr(dps_columns, "earned_if_kept", lambda *_: None)
    with pytest.raises(TypeError):
        replay(market, run)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("steps", [-3, -2, -1, 0, 1, 2, 3])
def test_prices_next_to_the_budget_are_compared_exactly(steps: int, unit: float) -> None:
    # 3 workers and 1 server at 0.1 and 0.3: 0.6 and 6e-18 more exactly, 0.6 and 1e-16 in doubles
    worker, ps = 0.1 * unit or unit, 0.3 * unit or unit
    exact = F(worker) * 3 + F(ps)
    budget = float(exact)
    for _ in range(abs(steps)):
        budget = math.nextafter(budget, math.copysign(math.inf, steps))
    market = posted((0, 1.0, 1, budget), price_cap=None)
    job = msgspec.structs.replace(market.jobs[0], workers=3)
    market = market.replace(jobs=[msgspec.to_builtins(job)], server_workers=[[3]], server_ps=[[1]])
    bought = sold(worker, ps, (3, 1))
    found = at_once(market, [bought])
    assert found == (exact if exact <= F(market.jobs[0].budget) else None)
    declined = turned("declined") | {"worker_price": worker, "ps_price": ps}
    found = at_once(market, [declined])
    assert found == (0 if exact > F(market.jobs[0].budget) else None)


@pytest.mark.parametrize("steps", [-1, 0, 1])
def test_prices_next_to_the_cap_are_compared_exactly(steps: int) -> None:
    price = 0.1 if not steps else math.nextafter(0.1, steps * math.inf)
    market = posted((0, 1.0, 1, 9.0), price_cap=0.1)
    found = at_once(market, [sold(price, 0.1)])
    assert found == (F(price) + F(0.1) if steps <= 0 else None)


def test_payments_are_what_prices_make_to_a_rounding_error() -> None:
    market = posted((0, 1.0, 1, 9.0), price_cap=None)
    for paid, fits in ((1.0, True), (1.0 + 1e-10, True), (1.0 + 1e-8, False), (0.0, False)):
        found = at_once(market, [sold(0.5, 0.5, payment=paid)])
        assert found == (1 if fits else None)
    for wrong in (math.inf, math.nan):
        assert earned_if_kept(market, [SaleEntry(**sold(wrong, 0.5))]) is None
        assert earned_if_kept(market, [SaleEntry(**sold(0.5, 0.5, payment=wrong))]) is None
    assert at_once(market, [sold(0.0, 0.0)]) == 0
    assert at_once(market, [sold(0.0, 0.0, payment=1e-320)]) is None


@pytest.mark.parametrize("big", [2**31, 2**53, 2**62, 2**63, 2**80])
def test_numbers_beyond_any_market_are_left_to_the_careful(big: int) -> None:
    market = posted((0, 1.0, 1, 9.0))
    for field in ("servers", "workers", "ps"):
        assert at_once(market, [sold(0.5, 0.5) | {field: [big]}]) is None


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("rounding", ["ceil", "none"])
@pytest.mark.parametrize(
    "runtime",
    [1.0, 2.0, 1.5, 2.0 + 2**-40, 2.0 - 2**-40, 2.0 + 1e-9, 2.0 + 2e-9, 3.0 - 1e-16, 1e-9, 1e-30,
     1e-300, 5e-324, 0.1 + 0.2, 1e15, 1e300],
)  # fmt: skip
def test_units_are_taken_until_the_slot_that_the_replay_says(
    runtime: float, rounding: str, closed: bool
) -> None:
    occupancy = "closed" if closed else "half_open"
    base = posted(
        (0, runtime, 1, 1.0), (1, 1.0, 1, 1.0), runtime_rounding=rounding, occupancy=occupancy
    ).replace(horizon=9)
    doubled = [msgspec.structs.replace(job, epochs=1.0) for job in base.jobs]
    for arrival in range(1, 9):
        jobs = [doubled[0], msgspec.structs.replace(doubled[1], arrival=arrival)]
        market = base.replace(jobs=msgspec.to_builtins(jobs))
        both = [sold(0.5, 0.5), sold(0.5, 0.5)]
        one = one_by_one(market, entries(both))
        assert (at_once(market, both) is None) is bool(one.broken or one.excess)


@pytest.mark.parametrize("silent", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_first_free_slots_are_those_of_exact_runtimes(
    monkeypatch: pytest.MonkeyPatch, seed: int, silent: bool
) -> None:
    market = random_market(seed, jobs=12)
    if silent:  # the doubles of the market are one side only: the other has to hold alone
        monkeypatch.setattr(Market, "last_held", lambda _, end: np.full(len(end), -1))
    if seed % 3 == 1:
        market = market_in(market, 1.0, 1e-200)
    if seed % 3 == 2:
        market = market.replace(slot_seconds=1e-3)
    for count, servers in ((1, [0]), (2, [0, 1])):
        decisions = entries([turned("explored") | {"servers": servers}] * market.num_jobs)
        served = np.ones(market.num_jobs, bool)
        found = dps_columns._first_free(market, decisions, served, np.full(market.num_jobs, count))
        ends = market.colocated_end if count == 1 else market.spread_end
        doubles = (market.last_held(ends) + 1).tolist()
        for job in range(market.num_jobs):
            exact = max(doubles[job], first_free(market, job, servers))
            assert min(int(found[job]), market.horizon) == min(exact, market.horizon)


def test_links_slower_than_numbers_go_are_left_to_fractions() -> None:
    # 2 α w / (b s) with b near the smallest double: rounded by up to a half
    market = posted((0, 1.0, 2, 4.0)).replace(
        worker_bandwidth=[1.5e-323], ps_bandwidth=[None], slot_seconds=1e300,
        server_workers=[[1], [1]], server_ps=[[1], [1]],
    )  # fmt: skip
    job = msgspec.structs.replace(market.jobs[0], model_size=1.5e-23)
    market = market.replace(jobs=[msgspec.to_builtins(job)])
    decisions = entries([turned("explored") | {"servers": [0, 1]}])
    found = dps_columns._first_free(market, decisions, np.ones(1, bool), np.array([2]))
    exact = first_free(market, 0, [0, 1])
    assert min(int(found[0]), market.horizon + 1) == min(exact, market.horizon + 1)


def test_links_that_send_more_in_a_slot_than_doubles_hold_are_left_to_fractions() -> None:
    # 2 α w / (b s) is 2 · 8e307 / (1e308 · 300) slots, which in doubles is 0
    job = {
        "arrival": 0, "worker_type": 0, "workers": 2, "ps_type": 0, "ps": 2, "model_size": 8e307,
        "epochs": 1.0, "epoch_compute": 0.9999, "budget": 4.0,
    }  # fmt: skip
    market = posted((0, 1.0, 2, 4.0)).replace(
        jobs=[job, job | {"arrival": 1}], worker_bandwidth=[1e308], ps_bandwidth=[1e308],
        slot_seconds=300.0, server_workers=[[1], [1]], server_ps=[[1], [1]],
    )  # fmt: skip
    spread = sold(0.5, 0.5, (2, 2)) | {"servers": [0, 1], "workers": [1, 1], "ps": [1, 1]}
    one = one_by_one(market, entries([spread, spread]))
    assert (at_once(market, [spread, spread]) is None) is bool(one.broken or one.excess)
    exact = [first_free(market, job, [0, 1]) for job in range(2)]
    every = entries([spread, spread])
    found = dps_columns._first_free(market, every, np.ones(2, bool), np.array([2, 2]))
    assert found.tolist() == exact


def test_units_of_every_server_and_type_are_counted_apart() -> None:
    two = posted((0, 9.0, 1, 9.0), (0, 9.0, 1, 9.0), (0, 9.0, 1, 9.0)).replace(
        server_workers=[[1], [1]], server_ps=[[1], [1]]
    )
    first, second = sold(0.5, 0.5), sold(0.5, 0.5, servers=[1])
    assert at_once(two, [first, second, turned("full")]) == 2
    assert at_once(two, [first, first, turned("full")]) is None
    assert at_once(two, [first, second, second]) is None
    idle = two.replace(server_workers=[[2], [1]])
    assert at_once(idle, [first, first, second]) is None  # one server alone lacks
    assert at_once(idle.replace(server_ps=[[2], [1]]), [first, first, second]) == 3


def test_nothing_is_earned_where_nobody_comes() -> None:
    assert at_once(empty_market(), []) == 0
