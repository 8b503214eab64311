"""Decisions of sellers in exact arithmetic: payments, units held, and what is refused."""

from __future__ import annotations

import types
from fractions import Fraction as F
from typing import Any

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates.dps import SlotPrices, prices_bound
from farkas.certificates.dps_servers import server_prices_bound
from farkas.errors import NotACertificate
from farkas.instances.dps import Market
from farkas.online import algorithms, environments
from farkas.online.dps.offers import Decision
from farkas.replay import Replayed, replayed_ratio
from farkas.replay.base import decoded
from farkas.replay.dps import SaleEntry, first_free, replay
from farkas.replay.dps_columns import earned_if_kept
from farkas.tolerances import ROUNDING
from tests.generators.dps import market_in, posted, random_market
from tests.tools.edits import edits


def replayed(market: Market, decisions: Any) -> Replayed:
    """Replay decisions as a file holds them."""
    plain = msgspec.json.decode(msgspec.json.encode(decisions))
    run = types.SimpleNamespace(algorithm="dps.dps", kind="dps", options={}, decisions=plain)
    found = replay(market, run)
    entries = decoded(plain, list[SaleEntry])
    at_once = earned_if_kept(market, entries) if len(entries) == market.num_jobs else None
    # what is said of many decisions at once is what is said of them one by one
    assert at_once is None or found == Replayed.of(at_once)
    return found


def sale(price: float = 0.5, units: int = 1, **changes: Any) -> dict[str, Any]:
    """A job sold on server 0 at one price for both sides."""
    return {
        "outcome": "sold", "payment": 2 * price * units, "worker_price": price, "ps_price": price,
        "servers": [0], "workers": [units], "ps": [units], "exploring": False,
    } | changes  # fmt: skip


def nothing(outcome: str = "full", **changes: Any) -> dict[str, Any]:
    """A job that is turned away, or turns the offer down."""
    return {
        "outcome": outcome, "payment": 0.0, "worker_price": None, "ps_price": None,
        "servers": [], "workers": [], "ps": [], "exploring": False,
    } | changes  # fmt: skip


@pytest.mark.ids(7)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", algorithms.names("dps."))
def test_an_edited_run_is_refused_or_means_what_the_environment_says(name: str, seed: int) -> None:
    market = random_market(200 + seed, jobs=8)
    market = market.replace(
        price_grid=[0.25, 0.5],
        fixed_prices={
            "worker": [0.25] * market.num_worker_types,
            "ps": [0.5] * market.num_ps_types,
        },
    )
    honest = msgspec.to_builtins(algorithms[name].run(market).decisions)
    assert isinstance(honest, list)
    for path, changed in edits(honest):
        try:
            found = replayed(market, changed)
        except NotACertificate:
            continue
        try:
            typed = msgspec.convert(changed, list[Decision])
            outcome = environments["dps"].evaluate(market, typed)
        except (msgspec.ValidationError, IndexError, ValueError, TypeError):
            assert found.broken, path
            continue
        if outcome.violations:
            assert found.broken, (path, outcome.violations)
        elif not found.broken:
            assert float(found.low) == pytest.approx(outcome.total, rel=1e-14)


def test_the_value_is_what_sold_jobs_pay_at_their_prices() -> None:
    # prices 1/4 and 1/2, two units each: 3/2; the second job is served free of charge
    market = posted((0, 1.0, 2, 3.0), (1, 1.0, 1, 3.0), units=2)
    first = sale(units=2) | {"worker_price": 0.25, "payment": 1.5}
    second = sale(outcome="explored", payment=0.0, worker_price=None, ps_price=None)
    assert replayed(market, [first, second]) == Replayed(F(3, 2), F(3, 2))


def test_the_payment_is_the_product_and_not_its_rounding() -> None:
    # 3 · 0.1 + 3 · 0.1 in binary is a little more than 0.6, whatever the file rounds it to
    market = posted((0, 1.0, 3, 0.7), units=3)
    found = replayed(market, [sale(0.1, 3, payment=0.6000000000000001)])
    assert found == Replayed(6 * F(0.1), 6 * F(0.1))
    assert replayed(market, [sale(0.1, 3, payment=0.6)]) == found
    assert "its prices do not make" in replayed(market, [sale(0.1, 3, payment=0.600001)]).broken[0]


