"""What masters pay bounds P1: against enumeration, shared plans, and forged files."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates import check, coded_dedicated
from farkas.certificates.coded_dedicated import BudgetPrices, shared_cost
from farkas.errors import NotACertificate
from farkas.models.coded.chance import best_quantile
from farkas.models.coded.law import Law
from farkas.offline.coded.budgets import BudgetSearch
from farkas.online.run import Bound
from tests.generators.coded import random_coded_computing


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


def test_a_claim_beyond_the_numbers_is_refused():
    data, proved = honest()
    assert check(proved, instance=data).bound == Fraction(proved.time)
    forged = msgspec.structs.replace(
        proved, bound=str(Fraction(proved.bound) * (1 + Fraction(1, 10**15)))
    )
    with pytest.raises(NotACertificate, match="its numbers prove"):
        check(forged, instance=data)
    later = msgspec.structs.replace(proved, time=2 * proved.time, bound=str(2 * proved.time))
    with pytest.raises(NotACertificate, match="masters pay"):
        later.prove_bound(data)


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
    monkeypatch.setattr(coded_dedicated, "MOST_STEPS", 1500)
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
