"""What the surrogate says of the true law, recomputed by hand."""

import itertools
import math

import numpy as np
import pytest

from farkas.models.coded.kernel import Pairs
from farkas.proofs.coded.greedy import _looked_at
from farkas.proofs.coded.surrogate import (
    FULL_LOAD,
    _dedicated,
    _law,
    agreement,
    published,
    reciprocal,
)
from farkas.relaxations.coded.sharing import shared_optimum


def test_the_bound_by_markov_is_below_the_time_of_a_plan_that_meets_the_chance():
    data = published(2, 6, 0, rows=100)
    late = _law(data, _dedicated(data)).quantile(data.success_probability)
    time = shared_optimum(data).time
    assert data.success_probability * time < late


def test_speeds_are_rates_over_rows_and_the_full_load():
    data = reciprocal("pair", "", [[2.0, 4.0], [1.0, 3.0]], 10)
    speed = np.array([[2.0, 4.0], [1.0, 3.0]]) / (10 * FULL_LOAD)
    np.testing.assert_allclose(Pairs.of(data).speed, speed, rtol=1e-12)


def test_the_full_load_solves_its_equation():
    # h - ln(1 + h) = c = u a = 1 at 1 + h
    assert FULL_LOAD - 1 - math.log(FULL_LOAD) == pytest.approx(1.0, rel=1e-14)


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


def test_entries_of_the_sweeps_of_algorithm_1_by_counting():
    # both workers are with the master they are slow for: no move lifts the least sum, one swap does
    owner = [0, 1]
    moves, swaps, same = _looked_at(np.array([[1.0, 2.0], [2.0, 1.0]]), owner)
    assert owner == [1, 0]
    # moves: both sums, then per worker its master, one other, two sums changed, both sums
    assert moves == 2 + 2 * (1 + 1 + 4 + 2)
    # swaps: two masters for each of four pairs; of two pairs four speeds, two sums and the least
    assert swaps == 4 * 2 + 2 * 7
    assert same == 2  # a worker and itself
    # sums stay as they are, so that both workers are given to the master that was empty
    owner = [0, 0]
    _looked_at(np.ones((2, 2)), owner)
    assert owner == [1, 1]


def test_branch_and_bound_agrees_with_all_assignments_within_rounding():
    found = agreement(published(2, 5, 1))
    assert (found.sign, found.tolerance) == ("==", 1e-12)
    assert -1e-12 <= found.slack <= 0
