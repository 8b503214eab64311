"""Convex programs: solved by a conic solver, and nothing linear is asked of them."""

from __future__ import annotations

import pytest

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
    found = ConvexSolution(program, answer).to_builtins()
    assert found == {
        "program": program.full_name, "sense": program.sense, "solver": "s", "reason": "finished",
        "claim": "optimal", "objective": 2.0, "seconds": 0.5, "largest_violation": 1e-9,
        "message": "", "proved_bound": None,
    }  # fmt: skip
    assert ConvexSolution(program, answer).to_builtins(point=True)["point"] == {"x": [1.0]}


def test_what_only_linear_forms_can_do_is_refused_by_name(program: ConvexProgram) -> None:
    refuse_linear_wishes(program, relax=False, certify=False)
    with pytest.raises(UnsupportedForm, match=r"--certify: coded\.expected_convex"):
        refuse_linear_wishes(program, relax=False, certify=True)
