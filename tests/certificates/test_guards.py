"""What is not finite or out of range never becomes a number of a proof."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.certificates.guards import finite, inside
from farkas.errors import NotACertificate

INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("value", [INF, -INF, NAN])
def test_what_is_not_finite_is_refused(value):
    with pytest.raises(NotACertificate, match=r"costs: .* is not a finite number"):
        finite(np.array([[1.0, value]]), "costs")


def test_integers_become_doubles_only_where_that_is_exact():
    assert finite(np.array([-(2**53), 2**53]), "costs").tolist() == [-(2.0**53), 2.0**53]
    assert finite(np.array([True]), "costs").tolist() == [1.0]
    for value in (2**53 + 1, -(2**53) - 1):
        with pytest.raises(NotACertificate, match="too large for a double"):
            finite(np.array([value]), "costs")
    for kind in (np.float32, np.longdouble, np.complex128, object):
        with pytest.raises(NotACertificate, match="instead of doubles"):
            finite(np.array([1], dtype=kind), "costs")


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
