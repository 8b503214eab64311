"""What is not finite, not whole or out of range never becomes a number of a proof."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.certificates.guards import finite, inside, whole
from farkas.errors import NotACertificate

INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("value", [INF, -INF, NAN])
def test_what_is_not_finite_is_refused(value):
    for read in (finite, whole):
        with pytest.raises(NotACertificate, match=r"costs: .* is not a finite number"):
            read(np.array([[1.0, value]]), "costs")


def test_integers_become_doubles_only_where_that_is_exact():
    assert finite(np.array([-(2**53), 2**53]), "costs").tolist() == [-(2.0**53), 2.0**53]
    assert finite(np.array([True]), "costs").tolist() == [1.0]
    for value in (2**53 + 1, -(2**53) - 1):
        with pytest.raises(NotACertificate, match="too large for a double"):
            finite(np.array([value]), "costs")
    for kind in (np.float32, np.longdouble, np.complex128, object):
        with pytest.raises(NotACertificate, match="instead of doubles"):
            finite(np.array([1], dtype=kind), "costs")


def test_whole_numbers_are_cast_below_their_limit_only():
    assert whole(np.array([-(2.0**61), 0.0, 3.0]), "costs").tolist() == [-(2**61), 0, 3]
    assert whole(np.array([7.0]), "costs", bits=3).tolist() == [7]
    for value, bits in ((2.0**62, 62), (2.0**62, 70), (-1e308, 62), (8.0, 3)):
        with pytest.raises(NotACertificate, match=r"costs: .* is out of range"):
            whole(np.array([0.0, value]), "costs", bits=bits)
    with pytest.raises(NotACertificate, match="costs: a number is not whole"):
        whole(np.array([0.5]), "costs")


def test_indices_stay_inside():
    inside(np.array([0, 2]), 3, "rows")
    inside(np.array([], dtype=int), 0, "rows")
    for index in (-1, 3):
        with pytest.raises(NotACertificate, match=r"rows: an index lies outside 0\.\.2"):
            inside(np.array([index]), 3, "rows")


def test_one_integer_too_far_below_zero_is_refused_beside_others():
    with pytest.raises(NotACertificate, match="too large for a double"):
        finite(np.array([0, -(2**53) - 1]), "costs")
    with pytest.raises(NotACertificate, match="too large for a double"):
        finite(np.array([0, 2**53 + 1]), "costs")
