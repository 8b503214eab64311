"""Dedicated workers: the search ends at the best of all owners, whatever it starts from."""

from __future__ import annotations

import dataclasses
import itertools
import math
from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates.coded_budgets import BudgetPrices
from farkas.certificates.coded_owners import Types
from farkas.errors import NotACertificate
from farkas.exact.bounding import Deadline, OutOfTime
from farkas.instances.coded import CodedComputing, Master
from farkas.models.coded.chance import best_quantile
from farkas.models.coded.kernel import Pairs, owner_levels
from farkas.models.coded.law import Allocation
from farkas.offline import Ascent, climb, ladders
from farkas.offline.coded import optimum, owners
from farkas.offline.coded.optimum import (
    BudgetSearch,
    WorkerPrices,
    every_load,
    improved,
    searched_loads,
    whole_prices,
)
from farkas.offline.coded.owners import (
    DedicatedEnvironment,
    MasterPricing,
    OwnersSearch,
    TypePricing,
    cheapest,
    owners_of,
    pricing,
)
from farkas.online.coded.chance_plans import ChancePlanner
from tests.generators.coded import by_speed, random_coded_computing, tied_speed
from tests.offline.bounds import bounds, closed


def best_level(data):
    speed = Pairs.of(data).speed
    every = itertools.product(range(len(speed)), repeat=speed.shape[1])
    return max(float(owner_levels(speed, np.array(own)).min()) for own in every)


@pytest.mark.ids(10)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [MasterPricing, TypePricing])
def test_ties_and_idle_pairs(seed, kind, monkeypatch):
    speed = tied_speed(seed)
    data = by_speed(speed.tolist()) if (speed.sum(axis=1) > 0).all() else None
    if data is None or not best_level(data):
        return
    monkeypatch.setattr(owners, "pricing", kind)
    found = farkas.optimum(data, problem="coded.assignment", gap=1e-8)
    assert found.complete
    assert float(found.value) == pytest.approx(1 / best_level(data), rel=1e-9)


def test_the_search_finds_better_counts_itself():
    types = Types(np.array([[2.0, 2, 1, 1], [1.0, 1, 2, 2]]))
    search = OwnersSearch(types, 3.9)
    search.advance(100, Deadline())
    assert search.better is not None
    assert ((types.speed * search.better).sum(axis=1) >= 3.9).all()
    owner = owners_of(types, search.better)
    assert owner.tolist() == [0, 0, 1, 1]


def test_owners_of_counts_leave_the_rest_idle():
    types = Types(np.array([[1.0, 1, 1, 5]]))
    assert owners_of(types, np.array([[2, 0]])).tolist() == [0, 0, -1, -1]
    assert owners_of(types, np.array([[0, 1]])).tolist() == [-1, -1, -1, 0]


def test_a_deadline_stops_the_search_and_leaves_a_proof():
    data = farkas.generate("coded", "small", seed=0)
    types = Types(Pairs.of(data).speed)
    search = OwnersSearch(types, 0.5 * types.speed.sum() / len(types.speed))
    before = search.tree()[0]
    search.advance(100, Deadline(0.0))
    assert search.tree()[0] == before
    assert search.reached() >= search.level


def test_an_open_tree_proves_the_level_that_all_leaves_exclude(monkeypatch):
    monkeypatch.setattr(owners, "pricing", MasterPricing)
    types = Types(np.array([[1.0] * 5] * 3))
    search = OwnersSearch(types, 1.0 + 1e-9)
    assert not search.done
    level = search.reached()
    assert level == pytest.approx(5 / 3, rel=1e-8)
    assert all(search.excluded(node, level) for node in search._leaves())
    search.advance(100, Deadline())
    assert search.done
    assert search.reached() == search.level


def test_shared_workers_break_the_dedicated_problem():
    data = by_speed([[1.0] * 3] * 2)
    shared = Allocation(np.full((2, 3), 0.5), np.ones((2, 3)))
    judge = DedicatedEnvironment()
    assert judge.unusable(data, [shared]) == ["a worker serves several masters"]
    alone = Allocation(np.array([[1.0, 0, 0], [0, 1, 1]]), np.array([[1.0, 0, 0], [0, 1, 1]]))
    assert judge.unusable(data, [alone]) == []
    negative = Allocation(-alone.share, alone.loads)
    assert "too little: -1" in judge.unusable(data, [negative])[0]


