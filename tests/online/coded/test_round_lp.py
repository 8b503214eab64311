"""Rounding a vertex: who gets a shared worker."""

import numpy as np
import pytest

from farkas.models.coded.kernel import owner_levels
from farkas.online.coded.local_search import least_level
from farkas.online.coded.round_lp import RoundLp, round_forest
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.relaxations.coded.sharing import best_sharing
from tests.generators.coded import random_speed, tied_speed
from tests.references.coded_plans import level, rounded_vertex
from tests.references.coded_search import search


def test_shared_workers_go_to_their_parents():
    # 0 and 1 share worker 1, 1 and 2 share worker 2: rooted at 0, master 1 loses worker 1 only
    share = np.array([[1, 0.5, 0, 0], [0, 0.5, 0.3, 0], [0, 0, 0.7, 0]])
    assert round_forest(share).tolist() == [0, 0, 1, -1]


def two_around_a_cycle():
    """Masters 0 and 1 share workers 0 and 1, and are as fast as master 2, which decides the level.

    2.825 of three workers and 0.1 x 1 + 0.15 x 0.5; 1.25 of two and 0.9 x 1 + 0.85 x 1; 3 x 1.
    """
    speed, share = np.zeros((3, 10)), np.zeros((3, 10))
    speed[:2, :2], share[:2, :2] = [[1, 0.5], [1, 1]], [[0.1, 0.15], [0.9, 0.85]]
    for master, alone, each in ((0, [2, 3, 4], 2.825 / 3), (1, [5, 6], 0.625), (2, [7, 8, 9], 1.0)):
        speed[master, alone], share[master, alone] = each, 1.0
    return speed, share


def test_around_a_cycle_every_master_keeps_one_worker():
    # along a spanning tree master 1 lost both, and had 1.25 of 3 left where 2 are promised
    speed, share = two_around_a_cycle()
    assert (share * speed).sum(axis=1) == pytest.approx(3.0)
    owner = round_forest(share)
    assert owner[:2].tolist() == [0, 1]
    assert least_level(speed, owner) >= 3.0 - speed.max()


@pytest.mark.parametrize("seed", range(20))
def test_trees_hang_from_a_cycle_and_no_master_loses_more_than_one(seed):
    # masters 0..k-1 around a cycle of workers, others each by one worker of somebody before
    rng = np.random.default_rng(seed)
    ring, masters = int(rng.integers(2, 5)), 7
    links = [{n, (n + 1) % ring} for n in range(ring)]
    links += [{m, int(rng.integers(m))} for m in range(ring, masters)]
    rename = rng.permutation(masters)
    share = np.zeros((masters, len(links)))
    for n, place in enumerate(rng.permutation(len(links))):
        share[rename[list(links[n])], place] = 0.5
    owner = round_forest(share)
    for m in range(masters):
        held = np.flatnonzero(share[m])
        assert (owner[held] != m).sum() <= 1
    assert all(share[m, n] for n, m in enumerate(owner))


def test_noise_is_no_share():
    share = np.array([[1e-12, 1.0], [1.0, 1e-12]])
    assert round_forest(share).tolist() == [1, 0]


def test_where_the_program_serves_nobody_the_greedy_decides():
    speed = np.array([[1.0, 2.0], [0.0, 0.0]])
    assert RoundLp().owner(speed, 0).tolist() == greedy_owner(speed).tolist()
    assert owner_levels(speed, RoundLp().owner(speed, 0)).max() > 0


@pytest.mark.ids(40)
@pytest.mark.parametrize("seed", range(40))
def test_owners_are_those_of_the_forest_and_the_search_written_with_lists(seed):
    speed = (random_speed if seed % 2 else tied_speed)(seed, 1 + seed % 4, 1 + seed % 9)
    sharing = best_sharing(speed)
    if sharing.level == 0:
        return
    rounded = rounded_vertex(sharing.share.tolist())
    assert RoundLp(polish=False).owner(speed, 0).tolist() == rounded
    start = [speed[:, n].argmax() if m < 0 else m for n, m in enumerate(rounded)]
    found = search(speed, np.array(start), "lexicographic").tolist()
    wanted = found if level(speed, found) >= level(speed, rounded) else rounded
    assert RoundLp().owner(speed, 0).tolist() == wanted
