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


def test_curvature_is_judged_where_a_job_can_be():
    bend = Sigmoid(height=1.0, steepness=1.0, midpoint=5.0)
    assert not bend.is_concave(1.0, 10)
    assert not bend.is_concave(1.0, 4)  # convex all the way
    assert bend.is_monotone(1.0, 10)
    kinked = TableUtility(values=(0.0, 0.0, 1.0, 1.0))
    assert not kinked.is_concave(1.0, 3)
    assert kinked.is_concave(3.0, 1)  # sampled at 0 and 3 only
    assert not QuadraticCost(quadratic=1.0, linear=0.0).is_monotone(1.0, 2)


def test_printed_sigmoid_of_the_paper_gains_more_later():
    # steepness .5, midpoint 300, 50 iterations per worker-slot: the sixth worker-slot is worth
    # 10^10 times the fifth, so gains are far from diminishing
    curve = Sigmoid(height=100.0, steepness=0.5, midpoint=300.0)
    gains = curve.differences(50.0, 6)
    assert gains[5] > 1e9 * gains[4]


def test_gains_are_differences_of_neighbours():
    # sqrt at 0, 4, 16, 36 with steps of 4 and of 12 would differ: here step 4, three gains
    assert Sqrt(scale=1.0).differences(4.0, 3).tolist() == np.diff([0, 2, 8**0.5, 12**0.5]).tolist()
    assert LinearUtility(slope=-2.0).differences(0.5, 2).tolist() == [-1.0, -1.0]
    assert LinearUtility(slope=3.0).differences(1.0, 0).tolist() == []


def test_rounding_of_large_values_is_no_fall_and_no_bend():
    # multiples of 0.7 have differences that vary in the last bits of the sum
    linear = LinearUtility(slope=0.7)
    assert linear.is_concave(1e6, 50)
    assert linear.is_monotone(1e6, 50)
    # a fall by a share of 1e-6 is a fall
    falling = TableUtility(values=(0.0, 1.0, 1.0 - 1e-6))
    assert not falling.is_monotone(1.0, 2)
    assert falling.is_concave(1.0, 2)
    rising = TableUtility(values=(0.0, 1.0, 2.0 + 1e-6))
    assert not rising.is_concave(1.0, 2)
