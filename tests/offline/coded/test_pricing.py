"""Prices of boxes of counts: what they exclude, held against all counts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from farkas.certificates.coded_owners import Types
from farkas.offline.coded.pricing import MasterPricing, TypePricing, cheapest, pricing


def random_types(seed):
    rng = np.random.default_rng(seed)
    kinds, size = rng.uniform(0.2, 1.0, (2, 3)), rng.integers(1, 4, 3)
    return Types(np.repeat(kinds, size, axis=1))


def reachable(types, level, low, high):
    ranges = [range(a, b + 1) for a, b in zip(low.reshape(-1), high.reshape(-1), strict=True)]
    for x in itertools.product(*ranges):
        counts = np.array(x).reshape(low.shape)
        fits = (counts.sum(axis=0) <= types.size).all()
        if fits and ((types.speed * counts).sum(axis=1) >= level).all():
            return True
    return False


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", [MasterPricing, TypePricing])
@pytest.mark.parametrize("share", [0.5, 0.8, 0.95, 1.05])
def test_what_is_closed_holds_no_counts(seed, kind, share):
    types = random_types(seed)
    level = share * float((types.speed * types.size).sum()) / 4
    priced = kind(types, level)
    low = np.zeros(types.speed.shape, np.int64)
    high = np.broadcast_to(types.size, low.shape).copy()
    found = priced.look(low, high)
    if priced.closes(found.prices, level, low, high):
        assert not reachable(types, level, low, high)
    else:
        # the relaxation's point keeps the types, and reaches the level where it is of masters
        assert (found.counts.sum(axis=0) <= types.size * (1 + 1e-9)).all()
        assert ((types.speed * found.counts).sum(axis=1) >= level * (1 - 1e-6)).all()


@pytest.mark.parametrize("seed", range(10))
def test_prices_of_types_close_whatever_those_of_masters_close(seed):
    types = random_types(seed)
    low = np.zeros(types.speed.shape, np.int64)
    high = np.broadcast_to(types.size, low.shape).copy()
    level = float((types.speed * types.size).sum()) / 4
    for share in (0.9, 1.0, 1.1, 1.3):
        closed = {}
        for kind in (MasterPricing, TypePricing):
            priced = kind(types, share * level)
            prices = priced.look(low, high).prices
            closed[kind] = priced.closes(prices, share * level, low, high)
        assert closed[TypePricing] >= closed[MasterPricing]


@pytest.mark.parametrize("seed", range(20))
def test_cheapest_is_the_best_of_all_counts(seed):
    rng = np.random.default_rng(seed)
    speed, price = rng.integers(0, 5, 3) / 8, rng.integers(0, 4, 3) / 4
    low = rng.integers(0, 2, 3)
    high = low + rng.integers(0, 4, 3)
    ranges = [range(a, b + 1) for a, b in zip(low, high, strict=True)]
    costs = [price @ x for x in itertools.product(*ranges) if speed @ x >= 1.0]
    found = cheapest(speed, price, low, high)
    assert (found is None) == (not costs)
    if found is not None:
        assert found[0] == min(costs)
        assert speed @ found[1] >= 1.0
        assert (low <= found[1]).all()
        assert (found[1] <= high).all()


def test_a_box_without_counts_for_a_master_is_closed():
    types = Types(np.array([[1.0, 1], [1.0, 1]]))
    priced = TypePricing(types, 5.0)
    low, high = np.zeros((2, 1), np.int64), np.full((2, 1), 2)
    found = priced.look(low, high)
    assert found.room == -np.inf
    assert priced.closes(found.prices, 5.0, low, high)


def test_few_counts_are_priced_by_type():
    few, many = Types(np.ones((2, 50))), Types(np.arange(1.0, 101).reshape(2, 50))
    assert isinstance(pricing(few, 1.0), TypePricing)
    assert isinstance(pricing(many, 1.0), MasterPricing)
