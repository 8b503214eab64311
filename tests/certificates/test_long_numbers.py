"""Fractions longer than Python converts at once."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from farkas.certificates.doubles import MOST_DIGITS, long_rational, text_of
from farkas.errors import NotACertificate


@pytest.mark.parametrize("value", [
    F(0), F(-7, 2), F(10**3999), F(-(10**4000)), F(3**12000, 7**9000), F(-1, 10**8000 + 1),
    F(10**9000 - 1), F(10**8000 * 7),
], ids=range(8))  # fmt: skip
def test_numbers_come_back(value: F) -> None:
    assert long_rational(text_of(value), "x") == value


def test_short_ones_are_written_as_python_writes_them() -> None:
    for value in (F(1, 3), F(-5), F(0), F(10**50, 3)):
        assert text_of(value) == str(value)


def test_as_many_digits_as_are_allowed_are_read_on_either_side() -> None:
    sevens, most = (10**MOST_DIGITS - 1) // 9 * 7, "7" * MOST_DIGITS
    assert long_rational(f"{most}/3", "x") == F(sevens, 3)
    assert long_rational(f"-3/{most}", "x") == F(-3, sevens)
    for text in (f"{most}7", f"{most}7/3", f"3/{most}7"):
        with pytest.raises(NotACertificate, match="is not a fraction"):
            long_rational(text, "x")


@pytest.mark.ids(99)
@pytest.mark.parametrize("text", [
    "", "1.5", "+1", "01", "1/0", "1/01", "--1", "0" * 5000, "1" * (MOST_DIGITS + 1),
    "1" * 5000 + "/0", "1" * 5000 + "x", "1" * 5000 + "/-2", "\u0661" * 5000, "1" * 5000 + "\n",
], ids=range(14))  # fmt: skip
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(NotACertificate, match="is not a fraction"):
        long_rational(text, "x")
