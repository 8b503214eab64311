"""Claims about the surrogate, and what they are made of."""

from farkas.proofs.coded.surrogate import agreement, published


def test_branch_and_bound_agrees_with_all_assignments_within_rounding():
    found = agreement(published(2, 5, 1))
    assert (found.sign, found.tolerance) == ("==", 1e-12)
    assert -1e-12 <= found.slack <= 0