MARKET = posted((0, 1.0, 1, 1.0), (0, 1.0, 1, 1.0))
"""Two jobs in one slot, one unit of each: only one of them is served."""


@pytest.mark.parametrize(
    ("decisions", "words"),
    [
        ([sale()], "1 decisions for 2 jobs"),
        ([sale(), sale()], "job 1 takes units that are not idle"),
        ([sale(payment=0.0), nothing()], "its prices do not make"),
        ([sale(worker_price=None), nothing()], "is sold at no price"),
        ([nothing(payment=1.0), nothing()], "pays without being sold"),
        ([sale(outcome="explored"), nothing()], "pays without being sold"),
        ([sale(0.75), nothing()], "with a budget of 1"),
        ([nothing("sold", worker_price=0.5, ps_price=0.5, payment=1.0), nothing()], "holds 0 serv"),
        ([sale(outcome="declined", payment=0.0), nothing()], "is declined and holds 1 servers"),
        ([nothing("declined", worker_price=0.25, ps_price=0.75), nothing()], "within its budget"),
        ([sale(servers=[0, 0], workers=[1, 0], ps=[0, 1]), nothing()], "a server twice"),
        ([sale(servers=[1]), nothing()], "one that does not exist"),
        ([sale(workers=[1, 1]), nothing()], "does not say how many units"),
        ([sale(workers=[2]), nothing()], "without all its units"),
        ([nothing(ps=[1]), nothing()], "is full and holds 0 servers"),
    ],
)  # fmt: skip
def test_refusals_name_what_is_broken(decisions: list[Any], words: str) -> None:
    found = replayed(MARKET, decisions)
    assert any(words in said for said in found.broken), found.broken


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("ps", [1, 2])
def test_one_unit_too_many_of_either_side_is_too_many(workers: int, ps: int) -> None:
    jobs = [(0, 1.0, 1, 1.0)] * 2
    market = posted(*jobs, server_workers=[[workers]], server_ps=[[ps]])
    found = replayed(market, [sale(), sale()])
    assert bool(found.broken) == (workers < 2 or ps < 2)


@pytest.mark.parametrize("taken", [0, 1])
@pytest.mark.parametrize("servers", [[0, 1], [1, 0]])
def test_units_that_one_of_several_servers_lacks_are_lacking(
    taken: int, servers: list[int]
) -> None:
    jobs = [(0, 1.0, 1, 1.0), (0, 1.0, 2, 2.0)]
    market = posted(*jobs, server_workers=[[1], [1]], server_ps=[[1], [1]])
    spread = sale(servers=servers, workers=[1, 1], ps=[1, 1], payment=2.0)
    assert not replayed(market, [nothing(), spread]).broken
    both = replayed(market, [sale(servers=[taken]), spread])
    assert both.broken == ("job 1 takes units that are not idle",)


def test_a_server_held_without_units_there_is_refused() -> None:
    market = posted((0, 1.0, 1, 1.0), server_workers=[[1], [1]], server_ps=[[1], [1]])
    apart = sale(servers=[0, 1], workers=[1, 0], ps=[0, 1])
    assert not replayed(market, [apart]).broken
    idle = sale(servers=[0, 1], workers=[1, 0], ps=[1, 0])
    assert "without units there" in replayed(market, [idle]).broken[0]


@pytest.mark.parametrize(
    "decisions",
    [None, {}, [None], [{}], [sale(servers=[-1])], [sale(outcome="given")], [sale(payment=-1.0)],
     [sale(workers=[0.5])], [sale(more=1)], [sale(worker_price=-0.5)]],
)  # fmt: skip
def test_what_is_no_decision_is_refused(decisions: Any) -> None:
    with pytest.raises(NotACertificate, match="decisions of the run"):
        replayed(MARKET, decisions)


@pytest.mark.parametrize("wrong", [float("inf"), float("nan")])
@pytest.mark.parametrize("field", ["payment", "worker_price", "ps_price"])
def test_numbers_that_are_none_are_refused(field: str, wrong: float) -> None:
    for decision in (sale(), nothing(), nothing("declined")):
        changed = decision | {field: wrong}
        run = types.SimpleNamespace(
            algorithm="dps.dps", kind="dps", options={}, decisions=[changed, nothing()]
        )
        with pytest.raises(NotACertificate, match="decisions of the run"):
            replay(MARKET, run)


