"""Exact assignments: every search finds what trying all of them finds."""

import itertools

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.models.coded.kernel import Pairs
from farkas.online import algorithms
from farkas.online.coded.exhaustive import (
    _by_integer_program,
    best_owner,
    branch_and_bound,
    every_owner,
    least_level,
    meet_in_the_middle,
)
from farkas.online.coded.local_search import favourites
from tests.generators.coded import random_coded_computing, random_speed, tied_speed


def brute(speed):
    """Least level of the best of all assignments."""
    masters, workers = speed.shape
    return max(
        min(sum(speed[m, n] for n in range(workers) if own[n] == m) for m in range(masters))
        for own in itertools.product(range(masters), repeat=workers)
    )


@pytest.mark.parametrize("seed", range(25))
def test_all_searches_reach_the_best_level_of_tied_speeds(seed):
    speed = tied_speed(seed, masters=2 + seed % 2, workers=2 + seed % 4)
    best = brute(speed)
    assert least_level(speed, every_owner(speed)) == best
    assert least_level(speed, best_owner(speed)) == best
    if speed.any():
        start = np.zeros(speed.shape[1], int)
        owner, finished = branch_and_bound(speed, start, np.ones(len(speed)))
        assert (finished, least_level(speed, owner)) == (True, best)
    if len(speed) == 2:
        assert least_level(speed, meet_in_the_middle(speed)) == best


def test_of_equal_assignments_the_first_is_taken():
    # 0, 1 and 1, 0 are equally good
    assert every_owner(np.ones((2, 2))).tolist() == [0, 1]


@pytest.mark.parametrize("prices", [[1.0, 0.0], [0.0, 3.0], [1.0, 1.0]])
def test_the_search_ends_with_the_best_whatever_the_prices(prices):
    speed = random_speed(2, masters=2, workers=8)
    owner, finished = branch_and_bound(speed, np.zeros(8, int), np.array(prices))
    assert finished
    assert least_level(speed, owner) == pytest.approx(brute(speed), rel=1e-13)


def test_a_search_that_is_cut_short_never_loses_its_start():
    speed = random_speed(5, masters=3, workers=9)
    start = favourites(speed)
    for nodes in (0, 1, 7, 40):
        owner, finished = branch_and_bound(speed, start, np.ones(3), most_nodes=nodes)
        assert not finished
        assert least_level(speed, owner) >= least_level(speed, start)


@pytest.mark.parametrize("seed", range(12))
def test_exact_searches_agree(seed):
    speed = random_speed(seed, masters=2 + seed % 2, workers=9)
    want = least_level(speed, every_owner(speed))
    assert least_level(speed, best_owner(speed)) == pytest.approx(want, rel=1e-13)
    owner, finished = branch_and_bound(speed, favourites(speed), np.ones(len(speed)))
    assert finished
    assert least_level(speed, owner) == pytest.approx(want, rel=1e-13)
    if len(speed) == 2:
        assert least_level(speed, meet_in_the_middle(speed)) == pytest.approx(want, rel=1e-13)


def test_searches_refuse_what_is_too_large():
    with pytest.raises(NotApplicable, match="2 masters"):
        meet_in_the_middle(np.ones((3, 4)))
    with pytest.raises(NotApplicable, match="use search"):
        every_owner(np.ones((4, 12)))


def test_an_unfinished_search_is_finished_by_the_integer_program():
    speed = random_speed(3, masters=3, workers=12)
    owner, finished = branch_and_bound(speed, favourites(speed), np.ones(3), most_nodes=5)
    assert not finished
    solved = _by_integer_program(speed, owner)
    assert least_level(speed, solved) == pytest.approx(
        least_level(speed, best_owner(speed)), rel=1e-6
    )


@pytest.mark.parametrize("method", ["search", "enumerate", "halves"])
def test_every_method_plans_for_the_best_owners(method):
    data = random_coded_computing(3, masters=2, workers=6)
    run = algorithms["coded.brute_force"].run(data, method=method)
    assert run.value == pytest.approx(1 / brute(Pairs.of(data).speed), rel=1e-9)
