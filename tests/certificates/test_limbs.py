"""Vectors of exact binary numbers, against fractions."""

from fractions import Fraction as F

import numpy as np
import pytest

from farkas.certificates.limbs import (
    Limbs,
    RangeTooWide,
    digit_bits,
    dot,
    exact_dot,
    extent,
    reduced_costs,
    residual,
    scaled,
    slacks,
    split,
)
from farkas.errors import NotACertificate
from farkas.forms.matrices import rows_of_dense

VALUES = np.array([1.0, -1.5, 0.0, 2.0**-40, -(2.0**30) - 2.0**-10])


@pytest.mark.parametrize("bits", [7, 24])
def test_digits_add_up_to_the_values(bits):
    low, high = extent(VALUES)
    limbs = split(VALUES, bits, low, high)
    assert [limbs.exact(j) for j in range(len(VALUES))] == [F(v) for v in VALUES.tolist()]
    assert (np.abs(limbs.digits) < 2**bits).all()
    assert limbs.take(np.array([1, 4])).exact(1) == F(VALUES[4])


def test_the_extent_covers_the_lowest_bit_and_the_highest():
    # 3/4 = 0.11 in binary: lowest bit 2**-2; 5 is below 2**3
    assert extent(np.array([0.75, -5.0, 0.0])) == (-2, 3)
    assert extent(np.zeros(3)) == (0, 0)


def test_products_of_digits_add_up_exactly():
    # 2 bits + the terms' bits fit into 53; never more than 24
    for terms in (1, 31, 32, 10**6, 2**40):
        bits = digit_bits(terms)
        assert terms * (2**bits - 1) ** 2 < 2**53
        assert bits == 24 or terms * (2 ** (bits + 1) - 1) ** 2 * 2 >= 2**53


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


def test_what_would_need_too_many_digits_is_left_to_fractions():
    wide = np.array([1e300, 1e-300])
    with pytest.raises(RangeTooWide):
        reduced_costs(np.zeros(2), rows_of_dense([wide, wide]), wide)


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
    if exponent == 0:
        assert dot(split(left, 24, *extent(left)), right) == exact


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
        lambda: extent(bad),
        lambda: split(bad, 24, -60, 2),
        lambda: dot(split(good, 24, 0, 1), bad),
        lambda: reduced_costs(bad, matrix, good),
        lambda: reduced_costs(good, matrix, bad),
        lambda: reduced_costs(good, broken, good),
        lambda: slacks(bad, matrix, good),
        lambda: slacks(good, broken, np.zeros(2)),
    ]
    for call in calls:
        with pytest.raises(NotACertificate, match="finite"):
            call()


def test_digits_hold_every_bit_or_nothing():
    for low, high in ((-1, 3), (-2, 2)):  # 3/4 needs 2**-2, 5 needs 2**3
        with pytest.raises(NotACertificate, match="digits"):
            split(np.array([0.75, 5.0]), 24, low, high)


def test_vectors_and_indices_that_do_not_fit_are_refused():
    ones = np.ones(2)
    with pytest.raises(NotACertificate, match="do not fit"):
        exact_dot(ones, np.ones(1))
    with pytest.raises(NotACertificate, match="do not fit"):
        dot(split(ones, 24, 0, 1), np.ones(3))
    with pytest.raises(NotACertificate, match="out of range"):
        dot(Limbs(np.array([[1 << 24, 1]]), 0, 24), ones)
    with pytest.raises(NotACertificate, match="index"):
        residual(ones, np.array([0, 2]), np.array([0, 1]), ones, ones)
    with pytest.raises(NotACertificate, match="index"):
        residual(ones, np.array([0, 1]), np.array([0, -1]), ones, ones)


def test_zeros_have_one_digit_and_need_no_room():
    assert split(np.zeros(2), 24, 0, 0).digits.tolist() == [[0, 0]]
    assert split(np.array([0.0, 2.0**-10]), 24, -10, -9).exact(1) == F(1, 1024)


def test_digits_that_are_zero_in_the_middle_hide_none_above():
    # 1 + 2**96 leaves the digits between empty, also in products
    wide = np.array([1.0, 2.0**96])
    assert exact_dot(wide, wide) == 1 + 2**192
    cost = residual(np.zeros(1), np.array([0, 0]), np.array([0, 1]), wide, wide)
    assert cost.exact(0) == -1 - 2**192


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
    assert dot(split(np.array([3.0, 5.0]), 24, 0, 3), np.array([1.0, -1.0])) == -2
    one = residual(np.ones(1), np.zeros(2, int), np.arange(2), np.ones(2), np.array([1.0, -1.0]))
    assert one.exact(0) == 1


def test_sums_of_the_largest_digits_do_not_overflow():
    # 40,000 products of (2**24 - 1)**2 add up to more than 2**63
    largest = np.full(40_000, 2.0**24 - 1)
    assert exact_dot(largest, largest) == 40_000 * (2**24 - 1) ** 2
    assert exact_dot(-largest, largest) == -40_000 * (2**24 - 1) ** 2


@pytest.mark.parametrize(("digit", "bits"), [(-(1 << 24), 24), (1 << 24, 24), (0, 0), (1, 25)])
def test_digits_out_of_range_are_refused(digit, bits):
    with pytest.raises(NotACertificate, match=r"out of range|do not fit"):
        dot(Limbs(np.array([[digit, 0]]), 0, bits), np.ones(2))


def test_digits_at_the_ends_of_their_range_are_not_refused():
    ends = Limbs(np.array([[1 - (1 << 24), (1 << 24) - 1]]), 0, 24)
    assert dot(ends, np.array([1.0, 2.0])) == (1 << 24) - 1
    assert dot(Limbs(np.array([[1, -1]]), 3, 1), np.array([2.0, 1.0])) == 8


def test_programs_without_entries_or_rows_have_their_costs():
    none = np.zeros(0, int)
    left = residual(np.array([2.0, -1.0]), none, none, np.zeros(0), np.zeros(0))
    assert [left.exact(j) for j in (0, 1)] == [2, -1]
    assert residual(np.zeros(0), none, none, np.zeros(0), np.ones(1)).digits.shape[1] == 0
