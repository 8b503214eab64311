"""Claims about the surrogate, and what they are made of."""

import pytest
import sympy as sp

from farkas.proofs.coded.surrogate import agreement, published, vanishes


def test_expressions_vanish_for_all_positive_values_or_not():
    x = sp.symbols("x", positive=True)
    assert vanishes(sp.log(x**2) - 2 * sp.log(x), (x + 1) ** 2 - x**2 - 2 * x - 1)
    assert not vanishes(sp.Integer(0), sp.log(2 * x) - 2 * sp.log(x))


def test_branch_and_bound_agrees_with_all_assignments_within_rounding():
    assert 0 <= agreement(published(2, 5, 1)) <= 1e-12


def test_the_hidden_linear_program_has_the_value_of_the_cone_program(verdict_of):
    numbers = verdict_of("coded.hidden_convexity").numbers
    assert numbers["cone_program"] == pytest.approx(numbers["linear_program"], rel=1e-6)
