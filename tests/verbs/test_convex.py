"""Convex programs: solved by a conic solver, and nothing linear is asked of them."""

from __future__ import annotations

import cvxpy as cp
import pytest

import farkas
from farkas.algebra import ConvexProgram
from farkas.errors import UnsupportedForm
from farkas.instances import library
from farkas.models.coded.surrogate import reference_time
from farkas.relaxations.coded.sharing import shared_optimum
from farkas.solvers.answer import Claimed, Reason
from farkas.solvers.via_cvxpy import ConvexAnswer
from farkas.verbs.convex import ConvexSolution, refuse_linear_wishes, solve_convex
from farkas.verbs.programs import find_program

TINY = library.load("coded/tiny")


@pytest.fixture(scope="module")
def program() -> ConvexProgram:
    found = find_program("coded.expected_convex")
    assert isinstance(found, ConvexProgram)
    return found


def test_the_default_of_linear_programs_means_clarabel(program: ConvexProgram) -> None:
    solution = solve_convex(program, TINY)
    assert solution.answer.solver == "cvxpy:CLARABEL"
    # the linear program P3 has the same optimum, in another unit
    time = solution.answer.objective * reference_time(TINY)
    assert time == pytest.approx(shared_optimum(TINY).time, rel=1e-6)


def test_another_conic_solver_is_asked_by_its_name(program: ConvexProgram) -> None:
    assert solve_convex(program, TINY, solver="SCS").answer.solver == "cvxpy:SCS"


def test_plain_data_hold_the_claim_and_the_point_on_demand_and_no_bound(
    program: ConvexProgram,
) -> None:
    answer = ConvexAnswer(
        reason=Reason.FINISHED, claim=Claimed.OPTIMAL, objective=2.0, violation=1e-9, solver="s",
        seconds=0.5, values={"x": [1.0]},
    )  # fmt: skip
    solution = ConvexSolution(program.full_name, program.sense, answer)
    found = solution.to_builtins()
    assert found == {
        "program": program.full_name, "sense": program.sense, "solver": "s", "reason": "finished",
        "claim": "optimal", "objective": 2.0, "seconds": 0.5, "largest_violation": 1e-9,
        "message": "", "proved_bound": None,
    }  # fmt: skip
    assert solution.to_builtins(point=True)["point"] == {"x": [1.0]}
    assert (solution.status, solution.objective, solution.x) == ("optimal", 2.0, {"x[0]": 1.0})
    assert "nothing is proved" in repr(solution)
    assert "objective: 2" in solution.summary()
    with pytest.raises(AttributeError, match="use objective"):
        solution.ObjVal  # noqa: B018


def test_what_only_linear_forms_can_do_is_refused_by_name(program: ConvexProgram) -> None:
    refuse_linear_wishes(program.full_name, relax=False, certify=False)
    with pytest.raises(UnsupportedForm, match=r"--certify: coded\.expected_convex"):
        refuse_linear_wishes(program.full_name, relax=False, certify=True)


def test_a_convex_problem_of_ones_own_is_solved_by_any_solver_of_cvxpy() -> None:
    # the nearest point of x + y = 3 to (2, 2) is (3/2, 3/2), half a square away
    x = cp.Variable(2, name="x")
    problem = cp.Problem(cp.Minimize(cp.sum_squares(x - 2)), [cp.sum(x) == 3])
    for solver, answered in ((None, "CLARABEL"), ("SCS", "SCS"), ("highs", "HIGHS")):
        solution = farkas.solve(problem, solver=solver)
        assert solution.solver == f"cvxpy:{answered}"
        assert solution.objective == pytest.approx(0.5, abs=1e-5)
        assert solution.x == pytest.approx({"x[0]": 1.5, "x[1]": 1.5}, abs=1e-5)
        assert x.value is None
    farkas.solve(problem, load=True)
    assert x.value == pytest.approx([1.5, 1.5], abs=1e-5)
    x.value = [7, 8]
    farkas.solve(problem)
    assert x.value.tolist() == [7, 8]


def test_highs_never_stands_for_another_solver() -> None:
    x = cp.Variable()
    problem = cp.Problem(cp.Maximize(cp.log(x)), [x <= 2])
    with pytest.raises(UnsupportedForm, match="HIGHS"):
        farkas.solve(problem, solver="highs")
    with pytest.raises(UnsupportedForm, match="--certify: the problem is convex"):
        farkas.solve(problem, certify=True)
    with pytest.raises(UnsupportedForm, match="no linear or integer program"):
        farkas.solve(cp.Problem(cp.Maximize(cp.square(x)), [x <= 1]))


def test_problems_without_numbers_are_refused_whatever_they_are() -> None:
    x, z, share = cp.Variable(), cp.Variable(name="z", complex=True), cp.Parameter(name="share")
    for problem, words in (
        (cp.Problem(cp.Minimize(share * x), [x >= 1]), "parameter share has no value"),
        (cp.Problem(cp.Minimize(cp.abs(z - 1j))), "variable z is complex"),
        (cp.Problem(cp.Minimize(x), [x >= float("inf")]), "no point keeps it"),
    ):
        with pytest.raises(UnsupportedForm, match=words):
            farkas.solve(problem)
