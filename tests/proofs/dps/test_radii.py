"""Confidence radii, by hand."""

import numpy as np
import pytest

from farkas.proofs import claims
from farkas.proofs.dps.radii import (
    MEANS,
    OFFERS,
    _misses,
    chances,
    failure,
    radius,
    worst_failure,
)


def test_a_radius_by_hand():
    # 2/4 + √(2 · (1/2) / 4) = 1/2 + 1/2; at mean 0 the root is gone
    assert radius(2.0, np.array([0.5, 0.0]), 3).tolist() == [1.0, 0.5]


def test_a_failure_probability_by_hand():
    # One flip with mean 1/2 and η = 0: radius 0, so both outcomes fail.
    assert failure(0.0, 1, 0.5) == pytest.approx(1.0)
    # η = 2: after success the radius is 1 + 1 > 1/2, after failure 1 > 1/2.
    assert failure(2.0, 1, 0.5) == 0.0


def test_chances_of_flips():
    np.testing.assert_allclose(chances(2, 0.25), [9 / 16, 6 / 16, 1 / 16])


def test_the_worst_failure_is_no_better_than_any():
    worst, offers, mean = worst_failure(3.0)
    assert worst == failure(3.0, offers, mean)
    assert worst >= max(failure(3.0, n, q) for n in OFFERS[:4] for q in MEANS)


def test_the_repaired_radius_is_that_of_the_source():
    assert claims["dps.confidence_radius_repaired"].source.endswith("η = 2.5 ln n")
    said = _misses({"jobs": 10, "offers": 200, "mean": 0.3})
    (relation,) = said.relations
    assert relation.left == failure(2.5 * np.log(10), 200, 0.3)
    assert relation.left < failure(2.4 * np.log(10), 200, 0.3)
    assert relation.right == 10**-2.0
