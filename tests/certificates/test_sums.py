"""Vectors of exact binary numbers, against fractions."""

from __future__ import annotations

from fractions import Fraction as F

import mpmath
import numpy as np
import pytest

import farkas
from farkas.algebra import programs
from farkas.certificates import sums
from farkas.certificates.directed_rounding import (
    LN2_BELOW,
    down,
    excess_above,
    log1p_below,
    up,
)
from farkas.certificates.doubles import both, double
from farkas.certificates.points import exact_feasibility
from farkas.certificates.repair import settled
from farkas.certificates.sums import (
    ScaledNumbers,
    dot,
    exact_dot,
    exactly,
    reduced_costs,
    residual,
    slacks,
    total,
)
from farkas.errors import NotACertificate
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_dense
from farkas.solvers import solve
from farkas.tolerances import TINY, ULP


@pytest.mark.parametrize("exponent", [-70, -1, 0, 3])
def test_numbers_of_one_exponent_are_fractions_and_their_sum_is_theirs(exponent):
    numbers = ScaledNumbers([3, 0, 2**80, 5], exponent)
    wanted = [F(x) * F(2) ** exponent for x in (3, 0, 2**80, 5)]
    assert [*numbers] == wanted == [*numbers[:2], *numbers[2:]]
    assert total(numbers) == total(wanted) == sum(wanted)


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


def test_long_sums_do_not_overflow():
    # 40,000 products of (2**53 - 1)**2 need 122 bits
    largest = np.full(40_000, 2.0**53 - 1)
    assert exact_dot(largest, largest) == 40_000 * (2**53 - 1) ** 2
    assert exact_dot(-largest, largest) == -40_000 * (2**53 - 1) ** 2
    place = np.zeros(40_000, int)
    cost = residual(np.zeros(1), place, np.arange(40_000), largest, largest)
    assert cost.exact(0) == -40_000 * (2**53 - 1) ** 2


WIDE = np.concatenate([10.0 ** np.linspace(-140, 150, 150), 10.0 ** np.linspace(-2, 2, 150), [1.0]])


def test_logarithms_round_outward():
    with mpmath.workdps(500):
        for h, above in zip(WIDE.tolist(), excess_above(WIDE).tolist(), strict=True):
            exact = mpmath.mpf(h) - mpmath.log1p(h)
            assert exact <= above <= exact * (1 + 1e-13)
        large = WIDE[WIDE >= 1]
        for h, below in zip(large.tolist(), log1p_below(large).tolist(), strict=True):
            exact = mpmath.log1p(h)
            assert exact * (1 - 1e-13) <= below <= exact


def test_what_overflowed_is_beyond_the_largest_double_and_no_more():
    # 1e308 · 10 is 1e309: below it lies the largest double, above it nothing finite
    with np.errstate(over="ignore"):
        product = np.array([1e308]) * 10.0
    assert 1.79e308 < down(product)[0] < np.finfo(float).max
    assert up(product)[0] == np.inf
    assert up(np.array([np.finfo(float).max]))[0] == np.inf


@pytest.mark.parametrize("value", [np.inf, np.nan, -1.0])
def test_numbers_outside_the_domain_are_refused(value):
    with pytest.raises(NotACertificate):
        excess_above(np.array([value, 1.0]))


HALF = ULP / 2


@pytest.mark.parametrize("roundings", [1, 2, 3, 16, 1000])
def test_so_many_roundings_and_one_more_are_charged(roundings):
    rng = np.random.default_rng(roundings)
    values = np.concatenate([10.0 ** rng.uniform(-280, 300, 200), [1.0, 2.0, 1.0 - HALF]])
    for bound, sign in ((down, -1), (up, 1)):
        for one, moved in zip(values.tolist(), bound(values, roundings).tolist(), strict=True):
            share = sign * (F(moved) / F(one) - 1)
            # r + 1 ULP, and half a ULP of the product's own rounding at most
            assert abs(share - (roundings + 1) * F(ULP)) <= F(HALF) * (1 + F(1, 1000))


def test_one_rounding_is_charged_unless_more_are_named():
    assert down(np.ones(1)) == down(np.ones(1), 1) == 1 - 2 * ULP
    assert up(np.ones(1)) == up(np.ones(1), 1) == 1 + 2 * ULP


def test_numbers_too_small_for_shares_become_zero_below_and_tiny_above():
    small = np.array([0.0, 5e-324, TINY / 2, TINY, 2 * TINY])
    assert down(small)[:4].tolist() == [0.0] * 4
    assert up(small)[:3].tolist() == [TINY] * 3
    assert up(small)[3] > TINY
    assert TINY < down(small)[4] < 2 * TINY < up(small)[4]
    assert np.isnan([down(np.array([np.nan]))[0], up(np.array([np.nan]))[0]]).all()


def charged(exact, bounds, sign):
    """Least and largest distance of bounds from exact numbers, in ULP of these."""
    shares = [
        float(sign * (mpmath.mpf(one) / true - 1) / ULP)
        for true, one in zip(exact, bounds.tolist(), strict=True)
    ]
    return min(shares), max(shares)


