"""Utilities of progress: values by hand, files, curvature on a grid."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from farkas.instances.utilities import (
    LinearUtility,
    Log1p,
    QuadraticCost,
    Sigmoid,
    Sqrt,
    TableUtility,
)

CURVES = [
    LinearUtility(slope=2.0),
    Sqrt(scale=3.0),
    Log1p(scale=4.0),
    Sigmoid(height=10.0, steepness=0.5, midpoint=6.0),
    QuadraticCost(quadratic=0.1, linear=0.2),
    TableUtility(values=(0.0, 2.0, 3.0), step=2.0),
]


@pytest.mark.parametrize("curve", CURVES, ids=lambda c: type(c).__name__)
def test_a_curve_survives_the_file_and_evaluates_entrywise(curve):
    data = msgspec.json.encode(curve)
    assert msgspec.json.decode(data, type=type(curve)) == curve
    points = np.array([[0.0, 1.0], [2.5, 40.0]])
    alone = [[float(curve(x)) for x in row] for row in points]
    assert curve(points).tolist() == alone


def test_values_by_hand():
    assert float(Sqrt(scale=2.0)(9.0)) == 6.0
    assert float(Log1p(scale=2.0)(0.0)) == 0.0
    assert float(Sigmoid(height=8.0, steepness=3.0, midpoint=2.0)(2.0)) == 4.0
    assert float(QuadraticCost(quadratic=2.0, linear=1.0)(3.0)) == -21.0
    # table 0, 2, 3 at 0, 2, 4: halfway at 3 it is 2.5, beyond 4 it stays 3
    assert TableUtility(values=(0.0, 2.0, 3.0), step=2.0)([3.0, 99.0]).tolist() == [2.5, 3.0]


def test_the_sigmoid_neither_overflows_nor_loses_its_tail():
    curve = Sigmoid(height=1.0, steepness=5.0, midpoint=300.0)
    assert float(curve(1e6)) == 1.0
    assert float(curve(0.0)) == 0.0  # exp(-1500) underflows to the right limit
    assert float(curve(290.0)) == pytest.approx(np.exp(-50.0), rel=1e-12)
