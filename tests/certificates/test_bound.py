"""Bounds by weak duality, by hand and against plain fractions."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.certificates import exact_bound, prove_bound
from farkas.errors import NotACertificate
from farkas.forms.matrices import rows_of_dense
from tests.generators.forms import INF, random_form, small
from tests.references.weak_duality import reference_bound
from tests.tools.samples import samples


def one_variable(offset=0.0, sense="min"):
    """min x + offset, 2x >= 7, x >= 0; or its mirror image max -x + offset."""
    sign = 1.0 if sense == "min" else -1.0
    return small([[2.0]], cost=[sign], row_lower=[7.0], sense=sense, offset=offset)


def test_a_reduced_cost_that_meets_no_bound_names_its_column():
    # 1 - 2 * (1/2 + 2**-52) = -2**-51 and x has no upper bound
    with pytest.raises(NotACertificate, match=r"column\[i=0\]: reduced cost -4.44e-16 .* upper"):
        exact_bound(one_variable(), [0.5 + 2.0**-52])


@pytest.mark.parametrize("multipliers", [[], [1.0, 2.0], [[1.0]]])
def test_multipliers_of_a_wrong_length_are_refused(multipliers):
    with pytest.raises(NotACertificate, match="shape"):
        exact_bound(one_variable(), multipliers)


def test_infinite_data_are_refused():
    with pytest.raises(NotACertificate, match="cost holds infinite"):
        exact_bound(one_variable().replace(cost=np.array([INF])), [0.0])


def outcome(bound, form, multipliers):
    try:
        return bound(form, multipliers), ""
    except NotACertificate as error:
        return None, str(error)


def magnitudes(rng, exponent):
    """Random doubles of all 53 bits, magnitudes 10**-exponent to 10**exponent, some zero."""

    def number(size):
        sign = rng.choice([-1.0, 1.0, 0.0], size=size)
        return sign * rng.random(size) * 10.0 ** rng.uniform(-exponent, exponent, size)

    return number


@pytest.mark.parametrize("exponent", [0, 3, 20, 100, 300])
@samples(150, 450)
def test_fast_bounds_equal_fractions_on_random_programs(exponent, samples):
    rng = np.random.default_rng([samples, exponent])
    number = magnitudes(rng, exponent)
    proved = 0
    for _ in range(samples):
        form = random_form(rng, number=number)
        multipliers = number(form.num_rows)
        expected, refusal = outcome(reference_bound, form, multipliers)
        value, message = outcome(exact_bound, form, multipliers)
        proved += expected is not None
        assert value == expected
        assert refusal in message
    assert proved > samples // 8


@pytest.mark.parametrize("number", [5e-324, 1.7976931348623157e308, 2.0**-1022, 1e-300, 1e300])
@pytest.mark.parametrize("other", [5e-324, 1.0, 1.7976931348623157e308])
def test_the_ends_of_the_float_range_are_exact(number, other):
    form = small(
        [[number, 1.0], [other, number]],
        cost=[other, number],
        row_lower=[other, number],
        lower=[-number, -other],
        upper=[number, other],
    )
    for multipliers in ([number, other], [-other, number], [other, -number]):
        assert exact_bound(form, multipliers) == reference_bound(form, multipliers)


def test_sides_and_bounds_that_are_no_numbers_are_refused():
    form = one_variable()
    for name in ("row_lower", "row_upper", "lower", "upper"):
        broken = form.replace(**{name: np.full_like(getattr(form, name), np.nan)})
        with pytest.raises(NotACertificate, match="is not a number"):
            exact_bound(broken, [0.0])


@pytest.mark.parametrize(
    ("sense", "cost", "implied"),
    [("min", [1, 1, -1, 0, 1], 1), ("max", [1, 1, -1, 0, 1], 3),
     ("min", [-1, -1, 1, 0, 1], 3), ("max", [-1, -1, 1, 0, 1], 1)],
)  # fmt: skip
def test_implied_bounds_count_on_the_side_that_a_reduced_cost_meets(sense, cost, implied):
    # 1 <= x <= 3 everywhere: stated in part for the first columns, wholly for the last
    form = small(
        np.zeros((1, 5)), cost=cost, sense=sense, row_lower=[-1.0], row_upper=[1.0],
        lower=[-INF, 1, -INF, -INF, 1], upper=[INF, INF, 3, INF, 3],
        implied_lower=np.ones(5), implied_upper=np.full(5, 3.0),
    )  # fmt: skip
    proof = prove_bound(form, [0.0])
    ends = (1, 3) if sense == "min" else (3, 1)
    assert proof.value == sum(c * ends[c < 0] for c in cost)
    assert proof.implied == implied


def test_more_columns_without_a_bound_are_counted():
    form = small(np.zeros((0, 3)), cost=[-1.0, -1.0, 1.0])
    with pytest.raises(NotACertificate, match=r"column\[i=0\].*\(and 1 more columns\)"):
        exact_bound(form, [])
    with pytest.raises(NotACertificate) as caught:
        exact_bound(form.replace(cost=np.array([0.0, -1.0, 1.0])), [])
    assert "more columns" not in str(caught.value)


def test_numbers_of_the_form_that_are_not_finite_are_refused():
    form = one_variable()
    broken = form.replace(matrix=rows_of_dense([[INF]]))
    with pytest.raises(NotACertificate, match="matrix holds infinite"):
        exact_bound(broken, [0.0])
    for offset in (INF, float("nan")):
        with pytest.raises(NotACertificate, match="the offset is"):
            exact_bound(form.replace(offset=offset), [0.0])


def test_the_first_multiplier_that_is_no_number_is_named():
    form = small([[2.0]] * 3, cost=[7.0], row_lower=[4.0] * 3)
    with pytest.raises(NotACertificate, match=r"^row\[i=1\]: multiplier inf is not a finite"):
        prove_bound(form, np.array([1.0, np.inf, np.nan]))