@pytest.mark.parametrize("unit", [-40, 40])
def test_nothing_depends_on_the_unit_of_time(unit):
    data = random_coded_computing(3, masters=2, workers=6)
    scaled = type(data).build(
        success_probability=data.success_probability,
        masters=[{"rows": int(n)} for n in data.rows],
        workers=data.rates.shape[1],
        rate=[[r * 2.0**-unit if ok else None for r, ok in zip(*p, strict=True)]
              for p in zip(data.rates.tolist(), data.allowed.tolist(), strict=True)],
        shift=[[a * 2.0**unit if ok else None for a, ok in zip(*p, strict=True)]
               for p in zip(data.shifts.tolist(), data.allowed.tolist(), strict=True)],
    )  # fmt: skip
    one, other = (farkas.optimum(x, problem="coded.assignment", gap=1e-8) for x in (data, scaled))
    assert other.value == one.value * Fraction(2) ** unit
    assert float(other.bound) == pytest.approx(float(one.bound) * 2.0**unit, rel=1e-12)


def test_a_finished_search_without_a_proof_is_told(monkeypatch):
    def refused(*_: object) -> None:
        raise NotACertificate("the prices of leaf 0 do not exclude the level")

    monkeypatch.setattr(owners.OwnersTree, "closing", refused)
    found = farkas.optimum(by_speed([[1.0] * 5] * 2), problem="coded.assignment", gap=1e-8)
    assert not found.complete
    assert "not proved: the prices of leaf 0" in found.remarks[0]


def ascent(deadline=None):
    return Ascent("min", deadline or Deadline(), Fraction(0))


def value(data, plan):
    return ChancePlanner().evaluate(data, [plan]).value


