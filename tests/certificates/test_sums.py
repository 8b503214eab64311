"""Vectors of exact binary numbers, against fractions."""

from fractions import Fraction as F

import numpy as np
import pytest

from farkas.certificates import sums
from farkas.certificates.sums import (
    dot,
    exact_dot,
    exactly,
    reduced_costs,
    residual,
    scaled,
    slacks,
)
from farkas.errors import NotACertificate
from farkas.forms.matrices import rows_of_dense

VALUES = np.array([1.0, -1.5, 0.0, 2.0**-40, -(2.0**30) - 2.0**-10])
ENDS = np.array([5e-324, -1.7976931348623157e308, 2.0**-1022, 0.0])


@pytest.mark.parametrize("values", [VALUES, ENDS, np.zeros(2), np.zeros(0)])
def test_whole_numbers_are_the_values(values):
    found = exactly(values)
    assert [found.exact(j) for j in range(len(values))] == [F(v) for v in values.tolist()]
    assert all(type(number) is int for number in found.numbers)
    assert found.negative.tolist() == [v < 0 for v in values.tolist()]
    assert found.nonzero.tolist() == [v != 0 for v in values.tolist()]


def test_reduced_costs_and_slacks_are_exact_and_know_their_sign():
    # cost - A'y = (1 - (3 y0 - y1), -2 - 4 y1), side - A x = (5 - 3 x0, -1 + x0 - 4 x1)
    matrix = rows_of_dense([[3.0, 0.0], [-1.0, 4.0]])
    y = np.array([1 / 3, -0.5])
    reduced = reduced_costs(np.array([1.0, -2.0]), matrix, y)
    assert [reduced.exact(j) for j in (0, 1)] == [1 - (3 * F(y[0]) + F(1, 2)), 0]
    assert reduced.negative.tolist() == [True, False]
    assert reduced.nonzero.tolist() == [True, False]
    x = np.array([5 / 3, 1 / 6])
    slack = slacks(np.array([5.0, -1.0]), matrix, x)
    exact = [5 - 3 * F(x[0]), -1 + F(x[0]) - 4 * F(x[1])]
    assert [slack.exact(i) for i in (0, 1)] == exact
    assert slack.negative.tolist() == [value < 0 for value in exact]


@pytest.mark.parametrize("exponent", [0, 30, 300])
@pytest.mark.parametrize("block", [1, 7, sums.BLOCK])
def test_sums_over_entries_equal_fractions_however_they_are_cut(monkeypatch, exponent, block):
    monkeypatch.setattr(sums, "BLOCK", block)
    rng = np.random.default_rng(exponent)

    def numbers(size):
        sign = rng.choice([-1.0, 0.0, 1.0], size)
        return sign * rng.random(size) * 10.0 ** rng.uniform(-exponent, exponent, size)

    constant, values, factors = numbers(5), numbers(40), numbers(6)
    target, source = rng.integers(0, 5, 40), rng.integers(0, 6, 40)
    expected = [F(c) for c in constant.tolist()]
    for t, s, value in zip(target.tolist(), source.tolist(), values.tolist(), strict=True):
        expected[t] -= F(value) * F(float(factors[s]))
    found = residual(constant, target, source, values, factors)
    assert [found.exact(t) for t in range(5)] == expected
    assert found.negative.tolist() == [value < 0 for value in expected]
    assert found.nonzero.tolist() == [value != 0 for value in expected]


@pytest.mark.parametrize("exponent", [0, 30, 300])
def test_dots_equal_fractions(exponent):
    rng = np.random.default_rng(exponent)
    left, right = (
        rng.choice([-1.0, 0.0, 1.0], 50)
        * rng.random(50)
        * 10.0 ** rng.uniform(-exponent, exponent, 50)
        for _ in "ab"
    )
    exact = sum(F(x) * F(y) for x, y in zip(left.tolist(), right.tolist(), strict=True))
    assert exact_dot(left, right) == exact
    assert dot(exactly(left), right) == exact


