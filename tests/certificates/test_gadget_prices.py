"""What certificates of kind gadget share."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates.gadget import claimed, dearest, price_array, rent_of
from farkas.errors import NotACertificate


@pytest.mark.parametrize("value", [Fraction(1, 3), Fraction(-1, 3), Fraction(5), Fraction(0)])
@pytest.mark.parametrize("unit", [Fraction(1), Fraction(2) ** 70, Fraction(1, 2**70)])
def test_claims_are_rounded_up_by_less_than_their_59th_digit(value, unit):
    claim = Fraction(claimed(unit * value))
    assert unit * value <= claim <= unit * value + abs(unit * value) / 2**58
    assert claim / unit == Fraction(claimed(value))
    assert abs(claim.numerator) <= 2**62 or claim.denominator == 1


def test_prices_have_the_shape_that_is_asked_for_and_are_finite():
    assert price_array(((1.0, 2.0),), (1, 2)).tolist() == [[1.0, 2.0]]
    assert price_array((), (0, 2)).shape == (0, 2)
    for prices, shape in (((1.0,), (2,)), ((1.0, 2.0, 3.0), (2,)), (((1.0,), (1.0, 2.0)), (2, 2))):
        with pytest.raises(NotACertificate, match="another shape"):
            price_array(prices, shape)
    for price in (np.inf, np.nan):
        with pytest.raises(NotACertificate, match="not finite"):
            price_array((1.0, price), (2,))


def test_rents_are_exact_and_what_is_unlimited_has_none():
    assert rent_of(np.array([0.1, np.inf, 3.0]), np.array([3.0, 0.0, 0.0])) == 3 * Fraction(0.1)
    with pytest.raises(NotACertificate, match="unlimited"):
        rent_of(np.array([np.inf]), np.array([1e-300]))


def test_the_dearest_worker_pays_for_all_resources():
    demand = np.array([[1.0, 2.0], [3.0, 0.0]])
    assert dearest(np.array([5.0, 4.0]), demand) == 15
    assert dearest(np.array([5.0, 6.0]), demand) == 17
    assert dearest(np.array([5.0, 6.0]), demand[:0]) == 0
    assert dearest(np.array([1e308, 0.0]), demand[1:]) == np.inf