def two_workers():
    """The fast worker alone is enough, but sooner with one row on the slow one."""
    return CodedComputing.build(
        name="two", success_probability=0.8, masters=[{"rows": 4}], workers=2,
        rate=[[1.0, 5.0]], shift=[[1.0, 1.0]],
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_few_plans_are_all_looked_at(seed):
    data = random_coded_computing(seed, 1 + seed % 2, 3, 3 + seed % 3, forbid=0.2)
    best = best_quantile(data)
    found = list(every_load(data, ascent()))
    if best == float("inf"):
        assert found == []
        return
    (rung,) = found
    assert value(data, rung.decisions[0]) == pytest.approx(best, rel=1e-8)
    assert float(rung.bound.fraction) <= best * (1 + 1e-9)


def test_where_a_local_search_stops_the_optimum_goes_on():
    data = two_workers()
    (rung,) = every_load(data, ascent())
    assert rung.decisions[0].loads.tolist() == [[1.0, 3.0]]
    assert value(data, rung.decisions[0]) == pytest.approx(4.0922672, rel=1e-7)
    assert farkas.optimum(data, problem="coded.chance").gap < 0.003
    searched = farkas.run(data, "coded.chance_search")  # ends at equal loads, 24 % later
    assert searched.decisions[0]["loads"] == [[4.0, 4.0]]
    assert searched.value / 4.0922672 == pytest.approx(1.24, abs=0.005)


@pytest.mark.slow
def test_many_plans_are_left_to_the_search():
    data = random_coded_computing(1, 2, 8, 20)
    assert list(every_load(data, ascent())) == []
    (rung,) = searched_loads(data, ascent())
    run = farkas.run(data, "coded.chance_search")
    assert value(data, rung.decisions[0]) == run.value
    assert rung.bound.fraction == run.certificate.fraction


class Counted(Deadline):
    """Over after so many checks."""

    def __init__(self, checks):
        super().__init__()
        self.checks = checks

    def check(self):
        self.checks -= 1
        if self.checks < 0:
            raise OutOfTime("counted")


@pytest.mark.slow
def test_what_was_found_in_time_is_a_plan():
    # the search of this instance changes owners several times
    data = random_coded_computing(3, 3, 9, 30)
    every = Counted(10**9)
    (last,) = searched_loads(data, ascent(every))
    needed = 10**9 - every.checks
    seen = []
    for share in (0.3, 0.5, 0.7, 0.9):
        try:
            (rung,) = searched_loads(data, ascent(Counted(int(share * needed))))
        except OutOfTime:
            continue
        seen.append(value(data, rung.decisions[0]))
        assert seen[-1] >= value(data, last.decisions[0]) * (1 - 1e-9)
    assert seen == sorted(seen, reverse=True)
    assert seen
    with pytest.raises(OutOfTime):
        list(searched_loads(data, ascent(Counted(3))))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_lies_between_both_sides_and_markov_is_beaten(seed):
    data = random_coded_computing(seed, masters=2, workers=4, rows=4, forbid=0.0)
    data = data.replace(success_probability=0.95)
    best = best_quantile(data)
    found = farkas.optimum(data, problem="coded.chance")
    assert found.bound <= best <= float(found.value) * (1 + 1e-9)
    markov = next(step.bound for step in found.steps if step.bound is not None)
    assert markov * Fraction(11, 10) < found.bound
    assert found.value < found.bound * Fraction(3, 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["coded/tiny", "coded/stuck", "coded/forbidden_pairs"])
def test_the_certificate_stands_by_itself(name):
    found = farkas.optimum(name, problem="coded.chance")
    again = farkas.check(found.run, name)
    assert found.run.certificate.certificate["certificate"] == "coded_budgets"
    assert again.proof.bound == found.bound <= found.value == again.value


def test_the_latest_time_is_nearly_the_last_that_is_excluded():
    data = random_coded_computing(1, masters=2, workers=5, rows=5)
    search, prices = BudgetSearch(data, 8), np.full(5, 30)
    best = best_quantile(data)
    time = search.latest(prices, best / 8, 8 * best)
    later = time * (1 + 20 * optimum.NEAR)
    for one, excluded in ((time, True), (later, False)):
        paid, limits = search.paid(one, prices)
        assert (paid > 1) is excluded
        if excluded:
            assert BudgetPrices.excluding(data, one, prices, limits, 8).time == one
        else:
            with pytest.raises(NotACertificate, match="masters pay"):
                BudgetPrices.excluding(data, one, prices, limits, 8)
    assert search.latest(prices, later, 8 * best) == 0.0


def test_budgets_that_end_early_pay_nearly_what_all_do(monkeypatch):
    data = random_coded_computing(1, masters=2, workers=5, rows=5)
    prices, time = np.full(5, 30), 4 * best_quantile(data)
    whole, limits = BudgetSearch(data, 8).paid(time, prices)
    assert limits.tolist() == [150, 150]
    monkeypatch.setattr(optimum, "WHOLE_SUM", 0)
    ended, limits = BudgetSearch(data, 8).paid(time, prices)
    assert limits.max() <= 150
    assert limits.min() < 150
    assert whole * 0.95 < ended <= whole


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_masters_pay_no_less_after_changes(seed):
    data = random_coded_computing(seed, masters=2, workers=5, rows=5)
    search, prices = BudgetSearch(data, 8), WorkerPrices(data)
    time = best_quantile(data)
    starts = prices.starts(data)
    before = [search.paid(time, prices.at(start, 8))[0] for start in starts]
    after = [
        search.paid(time, prices.at(improved(search, prices, start, 8, time, Deadline()), 8))[0]
        for start in starts
    ]
    assert all(late >= soon for late, soon in zip(after, before, strict=True))
    assert max(after) > min(before)


def test_prices_are_whole_and_positive_where_they_were():
    found = whole_prices(np.array([0.0, 1.0, 3.0, 1e-9]), 8)
    # three that are positive cost 8 on average
    assert found.tolist() == [0, 6, 18, 1]


def test_equal_workers_cost_the_same():
    data = farkas.load("coded/demo")
    prices = WorkerPrices(data)
    for start in prices.starts(data):
        found = prices.at(start, 8)
        for n, kind in enumerate(prices.types.of):
            assert found[n] == found[int(np.flatnonzero(prices.types.of == kind)[0])]


def random_types(seed):
    rng = np.random.default_rng(seed)
    kinds, size = rng.uniform(0.2, 1.0, (2, 3)), rng.integers(1, 4, 3)
    return Types(np.repeat(kinds, size, axis=1))


def reachable(types, level, low, high):
    ranges = [range(a, b + 1) for a, b in zip(low.reshape(-1), high.reshape(-1), strict=True)]
    for x in itertools.product(*ranges):
        counts = np.array(x).reshape(low.shape)
        fits = (counts.sum(axis=0) <= types.size).all()
        if fits and ((types.speed * counts).sum(axis=1) >= level).all():
            return True
    return False


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", [MasterPricing, TypePricing])
@pytest.mark.parametrize("share", [0.5, 0.8, 0.95, 1.05])
def test_what_is_closed_holds_no_counts(seed, kind, share):
    types = random_types(seed)
    level = share * float((types.speed * types.size).sum()) / 4
    priced = kind(types, level)
    low = np.zeros(types.speed.shape, np.int64)
    high = np.broadcast_to(types.size, low.shape).copy()
    found = priced.look(low, high)
    if priced.closes(found.prices, level, low, high):
        assert not reachable(types, level, low, high)
    else:
        # the relaxation's point keeps the types, and reaches the level where it is of masters
        assert (found.counts.sum(axis=0) <= types.size * (1 + 1e-9)).all()
        assert ((types.speed * found.counts).sum(axis=1) >= level * (1 - 1e-6)).all()


@pytest.mark.parametrize("seed", range(10))
def test_prices_of_types_close_whatever_those_of_masters_close(seed):
    types = random_types(seed)
    low = np.zeros(types.speed.shape, np.int64)
    high = np.broadcast_to(types.size, low.shape).copy()
    level = float((types.speed * types.size).sum()) / 4
    for share in (0.9, 1.0, 1.1, 1.3):
        closed = {}
        for kind in (MasterPricing, TypePricing):
            priced = kind(types, share * level)
            prices = priced.look(low, high).prices
            closed[kind] = priced.closes(prices, share * level, low, high)
        assert closed[TypePricing] >= closed[MasterPricing]


@pytest.mark.parametrize("seed", range(20))
def test_cheapest_is_the_best_of_all_counts(seed):
    rng = np.random.default_rng(seed)
    speed, price = rng.integers(0, 5, 3) / 8, rng.integers(0, 4, 3) / 4
    low = rng.integers(0, 2, 3)
    high = low + rng.integers(0, 4, 3)
    ranges = [range(a, b + 1) for a, b in zip(low, high, strict=True)]
    costs = [price @ x for x in itertools.product(*ranges) if speed @ x >= 1.0]
    found = cheapest(speed, price, low, high)
    assert (found is None) == (not costs)
    if found is not None:
        assert found[0] == min(costs)
        assert speed @ found[1] >= 1.0
        assert (low <= found[1]).all()
        assert (found[1] <= high).all()


def test_a_box_without_counts_for_a_master_is_closed():
    types = Types(np.array([[1.0, 1], [1.0, 1]]))
    priced = TypePricing(types, 5.0)
    low, high = np.zeros((2, 1), np.int64), np.full((2, 1), 2)
    found = priced.look(low, high)
    assert found.room == -np.inf
    assert priced.closes(found.prices, 5.0, low, high)


def test_few_counts_are_priced_by_type():
    few, many = Types(np.ones((2, 50))), Types(np.arange(1.0, 101).reshape(2, 50))
    assert isinstance(pricing(few, 1.0), TypePricing)
    assert isinstance(pricing(many, 1.0), MasterPricing)


ROWS, SHIFT = 1, 0.001


def one_worker(chance):
    """One row and one worker, who has it by ``SHIFT - log(1 - chance)`` with that chance."""
    return CodedComputing(
        name="one",
        success_probability=chance,
        masters=(Master(name="m", rows=ROWS),),
        workers=1,
        rate=((1.0,),),
        shift=((SHIFT,),),
    )


@pytest.mark.parametrize("chance", [0.25, 0.5, 0.9])
def test_no_bound_is_above_the_quantile_of_the_only_plan(chance):
    found = farkas.optimum(one_worker(chance), problem="coded.chance")
    best = SHIFT - math.log1p(-chance)
    assert float(found.value) == pytest.approx(best, rel=1e-12)
    assert found.bound <= found.value
    # Markov: the expected rows of a plan in time are ROWS * chance at least
    markov = next(step for step in found.steps if step.bound is not None)
    assert float(markov.bound) == pytest.approx(chance * ROWS * expected_time(), rel=1e-9)
    # the only worker's probability itself
    assert found.bound > Fraction(99, 100) * found.value


def expected_time():
    """Time at which the only worker has a row on average, under (6): ρ has no part in it."""
    return float(farkas.optimum(one_worker(0.5)).value)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["coded/tiny", "coded/split_worker", "coded/demo"])
