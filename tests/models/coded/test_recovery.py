"""Probability of enough results, against enumeration in rational arithmetic."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from farkas.errors import InvalidOption
from farkas.models.coded.kernel import by_subsets, recovery_probability
from tests.references.coded_recovery import by_counts


def exact(loads, success, rows):
    total = Fraction(0)
    for outcome in itertools.product((0, 1), repeat=len(loads)):
        chance = Fraction(1)
        for hit, p in zip(outcome, success, strict=True):
            chance *= Fraction(p) if hit else 1 - Fraction(p)
        if sum(Fraction(load) * hit for load, hit in zip(loads, outcome, strict=True)) >= rows:
            total += chance
    return total


@pytest.mark.parametrize("seed", range(20))
def test_all_methods_agree_with_enumeration(seed):
    rng = np.random.default_rng(seed)
    size, rows = int(rng.integers(1, 9)), int(rng.integers(1, 30))
    loads, success = rng.integers(0, 15, size), rng.random(size)
    want = float(exact(loads.tolist(), success.tolist(), rows))
    used = loads > 0
    assert recovery_probability(loads, success, rows) == pytest.approx(want, rel=1e-14, abs=0)
    assert by_subsets(loads.astype(float), success, rows) == pytest.approx(want, rel=1e-14, abs=0)
    assert by_counts(loads[used], success[used], rows) == pytest.approx(want, rel=1e-13, abs=1e-16)


@pytest.mark.parametrize("seed", range(5))
def test_the_compiled_recursion_agrees_with_its_reference_beyond_enumeration(seed):
    rng = np.random.default_rng(seed)
    loads, success = rng.integers(1, 60, 20), rng.random(20)
    rows = int(loads.sum() * 0.45)
    found = recovery_probability(loads, success, rows)
    assert found == pytest.approx(by_counts(loads, success, rows), rel=1e-12)
    assert found == pytest.approx(by_subsets(loads.astype(float), success, rows), rel=1e-12)


def test_edges():
    # Needing exactly what is there; too little; certain and impossible workers; a zero load.
    assert recovery_probability([2, 3], [0.5, 0.5], 5) == 0.25
    assert recovery_probability([2, 3], [1.0, 1.0], 6) == 0.0
    assert recovery_probability([5, 3, 0], [1.0, 0.0, 1.0], 5) == 1.0
    assert recovery_probability([], [], 1) == 0.0


def test_fractional_loads_of_many_workers_are_refused():
    with pytest.raises(InvalidOption, match="15 workers with fractional loads"):
        recovery_probability([1.5] * 15, [0.5] * 15, 10)
    # whole loads of as many workers are not: two of 15 fair coins at least
    chance = recovery_probability([1.0] * 15, [0.5] * 15, 2)
    assert chance == pytest.approx(1 - 16 / 2**15, rel=1e-14)


def test_rows_between_whole_loads_need_the_next_one():
    # 15 workers of 2 rows: 2.5 rows need two workers, as 4 do, and one is not enough
    loads, success = np.full(15, 2.0), np.full(15, 0.5)
    assert recovery_probability(loads, success, 2.5) == recovery_probability(loads, success, 4)
    assert recovery_probability(loads, success, 2) == pytest.approx(1 - 1 / 2**15, rel=1e-14)
