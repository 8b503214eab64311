"""mlbroker.regularized, the slot (10) as a cone program."""

import msgspec
import numpy as np
import pytest

from farkas.algebra import programs
from farkas.models.mlbroker.slot import SlotProblem
from farkas.relaxations.mlbroker.slot_solver import Together
from farkas.solvers.convex import solve_problem
from tests.generators.mlbroker import discounted, single, slots


@pytest.mark.slow
@pytest.mark.parametrize("semantics", ["printed", "strict"])
@pytest.mark.parametrize("relax", ["printed", "tight"])
def test_cutting_planes_reach_the_optimum_of_the_cone_solver(relax, semantics):
    program = programs.build(f"mlbroker.regularized[relax={relax},semantics={semantics}]")
    solver = Together(relax, semantics)
    for problem in slots(semantics):
        model = program.model(problem)
        model.problem.solve(solver="CLARABEL")
        solution = solver.solve(problem)
        assert solution.objective == pytest.approx(model.problem.value, rel=2e-6, abs=2e-6)
        assert solution.gap <= 1e-6 * max(1.0, solution.objective)


def value(problem, **variant):
    program = programs.build("mlbroker.regularized", **variant)
    return solve_problem(program.model(problem).problem).require_optimal().objective


@pytest.mark.ids(5)
@pytest.mark.parametrize("semantics", ["printed", "strict"])
@pytest.mark.parametrize("relax", ["printed", "tight"])
@pytest.mark.parametrize("before", [0.0, 0.5])
def test_one_job_at_one_site_by_hand(before, relax, semantics):
    # worker and server at 1 USD; c/σ = 1/ln 2, ε = 1 and v = 1 wherever the job was before
    problem = SlotProblem.of(single([[10.0]]))
    was = np.array([[before]])
    problem = SlotProblem(market=problem.market, before=was, constants=problem.constants)
    term = 2 * np.log(2 / (before + 1)) - 1 + before
    want = 2 + term / np.log(2)
    assert value(problem, relax=relax, semantics=semantics) == pytest.approx(want, rel=1e-6)


def test_the_discount_on_the_chord_and_as_printed():
    # `discounted` in slot 0: 3 workers and a server at site 0 are 5 units, 3 USD on the chord; the
    # printed branches share M = 2: x >= 5 - 2u and x >= 3 - 2 (1 - u), least at u = 1: x = 3
    problem = SlotProblem.of(discounted())
    move = 2 - 1 / np.log(2)
    assert value(problem, relax="tight") == pytest.approx(3 + move, rel=1e-6)
    # with u at 1/2 and more sites the printed bound pays less, never more
    assert value(problem, relax="printed") <= 3 + move + 1e-6


def test_under_strict_semantics_an_unused_site_is_left_and_that_costs():
    # all 10 GB at site 0, the job was at site 1: entering site 0 costs (1/ln 2)(2 ln 2 - 1); as
    # printed it stays at site 1 for nothing, by (8l) it goes: (1/ln 2)(ln(1/2) + 1)
    problem = SlotProblem.of(single([[10.0, 0.0]]))
    was = np.array([[0.0, 1.0]])
    problem = SlotProblem(market=problem.market, before=was, constants=problem.constants)
    enter, leave = 2 - 1 / np.log(2), 1 / np.log(2) - 1
    assert value(problem, relax="tight", semantics="printed") == pytest.approx(2 + enter, rel=1e-6)
    strict = value(problem, relax="tight", semantics="strict")
    assert strict == pytest.approx(2 + enter + leave, rel=1e-6)


@pytest.mark.parametrize("power", [-60, -40, 40])
def test_a_slot_that_uses_no_charged_resource_scales_with_money(power):
    # nothing is in use, so that costs of resources had no unit but 1/2 USD: at 2^-60 the optimum
    # was 5e10 times what it is
    once = single([[5.0, 5.0]], worker_demand=[0.0], server_demand=[0.0])
    money = 2.0**power
    job = {**msgspec.to_builtins(once.jobs[0]), "deploy_cost": money}
    again = once.replace(
        jobs=[job],
        transfer_price=money * once.transfer,
        base_price=money * once.list_price,
    )
    optima = [value(SlotProblem.of(each), relax="printed") for each in (once, again)]
    assert optima[1] == pytest.approx(money * optima[0], rel=1e-12)


def test_a_slot_without_jobs_costs_nothing():
    assert value(SlotProblem.of(single([[10.0]]).replace(jobs=[]))) == pytest.approx(0.0)
