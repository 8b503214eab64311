"""Curvature of utilities on whole worker-slots, by hand."""

from __future__ import annotations

import numpy as np

from farkas.instances.utilities import (
    LinearUtility,
    QuadraticCost,
    Sigmoid,
    Sqrt,
    TableUtility,
)
from farkas.instances.utilities.envelope import (
    concave_in_reach,
    differences,
    is_concave,
    is_monotone,
    monotone_in_reach,
)
from tests.generators.gadget import small, table


def test_curvature_is_judged_where_a_job_can_be():
    bend = Sigmoid(height=1.0, steepness=1.0, midpoint=5.0)
    assert not is_concave(bend, 1.0, 10)
    assert not is_concave(bend, 1.0, 4)  # convex all the way
    assert is_monotone(bend, 1.0, 10)
    kinked = TableUtility(values=(0.0, 0.0, 1.0, 1.0))
    assert not is_concave(kinked, 1.0, 3)
    assert is_concave(kinked, 3.0, 1)  # sampled at 0 and 3 only
    assert not is_monotone(QuadraticCost(quadratic=1.0, linear=0.0), 1.0, 2)


def test_printed_sigmoid_of_the_paper_gains_more_later():
    # steepness .5, midpoint 300, 50 iterations per worker-slot: the sixth worker-slot is worth
    # 10^10 times the fifth, so gains are far from diminishing
    curve = Sigmoid(height=100.0, steepness=0.5, midpoint=300.0)
    gains = differences(curve, 50.0, 6)
    assert gains[5] > 1e9 * gains[4]


def test_gains_are_differences_of_neighbours():
    # sqrt at 0, 4, 16, 36 with steps of 4 and of 12 would differ: here step 4, three gains
    assert (
        differences(Sqrt(scale=1.0), 4.0, 3).tolist() == np.diff([0, 2, 8**0.5, 12**0.5]).tolist()
    )
    assert differences(LinearUtility(slope=-2.0), 0.5, 2).tolist() == [-1.0, -1.0]
    assert differences(LinearUtility(slope=3.0), 1.0, 0).tolist() == []


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
