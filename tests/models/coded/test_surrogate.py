"""Programs coded.expected, coded.expected_convex, coded.expected_integer and coded.loads."""

from __future__ import annotations

import itertools

import numpy as np
import pyomo.environ as pyo
import pytest

from farkas.algebra import programs
from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.coded.integer import best_integer_plan, best_loads, integer_time
from farkas.models.coded.kernel import Pairs, theorem1_times
from farkas.models.coded.loads import Owned
from farkas.models.coded.plans import dedicated_share, shared_plan
from farkas.models.coded.surrogate import (
    expected_results,
    reference_time,
    returned_share,
    surrogate_times,
)
from farkas.online.coded.exhaustive import best_owner, every_owner, least_level
from farkas.relaxations.coded.assignment_lp import best_sharing, shared_optimum
from farkas.solvers.via_cvxpy import solve_problem
from tests.generators.coded import random_coded_computing


@pytest.mark.parametrize("seed", range(4))
def test_the_convex_program_is_the_linear_one(seed):
    data = random_coded_computing(seed, masters=3, workers=6)
    model = programs.build("coded.expected_convex").model(data)
    answer = solve_problem(model.problem).require_optimal()
    assert answer.objective * reference_time(data) == pytest.approx(
        shared_optimum(data).time, rel=1e-6
    )


@pytest.mark.parametrize("seed", range(4))
def test_loads_of_dedicated_workers_are_theorem_1(seed):
    data = random_coded_computing(seed, forbid=0.0)
    owner = np.array([0, 1, 0, 1])
    times = theorem1_times(Pairs.of(data).speed, owner)
    answer = solve_problem(programs.build("coded.loads").model(Owned(data, owner)).problem)
    assert answer.require_optimal().objective == pytest.approx(times.sum(), rel=1e-6)
    dual = programs.build("coded.loads_dual").form(Owned(data, owner))
    assert dual.cost.sum() == pytest.approx(times.sum(), rel=1e-14)


def test_a_block_without_worker_has_no_program():
    data = library.load("coded/stuck").replace(
        workers=2, rate=[[5, 5], [1, 1], [1, 1]], shift=[[1, 1]] * 3
    )
    for name in ("coded.loads", "coded.loads_dual"):
        program = programs.build(name)
        with pytest.raises(NotApplicable, match="master 2 has no worker"):
            program.model(data) if name == "coded.loads" else program.form(data)


@pytest.mark.parametrize("seed", range(4))
def test_the_plan_of_the_linear_program_takes_its_time(seed):
    data = random_coded_computing(seed, masters=3, workers=6)
    found = shared_optimum(data)
    plan = shared_plan(data, found.share, found.time)
    assert surrogate_times(data, plan.share, plan.loads).max() == pytest.approx(
        found.time, rel=1e-12
    )


@pytest.mark.parametrize("workers", ["shared", "dedicated"])
@pytest.mark.parametrize(
    ("name", "printed"), [("coded.expected", True), ("coded.expected_integer", False)]
)
def test_the_printed_program_means_what_the_arrays_say(name, printed, workers):
    data = library.load("coded/forbidden_pairs")
    plan = data.plans[0]
    model = programs.build(name, workers=workers).to_pyomo(data)
    share, loads = np.array(plan.probability), np.maximum(np.array(plan.loads, float), 1.0)
    for m, n in model.pairs:
        model.share[m, n].set_value(share[m, n], skip_validation=True)
        model.rows_sent[m, n].set_value(loads[m, n])
    for time in (plan.time, 0.5):
        model.time.set_value(time)
        want = expected_results(data, share * data.allowed, loads, time, printed=printed)
        found = [_results(model, data, m) for m in range(2)]
        assert found == pytest.approx(want.tolist(), rel=1e-12)
    assert model.share[0, 0].is_binary() == (workers == "dedicated")
    assert (0, 1) not in model.pairs


def _results(model, data, master):
    """Expected results of the Pyomo row, whichever side they stand on."""
    row = model.every_master_expects_its_rows[master]
    body = pyo.value(row.body)
    lower, upper = pyo.value(row.lower), pyo.value(row.upper)
    rows = float(data.rows[master])
    if lower is not None and upper is None:
        return body - lower + rows
    return rows + (upper - body)


def test_the_true_law_returns_nothing_before_the_shift():
    data = library.load("coded/tiny")
    loads = np.ones(data.rates.shape)
    early = 0.1
    assert returned_share(data, loads, early).max() == 0.0
    assert expected_results(data, data.allowed * 1.0, loads, early).tolist() == [0.0, 0.0]
    assert (expected_results(data, data.allowed * 1.0, loads, early, printed=True) < 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_best_whole_loads_are_the_best_of_all(seed):
    data = random_coded_computing(seed, rows=20)
    for time in (0.3, 2.0, 11.0):
        gains, chosen = best_loads(data, time)
        tried = np.array(
            [
                load * returned_share(data, np.full(data.rates.shape, float(load)), time)
                for load in range(200)
            ]
        )
        assert gains == pytest.approx(tried.max(axis=0), rel=1e-14)
        picked = np.take_along_axis(tried, chosen[None], 0)[0]
        assert picked == pytest.approx(gains, rel=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_integer_plans_are_optimal_by_bisection_and_enumeration(seed):
    data = random_coded_computing(seed, workers=4, rows=10)
    speed = Pairs.of(data).speed
    owner = best_owner(speed)
    if least_level(speed, owner) == 0:
        raise AssertionError("choose other seeds: nobody serves a master")
    masters = data.num_masters
    found = best_integer_plan(
        data, lambda g: dedicated_share(best_owner(g), masters), dedicated_share(owner, masters)
    )
    want = min(
        max(integer_time(data, m, [n for n in range(4) if o[n] == m]) for m in range(masters))
        for o in itertools.product(range(masters), repeat=4)
    )
    assert found.time == pytest.approx(want, rel=1e-9)
    shared = best_integer_plan(data, lambda g: best_sharing(g).share, shared_optimum(data).share)
    assert shared.time <= found.time * (1 + 1e-12)
    rows = data.rows[:, None]
    assert best_sharing(best_loads(data, shared.time)[0] / rows).level >= 1 - 1e-9
    assert best_sharing(best_loads(data, shared.time * (1 - 1e-7))[0] / rows).level < 1


def test_rounding_the_real_loads_at_the_real_time_falls_short():
    data = library.load("coded/tiny")
    owner = np.array([0, 1, 0])
    times = theorem1_times(Pairs.of(data).speed, owner)
    loads = Pairs.of(data).loads(times)
    for rounded in (np.floor(loads), np.ceil(loads)):
        share = dedicated_share(owner, 2)
        assert (expected_results(data, share, rounded, times[0])[0]) < data.rows[0]
    assert integer_time(data, 0, [0, 2]) > times[0]
    assert integer_time(data, 1, [0]) == np.inf


def test_all_exact_dedicated_methods_agree_on_the_demo():
    speed = Pairs.of(library.load("coded/demo")).speed
    assert least_level(speed, best_owner(speed)) == least_level(speed, every_owner(speed))
