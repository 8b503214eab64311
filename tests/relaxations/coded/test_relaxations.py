"""The linear program, its truncation and its dual: coded.assignment_lp and friends."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.certificates import exact_bound
from farkas.duals import dualize
from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.coded.kernel import Pairs
from farkas.online.coded.exhaustive import best_owner, every_owner, least_level
from farkas.relaxations.coded.assignment_lp import best_sharing, price_bound, shared_optimum
from farkas.relaxations.coded.truncated import Capped, truncated_level
from farkas.solvers import solve
from tests.generators.coded import random_coded_computing


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
    dual = solve(programs.build("coded.assignment_dual").form(data)).require_optimal()
    assert dual.objective / top == pytest.approx(found.time, rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_any_prices_bound_the_level(seed):
    data = random_coded_computing(seed, masters=3, workers=6)
    speed = Pairs.of(data).speed
    prices = np.random.default_rng(seed).random(3)
    assert price_bound(speed, prices) >= shared_optimum(data).level * (1 - 1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_bounds_and_optimum_are_in_order(seed):
    data = random_coded_computing(seed, masters=2 + seed % 2, workers=6)
    speed = Pairs.of(data).speed
    dedicated = least_level(speed, every_owner(speed))
    truncated, shared = truncated_level(speed), shared_optimum(data).level
    assert least_level(speed, best_owner(speed)) == pytest.approx(dedicated, rel=1e-12)
    milp = solve(programs.build("coded.assignment").form(data), gap=0.0).require_optimal()
    assert milp.objective * speed.max() == pytest.approx(dedicated, rel=1e-6)
    assert dedicated <= truncated * (1 + 1e-9)
    assert truncated <= shared * (1 + 1e-12)


def test_a_dominant_worker_opens_the_gap_that_truncation_closes():
    # v = (100, 1, 1) for both masters: dedicated 2 (the fast one alone, or both slow ones).
    # Linear: 102/2 = 51.  Truncated at 2: (2 + 1 + 1)/2 = 2.
    speed = np.array([[100.0, 1, 1]] * 2)
    assert least_level(speed, best_owner(speed)) == 2.0
    assert best_sharing(speed).level == pytest.approx(51.0)
    assert truncated_level(speed) == pytest.approx(2.0, rel=1e-10)


def test_truncation_returns_its_refuted_end_when_nobody_serves_everyone():
    # Two workers, three masters: LP(min(v, V)) / V -> 2/3 < 1 for every V, so only the upper end
    # of 60 halvings is left.
    speed = np.ones((3, 2))
    assert truncated_level(speed) == best_sharing(speed).level * 2.0**-60


def test_a_cap_is_a_cap():
    data = library.load("coded/demo")
    cap = Pairs.of(data).speed.max() / 3
    program = programs.build("coded.assignment_truncated")
    assert program.speeds(Capped(data, cap)).max() == cap
    assert solve(program.form(Capped(data, cap))).require_optimal().objective > 0


def test_a_master_without_workers_has_level_0_and_no_dual():
    data = library.load("coded/forbidden_pairs").replace(
        plans=None,
        rate=[[None] * 4, [1.0, 2.5, None, 1.2]],
        shift=[[None] * 4, [0.9, 0.2, None, 0.4]],
    )
    found = shared_optimum(data)
    assert (found.level, found.bound, found.time) == (0.0, 0.0, np.inf)
    with pytest.raises(NotApplicable, match="infinite"):
        programs.build("coded.assignment_dual").form(data)
