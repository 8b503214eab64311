"""Prices that exclude a level for dedicated workers: true of every owner, and of them only."""

from __future__ import annotations

import itertools
from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates import check, coded_budgets
from farkas.certificates.coded import (
    ChancePrices,
    EveryPlanPrices,
    earned_above,
    exact_sum,
    safe_patience,
)
from farkas.certificates.coded_budgets import BudgetPrices, RowCells, chance_by_budget, shared_cost
from farkas.certificates.coded_dedicated import (
    DedicatedChancePrices,
    DedicatedPrices,
    dedicated_time_bound,
)
from farkas.certificates.files import from_json
from farkas.certificates.runs import require_run_bound
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.models.coded.chance import best_quantile
from farkas.models.coded.kernel import Pairs, owner_levels
from farkas.models.coded.law import Law
from farkas.offline.coded.optimum import BudgetSearch
from farkas.online import algorithms
from farkas.online.run import Bound
from farkas.relaxations.coded.sharing import excluded_level
from farkas.tolerances import ULP
from farkas.verbs.check_run import prove_run
from tests.generators.coded import by_speed, random_coded_computing
from tests.references import coded_budgets as reference

DOMINANT = library.load("coded/dominant")


def made(data, kind=DedicatedPrices):
    cut = excluded_level(Pairs.of(data).speed)
    return kind.excluding(data, cut.prices, Pairs.of(data).patience, cut.level)


def dedicated_optimum(data):
    speed = Pairs.of(data).speed
    owners = itertools.product(range(len(speed)), repeat=speed.shape[1])
    return 1 / max(owner_levels(speed, np.array(own)).min() for own in owners)


@pytest.mark.parametrize("seed", range(12))
def test_no_owners_are_earlier_than_the_bound(seed):
    data = random_coded_computing(seed, masters=2 + seed % 2, workers=5)
    proof = check(made(data), instance=data)
    assert proof.bound <= Fraction(dedicated_optimum(data)) * (1 + Fraction(1, 10**12))


def test_one_fast_worker_is_no_two():
    # v = (100, 1, 1) twice: level 2, cut at which the prices 1, 1 allow 2 + 1 + 1 = 4 = 2 + 2
    data = by_speed([[100.0, 1, 1]] * 2)
    proof = check(made(data), instance=data)
    assert float(proof.bound) == pytest.approx(1 / 2, rel=1e-12)
    assert proof.bound < Fraction(1, 2) * (1 + Fraction(1, 10**12))


def test_a_level_that_is_reached_is_not_excluded():
    data = by_speed([[100.0, 1, 1]] * 2)
    patience = safe_patience(Pairs.of(data).patience)
    for level in (2.0 * (1 - 1e-12), 1.0, 1e-300):
        with pytest.raises(NotACertificate, match="do not exclude the level"):
            dedicated_time_bound(data, np.ones(2), patience, level)
    with pytest.raises(NotACertificate, match="no level near"):
        DedicatedPrices.excluding(data, np.ones(2), Pairs.of(data).patience, 1.9)
    # allowed and needed are equal at a cut that every speed exceeds: 1 <= 1 excludes nothing
    alone = by_speed([[5.0]])
    patience = safe_patience(Pairs.of(alone).patience)
    with pytest.raises(NotACertificate, match="do not exclude"):
        dedicated_time_bound(alone, np.ones(1), patience, 3.0)
    assert float(dedicated_time_bound(alone, np.ones(1), patience, 5.1)) == pytest.approx(1 / 5.1)
    # both sides are 1 + 2 ULP exactly: the dearer master earns 1, rounded up
    two = by_speed([[5.0], [5.0]])
    patience, prices = safe_patience(Pairs.of(two).patience), np.array([1.0, 2 * ULP])
    assert exact_sum(earned_above(prices, np.ones((2, 1)))) == exact_sum(prices)
    with pytest.raises(NotACertificate, match="do not exclude"):
        dedicated_time_bound(two, prices, patience, 1.0)
    assert dedicated_time_bound(two, prices * [1, 1 + 1e-15], patience, 1.0) == 1


@pytest.mark.parametrize("level", [0.0, -1.0, np.inf, np.nan])
def test_a_level_is_a_positive_number(level):
    with pytest.raises(NotACertificate, match="level is not positive"):
        dedicated_time_bound(DOMINANT, np.ones(2), np.zeros(DOMINANT.rates.shape), level)