def test_products_that_doubles_lose_count():
    assert exact_dot(np.array([5e-324, 0.0]), np.array([5e-324, 1.0])) == F(5e-324) ** 2
    assert exact_dot(np.array([1e308, 0.0]), np.array([1e308, 0.0])) == F(1e308) ** 2


def test_empty_dots_are_zero_and_powers_of_two_exact():
    assert exact_dot(np.zeros(0), np.zeros(0)) == exact_dot(np.ones(2), np.zeros(2)) == 0
    assert (scaled(3, 2), scaled(3, -2), scaled(-3, 0)) == (12, F(3, 4), -3)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_every_function_refuses_what_is_not_finite(value):
    bad, good = np.array([1.0, value]), np.array([1.0, 1.0])
    matrix, broken = rows_of_dense(np.eye(2)), rows_of_dense(np.diag(bad))
    calls = [
        lambda: exact_dot(good, bad),
        lambda: exact_dot(bad, np.zeros(2)),
        lambda: exactly(bad),
        lambda: dot(exactly(good), bad),
        lambda: reduced_costs(bad, matrix, good),
        lambda: reduced_costs(good, matrix, bad),
        lambda: reduced_costs(good, broken, good),
        lambda: slacks(bad, matrix, good),
        lambda: slacks(good, broken, np.zeros(2)),
    ]
    for call in calls:
        with pytest.raises(NotACertificate, match="finite"):
            call()


def test_vectors_and_indices_that_do_not_fit_are_refused():
    ones = np.ones(2)
    with pytest.raises(NotACertificate, match="do not fit"):
        exact_dot(ones, np.ones(1))
    with pytest.raises(NotACertificate, match="do not fit"):
        exact_dot(np.ones((1, 2)), np.ones((1, 2)))
    with pytest.raises(NotACertificate, match="do not fit"):
        exact_dot(np.array(2.0), np.array(3.0))  # numbers are no vectors either
    with pytest.raises(NotACertificate, match="do not fit"):
        dot(exactly(ones), np.ones(3))
    with pytest.raises(NotACertificate, match="index"):
        residual(ones, np.array([0, 2]), np.array([0, 1]), ones, ones)
    with pytest.raises(NotACertificate, match="index"):
        residual(ones, np.array([0, 1]), np.array([0, -1]), ones, ones)


@pytest.mark.parametrize("shift", range(-110, 111))
def test_constants_far_from_the_products_keep_every_digit(shift):
    constant = np.array([3.0 * 2.0**shift, 0.0, -(2.0**shift)])
    place = np.arange(3)
    found = residual(constant, place, place, np.array([1.0, -1.0, 5.0]), np.array([7.0, 1.0, 3.0]))
    expected = [F(constant[0]) - 7, 1, F(constant[2]) - 15]
    assert [found.exact(j) for j in place] == expected
    assert found.negative.tolist() == [value < 0 for value in expected]


def test_factors_of_one_count():
    for left, right in (([3.0, 5.0], [1.0, -1.0]), ([1.0, -1.0], [3.0, 5.0])):
        assert exact_dot(np.array(left), np.array(right)) == -2
    one = residual(np.ones(1), np.zeros(2, int), np.arange(2), np.ones(2), np.array([1.0, -1.0]))
    assert one.exact(0) == 1


def test_long_sums_do_not_overflow():
    # 40,000 products of (2**53 - 1)**2 need 122 bits
    largest = np.full(40_000, 2.0**53 - 1)
    assert exact_dot(largest, largest) == 40_000 * (2**53 - 1) ** 2
    assert exact_dot(-largest, largest) == -40_000 * (2**53 - 1) ** 2
    place = np.zeros(40_000, int)
    cost = residual(np.zeros(1), place, np.arange(40_000), largest, largest)
    assert cost.exact(0) == -40_000 * (2**53 - 1) ** 2


def test_programs_without_entries_or_rows_have_their_costs():
    none = np.zeros(0, int)
    left = residual(np.array([2.0, -1.0]), none, none, np.zeros(0), np.zeros(0))
    assert [left.exact(j) for j in (0, 1)] == [2, -1]
    assert len(residual(np.zeros(0), none, none, np.zeros(0), np.ones(1)).numbers) == 0
