"""Claims about the surrogate, and what they are made of."""

import pytest

from farkas.proofs import Standing, claims
from farkas.proofs.coded import surrogate
from farkas.proofs.coded.surrogate import agreement, published


def test_branch_and_bound_agrees_with_all_assignments_within_rounding():
    found = agreement(published(2, 5, 1))
    assert (found.sign, found.tolerance) == ("==", 1e-12)
    assert -1e-12 <= found.slack <= 0


def test_the_hidden_linear_program_has_the_value_of_the_cone_program(verdict_of):
    numbers = verdict_of("coded.hidden_convexity").numbers
    assert numbers["cone_program"] == pytest.approx(numbers["linear_program"], rel=1e-6)


def test_another_optimum_of_the_cone_program_refutes_the_linear_one(monkeypatch):
    monkeypatch.setattr(surrogate, "cone_optimum", lambda data: 0.999 * 6.327197)
    assert claims["coded.hidden_convexity"].run().standing is Standing.REFUTED
