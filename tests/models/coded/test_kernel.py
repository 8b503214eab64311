"""The numbers behind every surrogate, against 80-digit arithmetic."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from farkas.instances import library
from farkas.models.coded.kernel import Pairs, excess, owner_levels, patience, theorem1_times
from tests.generators.coded import random_coded_computing

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


def test_the_value_of_the_papers_evaluation():
    # c = 1: h - ln(1 + h) = 1 at h = 2.1461932206...; success probability h/(1+h) = 0.68216.
    h = float(patience(1.0))
    assert h == pytest.approx(2.14619322062058, abs=1e-13)
    assert h / (1 + h) == pytest.approx(0.68216, abs=5e-6)


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
