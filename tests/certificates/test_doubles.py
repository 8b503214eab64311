"""Doubles beside exact numbers."""

from __future__ import annotations

from fractions import Fraction as F

from farkas.certificates.doubles import both, double


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
