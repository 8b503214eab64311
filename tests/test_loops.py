"""Loops that kernels share, against numpy."""

import numpy as np
import pytest

from farkas.loops import add_up, ascending, copy_floats, copy_ints, scale


@pytest.mark.parametrize("size", [0, 1, 2, 3, 7, 8, 9, 64, 100])
def test_places_are_those_of_a_stable_sort(size):
    rng = np.random.default_rng(size)
    for most in (1, 3, 1000):
        values = rng.integers(0, most, size).astype(float)
        assert ascending(values).tolist() == np.argsort(values, kind="stable").tolist()
    falling = np.arange(size, 0, -1.0)
    assert ascending(falling).tolist() == list(range(size - 1, -1, -1))
    assert falling.tolist() == list(range(size, 0, -1))


def test_infinite_values_have_their_place():
    assert ascending(np.array([np.inf, 1.0, -np.inf, 1.0])).tolist() == [2, 1, 3, 0]


@pytest.mark.parametrize(("copy", "kind"), [(copy_floats, float), (copy_ints, np.int64)])
def test_copies_leave_what_is_behind_them(copy, kind):
    source, target = np.array([3, 1], kind), np.array([7, 7, 7], kind)
    copy(source, target)
    assert (target.tolist(), source.tolist()) == ([3, 1, 7], [3, 1])


def test_multiples_of_a_matrix_leave_what_is_around_them():
    target = np.full((3, 4), 9.0)
    scale(0.5, np.array([[2.0, 4.0, 6.0], [8.0, 1.0, 0.0]]), target)
    assert target.tolist() == [[1.0, 2.0, 3.0, 9.0], [4.0, 0.5, 0.0, 9.0], [9.0] * 4]


def test_sums_of_whole_numbers():
    assert (add_up(np.array([2, -5, 1 << 40])), add_up(np.zeros(0, np.int64))) == ((1 << 40) - 3, 0)
