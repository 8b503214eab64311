"""What the claims about dedicated workers found, by hand."""

import pytest


def test_the_greedy_trap_and_the_linear_gap(verdict_of):
    assert verdict_of("coded.simple_greedy_is_good").numbers["greedy_over_optimum"] < 3e-4
    gap = verdict_of("coded.linear_gap_is_bounded").numbers
    assert gap["linear_over_optimum"] == pytest.approx(25.5)
    assert gap["truncated_over_optimum"] == pytest.approx(1.0)


def test_the_printed_search_is_stuck_where_the_lexicographic_one_is_not(verdict_of):
    numbers = verdict_of("coded.iterated_greedy_is_finite").numbers
    assert numbers["printed"] == 0 < numbers["lexicographic"] <= numbers["optimum"]


def test_largest_first_attains_its_bound(verdict_of):
    # speeds 3, 3, 2, 2, 2: optimum 6, largest first 5 and 7; (4 * 2 - 2) / (3 * 2 - 1) = 6/5
    assert verdict_of("coded.largest_first").slack == pytest.approx(0, abs=1e-12)
