"""Levels that prices exclude: between the dedicated optimum and the linear program."""

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.models.coded.kernel import Pairs
from farkas.online.coded.exhaustive import best_owner, every_owner
from farkas.online.coded.local_search import least_level
from farkas.relaxations.coded.sharing import (
    best_sharing,
    excluded_level,
    shared_optimum,
    truncated_level,
)
from farkas.solvers import solve
from tests.generators.coded import random_coded_computing


@pytest.mark.parametrize("seed", range(6))
def test_bounds_and_optimum_are_in_order(seed):
    data = random_coded_computing(seed, masters=2 + seed % 2, workers=6)
    speed = Pairs.of(data).speed
    dedicated = least_level(speed, every_owner(speed))
    truncated, shared = truncated_level(speed), shared_optimum(data).level
    assert least_level(speed, best_owner(speed)) == pytest.approx(dedicated, rel=1e-12)
    milp = solve(programs.build("coded.assignment").form(data), gap=0.0).require_optimal()
    assert milp.objective * speed.max() == pytest.approx(dedicated, rel=1e-6)
    assert dedicated <= truncated * (1 + 1e-9)
    assert truncated <= shared * (1 + 1e-12)


def test_a_dominant_worker_opens_the_gap_that_truncation_closes():
    # v = (100, 1, 1) for both masters: dedicated 2 (the fast one alone, or both slow ones).
    # Linear: 102/2 = 51.  Truncated at 2: (2 + 1 + 1)/2 = 2.
    speed = np.array([[100.0, 1, 1]] * 2)
    assert least_level(speed, best_owner(speed)) == 2.0
    assert best_sharing(speed).level == pytest.approx(51.0)
    assert truncated_level(speed) == pytest.approx(2.0, rel=1e-10)


def test_truncation_returns_its_refuted_end_when_nobody_serves_everyone():
    # Two workers, three masters: LP(min(v, V)) / V -> 2/3 < 1 for every V, so only the upper end
    # of 60 halvings is left.
    speed = np.ones((3, 2))
    assert truncated_level(speed) == best_sharing(speed).level * 2.0**-60


def test_where_the_linear_program_is_attained_nothing_is_cut():
    # two equal workers for two masters: LP = 1 = dedicated
    assert truncated_level(np.ones((2, 2))) == pytest.approx(1.0)
    assert truncated_level(np.array([[0.0, 0], [1, 1]])) == 0.0


@pytest.mark.parametrize("seed", range(6))
def test_the_prices_exclude_what_is_above_the_level(seed):
    speed = Pairs.of(random_coded_computing(seed, masters=2 + seed % 2, workers=5)).speed
    found = excluded_level(speed)
    for more in (1e-9, 0.1, 3.0):
        cap = found.level * (1 + more)
        allowed = (found.prices[:, None] * np.minimum(speed, cap)).max(axis=0).sum()
        assert allowed < cap * found.prices.sum()
    # and the linear program reaches the level itself: no smaller one is excluded by any prices
    assert best_sharing(np.minimum(speed / found.level, 1.0)).level >= 1 - 1e-10
