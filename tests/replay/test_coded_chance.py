"""Times by which masters have their rows with probability, held against independent laws."""

from __future__ import annotations

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from farkas.instances import library
from farkas.models.coded.completion_times import Law
from farkas.replay.base import Requirements
from farkas.replay.coded_chance import (
    Sender,
    WaitingMaster,
    _chance,
    enclosed,
    quantile,
    replay_chance,
)
from tests.generators.coded import random_coded_computing


def by_sets(loads, chances, rows):
    """P[X >= rows] over all sets of workers, in fractions."""
    total = Fraction(0)
    for inside in itertools.product([0, 1], repeat=len(loads)):
        if sum(load for load, one in zip(loads, inside, strict=True) if one) >= rows:
            weight = Fraction(1)
            for chance, one in zip(chances, inside, strict=True):
                weight *= Fraction(chance) if one else 1 - Fraction(chance)
            total += weight
    return total


@pytest.mark.parametrize("seed", range(30))
def test_sums_over_sets_are_enclosed_closely(seed):
    rng = np.random.default_rng(seed)
    loads = rng.integers(0, 9, 6).tolist()
    chances = rng.random(6) ** rng.integers(1, 40)
    chances[rng.random(6) < 0.2] = rng.choice([0.0, 1.0, 5e-324, 1 - 2.0**-53])
    rows = int(rng.integers(1, 20))
    exact = by_sets(loads, chances.tolist(), rows)
    low, high = enclosed(loads, chances, rows)
    assert low <= exact <= high
    assert high - low <= Fraction(1, 10**12)


@pytest.mark.parametrize("y", [1e-300, 1e-12, 0.3, 2.0, 60.0, 700.0, 2800.0, 3000.0, 1e9])
@pytest.mark.parametrize("share", [1.0, 0.7, 1e-200])
def test_probabilities_of_workers_are_enclosed(y, share):
    # u a = 0 and u/l = 1: p = k (1 - exp(-t))
    low, high = _chance(Sender(1, share, Fraction(0), Fraction(1)), Fraction(y))
    with mpmath.workdps(400):
        exact = mpmath.mpf(share) * -mpmath.expm1(-mpmath.mpf(y))
        assert mpmath.mpf(low) <= exact <= mpmath.mpf(high)
        assert high - low <= 2.0**-50 * share + 2.0 ** -(96 - 17)
    assert low < share  # never surely back
    assert _chance(Sender(1, share, Fraction(5), Fraction(1)), Fraction(5)) == (0.0, 0.0)


@pytest.mark.parametrize("seed", range(12))
def test_the_time_is_the_quantile_of_the_law(seed):
    rng = np.random.default_rng(seed)
    data = random_coded_computing(seed, masters=2, workers=5, rows=12)
    share = rng.dirichlet(np.ones(2), 5).T if seed % 2 else np.eye(2)[rng.integers(0, 2, 5)].T
    loads = rng.integers(0, 13, (2, 5)).astype(float)
    law = Law.given(data, share, loads)
    target = float(0.3 + 0.69 * rng.random())
    data = data.replace(success_probability=target)
    kept = Requirements()
    share_rows, load_rows = (tuple(map(tuple, part.tolist())) for part in (law.probability, loads))
    found = replay_chance(data, share_rows, load_rows, kept)
    expected = law.quantile(target)
    if np.isinf(expected):
        assert kept.broken
        assert "never has its" in kept.broken[0]
        return
    assert not kept.broken
    assert float(found.low) <= expected * (1 + 1e-11)
    assert expected * (1 - 1e-11) <= float(found.high)
    assert float(found.high / found.low) - 1 < 1e-9


def test_a_probability_that_only_approaches_the_target_has_no_time():
    sender = Sender(5, 0.5, Fraction(0), Fraction(1))
    assert quantile(WaitingMaster(5, [sender]), Fraction(1, 2)) is None
    found = quantile(WaitingMaster(5, [sender]), Fraction(1, 4))
    with mpmath.workdps(30):
        assert found[0] <= Fraction(str(mpmath.log(2))) <= found[1]  # 0.5 (1 - exp(-t)) = 0.25
    assert quantile(WaitingMaster(5, []), Fraction(1, 4)) is None


def test_parts_of_rows_are_refused():
    data = library.load("coded/demo")
    share = tuple(tuple(1.0 if m == 0 else 0.0 for _ in range(data.workers)) for m in range(2))
    kept = Requirements()
    replay_chance(data, share, tuple(tuple(0.5 * k for k in row) for row in share), kept)
    assert kept.broken == ["a load is no whole number of rows"]


def test_what_is_lost_below_the_smallest_double_is_allowed_for():
    # 1e-400 is no double: the computed sum is 0
    chances = np.array([1e-200, 1e-200])
    low, high = enclosed([1, 1], chances, 2)
    assert low <= Fraction(1e-200) ** 2 <= high