@pytest.mark.parametrize("kind", [DedicatedPrices, DedicatedChancePrices])
def test_a_file_that_claims_more_than_its_level_is_refused(kind):
    honest = made(DOMINANT, kind)
    again = from_json(msgspec.json.encode(honest), "test")
    assert check(again, instance=DOMINANT).bound == Fraction(honest.bound)
    higher = str(Fraction(honest.bound) * (1 + Fraction(1, 10**12)))
    with pytest.raises(NotACertificate, match="its numbers prove"):
        check(msgspec.structs.replace(honest, bound=higher), instance=DOMINANT)
    lower = msgspec.structs.replace(honest, level=honest.level * (1 - 1e-9), bound=higher)
    with pytest.raises(NotACertificate, match="do not exclude"):
        check(lower, instance=DOMINANT)
    shared = msgspec.structs.replace(honest, program="coded.expected[shared]")
    with pytest.raises(NotACertificate, match=r"bound coded.(expected|chance)\[dedicated\]"):
        check(shared, instance=DOMINANT)


def test_the_bound_on_p1_is_the_probability_times_that_on_p3():
    p1 = made(DOMINANT, DedicatedChancePrices)
    share = Fraction(DOMINANT.success_probability)
    assert check(p1, instance=DOMINANT).bound == share * Fraction(made(DOMINANT).bound)
    shared = ChancePrices.of(
        DOMINANT, excluded_level(Pairs.of(DOMINANT).speed).prices, Pairs.of(DOMINANT).patience
    )
    assert Fraction(p1.bound) > 10 * Fraction(shared.bound)


def test_it_bounds_runs_whose_workers_serve_one_master_each():
    run = algorithms["coded.brute_force"].run(DOMINANT)
    assert run.certificate.certificate["certificate"] == "coded_dedicated"
    assert "dedicate workers only" in run.certificate.method
    assert 1 <= prove_run(run, DOMINANT, "test").ratio < 1 + 1e-9
    shared = algorithms["coded.expected"].run(DOMINANT)
    assert shared.certificate.certificate["certificate"] == "coded_run"
    assert "for every plan" in shared.certificate.method


def test_it_never_bounds_a_plan_that_shares_a_worker():
    dedicated, shared = (
        algorithms[name].run(DOMINANT) for name in ("coded.brute_force", "coded.expected")
    )
    # the true optimum of shared workers is 25 times earlier than the bound on dedicated ones
    assert shared.value < float(dedicated.certificate) / 20
    for name in ("coded.brute_force", "coded.expected"):
        forged = msgspec.structs.replace(
            shared, algorithm=name, certificate=dedicated.certificate, ratio=None
        )
        with pytest.raises(NotACertificate, match="does not bound runs"):
            prove_run(forged, DOMINANT, "test")


@pytest.mark.parametrize(
    "decisions",
    [
        [],
        [{}],
        [{"share": [[1.0]], "loads": [[1.0], [1.0]]}],
        [{"share": [[1.0, 0.0], [0.0]], "loads": [[1.0, 0.0], [0.0, 0.0]]}],
        [{"share": [[0.5], [0.5]], "loads": [[1.0], [1.0]]}],
        [{"share": [[1.0], [0.0]], "loads": [[1.0], [0.0]]}] * 2,
        ["share"],
    ],
)
def test_it_bounds_nothing_that_is_no_plan_of_dedicated_workers(decisions):
    certificate = made(DOMINANT)
    with pytest.raises(NotACertificate, match="does not bound runs"):
        require_run_bound(certificate, "coded", {}, "coded.any", decisions)
    served = [{"share": [[1.0], [0.5]], "loads": [[1.0], [0.0]]}]  # without a load, not used
    require_run_bound(certificate, "coded", {}, "coded.any", served)
    loaded = [{"share": [[1.0], [0.0]], "loads": [[1.0], [1.0]]}]  # nor without a share
    require_run_bound(certificate, "coded", {}, "coded.any", loaded)
    with pytest.raises(NotACertificate, match="does not bound runs"):
        require_run_bound(certificate, "coded", {}, "coded.chance_search", served)
    require_run_bound(made(DOMINANT, DedicatedChancePrices), "coded", {}, "coded.chance_x", served)


def test_prices_for_dedicated_workers_cannot_be_made_as_those_for_every_plan():
    # without a level they would state none, and `evaluate` would bound plans that share
    for kind in (DedicatedPrices, DedicatedChancePrices):
        assert not issubclass(kind, EveryPlanPrices)
        assert not hasattr(kind, "of")
        assert not hasattr(kind, "evaluate")


def best_excluded(data, prices, high):
    """Certificate of the latest time that prices exclude, or None."""
    search = BudgetSearch(data, 16)
    time = search.latest(prices, float(data.shifts.min()), high)
    if not time:
        return None
    return BudgetPrices.excluding(data, time, prices, search.paid(time, prices)[1], 16)


