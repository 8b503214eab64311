"""CVXPY: solvers that take exponential cones, its solvers on forms, and their words."""

import math

import cvxpy as cp
import numpy as np
import pytest

import farkas
from farkas.errors import InvalidOption, SolverUnavailable, UnknownName, UnsupportedForm
from farkas.solvers import Ability, Conclusion, Reason, availability, solve
from farkas.solvers.base import UndecidedRay, installed
from farkas.solvers.convex import solve_problem
from farkas.solvers.options import Options
from farkas.solvers.via_cvxpy import (
    PACKAGES,
    CvxpySolver,
    Termination,
    arguments,
    how_to_get,
    verdict,
)
from tests.conformance.solvers.cases import INF, entropy, form


def test_status_optimal_with_a_violating_point_is_not_believed():
    # SCS stops at tolerances of its own; a tolerance below rounding shows that the point is
    # measured: no double meets sum(x) = 1/3 to 1e-30 relative in general.
    x = cp.Variable(3, name="x")
    rows = [cp.sum(x) == 1 / 3, cp.exp(x[0]) + x[1] <= 1.1]
    problem = cp.Problem(cp.Minimize(cp.sum_squares(x - 1)), rows)
    answer = solve_problem(problem, "SCS", tolerance=1e-30)
    assert (answer.reason, answer.claim) == (Reason.NUMERICAL, Conclusion.NONE)
    assert answer.violation > 0
    assert answer.message.startswith("optimal, but constraint ")


def test_a_large_variable_elsewhere_excuses_no_violation(monkeypatch):
    # 0.5 of the 1 that is wanted; measured by y = 1e9 it would be a share of 5e-10
    x, y = cp.Variable(name="x"), cp.Variable(name="y")

    def solve(given, *_):
        x.save_value(np.array(0.5))
        y.save_value(np.array(1e9))
        given._value = 0.5
        return Termination("optimal")

    monkeypatch.setattr("farkas.solvers.convex.run_problem", solve)
    answer = solve_problem(cp.Problem(cp.Minimize(x), [x >= 1, y == 1e9]))
    assert (answer.reason, answer.claim) == (Reason.NUMERICAL, Conclusion.NONE)
    assert answer.message == "optimal, but constraint 0 is off by a share of 0.5"


