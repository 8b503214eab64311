"""A knapsack of sizes as flow: its states, its optimum, and potentials that prove it."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates import exact_bound
from farkas.duals.gadget.size_paths import (
    BestSizes,
    PricedSizes,
    SizedColumns,
    SizedRings,
    SizePaths,
)
from farkas.errors import NotApplicable
from farkas.models.gadget.column import ColumnLP, all_columns
from farkas.models.gadget.slot import snapshot
from farkas.relaxations.gadget.whole_sizes import best_sizes
from farkas.solvers import solve
from tests.generators.gadget import job, star, table


def test_the_states_are_what_the_jobs_before_may_have_taken():
    # workers of 2 and 1 units, at most 2 of each, 3 units in all
    paths = SizePaths.of([2, 1], [2, 2], 3)
    assert paths.states.tolist() == [[0, 0], [1, 0], [1, 2]]
    assert paths.arcs.tolist() == [
        [0, 0, 0, 0], [0, 1, 0, 2],
        [1, 0, 0, 0], [1, 1, 0, 1], [1, 2, 0, 2],
        [1, 0, 2, 2], [1, 1, 2, 3],
    ]  # fmt: skip
    assert paths.out_of.tolist() == [0, 0, 1, 1, 1, 2, 2]
    assert paths.into.tolist() == [1, 2, -1, -1, -1, -1, -1]
    worth = paths.worth_of(np.array([[0.0, 5, 9], [0, 3, 4]]))
    assert worth.tolist() == [0, 5, 0, 3, 4, 0, 3]
    assert paths.potentials(worth) == pytest.approx([8, 4, 3])


def test_workers_without_weight_take_nothing():
    paths = SizePaths.of([0], [2], 0)
    assert paths.arcs.tolist() == [[0, 0, 0, 0], [0, 1, 0, 0], [0, 2, 0, 0]]
    assert SizePaths.of([], [], 3).states.shape == (0, 2)


def test_too_many_arcs_are_refused():
    with pytest.raises(NotApplicable, match="more than 200000 ways"):
        SizePaths.of([1] * 40, [16] * 40, 1000)


def test_potentials_prove_the_best_sizes_and_the_program_has_whole_optima():
    rng = np.random.default_rng(0)
    for _ in range(40):
        jobs, largest = rng.integers(1, 5), int(rng.integers(1, 4))
        weight, room = rng.integers(0, 4, jobs), int(rng.integers(0, 9))
        profit = rng.random((jobs, largest + 1)) * rng.integers(0, 2, (jobs, largest + 1))
        profit[:, 0] = 0
        paths = SizePaths.of(weight.tolist(), [largest] * int(jobs), room)
        best = max(
            sum(profit[i, k] for i, k in enumerate(chosen))
            for chosen in itertools.product(range(largest + 1), repeat=int(jobs))
            if sum(w * k for w, k in zip(weight.tolist(), chosen, strict=True)) <= room
        )
        assert best_sizes(profit, weight.astype(np.int64), room)[0] == pytest.approx(best)
        worth = paths.worth_of(profit)
        form = BestSizes().form(PricedSizes(paths, worth))
        assert solve(form).require_optimal().objective == pytest.approx(best, abs=1e-9)
        # no column has a bound, so that potentials must be at least what they prove
        bound = exact_bound(form, paths.potentials(worth))
        assert Fraction(float(best)) <= bound * (1 + Fraction(1, 10**14))
        assert float(bound) == pytest.approx(best, rel=1e-12)


def test_rings_of_whole_sizes_are_worth_less_than_the_relaxation_over_rings():
    # three GPUs for two jobs that earn 10 with two workers and nothing with one
    slot = snapshot(star(2, 1, jobs=[job(**table(0, 0, 10)), job(**table(0, 0, 10))]))
    columns = all_columns(slot)
    assert solve(ColumnLP().form(columns)).require_optimal().objective == pytest.approx(15)
    form = SizedRings().form(SizedColumns(columns, SizePaths.of([1, 1], [2, 2], 3)))
    assert solve(form).require_optimal().objective == pytest.approx(10)
    wide = SizedRings().form(SizedColumns(columns, SizePaths.of([1, 1], [2, 2], 4)))
    assert solve(wide).require_optimal().objective == pytest.approx(15)
