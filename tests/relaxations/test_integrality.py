"""The linear relaxation."""

from __future__ import annotations

from farkas.certificates import exact_bound
from farkas.duals.dualize import dualize
from farkas.relaxations.integrality import relax
from tests.generators.forms import small


def knapsack():
    # max x, 2x <= 3, x integer: 1; the relaxation gives 3/2 with y = 1/2
    return small([[2]], cost=[1], row_upper=[3], integer=[True], sense="max")


def test_the_relaxation_bounds_the_integer_optimum():
    assert exact_bound(relax(knapsack()), [0.5]) == exact_bound(knapsack(), [0.5]) == 1.5


def test_a_relaxation_can_be_dualized():
    assert dualize(relax(knapsack())).form.row_lower.tolist() == [1]


def test_a_continuous_form_is_returned_as_it_is():
    form = relax(knapsack())
    assert relax(form) is form