@pytest.mark.ids(1)
@pytest.mark.parametrize("seed", range(12))
def test_no_plan_of_p1_is_earlier(seed):
    data = random_coded_computing(seed, masters=2, workers=4, rows=5)
    for target in (0.6, 0.9, 0.98):
        one = data.replace(success_probability=target)
        best = best_quantile(one)
        rng = np.random.default_rng(seed)
        for prices in (np.full(4, 20), rng.integers(1, 20, 4)):
            proved = best_excluded(one, prices, 10 * best)
            assert proved is not None
            assert 0 < Fraction(proved.bound) <= best


def test_one_worker_is_bounded_by_its_own_quantile():
    data = random_coded_computing(5, masters=1, workers=1, rows=1, forbid=0.0)
    best = best_quantile(data)
    proved = best_excluded(data, np.array([100]), 4 * best)
    assert best * 0.995 < float(Fraction(proved.bound)) <= best
    # two masters have it half of the time at most, and want more: no time is late enough
    two = data.replace(masters=data.masters * 2, rate=data.rate * 2, shift=data.shift * 2)
    much, both = np.array([100]), np.array([100, 100])
    assert BudgetPrices.excluding(two, 1e6 * best, much, both, 4).time == 1e6 * best


@pytest.mark.ids(1)
@pytest.mark.parametrize("seed", range(8))
def test_no_shared_plan_is_earlier(seed):
    data = random_coded_computing(seed, masters=2, workers=3, rows=3, forbid=0.0)
    data = data.replace(success_probability=0.6)
    prices = np.full(3, 12)
    bound = float(Fraction(best_excluded(data, prices, 1e3).bound))
    rng = np.random.default_rng(seed)
    earliest = np.inf
    for _ in range(300):
        share = rng.dirichlet(np.full(2, 0.5), 3).T
        loads = rng.integers(0, 4, (2, 3)).astype(float)
        time = Law.given(data, share, loads).quantile(0.6)
        earliest = min(earliest, time)
    assert bound <= earliest < np.inf


@pytest.mark.parametrize("seed", range(20))
def test_what_is_paid_is_where_the_envelope_reaches_the_target(seed):
    rng = np.random.default_rng(seed)
    chances = np.sort(rng.uniform(0, 1, 9))
    target = Fraction(float(rng.uniform(0.05, 0.99)))
    if seed % 2:
        chances = chances * float(target)
    worth = [*map(Fraction, chances.tolist()), Fraction(1)]
    # the best mean of two budgets, in fractions
    ways = [Fraction(b) for b, w in enumerate(worth) if w >= target]
    ways += [
        b + (c - b) * (target - v) / (w - v)
        for b, v in enumerate(worth)
        for c, w in enumerate(worth)
        if v < target <= w
    ]
    found = shared_cost(chances, target, beyond=True)
    assert found <= min(ways)
    assert float(found) == pytest.approx(float(min(ways)), rel=1e-12)
    alone = shared_cost(np.append(chances, 1.0), target, beyond=False)
    assert alone == found
    assert (shared_cost(chances, target, beyond=False) is None) == (worth[-2] < target)


def honest():
    data = random_coded_computing(1, masters=2, workers=4, rows=5)
    return data, best_excluded(data, np.full(4, 20), 1e3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"time": 0.0}, "not positive"),
        ({"time": float("inf")}, "not positive"),
        ({"prices": (1, 2, 3)}, "3 prices"),
        ({"budgets": (1,)}, "1 budgets"),
        ({"cells": 0}, "0 cells"),
        ({"cells": 2**20}, "cells"),
        ({"budgets": (30, 30)}, "masters pay"),
    ],
)
def test_numbers_that_prove_nothing_are_refused(change, words):
    data, proved = honest()
    with pytest.raises(NotACertificate, match=words):
        msgspec.structs.replace(proved, **change).prove_bound(data)


def test_masters_that_pay_all_and_no_more_exclude_nothing():
    # before any rows are back masters pay what is beyond their budgets
    data = random_coded_computing(1, masters=2, workers=2, rows=2, forbid=0.0)
    never = data.replace(success_probability=1 - 2.0**-40)
    early = float(never.shifts.min()) / 2
    prices, budgets = np.array([2, 2]), np.array([3, 3])
    assert BudgetPrices.excluding(never, early, prices, budgets, 4).time == early
    with pytest.raises(NotACertificate, match="masters pay"):
        BudgetPrices.excluding(never, early, prices, np.array([1, 1]), 4)


def test_steps_of_all_masters_count_together(monkeypatch):
    data, proved = honest()
    monkeypatch.setattr(coded_budgets, "MOST_STEPS", 1500)
    with pytest.raises(NotACertificate, match="steps"):
        proved.prove_bound(data)


