"""Covers by hand, and the placements that they are; exact ends of roundings."""

from fractions import Fraction

import numpy as np
import pytest

from farkas.errors import InvalidOption
from farkas.proofs.mlbroker.fractional import offline
from farkas.proofs.mlbroker.rounding import (
    cover_number,
    marginals,
    outcomes,
    set_cover,
)
from farkas.rounding.dependent import round_keeping_weight

TRIANGLE = [frozenset({0, 1}), frozenset({1, 2}), frozenset({0, 2})]


@pytest.mark.parametrize(
    ("subsets", "elements", "size"),
    [(TRIANGLE, 3, 2), ([{0, 1, 2}, {0}], 3, 1), ([{0}, {1}, {2}], 3, 3)],
)
def test_smallest_covers(subsets, elements, size):
    assert cover_number([frozenset(s) for s in subsets], elements) == size


def test_what_covers_too_little_is_refused():
    with pytest.raises(ValueError, match="cover too little"):
        cover_number([frozenset({0})], 2)


def test_moving_to_a_subset_that_covers_is_free_and_else_forbidden():
    broker = set_cover([{0}, {0, 1}], 2, forbidding=50.0)
    free = np.argwhere(broker.transfer == 0).tolist()
    # sites: two subsets, then elements 0 and 1
    assert [pair for pair in free if pair[0] != pair[1]] == [[2, 0], [2, 1], [3, 1]]
    assert broker.transfer.max() == 50.0


@pytest.mark.parametrize(
    ("subsets", "cover"), [([{0}, {1}], 2), ([{0}, {0, 1}], 1), ([{0, 1}, {1, 2}, {0, 2}], 2)]
)
def test_the_optimum_is_the_cover_and_two_units_a_slot(subsets, cover):
    elements = len(set().union(*subsets))
    value = offline(set_cover(subsets, elements), prices="two", presence="split")
    assert value == pytest.approx(cover + 2e-4 * elements, rel=1e-6)


def test_elements_outside_are_refused():
    with pytest.raises(InvalidOption, match=r"subsets\[1\] holds 2; elements are < 2"):
        set_cover([{0, 1}, {2}], 2)


def test_rounding_each_number_by_itself_leaves_a_share_of_jobs_short(verdict_of):
    assert 0 < verdict_of("mlbroker.independent_rounding_fails").numbers["share"] < 1


def test_exact_outcomes_agree_with_the_rounding_itself():
    shares, weights = [Fraction(2, 10), Fraction(5, 10), Fraction(9, 10)], (2, 1, 3)
    rng = np.random.default_rng(0)
    draws = [round_keeping_weight([0.2, 0.5, 0.9], weights, rng) for _ in range(4000)]
    exact = [float(chance) for chance in marginals(outcomes(shares, weights))]
    # Three standard deviations of a mean of 4000 draws.
    np.testing.assert_allclose(np.mean(draws, axis=0), exact, atol=3 * 0.5 / np.sqrt(4000))


def test_settled_items_stay_and_the_last_open_one_goes_up():
    assert outcomes([Fraction(0), Fraction(1), Fraction(1, 3)], (1, 1, 1)) == {(0, 1, 1): 1}
    found = outcomes([Fraction(1, 2)] * 3, (1, 2, 3))
    assert sum(found.values()) == 1
    assert marginals({(1, 0): Fraction(1, 4), (1, 1): Fraction(3, 4)}) == [1, Fraction(3, 4)]


def test_every_end_of_roundings_grows_by_less_than_one_item():
    # what is proved of weights, on all ends of 40 roundings, exactly
    rng = np.random.default_rng(2)
    for _ in range(40):
        size = int(rng.integers(1, 5))
        shares = [Fraction(int(k), 10) for k in rng.integers(1, 10, size)]
        weights = [int(w) for w in rng.integers(1, 6, size)]
        before = sum((w * p for w, p in zip(weights, shares, strict=True)), Fraction(0))
        for end in outcomes(shares, weights):
            grown = sum(w * up for w, up in zip(weights, end, strict=True)) - before
            assert 0 <= grown < max(weights)
