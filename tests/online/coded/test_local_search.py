"""The kernels of the local search against its readable reference."""

import numpy as np
import pytest

from farkas.models.coded.kernel import owner_levels
from farkas.online.coded.local_search import climb, favourites
from tests.generators.coded import random_speed, tied_speed
from tests.references.coded_search import search


def test_favourites_are_the_fastest_masters_the_smallest_on_ties():
    assert favourites(np.ones((2, 3))).tolist() == [0, 0, 0]
    assert favourites(np.array([[1.0, 3.0], [2.0, 3.0]])).tolist() == [1, 0]


@pytest.mark.parametrize("variant", ["printed", "lexicographic"])
@pytest.mark.parametrize("seed", range(20))
def test_the_compiled_search_is_its_reference(seed, variant):
    speed = random_speed(seed, masters=2 + seed % 4)
    start = favourites(speed)
    assert climb(speed, start, variant).tolist() == search(speed, start, variant).tolist()


@pytest.mark.parametrize("variant", ["printed", "lexicographic"])
@pytest.mark.parametrize("seed", range(30))
def test_ties_are_settled_as_the_reference_does(seed, variant):
    speed = tied_speed(seed, masters=2 + seed % 3, workers=7)
    start = np.random.default_rng(seed).integers(0, len(speed), 7)
    assert climb(speed, start, variant).tolist() == search(speed, start, variant).tolist()


def tenths(seed, masters, workers):
    """Speeds of 0.1 to 0.8, whose sums are seldom those of their decimals, and any owners."""
    speed = np.random.default_rng(seed).integers(1, 9, (masters, workers)) / 10
    return speed, np.random.default_rng(seed).integers(0, masters, workers)


@pytest.mark.parametrize(
    ("variant", "seed", "masters", "workers"),
    [
        # a swap raises the level that later ones have to stay above
        *(("printed", *each) for each in ((5, 3, 9), (12, 2, 5), (13, 3, 7))),
        # a master that gave or took a worker has as many as it has then
        *(("lexicographic", *each) for each in ((51, 5, 5), (1011, 5, 5), (6, 4, 5), (10, 4, 7))),
        # levels are added up anew after every sweep
        *(("lexicographic", *each) for each in ((58, 4, 7), (110, 4, 9), (199, 5, 7))),
    ],
)
def test_levels_and_counts_are_kept_as_the_reference_keeps_them(variant, seed, masters, workers):
    speed, start = tenths(seed, masters, workers)
    assert climb(speed, start, variant).tolist() == search(speed, start, variant).tolist()


@pytest.mark.parametrize("variant", ["printed", "lexicographic"])
def test_one_master_has_no_moves(variant):
    assert climb(np.ones((1, 4)), np.zeros(4, int), variant).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("seed", range(20))
def test_search_never_lowers_the_slowest_master(seed):
    speed = random_speed(seed)
    start = favourites(speed)
    for variant in ("printed", "lexicographic"):
        least = owner_levels(speed, start).min()
        assert owner_levels(speed, climb(speed, start, variant)).min() >= least


def test_an_empty_master_gets_a_worker_by_the_lexicographic_search_only():
    # two empty masters: no single move lifts the minimum
    speed, own = np.ones((3, 4)), np.zeros(4, int)
    assert climb(speed, own, "printed").tolist() == [0, 0, 0, 0]
    assert sorted(owner_levels(speed, climb(speed, own, "lexicographic"))) == [1, 1, 2]


def test_the_start_is_not_changed():
    speed, own = np.ones((2, 4)), np.zeros(4, int)
    climb(speed, own, "printed")
    assert own.tolist() == [0, 0, 0, 0]
