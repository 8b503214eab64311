"""Branch and bound over owners: the best is never excluded, whatever the prices."""

import dataclasses

import numpy as np
import pytest

from farkas.models.coded.kernel import Pairs, surrogate_times, theorem1_times
from farkas.online.coded import owner_tree
from farkas.online.coded.environment import Planner
from farkas.online.coded.exhaustive import best_owner, every_owner
from farkas.online.coded.local_search import favourites, least_level
from farkas.online.coded.owner_tree import OwnerPlanner, OwnerTree, raised
from farkas.relaxations.coded.sharing import best_sharing
from tests.generators.coded import random_coded_computing, random_speed, tied_speed
from tests.online.coded.test_exhaustive import branch_and_bound, brute


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


def test_equal_workers_are_tried_in_one_order_only():
    # 12 equal workers: 2^12 orders, 13 choices
    tree = OwnerTree(np.ones((2, 12)) * [[1], [2]], np.zeros(12, int), np.array([1.0, 0.0]))
    assert tree.advance(4_000_000)
    assert tree.nodes < 200
    assert least_level(np.ones((2, 12)) * [[1], [2]], tree.owner) == 8.0


def test_a_record_that_is_half_written_does_not_count():
    speed = random_speed(3, masters=3, workers=8)
    start = best_owner(speed)
    tree = OwnerTree(speed, start, np.ones(3))
    tree._search.best[:] = 0
    assert tree.owner.tolist() == start.tolist()


def test_prices_of_every_subset_of_few_masters_are_raised_and_sum_to_one():
    found = raised(np.array([1.0, 3.0]))
    rows = [[1, 3]] + [pair for f in (1.08, 1.25, 1.8) for pair in ([f, 3], [1, 3 * f])]
    assert found == pytest.approx(np.array([np.divide(row, sum(row)) for row in rows]))
    assert len(raised(np.ones(5))) == 1 + 3 * (2**5 - 2)
    assert raised(np.ones(6)).tolist() == [[1 / 6] * 6]


@pytest.mark.parametrize("seed", range(16))
def test_raised_prices_exclude_more_and_never_the_best(seed, monkeypatch):
    speed = (tied_speed if seed % 2 else random_speed)(seed, masters=2 + seed % 3, workers=8)
    if not speed.any(axis=1).all():
        return
    prices = best_sharing(speed).prices
    trees = []
    for factors in ((), (1.08, 1.25, 1.8), (1e9, 1.0)):
        monkeypatch.setattr(owner_tree, "RAISED", factors)
        trees.append(OwnerTree(speed, np.zeros(8, int), prices))
        assert trees[-1].advance(4_000_000)
        level = least_level(speed, trees[-1].owner)
        assert level == pytest.approx(least_level(speed, every_owner(speed)), rel=1e-12)
    assert max(trees[1].nodes, trees[2].nodes) <= trees[0].nodes


def test_prices_that_exclude_a_node_are_tried_earlier():
    speed = random_speed(4, masters=3, workers=12)
    tree = OwnerTree(speed, favourites(speed), best_sharing(speed).prices)
    assert tree.advance(4_000_000)
    trial = tree._search.trial.tolist()
    assert sorted(trial) == list(range(19)) != trial


@dataclasses.dataclass
class Everybody(OwnerPlanner):
    """All workers for the master that the seed says."""

    def owner(self, speed, seed):
        return np.full(speed.shape[1], seed)


def test_owners_get_the_loads_of_theorem_1():
    data = random_coded_computing(1, forbid=0.0)
    policy = Everybody()
    state, plan = policy.step(policy.start(None, 1), data)
    assert state == 1
    assert plan.share.tolist() == [[0] * 4, [1] * 4]
    times = surrogate_times(data, plan.share, plan.loads)
    assert times[1] == pytest.approx(theorem1_times(Pairs.of(data).speed, np.ones(4, int))[1])
    assert np.isinf(times[0])


def test_a_planner_without_a_plan_says_so():
    with pytest.raises(NotImplementedError, match="Planner plans nothing"):
        Planner().plan(random_coded_computing(0), 0)
    with pytest.raises(NotImplementedError, match="OwnerPlanner chooses no owners"):
        OwnerPlanner().owner(np.ones((1, 1)), 0)
