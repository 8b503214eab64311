"""gadget.column_ip and gadget.column_lp: one variable per ring mapping."""

import numpy as np
import pytest

from farkas.models.gadget.column import ColumnIP, ColumnLP, Columns, all_columns
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import snapshot
from farkas.solvers import solve
from tests.generators.gadget import small, table


def optimum(form):
    return solve(form, gap=0.0).require_optimal().objective


def test_the_worth_of_a_ring_is_that_of_its_size():
    jobs = {"max_workers": 2} | table(0, 4, 7), {"max_workers": 1} | table(0, 9)
    slot = snapshot(small([3], (), *jobs))
    nothing = np.zeros((2, 0), int)
    rings = Rings(np.array([1, 0]), np.array([1, 2]), np.array([[1], [2]]), nothing)
    assert Columns(slot, rings).gains.tolist() == [9, 7]


def test_forbidden_sizes_have_no_column():
    slot = snapshot(small([3])).fixed([2])
    assert all_columns(slot).rings.size.tolist() == [2]
    assert all_columns(all_columns(slot)).rings.size.tolist() == [2]


def test_half_rings_are_worth_more_than_whole_ones():
    # three jobs of two workers on three GPUs in a row of servers with wide links: one ring runs
    # whole, but three halves fill 3 GPUs
    jobs = [{"max_workers": 2} | table(0, 0, 1)] * 3
    cluster = small([1, 1, 1], [(0, 1, 99), (1, 2, 99)], *jobs)
    assert optimum(ColumnIP().form(cluster)) == 1.0
    assert optimum(ColumnLP().form(cluster)) == pytest.approx(1.5)