def test_the_run_of_the_search_is_proved_again(name):
    ladder = ladders["coded.chance_optimum"]
    without = dataclasses.replace(ladder, climbers=ladder.climbers[:-1])
    found = climb(farkas.load(name), without, gap=Fraction(0))
    again = farkas.check(found.run, name)
    assert again.proof.bound == found.bound <= found.value == again.value
    assert found.run.certificate.certificate["certificate"] == "coded_chance"


def test_where_no_climber_bounds_the_problem_the_bound_of_runs_is_not_taken_for_it():
    ladder = ladders["coded.chance_optimum"]
    without = dataclasses.replace(ladder, climbers=ladder.climbers[1:-1])
    found = climb(farkas.load("coded/tiny"), without, gap=Fraction(0))
    assert found.bound is None
    assert found.run.ratio is None
    of_expected = farkas.run("coded/tiny", "coded.expected").certificate
    with pytest.raises(NotACertificate):
        farkas.check(msgspec.structs.replace(found.run, certificate=of_expected), "coded/tiny")


@pytest.mark.parametrize("seed", range(6))
def test_the_plan_meets_the_bound(seed):
    data = random_coded_computing(seed, masters=2 + seed % 3, workers=6)
    found = farkas.optimum(data, gap=1e-9)
    assert found.complete
    assert found.gap <= 1e-9
    expected = farkas.run(data, "coded.expected")
    assert float(found.value) <= expected.value * (1 + 1e-9)


@pytest.mark.parametrize("instance", ["coded/tiny", "coded/demo"])
def test_workers_by_type_have_the_same_optimum(instance):
    found, best, _ = bounds(instance, "coded.assignment")
    assert closed(found, best) == {"coded.assignment_by_type"}
