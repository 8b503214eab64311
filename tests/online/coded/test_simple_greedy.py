"""Algorithm 2 by hand, and as one reads it."""

import itertools

import numpy as np
import pytest

from farkas.errors import InvalidOption
from farkas.instances import library
from farkas.models.coded.kernel import Pairs
from farkas.online import algorithms
from farkas.online.coded.local_search import least_level
from farkas.online.coded.simple_greedy import IteratedGreedy, greedy_owner
from tests.generators.coded import random_speed, tied_speed
from tests.references.coded_plans import level
from tests.references.coded_search import greedy, search


@pytest.mark.parametrize("seed", range(60))
def test_the_algorithm_is_what_the_paper_says(seed):
    make = random_speed if seed % 3 == 0 else tied_speed
    speed = make(seed, masters=1 + seed % 4, workers=1 + seed % 6)
    assert greedy_owner(speed).tolist() == greedy(speed)


def test_the_printed_search_gets_stuck_and_the_repair_does_not():
    data = library.load("coded/stuck")
    stuck = algorithms["coded.iterated_greedy"].run(data)
    assert [v.partition(" never")[0] for v in stuck.violations] == ["master 1", "master 2"]
    free = algorithms["coded.iterated_greedy"].run(data, variant="lexicographic")
    assert free.value == pytest.approx(314.61932, rel=1e-7)


def two_masters():
    """All speeds of few workers on a small grid, and some of more workers and speeds."""
    for workers, most in ((1, 2), (2, 2), (3, 2), (4, 1)):
        for speeds in itertools.product(range(most + 1), repeat=2 * workers):
            yield np.reshape(speeds, (2, workers)).astype(float)
    rng = np.random.default_rng(0)
    for workers in (4, 5, 6):
        for _ in range(100):
            yield rng.integers(0, 4, (2, workers)) * (rng.random((2, workers)) < 0.5).astype(float)


def test_two_masters_are_served_wherever_dedicated_workers_can_serve_both():
    """As docs/worst.md proves; three masters need not be."""
    served, stuck = 0, 0
    for speed in two_masters():
        able = [np.flatnonzero(row) for row in speed]
        can = any(one != other for one in able[0] for other in able[1])
        found = least_level(speed, IteratedGreedy(rounds=3).owner(speed, 0)) > 0
        assert found == can, speed
        served, stuck = served + found, stuck + (not found)
    assert served > 400
    assert stuck > 150
    three = Pairs.of(library.load("coded/stuck")).speed
    assert len(three) > 2
    assert least_level(three, IteratedGreedy().owner(three, 0)) == 0


def test_options_are_checked():
    data = library.load("coded/demo")
    with pytest.raises(InvalidOption, match="cannot be 'other'"):
        algorithms["coded.iterated_greedy"].run(data, variant="other")
    with pytest.raises(InvalidOption, match="rounds"):
        algorithms["coded.iterated_greedy"].run(data, rounds=0)


@pytest.mark.parametrize("variant", ["printed", "lexicographic"])
@pytest.mark.parametrize(
    ("make", "seed"),
    # later rounds end higher, as high, or lower; the last of them after two that do not help
    [(random_speed, seed) for seed in (5, 9, 10, 18, 19, 50, 56)]
    + [(tied_speed, seed) for seed in (4, 15, 39)],
)
def test_rounds_search_and_give_workers_back_until_patience_ends(make, seed, variant):
    speed = make(seed, masters=4, workers=9)
    rng, own = np.random.default_rng(seed), speed.argmax(axis=0)
    found = []
    for _ in range(6):
        own = search(speed, own, variant)
        found.append((level(speed, own), own.copy()))
        first = [best for best, _ in found].index(max(best for best, _ in found))
        if len(found) - 1 - first >= 2:  # two rounds without a better one
            break
        for n in rng.choice(9, 2, replace=False):
            own[n] = speed[:, n].argmax()
    wanted = max(found, key=lambda each: each[0])[1]
    policy = IteratedGreedy(variant, rounds=6, patience=2)
    assert policy.owner(speed, seed).tolist() == wanted.tolist()
