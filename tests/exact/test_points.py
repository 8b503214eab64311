"""Points of solvers made exact."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np

from farkas.exact.deadline import Deadline
from farkas.exact.points import exact_point
from tests.generators.rational import program


def test_a_point_is_made_exact_around_its_whole_columns() -> None:
    form = program([[1, 3]], cost=[1, 1], rows=[(2, 2)], ends=[(0, 5), (0, 5)], whole=[1, 0])
    assert exact_point(form, np.array([1.0000001, 0.33]), Deadline()) == [1, F(1, 3)]
    assert exact_point(form, np.array([4.0, 0.0]), Deadline()) is None
    assert exact_point(form, np.array([np.nan, 0.0]), Deadline()) is None
