"""Dedicated workers: the search ends at the best of all owners, whatever it starts from."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import farkas
from farkas.certificates.coded_owners import Types
from farkas.errors import NotACertificate
from farkas.exact.bounding import Deadline
from farkas.models.coded.kernel import Pairs, owner_levels
from farkas.models.coded.law import Allocation
from farkas.offline.coded import owners
from farkas.offline.coded.owners import DedicatedEnvironment, OwnersSearch, owners_of
from farkas.offline.coded.pricing import MasterPricing, TypePricing
from tests.generators.coded import by_speed, random_coded_computing, tied_speed


def best_level(data):
    speed = Pairs.of(data).speed
    every = itertools.product(range(len(speed)), repeat=speed.shape[1])
    return max(float(owner_levels(speed, np.array(own)).min()) for own in every)


@pytest.mark.ids(10)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [MasterPricing, TypePricing])
def test_ties_and_idle_pairs(seed, kind, monkeypatch):
    speed = tied_speed(seed)
    data = by_speed(speed.tolist()) if (speed.sum(axis=1) > 0).all() else None
    if data is None or not best_level(data):
        return
    monkeypatch.setattr(owners, "pricing", kind)
    found = farkas.optimum(data, problem="coded.assignment", gap=1e-8)
    assert found.complete
    assert float(found.value) == pytest.approx(1 / best_level(data), rel=1e-9)


def test_the_search_finds_better_counts_itself():
    types = Types(np.array([[2.0, 2, 1, 1], [1.0, 1, 2, 2]]))
    search = OwnersSearch(types, 3.9)
    search.advance(100, Deadline())
    assert search.better is not None
    assert ((types.speed * search.better).sum(axis=1) >= 3.9).all()
    owner = owners_of(types, search.better)
    assert owner.tolist() == [0, 0, 1, 1]


def test_owners_of_counts_leave_the_rest_idle():
    types = Types(np.array([[1.0, 1, 1, 5]]))
    assert owners_of(types, np.array([[2, 0]])).tolist() == [0, 0, -1, -1]
    assert owners_of(types, np.array([[0, 1]])).tolist() == [-1, -1, -1, 0]


def test_a_deadline_stops_the_search_and_leaves_a_proof():
    data = farkas.generate("coded", "small", seed=0)
    types = Types(Pairs.of(data).speed)
    search = OwnersSearch(types, 0.5 * types.speed.sum() / len(types.speed))
    before = search.tree()[0]
    search.advance(100, Deadline(0.0))
    assert search.tree()[0] == before
    assert search.reached() >= search.level


def test_an_open_tree_proves_the_level_that_all_leaves_exclude(monkeypatch):
    monkeypatch.setattr(owners, "pricing", MasterPricing)
    types = Types(np.array([[1.0] * 5] * 3))
    search = OwnersSearch(types, 1.0 + 1e-9)
    assert not search.done
    level = search.reached()
    assert level == pytest.approx(5 / 3, rel=1e-8)
    assert all(search.excluded(node, level) for node in search._leaves())
    search.advance(100, Deadline())
    assert search.done
    assert search.reached() == search.level


def test_shared_workers_break_the_dedicated_problem():
    data = by_speed([[1.0] * 3] * 2)
    shared = Allocation(np.full((2, 3), 0.5), np.ones((2, 3)))
    judge = DedicatedEnvironment()
    assert judge.unusable(data, [shared]) == ["a worker serves several masters"]
    alone = Allocation(np.array([[1.0, 0, 0], [0, 1, 1]]), np.array([[1.0, 0, 0], [0, 1, 1]]))
    assert judge.unusable(data, [alone]) == []
    negative = Allocation(-alone.share, alone.loads)
    assert "negative" in judge.unusable(data, [negative])[0]


@pytest.mark.parametrize("unit", [-40, 40])
def test_nothing_depends_on_the_unit_of_time(unit):
    data = random_coded_computing(3, masters=2, workers=6)
    scaled = type(data).build(
        success_probability=data.success_probability,
        masters=[{"rows": int(n)} for n in data.rows],
        workers=data.rates.shape[1],
        rate=[[r * 2.0**-unit if ok else None for r, ok in zip(*p, strict=True)]
              for p in zip(data.rates.tolist(), data.allowed.tolist(), strict=True)],
        shift=[[a * 2.0**unit if ok else None for a, ok in zip(*p, strict=True)]
               for p in zip(data.shifts.tolist(), data.allowed.tolist(), strict=True)],
    )  # fmt: skip
    one, other = (farkas.optimum(x, problem="coded.assignment", gap=1e-8) for x in (data, scaled))
    assert other.value == one.value * Fraction(2) ** unit
    assert float(other.bound) == pytest.approx(float(one.bound) * 2.0**unit, rel=1e-12)


def test_a_finished_search_without_a_proof_is_told(monkeypatch):
    def refused(*_: object) -> None:
        raise NotACertificate("the prices of leaf 0 do not exclude the level")

    monkeypatch.setattr(owners.OwnersTree, "closing", refused)
    found = farkas.optimum(by_speed([[1.0] * 5] * 2), problem="coded.assignment", gap=1e-8)
    assert not found.complete
    assert "not proved: the prices of leaf 0" in found.remarks[0]
