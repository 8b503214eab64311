"""Rounding of derivations; `test_tree_check.py` holds ends and cuts by hand."""

from __future__ import annotations

from fractions import Fraction as F

from farkas.certificates.tree_steps import stepped


def test_stepped_rounds_as_mixed_integer_rounding_does() -> None:
    assert stepped(F(3, 4), F(1, 2)) == F(1, 2)
    assert stepped(F(1, 4), F(1, 2)) == 0
    assert stepped(F(-1, 4), F(1, 2)) == F(-1, 2)
    assert stepped(F(2), F(1, 2)) == 2
