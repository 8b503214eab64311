"""What the claims about dedicated workers found, by hand."""

import itertools

import pytest

from farkas.proofs import Standing, claims
from farkas.proofs.coded import greedy


def test_the_greedy_trap_and_the_linear_gap(verdict_of):
    # rates 10, 9, x and 9.9, x, x: Algorithm 2 leaves 2 x of 9 + x; x = 1/1000 and less
    trap = verdict_of("coded.simple_greedy_is_good")
    assert trap.fails[0].left == pytest.approx(1.0, rel=1e-4)
    assert trap.numbers["greedy_over_optimum"] == pytest.approx(2e-3 / 9.001)
    assert trap.numbers["at_a_hundredth_of_the_speed"] == pytest.approx(2e-5 / 9.00001)
    # rates 100, y, y for both: (100 + 2 y)/2 over 2 y
    gap = verdict_of("coded.linear_gap_is_bounded").numbers
    assert gap["linear_over_optimum"] == pytest.approx(25.5)
    assert gap["at_a_hundredth_of_the_speed"] == pytest.approx(2500.5)
    assert gap["truncated_over_optimum"] == pytest.approx(1.0)


def test_the_printed_search_is_stuck_where_the_lexicographic_one_is_not(verdict_of):
    numbers = verdict_of("coded.iterated_greedy_is_finite").numbers
    assert numbers["printed"] == 0 < numbers["lexicographic"] <= numbers["optimum"]


def test_largest_first_attains_its_bound(verdict_of):
    # speeds 3, 3, 2, 2, 2: optimum 6, largest first 5 and 7; (4 * 2 - 2) / (3 * 2 - 1) = 6/5
    assert verdict_of("coded.largest_first").slack == pytest.approx(0, abs=1e-12)


def test_entries_of_algorithm_2_by_counting(verdict_of):
    # the printed loops: pairs of masters without workers and free workers; then sums and workers
    for masters, workers in itertools.product(range(1, 5), range(4, 9)):
        looked = sum((masters - r) * (workers - r) for r in range(masters))
        looked += sum(masters + workers - j for j in range(masters, workers))
        m, n = masters, workers
        factored = -(m**3 - 3 * m**2 * n + 3 * m**2 - 3 * m * n + 2 * m - 3 * n**2 - 3 * n) / 6
        assert looked == factored <= (m + 3) / 2 * n**2
    entries = "-(M**3 - 3*M**2*N + 3*M**2 - 3*M*N + 2*M - 3*N**2 - 3*N)/6"
    assert entries in verdict_of("coded.complexity").note


def test_a_search_that_misses_a_partition_refutes_the_reduction(monkeypatch):
    monkeypatch.setattr(greedy, "best_owner", lambda speed: speed.argmax(axis=0) * 0)
    assert claims["coded.np_hard"].run().standing is Standing.REFUTED