def test_a_price_at_the_budget_or_the_cap_is_within_it_and_a_millionth_more_is_not() -> None:
    market = posted((0, 1.0, 1, 2.0))
    assert replayed(market, [sale(1.0)]) == Replayed(F(2), F(2))
    for limit in ({"price_cap": 1.0}, {"price_cap": None}):
        other = market.replace(**limit)
        for more, broken in ((2.0**-40, False), (1e-6, True)):
            found = replayed(other, [sale(1.0 + more)])
            assert bool(found.broken) == broken
            assert found.excess == (0 if broken else F(2.0**-40))
    free = posted((0, 1.0, 1, 0.0))
    assert replayed(free, [sale(0.0)]) == Replayed(F(0), F(0))
    assert replayed(free, [sale(1e-300)]).broken


def test_the_cap_alone_limits_the_payment() -> None:
    market = posted((0, 1.0, 1, 9.0), price_cap=0.5)
    assert not replayed(market, [sale(0.5)]).broken
    assert "the price cap allows" in replayed(market, [sale(0.5001)]).broken[0]


@pytest.mark.parametrize(
    ("runtime", "changes", "free"),
    [
        (1.0, {}, 1),
        (1.0, {"occupancy": "closed"}, 2),
        (0.2, {}, 1),
        (1.5, {}, 2),
        (1.5, {"runtime_rounding": "none"}, 2),
        (1.5, {"runtime_rounding": "none", "occupancy": "closed"}, 2),
        (2.0, {"runtime_rounding": "none", "occupancy": "closed"}, 3),
        (1e-30, {"runtime_rounding": "none"}, 1),
        (1e-30, {"runtime_rounding": "none", "occupancy": "closed"}, 1),
        (3.0000000001, {}, 3),  # the model itself takes 1e-9 slots for none
        (3.00001, {}, 4),
    ],
)
def test_units_are_idle_again_in_the_slot_that_the_runtime_says(
    runtime: float, changes: dict[str, Any], free: int
) -> None:
    market = posted((0, runtime, 1, 1.0), (free - 1, 1.0, 1, 1.0), (free, 1.0, 1, 1.0), **changes)
    assert first_free(market, 0, [0]) == free
    assert not replayed(market, [sale(), nothing(), sale()]).broken
    assert replayed(market, [sale(), sale(), nothing()]).broken


def test_a_spread_job_runs_as_long_as_its_traffic_takes() -> None:
    # α (β + 2 w / (b s)): b = min(1, 3/2) with two workers, 2 · (1 + 2 · 45 / (1 · 60)) = 5 slots
    market = posted((0, 1.0, 2, 4.0))
    (job,) = market.jobs
    job = msgspec.structs.replace(job, epochs=2.0, model_size=45.0)
    market = market.replace(
        jobs=[msgspec.to_builtins(job)], worker_bandwidth=[1.0], ps_bandwidth=[3.0]
    )
    assert first_free(market, 0, [0]) == 2
    assert first_free(market, 0, [0, 1]) == 5
    thin = market.replace(ps_bandwidth=[1.0])  # b = 1/2: 2 · (1 + 3) = 8 slots
    assert first_free(thin, 0, [0, 1]) == 8
    assert first_free(market.replace(worker_bandwidth=[None]), 0, [0, 1]) == 4
    wide = market.replace(worker_bandwidth=[None], ps_bandwidth=[None])
    assert first_free(wide, 0, [0, 1]) == 2
    # a slot of 22 1/2 s: 2 · (1 + 2 · 45 / (1 · 22.5)) = 10 slots
    assert first_free(market.replace(slot_seconds=22.5), 0, [0, 1]) == 10


@pytest.mark.parametrize("seed", range(40))
def test_runtimes_are_those_of_the_market(seed: int) -> None:
    market = random_market(seed, jobs=10)
    for number in range(market.num_jobs):
        for servers, end in (([0], market.colocated_end), ([0, 1], market.spread_end)):
            free = first_free(market, number, servers)
            assert not market.still_held(float(end[number]), free)
            assert market.still_held(float(end[number]), free - 1)


