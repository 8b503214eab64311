"""Array types: arrays of the right type pass, others are converted."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.numbers import bools, floats, ints


@pytest.mark.parametrize(
    ("convert", "dtype"), [(floats, np.float64), (ints, np.int64), (bools, np.bool_)]
)
def test_an_array_of_the_type_is_passed_on_and_others_are_converted(convert, dtype):
    right = np.array([0, 1], dtype)
    assert convert(right) is right
    made = convert(np.array([0, 1], np.int8))
    assert made.dtype == dtype
    assert made.tolist() == [0, 1]
    assert convert(1).shape == ()
