"""Prices at which masters cannot pay: found, better than Markov's bound, the same in any unit."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import farkas
from farkas.certificates.coded_budgets import BudgetPrices
from farkas.errors import NotACertificate
from farkas.exact.bounding import Deadline
from farkas.models.coded.chance import best_quantile
from farkas.offline.coded import budgets
from farkas.offline.coded.budgets import BudgetSearch, WorkerPrices, improved, whole_prices
from tests.generators.coded import random_coded_computing


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
    later = time * (1 + 20 * budgets.NEAR)
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
    monkeypatch.setattr(budgets, "WHOLE_SUM", 0)
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
