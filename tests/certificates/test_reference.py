"""Bounds by weak duality in plain fractions, by hand."""

from fractions import Fraction as F

import numpy as np
import pytest

from farkas.certificates.linear import (
    reference_bound,
    reference_proof,
    reference_violation,
    show,
)
from farkas.errors import NotACertificate
from tests.generators.forms import INF, small

FORM = small(
    [[2.0, 1.0], [1.0, -1.0]],
    cost=[3.0, -1.0],
    row_lower=[4.0, -2.0],
    row_upper=[6.0, 5.0],
    lower=[0.0, 1.0],
    upper=[10.0, 7.0],
    offset=0.5,
)
"""min 3x - y + 1/2 with 4 <= 2x + y <= 6, -2 <= x - y <= 5, 0 <= x <= 10, 1 <= y <= 7."""


@pytest.mark.parametrize(
    ("sense", "multipliers", "bound"),
    [
        # reduced (3 - 2, -1 - 1): 4 + 1 * 0 - 2 * 7 + 1/2
        ("min", [1, 0], F(-19, 2)),
        # reduced (3 + 2 - 1, -1 + 1 + 1): -6 - 2 + 4 * 0 + 1 * 1 + 1/2
        ("min", [-1, 1], F(-13, 2)),
        # the other end of everything: 6 + 1 * 10 - 2 * 1 + 1/2
        ("max", [1, 0], F(29, 2)),
        # -4 + 5 + 4 * 10 + 1 * 7 + 1/2
        ("max", [-1, 1], F(97, 2)),
        # reduced (3 - 2/3, -1 - 1/3): 4/3 + 0 - 28/3 + 1/2
        ("min", [F(1, 3), 0], F(-15, 2)),
    ],
)
def test_each_term_takes_the_end_that_its_sign_and_the_sense_ask_for(sense, multipliers, bound):
    assert reference_bound(FORM.replace(sense=sense), multipliers) == bound


@pytest.mark.parametrize(
    ("cost", "sense", "side"),
    [(1.0, "min", "lower"), (-1.0, "min", "upper"), (1.0, "max", "upper"), (-1.0, "max", "lower")],
)
def test_the_missing_bound_is_named(cost, sense, side):
    free = small(np.zeros((0, 1)), cost=[cost], lower=[-INF], sense=sense)
    with pytest.raises(NotACertificate, match=f"no finite {side} bound .*implied_{side}"):
        reference_bound(free, [])


def test_a_wrong_number_of_multipliers_or_one_that_is_none_is_refused():
    with pytest.raises(NotACertificate, match="1 multipliers for 2 rows"):
        reference_bound(FORM, [1.0])
    for value in (INF, float("nan")):
        with pytest.raises(NotACertificate, match=r"row\[i=1\].*not a finite number"):
            reference_bound(FORM, [0.0, value])


def test_a_violation_leaves_out_costs_and_constant():
    # x + y >= 9 with x <= 3, y <= 4: 9 - 7 = 2, whatever is optimised
    form = small([[1.0, 1.0]], cost=[5.0, 5.0], row_lower=[9.0], upper=[3.0, 4.0], offset=100.0)
    for sense in ("min", "max"):
        assert reference_violation(form.replace(sense=sense), [1.0]) == 2
    assert reference_violation(form.replace(row_lower=np.array([6.0])), [1.0]) == -1


def test_values_beyond_doubles_can_be_shown():
    assert (show(F(1, 3)), show(F(10**400))) == ("0.333", "beyond 1e308")


@pytest.mark.parametrize("multipliers", [[1], [1, 0, 0]])
def test_every_row_has_one_multiplier(multipliers):
    with pytest.raises(NotACertificate, match="multipliers for 2 rows"):
        reference_bound(FORM, multipliers)


@pytest.mark.parametrize("cost", [0.5, -0.5])
def test_an_implied_bound_counts_where_the_reduced_cost_meets_it(cost):
    form = small([[1.0]], cost=[cost], lower=[-INF], upper=[INF])
    for sense, sign in (("min", 1), ("max", -1)):
        lower = cost * sign > 0
        ends = {"implied_lower": np.array([-2.0])} if lower else {"implied_upper": np.array([2.0])}
        proof = reference_proof(form.replace(sense=sense, **ends), [0])
        assert proof == (-2 * sign * abs(F(cost)), 1)
        stated = {"lower": np.array([-2.0])} if lower else {"upper": np.array([2.0])}
        assert reference_proof(form.replace(sense=sense, **stated), [0])[1] == 0
