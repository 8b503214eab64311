"""coded.assignment_lp, the linear program that P3 with shared workers is."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.certificates import exact_bound
from farkas.duals.dualize import dualize
from farkas.instances import library
from farkas.models.coded.kernel import Pairs, level
from farkas.online import algorithms
from farkas.online.coded.exhaustive import best_owner, every_owner
from farkas.online.coded.local_search import least_level
from farkas.relaxations.coded.sharing import (
    _solved,
    best_sharing,
    excluded_level,
    price_bound,
    shared_optimum,
    truncated_level,
)
from farkas.solvers import solve
from tests.generators.coded import by_speed, random_coded_computing, random_speed


@pytest.mark.parametrize("seed", range(5))
def test_every_way_to_the_linear_optimum_agrees(seed):
    data = random_coded_computing(seed, masters=3, workers=6)
    found = shared_optimum(data)
    top = Pairs.of(data).speed.max()
    form = programs.build("coded.assignment_lp").form(data)
    answer = solve(form).require_optimal()
    assert answer.objective * top == pytest.approx(found.level, rel=1e-12)
    assert float(exact_bound(form, answer.row_duals)) * top == pytest.approx(found.level, rel=1e-12)
    assert solve(dualize(form).form).require_optimal().objective * top == pytest.approx(found.level)


def test_a_master_without_workers_has_level_0():
    data = library.load("coded/forbidden_pairs").replace(
        plans=None,
        rate=[[None] * 4, [1.0, 2.5, None, 1.2]],
        shift=[[None] * 4, [0.9, 0.2, None, 0.4]],
    )
    found = shared_optimum(data)
    assert (found.level, found.bound, found.time) == (0.0, 0.0, np.inf)


def test_a_fast_master_goes_on_where_its_cheapest_worker_is_slow_for_it():
    # worker 1 is no use to the slow master, and gives the fast one 2; for the rest to 4 - 6e-9 it
    # takes 2e-9 of worker 2, where the slow one loses three times that
    speed = np.array([[1.0, 1e-9, 3.0], [1e-9, 2.0, 1e9]])
    found = best_sharing(speed)
    assert found.gap <= 1e-12
    assert found.level == pytest.approx(4 - 6e-9, rel=1e-14)
    assert found.share[1].tolist() == pytest.approx([0.0, 1.0, 2e-9], rel=1e-8)
    # and every algorithm answers on it
    data = by_speed(speed.tolist())
    for name in ("coded.expected", "coded.round_lp", "coded.brute_force"):
        assert algorithms[name].run(data).certificate is not None


@pytest.mark.parametrize("unit", [1e-100, 1e100])
def test_runs_and_their_bounds_are_made_of_such_speeds(unit):
    # the first master needs a share of 1e-200 of worker 0, which costs the second nothing
    data = by_speed([[unit, 0.0], [1 / unit, 2 / unit], [unit, 1 / unit]])
    run = algorithms["coded.expected"].run(data)
    assert run.certificate is not None


@pytest.mark.parametrize("seed", range(6))
def test_bounds_and_optimum_are_in_order(seed):
    data = random_coded_computing(seed, masters=2 + seed % 2, workers=6)
    speed = Pairs.of(data).speed
    dedicated = least_level(speed, every_owner(speed))
    sharing, shared = truncated_level(speed), shared_optimum(data).level
    assert least_level(speed, best_owner(speed)) == pytest.approx(dedicated, rel=1e-12)
    milp = solve(programs.build("coded.assignment").form(data), gap=0.0).require_optimal()
    assert milp.objective * speed.max() == pytest.approx(dedicated, rel=1e-6)
    assert dedicated <= sharing * (1 + 1e-9)
    assert sharing <= shared * (1 + 1e-12)


def test_shared_workers_are_ahead_of_whole_ones_by_any_factor():
    # one worker dominates: shared, it gives half its speed to each; whole, it leaves one the slow
    speed = Pairs.of(library.load("coded/dominant")).speed
    for times, gap in ((1, 25.5), (100, 2500.5)):
        slowed = np.where(speed == speed.min(), speed / times, speed)
        whole = least_level(slowed, best_owner(slowed))
        assert best_sharing(slowed).level / whole == pytest.approx(gap, rel=1e-12)
        assert truncated_level(slowed) == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_the_prices_exclude_what_is_above_the_level(seed):
    speed = Pairs.of(random_coded_computing(seed, masters=2 + seed % 2, workers=5)).speed
    found = excluded_level(speed)
    for more in (1e-9, 0.1, 3.0):
        cap = found.level * (1 + more)
        allowed = (found.prices[:, None] * np.minimum(speed, cap)).max(axis=0).sum()
        assert allowed < cap * found.prices.sum()
    # and the linear program reaches the level itself: no smaller one is excluded by any prices
    assert best_sharing(np.minimum(speed / found.level, 1.0)).level >= 1 - 1e-10


def test_many_workers_are_proved_as_few_are() -> None:
    speed = random_speed(5, masters=3, workers=180)
    found = best_sharing(speed)
    assert found.gap <= 1e-12
    assert price_bound(speed, found.prices) == found.bound
    shares, _ = _solved(speed, np.ones(180))
    assert found.level == pytest.approx(level(speed, shares), rel=1e-9)


def test_speeds_that_nobody_can_write_to_are_solved_once() -> None:
    speed = random_speed(6, masters=2, workers=5)
    assert best_sharing(speed) is not best_sharing(speed)
    first = best_sharing(speed)
    speed.setflags(write=False)
    kept = best_sharing(speed)
    assert best_sharing(speed) is kept
    assert (kept.level, kept.share.tolist()) == (first.level, first.share.tolist())
