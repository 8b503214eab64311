"""Algorithm 2 by hand, and as one reads it."""

import numpy as np
import pytest

from farkas.online.coded.simple_greedy import greedy_owner
from tests.generators.coded import random_speed, tied_speed
from tests.references.coded_search import greedy


def test_simple_greedy_by_hand():
    # The best pair is (0, 0) with 5, then master 1 takes its best free worker 2 with 3.
    # V = (5, 3): master 1 takes worker 1: V = (5, 5), the tie goes to master 0.
    speed = np.array([[5.0, 4.0, 1.0, 1.0], [4.0, 2.0, 3.0, 1.0]])
    assert greedy_owner(speed).tolist() == [0, 1, 1, 0]


def test_ties_go_to_the_smallest_master_and_worker():
    assert greedy_owner(np.ones((2, 3))).tolist() == [0, 1, 0]


@pytest.mark.parametrize("seed", range(60))
def test_the_algorithm_is_what_the_paper_says(seed):
    make = random_speed if seed % 3 == 0 else tied_speed
    speed = make(seed, masters=1 + seed % 4, workers=1 + seed % 6)
    assert greedy_owner(speed).tolist() == greedy(speed)
