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
