"""Doubles become integers exactly or not at all."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.certificates.sums import MOST_CELLS, affordable, whole
from farkas.errors import NotACertificate

INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("value", [INF, -INF, NAN])
def test_what_is_not_finite_is_not_cast(value):
    with pytest.raises(NotACertificate, match=r"costs: .* is not a finite number"):
        whole(np.array([[1.0, value]]), "costs")


def test_whole_numbers_are_cast_below_their_limit_only():
    assert whole(np.array([-(2.0**61), 0.0, 3.0]), "costs").tolist() == [-(2**61), 0, 3]
    assert whole(np.array([7.0]), "costs", bits=3).tolist() == [7]
    for value, bits in ((2.0**62, 62), (2.0**62, 70), (-1e308, 62), (8.0, 3)):
        with pytest.raises(NotACertificate, match=r"costs: .* is out of range"):
            whole(np.array([0.0, value]), "costs", bits=bits)
    with pytest.raises(NotACertificate, match="costs: a number is not whole"):
        whole(np.array([0.5]), "costs")


def test_a_table_is_filled_up_to_its_limit_and_not_beyond():
    affordable(MOST_CELLS, "chunks")
    affordable(2.0, "chunks", 2)
    for size, most in ((MOST_CELLS + 1, MOST_CELLS), (1e300, MOST_CELLS), (10**400, 2), (3, 2)):
        with pytest.raises(NotACertificate, match=r"chunks: .* steps; .* are the most"):
            affordable(size, "chunks", most)
