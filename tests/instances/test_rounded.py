"""Counts that forgive rounding, and rows lowered until they fit exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.instances.options import fitted, guarded_ceil


@pytest.mark.parametrize(
    ("count", "rounded"),
    [
        (2.0, 2.0), (2.0 + 1e-9, 2.0), (2.0 + 3e-9, 3.0), (2.0 - 1e-9, 2.0), (0.0, 0.0),
        (1e-10, 0.0), (1e-8, 1.0), (1e6 + 1e-4, 1e6), (1e6 + 1e-2, 1e6 + 1),
    ],
)  # fmt: skip
def test_counts_are_rounded_up_unless_the_rest_is_noise(count, rounded):
    # forgiven is 1e-9 of a count above 1, and 1e-9 itself below
    assert guarded_ceil(count) == rounded
    assert str(float(guarded_ceil(-1e-12))) == "0.0"


def test_rows_are_lowered_until_their_exact_sum_fits_and_no_further():
    # 0.1 + 0.2 = 0.3000000000000000166 exactly, and 3/10 is less
    volume = np.array([[0.1, 0.2], [0.1, 0.2], [5.0, 5.0], [0.0, 0.0]])
    room = [Fraction(3, 10), Fraction(1), Fraction(1), Fraction(0)]
    found = fitted(volume, room)
    sums = [sum(map(Fraction, row)) for row in found.tolist()]
    assert all(total <= most for total, most in zip(sums, room, strict=True))
    assert found[0] == pytest.approx([0.1, 0.2], rel=1e-14)
    assert found[1].tolist() == [0.1, 0.2]
    # in proportion: half of the room each
    assert found[2] == pytest.approx([0.5, 0.5], rel=1e-14)
    assert found[3].tolist() == [0.0, 0.0]
    assert volume[0].tolist() == [0.1, 0.2]
