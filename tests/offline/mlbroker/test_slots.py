"""Prices of slots: both sides meet at the optimum, whatever is tied, empty, or far from one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import farkas
from farkas.errors import NotACertificate
from farkas.exact.node_bounds import Deadline, OutOfTime
from farkas.offline import OfflineSearch, find_optimum
from farkas.offline.methods import SearchState, searches
from farkas.offline.mlbroker import SlotSearch, at_once, slots
from tests.generators.mlbroker import (
    discounted,
    edge_cases,
    even_brokerage,
    random_brokerage,
    single,
)
from tests.offline.bounds import closed

PROGRAM = "mlbroker.offline[strict,two,split]"
ROUNDED = 1 + Fraction(1, 10**12)
CASES = {
    **edge_cases(),
    **{
        f"random {n}": random_brokerage(n, sites=2 + n % 2, jobs=3 - n % 2, resources=2)
        for n in range(6)
    },
    **{f"even {n}": even_brokerage(n, jobs=3, slots=3) for n in range(6)},
}


def state(gap="1/1000000", deadline=None):
    return SearchState("min", deadline or Deadline(), Fraction(gap))


@pytest.mark.ids(5)
@pytest.mark.parametrize("name", CASES)
def test_bound_and_value_meet_at_the_optimum(name):
    data = CASES[name]
    found = farkas.optimum(data, gap=1e-6, time_limit=60)
    optimum = farkas.prove(data, PROGRAM).value
    assert found.complete
    assert found.bound <= optimum * ROUNDED
    assert found.value * ROUNDED >= optimum
    assert found.value <= optimum * (1 + Fraction(1, 10**6))
    assert farkas.check(found.run, data).proof.bound == found.bound


def test_no_time_is_no_answer():
    with pytest.raises(OutOfTime):
        next(slots(CASES["ties"], state(deadline=Deadline(0.0))))


def test_steps_charge_for_disagreement_and_keep_prices():
    # where the data are changes from slot to slot, and so do least leaves at no prices
    data = single(
        [[10.0, 0.0], [0.0, 10.0], [10.0, 0.0]], deploy_cost=8.0, discount_price=[[0.5], [0.5]],
        discount_threshold=[[1.0], [1.0]],
    )  # fmt: skip
    search = SlotSearch(data, state())
    search.prices = np.zeros_like(search.prices)
    search.look()
    before, (low, high, _) = search.bound, search.present() @ [1, 2]
    assert low != high
    assert search.step(0.1)
    assert search.prices[0, low] < search.prices[0, high]
    search.bounds.extra(search.prices)  # they are prices
    search.look()
    assert search.bound > before


def test_answers_to_discounts_are_kept_where_they_are_better():
    data = CASES["random 2"]
    search = SlotSearch(data, state())
    search.cost = float("inf")
    assert search.respond(np.zeros(search.chord.shape, bool))
    assert search.cost == pytest.approx(search.best.cost(data))
    assert not search.respond(np.zeros(search.chord.shape, bool))


def test_trees_take_no_more_steps_than_a_check_makes(monkeypatch):
    data = even_brokerage(4, jobs=3, slots=3)
    free = SlotSearch(data, state())
    free.look()
    steps = [tree.steps for tree in free.trees.values()]
    for place in ("certificates.mlbroker_slots", "relaxations.mlbroker.slot_trees"):
        monkeypatch.setattr(f"farkas.{place}.MOST_STEPS", sum(steps) - 1)
    found = farkas.optimum(data, gap=1e-9, time_limit=60)
    assert farkas.check(found.run, data).proof.bound == found.bound
    monkeypatch.setattr("farkas.certificates.mlbroker_slots.MOST_STEPS", min(steps) // 10)
    with pytest.raises(NotACertificate, match="leaves of slots"):
        farkas.check(found.run, data)


@pytest.mark.parametrize("semantics", ["strict", "printed"])
def test_bounds_under_either_semantics_hold_for_the_cheapest_placement(semantics):
    # strict semantics allow less than printed ones, so that bounds on either hold for strict runs
    data = farkas.load("mlbroker/tiny")
    best = farkas.optimum(data, gap=1e-6, time_limit=60)
    run = farkas.run(data, "mlbroker.fractional[tight]", semantics=semantics)
    assert run.certificate.certificate["program"] == f"mlbroker.relaxed[tight,{semantics}]"
    assert searches["mlbroker.optimum"].bounds(run.certificate)
    assert run.certificate.fraction <= best.value
    assert best.run.options == {"semantics": "strict"}


@pytest.mark.parametrize("semantics", ["printed", "strict"])
def test_relaxations_on_the_envelope_meet_the_tiny_optimum(semantics):
    # 16.8 by the sheet of the kind; its own relaxation proves 14.19
    names = [f"mlbroker.relaxed[tight,{semantics}]", f"mlbroker.offline[{semantics},two,split]"]
    if semantics == "strict":
        names.append("mlbroker.relaxed[sharp,strict]")
    assert closed("mlbroker/tiny", f"mlbroker.offline[{semantics}]", *names) == set(names)


EDGES = {**edge_cases(), "random": random_brokerage(3, jobs=3, resources=2)}


@pytest.mark.ids(9)
@pytest.mark.parametrize("name", EDGES)
def test_the_optimum_lies_between(name):
    data = EDGES[name]
    late = SearchState("min", Deadline(0.0), Fraction(0))
    bound, placed = at_once(data, late)
    optimum = farkas.prove(data, PROGRAM).value
    rounded = 1 + Fraction(1, 10**12)
    assert bound.bound.fraction <= optimum * rounded
    found = find_optimum(
        data, OfflineSearch("mlbroker.optimum", (at_once,)), gap=Fraction(0), time_limit=1e-9
    )
    assert optimum <= found.value * rounded
    assert found.value == Fraction(farkas.run(data, "mlbroker.local").reached)
    assert placed.method == "mlbroker.local"


def test_least_leaves_say_which_discounts_count():
    # 5 and 4 units, the discount counts from the first on; nothing else is used
    search = SlotSearch(discounted(), state())
    search.look()
    assert search.reduced().astype(int).ravel().tolist() == [1, 0, 0, 1]
