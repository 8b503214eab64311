"""The linear relaxation."""

from __future__ import annotations

import numpy as np

from farkas.certificates import exact_bound
from farkas.duals.dualize import dualize
from farkas.relaxations.integrality import relax
from tests.generators.forms import small


def knapsack():
    # max x, 2x <= 3, x integer: 1; the relaxation gives 3/2 with y = 1/2
    return small([[2]], cost=[1], row_upper=[3], integer=[True], sense="max")


def test_relaxing_drops_integrality_and_nothing_else():
    form = relax(knapsack())
    assert not form.is_mip
    whole = knapsack().replace(integer=np.array([False]))
    assert form.sha256 == whole.sha256
    assert form.name == "relaxation of small"


def test_the_relaxation_bounds_the_integer_optimum():
    assert exact_bound(relax(knapsack()), [0.5]) == exact_bound(knapsack(), [0.5]) == 1.5


def test_a_relaxation_can_be_dualized():
    assert dualize(relax(knapsack())).form.row_lower.tolist() == [1]


def test_a_continuous_form_is_returned_as_it_is():
    form = relax(knapsack())
    assert relax(form) is form


def test_implied_bounds_of_integer_points_do_not_survive():
    # some integer optimum has x <= 1, but the relaxation's optimum is 3/2
    form = knapsack().replace(implied_upper=np.array([1.0]))
    assert relax(form).safe_upper.tolist() == [np.inf]
    assert exact_bound(relax(form), [0.5]) == 1.5
