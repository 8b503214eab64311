"""Sales audited by columns, against the words that look at them one by one."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from farkas.instances.dps import Market
from farkas.instances.generate import generate
from farkas.online.dps.environment import Environment, keeps_all, numbers_of, summary
from farkas.online.dps.kernel import EXPLORED, FULL
from farkas.online.dps.learning import Simple
from farkas.online.dps.posted import FreeOfCharge
from farkas.online.dps.sales import Sales
from tests.generators.dps import posted, random_market

CHANGES = [
    ("payment", 1.0), ("payment", 0.5), ("servers", 1), ("servers", 1000), ("workers", 1),
    ("workers", -1), ("workers", -9), ("ps", 1), ("ps", -1), ("ps", -9),
]  # fmt: skip


def sales(market: Market, seller: Any) -> Sales:
    return Sales.of(seller.simulate(market, log=True))


def markets() -> list[Market]:
    found = [random_market(seed, jobs=10, servers=3) for seed in range(12)]
    found += [
        generate("dps", "small", seed, occupancy=occupancy, runtime_rounding=rounding)
        for seed, occupancy in enumerate(["closed", "half_open"])
        for rounding in ("ceil", "none")
    ]
    return found


def words(market: Market, decisions: Any) -> list[str] | None:
    """Faults as the environment finds them one by one; None where it cannot read them."""
    try:
        return Environment().broken(market, list(decisions))
    except (IndexError, KeyError):
        return None


@pytest.mark.parametrize("seller", [Simple(), FreeOfCharge()], ids=repr)
def test_honest_sales_keep_all_and_are_counted_alike(seller: Any) -> None:
    for market in markets():
        found = sales(market, seller)
        assert keeps_all(market, found)
        assert numbers_of(market, found) == summary(market, list(found))
        outcome = Environment().evaluate(market, found)
        assert outcome == Environment().evaluate(market, list(found))
        assert not outcome.violations


@pytest.mark.ids(3)
@pytest.mark.parametrize(("field", "change"), CHANGES, ids=str)
def test_changed_sales_are_broken_if_the_words_say_so(field: str, change: float) -> None:
    seen = 0
    for market in markets():
        for seller in (Simple(), FreeOfCharge()):
            found = sales(market, seller)
            for place in range(min(12, len(getattr(found, field)))):
                column = getattr(found, field).copy()
                column[place] += change
                changed = dataclasses.replace(found, **{field: column})
                faults = words(market, changed)
                assert keeps_all(market, changed) is (faults == []), (place, faults)
                assert Environment().broken(market, changed) == faults if faults else True
                seen += faults != []
    assert seen > 3


def test_servers_before_the_first_and_units_of_who_is_not_served_are_none() -> None:
    market = generate("dps", "small", 1)
    found = sales(market, FreeOfCharge())
    assert found.served.any()
    assert not found.served.all()
    servers = found.servers.copy()
    servers[3] = -1
    assert not keeps_all(market, dataclasses.replace(found, servers=servers))
    for place in (found.served.argmax(), found.served.argmin()):
        outcome = found.outcome.copy()
        outcome[place] = FULL if found.served[place] else EXPLORED
        assert not keeps_all(market, dataclasses.replace(found, outcome=outcome))


@pytest.mark.parametrize("occupancy", ["closed", "half_open"])
def test_units_come_back_before_or_after_who_comes_in_the_slot_of_the_end(occupancy: str) -> None:
    # one server of one unit; a job of one slot in slot 0, the next one in slot 1
    market = posted((0, 1.0, 1, 9.0), (1, 1.0, 1, 9.0), occupancy=occupancy)
    both = Sales(
        outcome=np.array([3, 3]),
        payment=np.zeros(2),
        worker_price=np.full(2, np.nan),
        ps_price=np.full(2, np.nan),
        exploring=np.zeros(2, bool),
        first=np.array([0, 1, 2]),
        servers=np.zeros(2, int),
        workers=np.ones(2, int),
        ps=np.ones(2, int),
    )
    assert keeps_all(market, both) is (occupancy == "half_open")
    assert (words(market, both) == []) is (occupancy == "half_open")
