"""Rays of infeasible forms: proved exactly, rounded, and cut down to fewer rows."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates import prove_infeasible
from farkas.verbs.contradiction import elastic_ray, filtered, proved, without_cost
from tests.conformance.solvers.cases import form
from tests.generators.forms import small

# x + y >= 3 and x <= 1, y <= 1 as rows; z <= 5 has nothing to do with it
PLANTED = small(
    [[1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    cost=[1, 2, 3], row_lower=[3, -np.inf, -np.inf, -np.inf], row_upper=[np.inf, 1, 1, 5],
    sense="max", offset=7.0,
)  # fmt: skip
RAY = np.array([1.0, -1.0, -1.0, 0.0])


def test_the_least_total_violation_gives_a_ray():
    # x >= 3 and x <= 1: total violation 2, multipliers +1 and -1.
    one = form([0], [(3, [1], math.inf), (-math.inf, [1], 1)])
    assert elastic_ray(one) == pytest.approx([1, -1])


def test_the_objective_is_dropped_and_the_rows_are_kept() -> None:
    plain = without_cost(PLANTED)
    assert (plain.sense, plain.offset, plain.cost.tolist()) == ("min", 0.0, [0, 0, 0])
    assert plain.row_upper.tolist() == PLANTED.row_upper.tolist()


@pytest.mark.parametrize("scale", [1.0, 1e-7, 1 / 3, 1e9])
def test_a_ray_is_scaled_to_small_whole_numbers(scale: float) -> None:
    # 3 - 1 - 1: the rows miss each other by 1
    found = proved(without_cost(PLANTED), scale * RAY)
    assert found is not None
    assert found.tolist() == RAY.tolist()
    assert prove_infeasible(without_cost(PLANTED), found) == Fraction(1)


@pytest.mark.parametrize(
    "ray", [None, np.zeros(4), np.array([1.0, np.nan, 0, 0]), -RAY, np.array([0, 0, 0, -1.0])]
)
def test_what_proves_nothing_is_no_ray(ray: np.ndarray | None) -> None:
    assert proved(without_cost(PLANTED), ray) is None


def test_noise_of_a_solver_is_cleaned_away() -> None:
    found = proved(without_cost(PLANTED), RAY + np.array([1e-13, 0, -1e-12, 1e-14]))
    assert found is not None
    assert found.tolist() == RAY.tolist()


@pytest.mark.parametrize(("order", "left"), [(1, [0, 1]), (-1, [1, 2, 3])])
def test_rows_that_are_not_needed_are_taken_away(order: int, left: list[int]) -> None:
    # x >= 2 contradicts x <= 1, and so do x + y >= 3 and y <= 1.  With the smallest multiplier
    # first the second way goes; with the largest first x <= 1 is needed and x >= 2 goes.
    rows = small(
        [[1, 0], [1, 0], [1, 1], [0, 1]], cost=[0, 0], row_lower=[2, -np.inf, 3, -np.inf],
        row_upper=[np.inf, 1, np.inf, 1],
    )  # fmt: skip
    found, needed = filtered(rows, np.array([3.0, -4.0, 1.0, -1.0]), order, math.inf)
    assert (np.flatnonzero(found).tolist(), needed) == (left, True)
    assert prove_infeasible(rows, found) == 1


def test_without_time_the_ray_stays_and_is_not_called_needed() -> None:
    found, needed = filtered(without_cost(PLANTED), RAY, 1, -math.inf)
    assert found.tolist() == RAY.tolist()
    assert not needed
