"""Data of figures is refused when it is inconsistent."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.experiments.figures import Figure, PlotAxis, Printed, Series, Statement, Table

AXIS = PlotAxis("slots")


def test_arrays_become_plain_numbers():
    series = Series("a", x=np.arange(2), y=np.array([0.5, np.nan]))
    assert series.x == [0, 1]
    assert all(type(value) is float for value in series.y)
    assert Statement("falls", np.bool_(True)).holds is True
    assert Printed("bound", y=np.float64(2)).y == 2.0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Series("a", x=[1, 2], y=[1.0]), "differ in length"),
        (lambda: Series("a", x=[1], y=[1.0], low=[0.5]), "both low and high"),
        (lambda: Printed("p", x=[1, 2], y=[1.0]), "differ in length"),
        (lambda: Table(columns=[AXIS], rows=[[1, 2]]), "1 cells"),
        (lambda: Figure(x=AXIS, y=AXIS, series=[Series("a", [1], [1.0])] * 2), "share a name"),
    ],
)
def test_inconsistent_data_is_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong()