@pytest.mark.parametrize("solver", ["clarabel", "scs"])
@pytest.mark.parametrize("seed", range(4))
def test_the_dual_value_of_a_problem_is_the_optimum_that_highs_finds(solver, seed):
    rng = np.random.default_rng(seed)
    matrix, right = rng.uniform(0.5, 2, (3, 4)), rng.uniform(1, 2, 3)
    cost, unit = rng.uniform(1, 3, 4), [1.0, 1e6][seed % 2]
    sense, toward = [(cp.Minimize, 1.0), (cp.Maximize, -1.0)][seed // 2]
    x = cp.Variable(4, nonneg=True)
    problem = cp.Problem(sense(toward * unit * (cost @ x) + 7), [matrix @ x >= right])
    answer = solve_problem(problem, solver).require_optimal()
    program = form(cost, [(low, row, INF) for low, row in zip(right, matrix, strict=True)])
    optimum = toward * unit * solve(program, "highs").objective + 7
    assert answer.bound == pytest.approx(optimum, rel=1e-6)
    assert answer.bound != answer.objective  # that of another point


def test_a_solver_that_states_no_dual_value_leaves_it_out():
    x = cp.Variable(nonneg=True)
    answer = solve_problem(cp.Problem(cp.Minimize(x), [x >= 1]), "highs").require_optimal()
    assert answer.objective == pytest.approx(1)
    assert math.isnan(answer.bound)


def test_slots_of_a_run_keep_the_dual_value_of_a_conic_solver():
    said = {}
    for solver in ("", "clarabel", "scs"):
        run = farkas.run("mlbroker/tiny", "mlbroker.fractional[tight]", solver=solver)
        said[solver] = [step.dual for step in run.steps if step.fractional is not None]
    assert said["clarabel"] == pytest.approx(said[""], rel=1e-6)
    assert said["scs"] == pytest.approx(said[""], rel=1e-6)


def test_a_cone_constraint_is_measured_after_a_solve():
    # min z with exp(x) <= z, x >= 1: z = e.
    x, z = cp.Variable(name="x"), cp.Variable(name="z")
    rows = [cp.constraints.ExpCone(x, cp.Constant(1.0), z), x >= 1]
    answer = solve_problem(cp.Problem(cp.Minimize(z), rows)).require_optimal()
    assert answer.objective == pytest.approx(math.e, rel=1e-6)
    assert answer.violation < 1e-6


def test_mosek_refuses_without_licence_and_solves_with_one():
    problem, _ = entropy()
    if availability("mosek"):
        assert solve_problem(problem, "mosek").objective == pytest.approx(-math.log(2), abs=1e-5)
        return
    with pytest.raises(SolverUnavailable, match=r"^solver cvxpy:MOSEK is unlicensed: "):
        solve_problem(problem, "mosek")


def test_solver_without_the_cone_is_refused():
    with pytest.raises(UnsupportedForm, match="cvxpy:OSQP"):
        solve_problem(entropy()[0], "OSQP")


def test_nonconvex_problem_is_refused():
    x = cp.Variable()
    with pytest.raises(UnsupportedForm, match="not convex"):
        solve_problem(cp.Problem(cp.Minimize(cp.sqrt(x))))


def test_unknown_names_are_refused():
    with pytest.raises(UnknownName, match="did you mean CLARABEL"):
        solve_problem(entropy()[0], "clarabell")
    with pytest.raises(InvalidOption, match="did you mean time_limit"):
        solve_problem(entropy()[0], timelimit=3)


@pytest.mark.parametrize(
    ("status", "reason", "claim"),
    [
        ("optimal", Reason.FINISHED, Conclusion.OPTIMAL),
        ("infeasible", Reason.FINISHED, Conclusion.INFEASIBLE),
        ("optimal_inaccurate", Reason.NUMERICAL, Conclusion.FEASIBLE),
        ("infeasible_inaccurate", Reason.NUMERICAL, Conclusion.NONE),
        ("user_limit", Reason.ITERATION_LIMIT, Conclusion.FEASIBLE),
        ("solver_error", Reason.ERROR, Conclusion.NONE),
    ],
)
def test_a_doubtful_status_claims_less(status, reason, claim):
    assert verdict(status) == (reason, claim)


@pytest.mark.parametrize("status", ["unbounded", "unbounded_inaccurate", "infeasible_or_unbounded"])
def test_a_direction_without_end_leaves_feasibility_open(status):
    with pytest.raises(UndecidedRay):
        verdict(status)


def test_an_unbounded_cone_program_makes_no_claim():
    x = cp.Variable(name="x")
    answer = solve_problem(cp.Problem(cp.Minimize(x), [cp.exp(x) <= 1]))
    assert (answer.reason, answer.claim) == (Reason.FINISHED, Conclusion.NONE)
    assert answer.message == "unbounded, or infeasible"


def test_sides_and_bounds_count_as_rows_against_a_licence():
    # an equation is one row, a range two, a free row none; two finite bounds and a fixed column
    case = form(
        [1, 1, 1], [(1, [1, 0, 0], 1), (0, [0, 1, 0], 2), (-INF, [1, 1, 1], INF)],
        lower=[0, -INF, 5], upper=[INF, INF, 5],
    )  # fmt: skip
    assert CvxpySolver("GUROBI").footprint(case) == (1 + 2 + 3, 3)


@pytest.mark.parametrize("power", [-60, -9, -1, 1, 9, 19, 60])
def test_an_objective_in_another_currency_is_the_same_problem(power):
    def answered(unit):
        x = cp.Variable(2, name="x")
        goal = cp.Minimize(unit * (3 * x[0] + 5 * x[1] + cp.inv_pos(x[0])))
        return solve_problem(cp.Problem(goal, [x[0] + 2 * x[1] >= 7, x <= 4]), "CLARABEL")

    one, other = answered(1.0), answered(2.0**power)
    assert other.claim is one.claim is Conclusion.OPTIMAL
    assert other.values["x"].tolist() == one.values["x"].tolist()
    assert other.objective == 2.0**power * one.objective
    for mine, theirs in zip(one.duals, other.duals, strict=True):
        assert np.array_equal(theirs, 2.0**power * np.asarray(mine))


@pytest.mark.parametrize(("solver", "integer", "cones"), [
    ("HIGHS", True, False), ("XPRESS", True, False), ("COPT", True, True), ("GLPK_MI", True, False),
    ("CLARABEL", False, True), ("SCS", False, True), ("OSQP", False, False), ("ECOS", False, True),
    ("PIQP", False, False), ("GLPK", False, False),
])  # fmt: skip
def test_abilities_are_those_that_cvxpy_states(solver, integer, cones):
    able = CvxpySolver(solver).abilities
    assert (Ability.INTEGER in able, Ability.CONIC in able) == (integer, cones)


def test_a_limit_of_iterations_is_none_of_time():
    case = form([1, 1], [(3, [1, 2], INF), (3, [2, 1], INF)], upper=5)
    stopped = solve(case, "cvxpy:OSQP", time_limit=100.0, solver_options={"max_iter": 1})
    assert stopped.reason is Reason.ITERATION_LIMIT


@pytest.mark.parametrize(
    ("solver", "words"),
    [
        ("CLARABEL", {"time_limit": 2.5, "max_threads": 3}),
        ("HIGHS", {"time_limit": 2.5, "mip_rel_gap": 0.125, "threads": 3, "random_seed": 9}),
        ("GUROBI", {"TimeLimit": 2.5, "MIPGap": 0.125, "Threads": 3, "Seed": 9}),
        ("SCIPY", {"scipy_options": {"time_limit": 2.5, "mip_rel_gap": 0.125}}),
        (
            "MOSEK",
            {"mosek_params": {
                "MSK_DPAR_OPTIMIZER_MAX_TIME": 2.5, "MSK_DPAR_MIO_TOL_REL_GAP": 0.125,
                "MSK_IPAR_NUM_THREADS": 3,
            }},
        ),
        (
            "SCS",
            {"time_limit_secs": 2.5, "eps_abs": 1e-8, "eps_rel": 1e-8, "max_iters": 100_000},
        ),
    ],
)  # fmt: skip
def test_options_reach_each_solver_in_its_own_words(solver, words):
    assert arguments(solver, Options(time_limit=2.5, gap=0.125, threads=3, seed=9)) == words
    # no limit is no word, not an infinite one
    assert math.inf not in arguments(solver, Options()).values()


def test_a_limit_that_cannot_be_passed_is_refused():
    assert arguments("ECOS", Options()) == {}
    with pytest.raises(InvalidOption, match="cannot pass time_limit to cvxpy:ECOS"):
        arguments("ECOS", Options(time_limit=1.0))


def test_own_options_come_last():
    given = Options.parse({"time_limit": 3.0, "solver_options": {"max_iters": 5, "alpha": 1.5}})
    assert arguments("SCS", given) | {"eps_abs": 0, "eps_rel": 0} == {
        "time_limit_secs": 3.0, "max_iters": 5, "alpha": 1.5, "eps_abs": 0, "eps_rel": 0
    }  # fmt: skip


@pytest.mark.parametrize("solver", PACKAGES)
def test_what_is_missing_names_the_package_that_brings_it(solver):
    case = form([1], [(2, [1], INF)])
    if installed(PACKAGES[solver]):
        assert solve(case, f"cvxpy:{solver}").objective == pytest.approx(2.0, abs=1e-5)
        return
    with pytest.raises(SolverUnavailable, match=f"cvxpy:{solver} is missing: .*install"):
        solve(case, f"cvxpy:{solver}")


def test_what_has_an_extra_is_got_by_it():
    assert how_to_get("CLARABEL") == "farkas[convex]"
    assert how_to_get("ECOS") == "ecos"
    assert how_to_get("DAQP") == "cvxpy[daqp]"
    assert how_to_get("ECOS_BB") == "cvxpy[ecos-bb]"
    assert how_to_get("NAG") == ""


@pytest.mark.parametrize(
    ("solver", "words"),
    [
        ("GLOP", "its library and HiGHS's share symbols; use highs"),
        ("NAG", "https://www.cvxpy.org/tutorial/solvers says how to get it"),
        ("DAQP", r"pip install 'cvxpy\[daqp\]' to use it"),
    ],
)
def test_what_cannot_be_loaded_is_missing_with_its_remedy(solver, words):
    with pytest.raises(SolverUnavailable, match=f"solver cvxpy:{solver} is missing: {words}"):
        solve(form([1], [(2, [1], INF)]), f"cvxpy:{solver}")
