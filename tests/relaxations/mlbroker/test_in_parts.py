"""Parts of a broker's bound: the same as the whole, whoever does them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from farkas import executor as module
from farkas.executor import Executor
from farkas.relaxations.mlbroker import in_parts
from farkas.relaxations.mlbroker.in_parts import SlotGrowth, SlotToGrow, cheapest_lives
from farkas.relaxations.mlbroker.lives import Lives, lives_of
from farkas.relaxations.mlbroker.slot_trees import grow
from tests.generators.mlbroker import even_brokerage, random_brokerage


def nothing() -> None:
    """The clock does not matter."""


def equal(one: Lives, other: Lives) -> bool:
    names = [field.name for field in dataclasses.fields(Lives)]
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


@pytest.mark.slow
@pytest.mark.parametrize("part", [1, 2, 5, 100])
@pytest.mark.parametrize("workers", [None, 2])
def test_jobs_are_placed_the_same_in_any_parts(part, workers, monkeypatch):
    data = random_brokerage(5, sites=3, slots=4, jobs=7, resources=2)
    slope = data.chord_slope("strict")
    whole = lives_of(data, 0, data.num_jobs, slope)
    monkeypatch.setattr(in_parts, "PART", part)
    monkeypatch.setattr(module, "LEAST_STEPS", 0.0)
    with Executor.of(workers) as executor:
        assert equal(cheapest_lives(data, slope, nothing, executor), whole)
        without = cheapest_lives(data, slope, nothing, executor, tolls=False)
    assert without.tolls.shape == (0, 8)
    assert equal(dataclasses.replace(without, tolls=whole.tolls), whole)


def test_nobody_is_placed_where_nobody_is():
    data = even_brokerage(1, jobs=2).replace(jobs=[])
    lives = cheapest_lives(data, data.chord_slope("strict"), nothing)
    assert lives.workers.shape == (0, data.num_sites)
    assert lives.tolls.shape == (0, 1 << data.num_sites)
    assert lives.cost(data) == 0.0


def test_a_slot_grows_within_its_room():
    data = even_brokerage(7, slots=1, jobs=4)
    growth = SlotGrowth(data)
    extra = growth.bounds.size * data.deploy_cost[0] * np.ones((4, 1))
    task = SlotToGrow(0, extra, 0.0, 1000)
    whole = grow(growth.bounds, 0, extra, 0.0, 1000, nothing)
    assert growth(task).nodes == whole.nodes
    assert len(whole.nodes) > 1
    growth.room = 0
    assert len(growth(task).nodes) == 1
