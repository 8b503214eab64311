"""What certificates of kind gadget share."""

from __future__ import annotations

from fractions import Fraction

import pytest

from farkas.certificates.gadget_prices import claimed


@pytest.mark.parametrize("value", [Fraction(1, 3), Fraction(-1, 3), Fraction(5), Fraction(0)])
@pytest.mark.parametrize("unit", [Fraction(1), Fraction(2) ** 70, Fraction(1, 2**70)])
def test_claims_are_rounded_up_by_less_than_their_59th_digit(value, unit):
    claim = Fraction(claimed(unit * value))
    assert unit * value <= claim <= unit * value + abs(unit * value) / 2**58
    assert claim / unit == Fraction(claimed(value))
    assert abs(claim.numerator) <= 2**62 or claim.denominator == 1
