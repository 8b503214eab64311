"""Shares and prices in whole numbers, and their roundings."""

from __future__ import annotations

from fractions import Fraction
from operator import mul

import numpy as np
import pytest

from farkas.errors import NoAnswer
from farkas.relaxations.coded.exact_sharing import LEAST_SHARE, exact_shares
from tests.fuzz.truth import simplex


def levels(speed, share, prices):
    """Level that shares reach, and what prices allow, in fractions."""
    v, k = ([[Fraction(x) for x in row] for row in part.tolist()] for part in (speed, share))
    pi = [Fraction(price) for price in prices.tolist()]
    reached = min(sum(map(mul, a, b)) for a, b in zip(v, k, strict=True))
    worth = sum(max(map(mul, pi, column)) for column in zip(*v, strict=True))
    return reached, worth, sum(pi)


@pytest.mark.parametrize("seed", range(30))
def test_the_optimum_is_that_of_another_simplex_method(seed):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 4), rng.integers(1, 5)
    speed = rng.integers(0, 4, (m, n)) * 2.0 ** rng.integers(-3, 4, (m, n))
    speed[:, 0] += 1
    rows = [
        ([-Fraction(v) * (i == j) for j in range(m) for v in speed[j].tolist()] + [Fraction(1)], 0)
        for i in range(m)
    ]
    rows += [([Fraction(int(n == k)) for _ in range(m) for k in range(len(speed[0]))] + [0], 1)
             for n in range(len(speed[0]))]  # fmt: skip
    lines = [([Fraction(a) for a in row], Fraction(side)) for row, side in rows]
    best = simplex([Fraction(0)] * speed.size + [Fraction(1)], lines)
    share, prices = exact_shares(speed)
    reached, worth, total = levels(speed, share, prices)
    close = 1 + Fraction(1, 10**14)
    assert best / close <= reached <= best * close
    assert best / close <= worth / total <= best * close
    assert float(worth) == pytest.approx(1, rel=1e-14)


@pytest.mark.parametrize("seed", range(20))
def test_speeds_of_any_size_keep_their_optimum(seed):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(2, 5), rng.integers(2, 7)
    speed = rng.uniform(0.5, 2, (m, n)) * 10.0 ** rng.uniform(-300, 300, (m, n))
    speed[rng.random((m, n)) < 0.2] = 0
    speed[:, 0] = np.maximum(speed[:, 0], 1e-300)
    share, prices = exact_shares(speed)
    assert share.sum(axis=0).max() <= 1 + 1e-14
    assert share[share > 0].min() >= LEAST_SHARE
    share /= np.maximum(1.0, share.sum(axis=0))
    reached, worth, total = levels(speed, share, prices)
    assert worth / total * (1 - Fraction(1, 10**14)) <= reached <= worth / total * (1 + Fraction(
        1, 10**15))  # fmt: skip
    assert float(worth) == pytest.approx(1, rel=1e-14)


def test_a_share_that_is_next_to_nothing_is_no_smaller_than_the_least():
    # the fast master needs 1e-600 of the worker, which is no double
    share, prices = exact_shares(np.array([[1e300], [1e-300]]))
    assert share.ravel().tolist() == [LEAST_SHARE, 1.0]
    assert prices == pytest.approx([1e-300, 1e300])


def test_many_masters_and_workers_are_left_to_solvers():
    with pytest.raises(NoAnswer, match="10 masters and 40 workers are too many"):
        exact_shares(np.ones((10, 40)))


def test_ties_everywhere_end():
    share, _ = exact_shares(np.ones((4, 12)))
    assert share.sum(axis=1) == pytest.approx([3] * 4)