def test_ending_a_rounding_error_late_counts_as_kept() -> None:
    # 30 · 0.1 is 3 in doubles and more than 3 by 1.7e-16 exactly
    two = [(0, 0.1, 1, 1.0), (3, 0.1, 1, 1.0)]
    market = posted(*two, runtime_rounding="none")
    jobs = [msgspec.structs.replace(job, epochs=30.0) for job in market.jobs]
    market = market.replace(jobs=msgspec.to_builtins(jobs))
    run = [sale(), sale()]
    assert not environments["dps"].evaluate(market, msgspec.convert(run, list[Decision])).violations
    assert replayed(market, run) == Replayed(F(2), F(2), F(ROUNDING))
    jobs = [msgspec.structs.replace(job, epoch_compute=0.1 + 1e-7) for job in jobs]
    later = market.replace(jobs=msgspec.to_builtins(jobs))
    assert replayed(later, run).broken == ("job 1 takes units that are not idle",)


def edge(epochs: float, each: float, later: int, occupancy: str) -> Market:
    """Two jobs for one worker and one server; the second arrives in slot ``later``."""
    market = posted((0, each, 1, 1.0), (later, 1.0, 1, 1.0),
                    occupancy=occupancy, runtime_rounding="none")  # fmt: skip
    jobs = [msgspec.structs.replace(job, epochs=epochs) for job in market.jobs]
    return market.replace(jobs=msgspec.to_builtins(jobs))


@pytest.mark.parametrize(
    ("epochs", "each", "later", "occupancy", "both"),
    [
        (30.0, 0.1, 3, "half_open", True),  # ends at 3 in doubles, later exactly
        (10.0, 0.7, 7, "closed", False),  # ends at 7 in doubles, before it exactly
    ],
)
def test_bounds_and_replay_speak_of_the_same_slots(
    epochs: float, each: float, later: int, occupancy: str, both: bool
) -> None:
    market = edge(epochs, each, later, occupancy)
    exact = F(epochs) * F(each)
    assert float(exact) == later != exact
    found = replayed(market, [sale(), sale()])
    assert bool(found.broken) != both
    # a price in the slot of the second job charges the first exactly where both cannot run
    one = {"type": np.array([0]), "slot": np.array([later]), "price": np.array([1.0])}
    none = {"type": np.array([], int), "slot": np.array([], int), "price": np.array([])}
    prices = SlotPrices.of(market, one, none)
    bound = prices_bound(market, prices)
    assert bound == (2 if both else 1)
    assert server_prices_bound(market, prices, "budget") == bound
    assert farkas.solve(market, "dps.offline[free]").answer.objective == pytest.approx(float(bound))
    if both:
        assert replayed_ratio("max", found, bound) == 1


@pytest.mark.parametrize("share", [0.9e-9, -0.9e-9])
def test_payments_beyond_budgets_are_worth_their_share_and_told(share: float) -> None:
    market = posted((0, 1.0, 1, 1.0), (3, 1.0, 1, 1.0))
    found = replayed(market, [sale(0.5 * (1 + share)), sale(0.5 * (1 + share))])
    none = {"type": np.array([], int), "slot": np.array([], int), "price": np.array([])}
    bound = server_prices_bound(market, SlotPrices.of(market, none, none), "budget")
    assert bound == 2
    assert (found.low > bound) == (share > 0) == (found.excess > 0)
    assert found.low <= bound * (1 + found.excess)


def test_nothing_is_forgiven_in_the_slot_of_arrival() -> None:
    market = posted((5, 1e-12, 1, 1.0), (5, 1.0, 1, 1.0), runtime_rounding="none")
    assert replayed(market, [sale(), sale()]).broken


@pytest.mark.parametrize("exponent", [-900, -40, 40, 900])
def test_the_unit_of_money_changes_nothing(exponent: int) -> None:
    factor = 2.0**exponent
    market = market_in(posted((0, 1.0, 1, 1.0)), factor)
    found = replayed(market, [sale(0.5 * factor)])
    assert found == Replayed(F(factor), F(factor))
    assert replayed(market, [sale(0.500001 * factor)]).broken
