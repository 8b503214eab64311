"""The numbers behind every surrogate, against 80-digit arithmetic."""

from __future__ import annotations

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from farkas.errors import InvalidOption
from farkas.instances import library
from farkas.models.coded.kernel import (
    Pairs,
    by_subsets,
    excess,
    owner_levels,
    patience,
    recovery_probability,
    theorem1_times,
)
from tests.generators.coded import random_coded_computing
from tests.references.coded_recovery import by_counts

WORK = np.concatenate([10.0 ** np.arange(-300.0, 301.0, 25), [1e-12, 1e-3, 0.3, 0.9999, 1, 2, 745]])


def exact_patience(work: float) -> mpmath.mpf:
    """Newton in long arithmetic; digits enough for h − ln(1 + h) at h = 1e-150."""
    with mpmath.workdps(700):
        c = mpmath.mpf(work)
        h = mpmath.mpf(float(patience(work)))
        for _ in range(5):
            h -= (h - mpmath.log1p(h) - c) * (1 + h) / h
        return h


@pytest.mark.parametrize("work", WORK.tolist())
def test_patience_is_accurate_over_the_whole_range(work):
    # The textbook form -W(-exp(-c-1)) - 1 is off by 100 % at 1e-12 and underflows beyond 745.
    exact = exact_patience(work)
    assert abs(float((mpmath.mpf(float(patience(work))) - exact) / exact)) <= 1e-15


def test_excess_does_not_cancel():
    # h^2/2 - h^3/3 for small h.
    assert float(excess(1e-9)) == pytest.approx(1e-18 / 2 - 1e-27 / 3, rel=1e-15)
    assert float(excess(1.0)) == pytest.approx(1 - np.log(2), rel=1e-15)
    below, above = np.nextafter(1.0, 0), np.nextafter(1.0, 2)
    assert abs(float(excess(above) - excess(below))) < 1e-15


@pytest.mark.parametrize("seed", range(5))
def test_the_best_load_is_a_maximum(seed):
    data = random_coded_computing(seed)
    pairs = Pairs.of(data)
    m, n = (int(i[0]) for i in np.nonzero(data.allowed))
    u, a, time = data.rates[m, n], data.shifts[m, n], 7.0

    def results(load):
        return load * -np.expm1(u * (a - time / load))

    best = float(pairs.loads(time)[m, n])
    assert results(best) == pytest.approx(time * pairs.speed[m, n] * data.rows[m], rel=1e-13)
    assert results(best) > max(results(0.99 * best), results(1.01 * best))


def test_forbidden_pairs_are_worth_nothing():
    pairs = Pairs.of(library.load("coded/forbidden_pairs"))
    assert pairs.speed[0, 1] == 0.0
    assert pairs.loads(5.0)[0, 1] == 0.0
    assert np.isinf(pairs.time_per_row[0, 1])


def test_idle_workers_count_for_nobody():
    speed = np.array([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]])
    assert owner_levels(speed, np.array([0, -1, 1])).tolist() == [1.0, 32.0]
    assert theorem1_times(speed, np.array([1, 1, -1])).tolist() == [np.inf, 1 / 24]


def exact(loads, success, rows):
    total = Fraction(0)
    for outcome in itertools.product((0, 1), repeat=len(loads)):
        chance = Fraction(1)
        for hit, p in zip(outcome, success, strict=True):
            chance *= Fraction(p) if hit else 1 - Fraction(p)
        if sum(Fraction(load) * hit for load, hit in zip(loads, outcome, strict=True)) >= rows:
            total += chance
    return total


@pytest.mark.parametrize("seed", range(20))
def test_all_methods_agree_with_enumeration(seed):
    rng = np.random.default_rng(seed)
    size, rows = int(rng.integers(1, 9)), int(rng.integers(1, 30))
    loads, success = rng.integers(0, 15, size), rng.random(size)
    want = float(exact(loads.tolist(), success.tolist(), rows))
    used = loads > 0
    assert recovery_probability(loads, success, rows) == pytest.approx(want, rel=1e-14, abs=0)
    assert by_subsets(loads.astype(float), success, rows) == pytest.approx(want, rel=1e-14, abs=0)
    assert by_counts(loads[used], success[used], rows) == pytest.approx(want, rel=1e-13, abs=1e-16)


def test_edges():
    # Needing exactly what is there; too little; certain and impossible workers; a zero load.
    assert recovery_probability([2, 3], [0.5, 0.5], 5) == 0.25
    assert recovery_probability([2, 3], [1.0, 1.0], 6) == 0.0
    assert recovery_probability([5, 3, 0], [1.0, 0.0, 1.0], 5) == 1.0
    assert recovery_probability([], [], 1) == 0.0


def test_fractional_loads_of_many_workers_are_refused():
    with pytest.raises(InvalidOption, match="15 workers with fractional loads"):
        recovery_probability([1.5] * 15, [0.5] * 15, 10)
    # whole loads of as many workers are not: two of 15 fair coins at least
    chance = recovery_probability([1.0] * 15, [0.5] * 15, 2)
    assert chance == pytest.approx(1 - 16 / 2**15, rel=1e-14)


def test_rows_between_whole_loads_need_the_next_one():
    # 15 workers of 2 rows: 2.5 rows need two workers, as 4 do, and one is not enough
    loads, success = np.full(15, 2.0), np.full(15, 0.5)
    assert recovery_probability(loads, success, 2.5) == recovery_probability(loads, success, 4)
    assert recovery_probability(loads, success, 2) == pytest.approx(1 - 1 / 2**15, rel=1e-14)
