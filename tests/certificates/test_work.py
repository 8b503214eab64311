"""The steps of a check are counted before they are made."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from farkas.certificates.guards import Work
from farkas.errors import NotACertificate


def charged(terms: int, *numbers: F | int) -> int:
    work = Work()
    work.charge(terms, *numbers)
    return work.done


def test_short_numbers_cost_their_terms_and_long_ones_the_square_of_their_length() -> None:
    assert charged(0) == 1
    assert charged(5, F(1, 3), 7) == 6
    # 255 bits and the one of the denominator are one piece; 63 pieces have 63 * 63 / 64 pairs
    assert charged(0, 2**253) == 1
    assert charged(0, 2**254) == 2
    assert charged(0, 2 ** (256 * 63)) == 1 + 63 + 62
    assert charged(0, 2 ** (256 * 32), F(1, 2 ** (256 * 32))) == 1 + 64 + 64
    assert charged(0, 2 ** (256 * 640)) == 1 + 640 + 6400


def test_sums_and_what_is_read_are_counted() -> None:
    work = Work()
    assert work.plus(F(1, 2), 3, F(1, 4)) == F(5, 4)
    assert work.done == 1
    assert work.read("-7/2", "number") == F(-7, 2)
    assert work.done == 2
    work.plus(2 ** (256 * 8), 2 ** (256 * 8), 2 ** (256 * 8))
    assert work.done == 2 + 1 + 24 + 9


def test_one_step_too_many_is_refused_before_it_is_made() -> None:
    work = Work(4)
    work.charge(3)
    with pytest.raises(NotACertificate, match="takes more than 4 steps to check; --most-work"):
        work.plus(0, 1, 1)
