"""Utilities of progress: values by hand, files, curvature on a grid."""

from __future__ import annotations

import itertools

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
from farkas.models.gadget.curvature import (
    concave_in_reach,
    is_concave,
    is_monotone,
    monotone_in_reach,
)
from farkas.models.gadget.envelope import envelope
from tests.generators.gadget import small, table

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
    assert not is_concave(bend, 1.0, 10)
    assert not is_concave(bend, 1.0, 4)  # convex all the way
    assert is_monotone(bend, 1.0, 10)
    kinked = TableUtility(values=(0.0, 0.0, 1.0, 1.0))
    assert not is_concave(kinked, 1.0, 3)
    assert is_concave(kinked, 3.0, 1)  # sampled at 0 and 3 only
    assert not is_monotone(QuadraticCost(quadratic=1.0, linear=0.0), 1.0, 2)


def test_rounding_of_large_values_is_no_fall_and_no_bend():
    # multiples of 0.7 have differences that vary in the last bits of the sum
    linear = LinearUtility(slope=0.7)
    assert is_concave(linear, 1e6, 50)
    assert is_monotone(linear, 1e6, 50)
    # a fall by a share of 1e-6 is a fall
    falling = TableUtility(values=(0.0, 1.0, 1.0 - 1e-6))
    assert not is_monotone(falling, 1.0, 2)
    assert is_concave(falling, 1.0, 2)
    rising = TableUtility(values=(0.0, 1.0, 2.0 + 1e-6))
    assert not is_concave(rising, 1.0, 2)


def test_jobs_are_judged_as_far_as_they_reach():
    # one GPU for 2 slots: 0, 1, 2 is concave and rises, what comes later is never reached
    cluster = small([1], (), table(0, 1, 2, 9, 3), horizon=2)
    assert concave_in_reach(cluster, 0)
    assert monotone_in_reach(cluster, 0)
    longer = cluster.replace(horizon=4)
    assert not concave_in_reach(longer, 0)
    assert not monotone_in_reach(longer, 0)
    assert monotone_in_reach(cluster.replace(horizon=3), 0)


@pytest.mark.parametrize(
    ("values", "hull"),
    [
        ([5.0], [5.0]),
        ([0.0, 1.0], [0.0, 1.0]),
        # a sigmoid's start is bridged: from (0, 0) to (2, 4) the chord has slope 2
        ([0.0, 1.0, 4.0, 5.0], [0.0, 2.0, 4.0, 5.0]),
        ([3.0, 0.0, 1.0], [3.0, 2.0, 1.0]),
        # three on a line, and a last point that swallows all between
        ([0.0, 1.0, 2.0], [0.0, 1.0, 2.0]),
        ([0.0, 1.0, 1.0, 9.0], [0.0, 3.0, 6.0, 9.0]),
        ([0.0, -4.0, -6.0], [0.0, -3.0, -6.0]),
    ],
)
def test_envelopes_by_hand(values, hull):
    assert envelope(np.array(values)).tolist() == hull


def test_no_chord_of_two_points_is_above_the_envelope_and_some_chord_reaches_it():
    rng = np.random.default_rng(3)
    for count in (1, 2, *range(3, 13)):
        values = rng.integers(-5, 6, count).astype(float)
        chords = values.copy()
        for a, b in itertools.combinations(range(count), 2):
            at = np.arange(a, b + 1)
            line = values[a] + (values[b] - values[a]) * (at - a) / (b - a)
            chords[a : b + 1] = np.maximum(chords[a : b + 1], line)
        assert envelope(values) == pytest.approx(chords, abs=1e-12)
        assert values.tolist() == values.copy().tolist()