def test_what_is_charged_for_a_series_is_what_its_proof_says():
    # 16 roundings of a series, a few more for what comes before and after
    with mpmath.workdps(500):
        large = WIDE[WIDE >= 1]
        least, most = charged([mpmath.log1p(h) for h in large.tolist()], log1p_below(large), -1)
        assert 16 < least < most < 20.5
        true = [mpmath.mpf(h) - mpmath.log1p(h) for h in WIDE.tolist()]
        below = WIDE < 1
        least, most = charged(
            [x for x, take in zip(true, below, strict=True) if take],
            excess_above(WIDE[below]), 1,
        )  # fmt: skip
        assert 4.9 < least < most < 8.7
        least, most = charged(
            [x for x, take in zip(true, below, strict=True) if not take],
            excess_above(WIDE[~below]), 1,
        )  # fmt: skip
        assert 1.3 < least < most < 47.7


def test_the_constant_of_the_logarithm_is_the_double_below():
    with mpmath.workdps(50):
        assert LN2_BELOW < mpmath.log(2) < np.nextafter(LN2_BELOW, 1)


def test_the_excess_of_nothing_is_nothing():
    assert 0 <= excess_above(np.zeros(1))[0] <= 2 * TINY


def test_doubles_stand_on_the_side_that_is_proved():
    third = F(1, 3)
    assert F(double(third, up=False)) < third < F(double(third, up=True))
    assert double(F(1, 2), up=False) == double(F(1, 2), up=True) == 0.5
    huge = F(10**400)
    assert double(huge, up=True) is double(-huge, up=False) is None


def test_a_number_is_written_with_the_double_that_claims_no_more():
    assert both("bound", F(1, 10), up=False) == {
        "bound": 0.09999999999999999,
        "bound_exact": "1/10",
    }
    assert both("bound", F(1, 10), up=True) == {"bound": 0.1, "bound_exact": "1/10"}
    beyond = both("value", F(10) ** 400, up=True)
    assert beyond == {"value": None, "value_exact": "1" + "0" * 400}
    assert both("value", None, up=True) == {"value": None, "value_exact": None}
    long = both("value", F(10**6000, 7), up=True)["value_exact"]
    assert long == f"1{'0' * 6000}/7"


INF = np.inf


def form(
    rows: list[list[float]], low: list[float], high: list[float], **changes: object
) -> LinearForm:
    size = len(rows[0])
    made = LinearForm(
        name="by hand", cost=np.zeros(size), matrix=rows_of_dense(np.array(rows)),
        row_lower=np.array(low), row_upper=np.array(high), lower=np.zeros(size),
        upper=np.full(size, INF), integer=np.zeros(size, bool),
    )  # fmt: skip
    return made.replace(**changes)


def broken(program: LinearForm, point: np.ndarray) -> bool:
    try:
        exact_feasibility(program, point)
    except NotACertificate:
        return True
    return False


def test_thirds_are_moved_by_a_rounding_error() -> None:
    # 1/3 + 0.6666666666666667 is more than 1 by half a unit in the last place
    program = form([[1.0, 1.0]], [-INF], [1.0])
    point = np.array([1 / 3, 0.6666666666666667])
    assert broken(program, point)
    found = settled(program, point)
    assert found is not None
    assert not broken(program, found)
    assert np.abs(found - point).max() <= 2.0**-52
    assert found[1] == point[1], "the smaller one moves"


@pytest.mark.parametrize("side", ["equal", "below", "above"])
def test_what_moves_puts_the_fewest_rows_at_risk(side: str) -> None:
    # the first column stands in the second row too, which is tight
    low, high = {"equal": (1.0, 1.0), "below": (-INF, 1.0), "above": (1.0, INF)}[side]
    step = 2.0**-50 if side == "below" else -(2.0**-50)
    program = form([[1.0, 1.0], [1.0, 0.0]], [low, 0.25], [high, 0.25])
    point = np.array([0.25, 0.75 + step])
    assert broken(program, point)
    found = settled(program, point)
    assert found is not None
    assert found.tolist() == [0.25, 0.75]


def test_an_equation_is_mended_only_where_a_double_does_it() -> None:
    # 0.1 x = 1 has no solution in doubles; 0.5 x = 1 has one
    assert settled(form([[0.1]], [1.0], [1.0]), np.array([10.0])) is None
    half = settled(form([[0.5]], [1.0], [1.0]), np.array([2.0 + 2.0**-40]))
    assert half is not None
    assert half.tolist() == [2.0]


def test_whole_columns_are_rounded_and_stay() -> None:
    program = form([[1.0, 1.0]], [2.0], [2.0], integer=np.array([True, False]))
    found = settled(program, np.array([1.0 - 1e-9, 1.0 + 1e-9]))
    assert found is not None
    assert found.tolist() == [1.0, 1.0]
    whole = program.replace(integer=np.array([True, True]))
    assert settled(whole, np.array([1.0, 0.4])) is None


@pytest.mark.parametrize(
    "name", ["mlbroker.relaxed", "mlbroker.outer", "gadget.offline_column_bound", "dps.offline_lp"]
)
def test_points_of_solvers_become_exact_and_stay_where_they_are(name: str) -> None:
    kind = name.partition(".")[0]
    program = programs.build(name).form(farkas.load(f"{kind}/tiny"))
    point = solve(program).point
    found = settled(program, point)
    assert found is not None
    assert not broken(program, found)
    assert np.abs(found - point).max() <= 1e-9 * max(1.0, np.abs(point).max())


def test_a_certificate_says_so() -> None:
    solution = farkas.solve("gadget/tiny", "gadget.offline_column_bound", certify=True)
    assert solution.certificate.point.tolerance == 0
    assert "feasible exactly" in farkas.check(solution.certificate, "gadget/tiny").statement
