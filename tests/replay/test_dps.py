"""Decisions of sellers in exact arithmetic: payments, units held, and what is refused."""

from __future__ import annotations

import math
import types
from fractions import Fraction as F
from typing import Any

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates.dps import PricedMarket, certify_prices
from farkas.certificates.priced_tree import PricedTree
from farkas.errors import NotACertificate
from farkas.instances.dps import Market
from farkas.replay import Replay, replayed_ratio
from farkas.replay.dps import SaleEntry, _Placements, replay
from tests.generators.dps import posted


def replayed(market: Market, decisions: Any) -> Replay:
    """Replay decisions as a file holds them."""
    plain = msgspec.json.decode(msgspec.json.encode(decisions))
    run = types.SimpleNamespace(algorithm="dps.dps", kind="dps", options={}, decisions=plain)
    return replay(market, run)


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


def test_the_value_is_what_sold_jobs_pay_at_their_prices() -> None:
    # prices 1/4 and 1/2, two units each: 3/2; the second job is served free of charge
    market = posted((0, 1.0, 2, 3.0), (1, 1.0, 1, 3.0), units=2)
    first = sale(units=2) | {"worker_price": 0.25, "payment": 1.5}
    second = sale(outcome="explored", payment=0.0, worker_price=None, ps_price=None)
    assert replayed(market, [first, second]) == Replay(F(3, 2), F(3, 2))


def test_the_payment_is_the_product_and_not_its_rounding() -> None:
    # 3 · 0.1 + 3 · 0.1 in binary is a little more than 0.6, whatever the file rounds it to
    market = posted((0, 1.0, 3, 0.7), units=3)
    found = replayed(market, [sale(0.1, 3, payment=0.6000000000000001)])
    assert found == Replay(6 * F(0.1), 6 * F(0.1))
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
    assert replayed(market, [sale(1.0)]) == Replay(F(2), F(2))
    for limit in ({"price_cap": 1.0}, {"price_cap": None}):
        other = market.replace(**limit)
        for more, broken in ((2.0**-40, False), (1e-6, True)):
            found = replayed(other, [sale(1.0 + more)])
            assert bool(found.broken) == broken
            assert found.excess == (0 if broken else F(2.0**-40))
    free = posted((0, 1.0, 1, 0.0))
    assert replayed(free, [sale(0.0)]) == Replay(F(0), F(0))
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
    assert not replayed(market, [sale(), nothing(), sale()]).broken
    assert replayed(market, [sale(), sale(), nothing()]).broken


@pytest.mark.parametrize("later", [4, 5])
def test_a_spread_job_holds_its_units_as_long_as_its_traffic_takes(later: int) -> None:
    # α (β + 2 w / (b s)): b = min(1, 3/2) with two workers, 2 · (1 + 2 · 45 / (1 · 60)) = 5 slots
    market = posted((0, 1.0, 2, 4.0), (later, 1.0, 1, 4.0)).replace(
        worker_bandwidth=[1.0], ps_bandwidth=[3.0], server_workers=[[1], [1]], server_ps=[[1], [1]]
    )
    jobs = [msgspec.structs.replace(job, epochs=2.0, model_size=45.0) for job in market.jobs]
    market = market.replace(jobs=msgspec.to_builtins(jobs))
    apart = sale(units=2, servers=[0, 1], workers=[1, 1], ps=[1, 1])
    assert bool(replayed(market, [apart, sale()]).broken) == (later < 5)


def test_units_are_held_in_the_slots_of_the_runtime_as_a_double() -> None:
    # 30 · 0.1 is 3 in doubles and more than 3 by 1.7e-16 exactly
    two = [(0, 0.1, 1, 1.0), (3, 0.1, 1, 1.0)]
    market = posted(*two, runtime_rounding="none")
    jobs = [msgspec.structs.replace(job, epochs=30.0) for job in market.jobs]
    market = market.replace(jobs=msgspec.to_builtins(jobs))
    run = [sale(), sale()]
    assert replayed(market, run) == Replay(F(2), F(2))
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
    by_class = PricedMarket(market, "dps.offline[free]")
    assert by_class.slots.tolist() == [0, later]
    prices = np.array([0.0, 1.0, 0.0, 0.0])
    bound = F(certify_prices(market, prices, "budget").bound)
    assert bound == (2 if both else 1)
    assert F(PricedTree.of(by_class, prices).bound) == bound
    assert farkas.solve(market, "dps.offline[free]").answer.objective == pytest.approx(float(bound))
    if both:
        assert replayed_ratio("max", found, bound) == 1


@pytest.mark.parametrize("share", [0.9e-9, -0.9e-9])
def test_payments_beyond_budgets_are_worth_their_share_and_told(share: float) -> None:
    market = posted((0, 1.0, 1, 1.0), (3, 1.0, 1, 1.0))
    found = replayed(market, [sale(0.5 * (1 + share)), sale(0.5 * (1 + share))])
    bound = F(certify_prices(market, np.zeros(4), "budget").bound)
    assert bound == 2
    assert (found.low > bound) == (share > 0) == (found.excess > 0)
    assert found.low <= bound * (1 + found.excess)


def at_once(market: Market, decisions: Any) -> F | None:
    """Value of decisions that keep everything exactly; None of others."""
    found = replayed(market, decisions)
    return None if found.broken or found.excess else found.low


def sold(worker: float, ps: float, units: tuple[int, int] = (1, 1), **others: Any) -> Any:
    """A job sold on server 0 at a price for each side."""
    paid = worker * units[0] + ps * units[1]
    prices = {"worker_price": worker, "ps_price": ps, "payment": paid}
    return sale() | prices | {"workers": [units[0]], "ps": [units[1]]} | others


@pytest.mark.parametrize("big", [2**31, 2**53])
def test_numbers_beyond_any_market_are_none_of_it(big: int) -> None:
    market = posted((0, 1.0, 1, 9.0))
    for field, words in (("servers", "does not exist"), ("workers", "all its units"),
                         ("ps", "all its units")):  # fmt: skip
        assert words in replayed(market, [sold(0.5, 0.5) | {field: [big]}]).broken[0]
    for huge in (2**63, 2**80):  # no file holds these
        entry = SaleEntry(**sold(0.5, 0.5) | {"workers": (huge,), "servers": (0,), "ps": (1,)})
        assert _Placements.of(market, [entry], np.ones(1, bool))[1] == [0]


@pytest.mark.parametrize("unit", [1.0, 1e-300, 1e300, 5e-324])
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
    declined = nothing("declined") | {"worker_price": worker, "ps_price": ps}
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
    assert at_once(market, [sold(0.0, 0.0)]) == 0
    assert at_once(market, [sold(0.0, 0.0, payment=1e-320)]) is None


def test_units_of_every_server_and_type_are_counted_apart() -> None:
    two = posted((0, 9.0, 1, 9.0), (0, 9.0, 1, 9.0), (0, 9.0, 1, 9.0)).replace(
        server_workers=[[1], [1]], server_ps=[[1], [1]]
    )
    first, second = sold(0.5, 0.5), sold(0.5, 0.5, servers=[1])
    assert at_once(two, [first, second, nothing()]) == 2
    assert at_once(two, [first, first, nothing()]) is None
    assert at_once(two, [first, second, second]) is None
    idle = two.replace(server_workers=[[2], [1]])
    assert at_once(idle, [first, first, second]) is None  # one server alone lacks
    assert at_once(idle.replace(server_ps=[[2], [1]]), [first, first, second]) == 3