def test_it_bounds_runs_for_p1_only():
    data = farkas.load("coded/tiny")
    proved = best_excluded(data, np.full(data.workers, 20), 1e3)
    for name, fits in (("coded.chance_search", True), ("coded.simple_greedy", False)):
        run = farkas.run(data, name)
        swapped = Bound.of(Fraction(proved.bound), "prices of workers", proved.plain())
        again = msgspec.structs.replace(run, certificate=swapped, ratio=None)
        if fits:
            assert farkas.check(again, data).proof.bound == Fraction(proved.bound)
        else:
            with pytest.raises(NotACertificate, match="does not bound runs of coded"):
                farkas.check(again, data)


def order(data, master, prices):
    """Workers of a master as they are asked: the dearest first, then by rate and by shift."""
    able = np.flatnonzero(data.allowed[master]).tolist()
    rate, shift = data.rate[master], data.shift[master]
    return sorted(able, key=lambda n: (prices[n], rate[n], shift[n]), reverse=True)


@pytest.mark.parametrize("seed", range(12))
def test_chances_are_those_of_loads_that_wait(seed):
    data = random_coded_computing(seed, workers=4, rows=7)
    prices = np.random.default_rng(seed).integers(0, 4, 4)
    for master in range(2):
        for time in (0.7, 2.0, 6.0):
            found, _ = chance_by_budget(data, master, prices, time, 7, 8)
            for b, above in enumerate(found.tolist()):
                exact = reference.waiting(
                    data, master, order(data, master, prices), prices.tolist(), time, b
                )
                assert exact * (1 - 1e-15) <= above <= max(exact * (1 + 1e-13), 1e-280)


@pytest.mark.parametrize("seed", range(6))
def test_no_fixed_loads_do_better_in_fine_cells_or_coarse_ones(seed):
    data = random_coded_computing(seed, workers=3, rows=6)
    prices = np.random.default_rng(seed).integers(1, 4, 3)
    for master in range(2):
        finer = np.ones(7)
        for cells in (1, 2, 3, 6):
            found, _ = chance_by_budget(data, master, prices, 2.0, cells, 6)
            # not always finer: 4 cells of 2 rows for 7; but never below what loads can do
            finer = found if cells == 6 else finer
            for b, above in enumerate(found.tolist()):
                assert reference.planned(data, master, prices.tolist(), 2.0, b) <= above * (
                    1 + 1e-13
                )
        loose, _ = chance_by_budget(data, master, prices, 2.0, 1, 6)
        assert (finer <= loose * (1 + 1e-12)).all()


@pytest.mark.parametrize("seed", range(4))
def test_workers_that_are_alike_count_one_by_one(seed):
    data = random_coded_computing(seed, masters=1, workers=1, rows=6, forbid=0.0)
    four = data.replace(
        workers=4, rate=(data.rate[0] * 4,), shift=(data.shift[0] * 4,)
    )  # fmt: skip
    prices = np.full(4, 2)
    found, steps = chance_by_budget(four, 0, prices, 2.0, 6, 9)
    for b, above in enumerate(found.tolist()):
        exact = reference.waiting(four, 0, range(4), [2] * 4, 2.0, b)
        assert exact * (1 - 1e-15) <= above <= max(exact * (1 + 1e-13), 1e-280)
    # budgets below 6 pay for two workers of the four
    fewer, less = chance_by_budget(four, 0, prices, 2.0, 6, 5)
    assert (fewer == found[:6]).all() or np.allclose(fewer, found[:6], rtol=1e-13)
    assert less * 4 * 10 == pytest.approx(steps * 2 * 6)


def test_cells_round_needed_rows_up_and_loads_down():
    data = random_coded_computing(0, masters=1, workers=1, rows=7, forbid=0.0)
    rows = data.masters[0].rows
    cells = RowCells(data, 0, 3)
    assert cells.rows == -(-rows // 3)
    assert cells.rows * (cells.needed - 1) < rows <= cells.rows * cells.needed
    found = cells.chances(0, 3.0)
    for k, above in enumerate(found.tolist()):
        exact = reference.returned(data, 0, 0, k * cells.rows + 1, 3.0)
        assert exact * (1 - 1e-15) <= above <= exact * (1 + 1e-12)
    # the loads that are left out never return by then
    assert len(found) == cells.needed or not reference.returned(
        data, 0, 0, len(found) * cells.rows + 1, 3.0
    )  # fmt: skip


def test_too_large_tables_and_too_many_steps_are_refused(monkeypatch):
    data = random_coded_computing(0, workers=4, rows=7)
    with pytest.raises(NotACertificate, match="too large"):
        chance_by_budget(data, 0, np.ones(4, np.int64), 2.0, 7, 2**23)
    monkeypatch.setattr(coded_budgets, "MOST_STEPS", 100)
    with pytest.raises(NotACertificate, match="steps"):
        chance_by_budget(data, 0, np.ones(4, np.int64), 2.0, 7, 8)
