"""Multipliers that almost prove a bound."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.certificates import exact_bound, repaired
from farkas.certificates.repair import shift_rows
from farkas.errors import NotACertificate
from tests.generators.forms import INF, small


def transport(number_of_sites=4):
    """Move 3 units from each source: min sum cost * moved, sum moved = 3, moved >= 0, no caps."""
    n = number_of_sites
    matrix = np.kron(np.eye(n), np.ones(n))
    cost = 0.1 + np.arange(n * n) % 7 / 10
    return small(matrix, cost=cost, row_lower=[3.0] * n, row_upper=[3.0] * n)


def test_multipliers_that_prove_a_bound_are_left_alone():
    form = small([[2.0]], cost=[1.0], row_lower=[7.0])
    y, proof = repaired(form, np.array([0.5]))
    assert (y.tolist(), proof.value) == ([0.5], 3.5)


def test_a_tiny_wrong_sign_is_shifted_away_where_no_column_minds():
    form = transport()
    cheapest = form.cost.reshape(4, 4).min(axis=1)
    wrong = cheapest + 1e-9
    with pytest.raises(NotACertificate):
        exact_bound(form, wrong)
    shifted = shift_rows(form, wrong)
    exact = float(3 * cheapest.sum())
    assert exact - 1e-8 < float(exact_bound(form, shifted)) <= exact
    assert float(repaired(form, wrong)[1].value) == pytest.approx(exact, abs=1e-6)


def test_the_same_holds_for_a_maximum():
    form = transport()
    mirrored = form.replace(cost=-form.cost, sense="max")
    dearest = -form.cost.reshape(4, 4).min(axis=1)
    y, proof = repaired(mirrored, dearest - 1e-9)
    assert float(proof.value) == pytest.approx(float(3 * dearest.sum()), abs=1e-6)
    assert exact_bound(mirrored, y) == proof.value


def test_rounding_to_a_grid_returns_exact_zeros():
    # x is free: its reduced cost 1 - 2y must be exactly 0, y = 1/2 + 2**-50 misses it
    form = small([[2.0]], cost=[1.0], row_lower=[7.0], row_upper=[7.0], lower=[-INF])
    y, proof = repaired(form, np.array([0.5 + 2.0**-50]))
    assert (y.tolist(), proof.value) == ([0.5], 3.5)


def test_damping_towards_zero_works_where_costs_are_positive():
    # x1, x2 >= 0 couple all rows: shifting either row harms one column, but y -> (1 - t) y does not
    form = small([[1, -1], [-1, 1.5]], cost=[1, 1], row_lower=[1, 1])
    # dual: y1 - y2 <= 1, -y1 + 1.5 y2 <= 1: vertex y = (5, 4)
    y, proof = repaired(form, np.array([5.0 + 1e-10, 4.0 + 1e-10]))
    assert 8.9 < float(proof.value) <= 9
    assert exact_bound(form, y) == proof.value


def test_a_strictly_feasible_direction_is_used_when_zero_is_none():
    # as above, tripled, with costs of which zero multipliers prove nothing
    form = small([[3, -3], [-3, 4.5]], cost=[-1, 2.5], row_lower=[1, 1])
    # dual: 3 y1 - 3 y2 <= -1, -3 y1 + 4.5 y2 <= 2.5, y >= 0: optimum at (2/3, 1), value 5/3
    wrong = np.array([2 / 3 + 1e-6, 1.0])
    with pytest.raises(NotACertificate):
        repaired(form, wrong)
    # (1/6, 7/12) leaves reduced costs 1/4 and 3/8
    _, proof = repaired(form, wrong, inner=np.array([1 / 6, 7 / 12]))
    assert 1.66 < float(proof.value) < 5 / 3


def test_what_cannot_be_repaired_keeps_the_first_error():
    # max x, x >= 0 without any row is unbounded
    form = small(np.zeros((1, 1)), cost=[1.0], sense="max", row_upper=[1.0])
    with pytest.raises(NotACertificate, match=r"column\[i=0\]: reduced cost 1"):
        repaired(form, np.array([0.25]))
