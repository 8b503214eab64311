"""Bounds on P1: ordered, valid, and tight where they should be."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances import library
from farkas.instances.generate import generate
from farkas.models.coded.chance import best_quantile, best_stretch, hoeffding_plan, markov_bound
from farkas.models.coded.kernel import Pairs
from farkas.models.coded.law import Law, dedicated_plan
from farkas.online.coded.exhaustive import best_owner
from farkas.online.coded.local_search import least_level
from farkas.quantities import evaluate
from farkas.relaxations.coded.sharing import shared_optimum
from tests.generators.coded import by_speed, random_coded_computing


@pytest.mark.ids(3)
@pytest.mark.parametrize("seed", range(4))
def test_the_chance_optimum_lies_between_its_bounds(seed):
    data = random_coded_computing(seed, workers=4, rows=4, forbid=0.0)
    plan = dedicated_plan(data, best_owner(Pairs.of(data).speed))
    optimum = best_quantile(data)
    assert markov_bound(data, shared_optimum(data).time) <= optimum
    assert optimum <= best_stretch(data, plan).time * (1 + 1e-12)


def test_hoeffding_plans_meet_the_chance_constraint():
    data = generate("coded", "two_masters", seed=0, rows=2000)
    owner = best_owner(Pairs.of(data).speed)
    plan, time = hoeffding_plan(data, owner)
    chance = Law.given(data, plan.share, plan.whole_loads).at(time * (1 + 1e-3))
    assert (chance >= data.success_probability).all()
    # Sheet: about three times the surrogate's time, the exact quantile about 1.6 times.
    assert 2.5 < time / shared_optimum(data).time < 4


def test_hoeffding_says_nothing_about_few_workers():
    # One worker a master: s = sqrt(ln(10)/2) * 1.47 > 1.
    data = library.load("coded/split_worker")
    assert hoeffding_plan(data, np.array([0, 1, 0])) is None
    assert hoeffding_plan(data, np.array([0, 0, 0])) is None


def test_stretching_loads_helps_a_little():
    data = generate("coded", "two_masters", seed=0, rows=2000)
    plan = dedicated_plan(data, best_owner(Pairs.of(data).speed))
    plain = Law.given(data, plan.share, plan.whole_loads).quantile(data.success_probability)
    found = best_stretch(data, plan)
    assert found.time <= plain
    assert 0.8 <= found.factor <= 1.4


def test_a_plan_of_hoeffding_by_hand():
    # 100 equal workers: Theorem 1 gives each l* rows at t*, so that Σ (l*/L)² = 100 (l*/L)²
    data = by_speed([[1.0] * 100], rows=1000)
    owner = np.zeros(100, int)
    plan, time = hoeffding_plan(data, owner)
    portion = dedicated_plan(data, owner).loads[0, 0] / 1000
    slack = np.sqrt(0.5 * np.log(1 / 0.2) * 100 * portion**2)
    assert time == pytest.approx(1 / 100 / (1 - slack))
    assert plan.loads[0] == pytest.approx(np.full(100, 1000 * portion / (1 - slack)))


@pytest.mark.parametrize("seed", range(3))
def test_the_named_interval_holds_the_optimum(seed):
    data = random_coded_computing(seed, workers=4, rows=4)
    keys = [f"coded.chance.dedicated.{end}" for end in ("lower", "upper")]
    low, high = evaluate(data, keys).values()
    best = best_quantile(data)
    assert 0 < low <= best <= high * (1 + 1e-12)
    soonest = 1 / least_level(Pairs.of(data).speed, best_owner(Pairs.of(data).speed))
    assert low == pytest.approx(0.8 * soonest)
