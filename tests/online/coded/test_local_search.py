"""The kernels of the local search against its readable reference."""

import numpy as np
import pytest

from farkas.online.coded.local_search import local_optimum
from tests.generators.coded import tied_speed
from tests.references.coded_search import search


@pytest.mark.parametrize("variant", ["printed", "lexicographic"])
@pytest.mark.parametrize("seed", range(30))
def test_ties_are_settled_as_the_reference_does(seed, variant):
    speed = tied_speed(seed, masters=2 + seed % 3, workers=7)
    start = np.random.default_rng(seed).integers(0, len(speed), 7)
    assert local_optimum(speed, start, variant).tolist() == search(speed, start, variant).tolist()


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
    assert local_optimum(speed, start, variant).tolist() == search(speed, start, variant).tolist()
