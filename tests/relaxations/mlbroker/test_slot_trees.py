"""Trees of slots: they end where bound and cost meet, and hold what certificates prove."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates import guards
from farkas.certificates.mlbroker_slots import LEAF, LIST, REDUCED, SlotBounds
from farkas.errors import NoAnswer
from farkas.relaxations.mlbroker.slot_trees import grow
from tests.generators.mlbroker import discounted, even_brokerage, leaf_states


def nothing():
    """The clock does not matter."""


def grown(data, slot=0, near=0.0, most=1000):
    bounds = SlotBounds(data)
    pairs = data.pairs_at(slot)
    places = 30 - int(np.frexp(data.deploy_cost.max())[1])
    extra = bounds.extra(np.zeros((len(bounds.links), bounds.sets)), places)[pairs]
    return bounds, extra, grow(bounds, slot, extra, near, most, nothing)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_finished_tree_is_as_good_as_deciding_every_cell(seed):
    data = even_brokerage(seed, slots=1, jobs=3)
    data = data.replace(jobs=[job for job in data.jobs if job.worker_capacity])
    bounds, extra, tree = grown(data)
    cells = data.num_sites * data.num_resources
    best = min(
        bounds.leaf(0, np.reshape(state, (data.num_sites, -1)), extra).total()
        for state in itertools.product((LIST, REDUCED), repeat=cells)
    )
    assert float(tree.bound) == pytest.approx(float(best), rel=1e-9, abs=0.0)
    assert tree.cost == pytest.approx(float(best), rel=1e-8)
    found = [
        bounds.leaf(0, state, extra).total()
        for state in leaf_states(iter(tree.nodes), data.num_sites, data.num_resources)
    ]
    assert min(found) == tree.bound


def test_a_chord_that_is_met_is_a_leaf():
    # 5 units, 0.5 USD cheaper beyond the first: 5 0.5 + 0.5 = 3 USD, on the chord too
    _, _, tree = grown(discounted(), near=1e-9)
    assert tree.nodes == [LEAF]
    assert tree.least.usage.tolist() == [[5.0], [0.0]]
    assert float(tree.bound) == pytest.approx(tree.cost)
    assert tree.least.excess.max() < 1e-9


def test_few_nodes_and_near_bounds_end_it_early():
    data = even_brokerage(7, slots=1, jobs=4)
    _, _, whole = grown(data)
    assert len(whole.nodes) > 3
    _, _, short = grown(data, most=3)
    assert len(short.nodes) == 3
    _, _, near = grown(data, near=whole.cost)
    assert near.nodes == [LEAF]
    assert short.bound <= whole.bound + Fraction(1, 10**9)
    assert near.bound <= short.bound


def test_leaves_take_no_more_steps_than_they_may():
    data = even_brokerage(7, slots=1, jobs=4)
    bounds, extra, whole = grown(data)
    assert len(whole.nodes) > 3

    def steps(tree):
        before = int(bounds.work[0])
        bounds.tree(0, iter(tree.nodes), extra)
        return int(bounds.work[0]) - before

    assert whole.steps == steps(whole)
    for most in (0, whole.steps // 2, whole.steps - 1):
        tree = grow(bounds, 0, extra, 0.0, 1000, nothing, most_steps=most)
        assert tree.steps == steps(tree)
        assert tree.steps <= most or tree.nodes == [LEAF]
        assert tree.bound <= whole.bound
        assert tree.cost == pytest.approx(whole.cost, rel=0.5)
    same = grow(bounds, 0, extra, 0.0, 1000, nothing, most_steps=whole.steps)
    assert same.nodes == whole.nodes


@pytest.mark.slow
def test_a_tree_knows_which_limits_of_steps_let_it_grow():
    data = even_brokerage(7, slots=1, jobs=4)
    bounds, extra, whole = grown(data)
    limits = [-1, 0, whole.steps - 1, whole.steps, whole.steps + 1]
    limits += range(whole.steps // 10, whole.steps, whole.steps // 10)
    trees = [grow(bounds, 0, extra, 0.0, 1000, nothing, most_steps=limit) for limit in limits]
    assert len({tuple(tree.nodes) for tree in trees}) == 3
    for tree in trees:
        for limit, other in zip(limits, trees, strict=True):
            assert tree.same_within(limit) == (tree.nodes == other.nodes), limit


def test_nodes_too_deep_for_a_check_are_left_open(monkeypatch):
    data = even_brokerage(7, slots=1, jobs=4)
    bounds, extra, whole = grown(data)
    assert len(whole.nodes) > 3
    monkeypatch.setattr("farkas.relaxations.mlbroker.slot_trees.MOST_CELLS", 2 * bounds.table(0))
    short = grow(bounds, 0, extra, 0.0, 1000, nothing)
    assert len(short.nodes) == 3
    monkeypatch.setattr(guards.affordable, "__defaults__", (2 * bounds.table(0),))
    assert bounds.tree(0, iter(short.nodes), extra) == short.bound


def test_the_clock_is_looked_at():
    def late():
        raise NoAnswer("late")

    data = even_brokerage(7, slots=1, jobs=4)
    bounds = SlotBounds(data)
    with pytest.raises(NoAnswer, match="late"):
        grow(bounds, 0, np.zeros((4, bounds.sets)), 0.0, 100, late)
