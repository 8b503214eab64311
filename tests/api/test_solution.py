"""What a solution says of its bound."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

import farkas
from farkas.algebra import ConvexProgram, programs
from farkas.api.explain import Explanation, Finding
from farkas.api.solution import ConvexSolution, Solution, refuse_linear_wishes, solve_convex
from farkas.certificates.proof import rounded
from farkas.errors import UnsupportedForm
from farkas.forms.rational import as_rational
from farkas.instances import library
from farkas.models.coded.kernel import reference_time
from farkas.relaxations.coded.sharing import shared_optimum
from farkas.solvers import Answer, Conclusion, Reason
from farkas.solvers.convex import ConvexAnswer
from farkas.tolerances import FEASIBLE
from tests.generators.forms import small


def solution(bound: Fraction | None, sense: str = "min", proved_by: str = "") -> Solution:
    form = small([[1]], cost=[1], row_lower=[1], sense=sense)
    answer = Answer(solver="s", reason=Reason.TIME_LIMIT)
    return Solution(form, answer, bound=bound, proved_by=proved_by)


@pytest.mark.parametrize(("sense", "tight", "loose"), [("min", 3, 2), ("max", 2, 3)])
def test_a_bound_nearer_to_the_optimum_is_tighter(sense: str, tight: int, loose: int) -> None:
    near, far = solution(Fraction(tight), sense), solution(Fraction(loose), sense)
    none = solution(None, sense)
    assert near.tighter(far)
    assert not far.tighter(near)
    assert not near.tighter(near)
    assert far.tighter(none)
    assert not none.tighter(far)
    assert not none.tighter(none)


def test_what_proved_the_bound_is_said() -> None:
    found = solution(Fraction(2), proved_by="branch and bound")
    assert "proved bound 2 by branch and bound" in repr(found)
    assert found.to_builtins()["proved_by"] == "branch and bound"
    plain = solution(Fraction(2))
    assert repr(plain).endswith("proved bound 2>")
    assert plain.to_builtins()["proved_by"] is None


def test_the_value_is_that_of_the_point() -> None:
    form = small([[1, 0]], cost=[2, 3], row_lower=[1], offset=0.5)
    found = Solution(
        form,
        Answer.at(
            np.array([1.0, 2.0]), form, Conclusion.FEASIBLE, solver="s", reason=Reason.TIME_LIMIT
        ),
    )
    assert found.value == 2 + 6 + 0.5
    assert solution(None).value is None


def at(point: list[float], bound: Fraction | None, sense: str = "min", **more: Any) -> Solution:
    """A solution of ``x - y`` with a point and a proved bound; its first row holds ``x - y``."""
    given = {"cost": [1, -1], "lower": [-9, -9], "sense": sense} | more
    form = small([[1, -1]], **given)
    where = Answer.at(
        np.array(point), form, Conclusion.FEASIBLE, solver="s", reason=Reason.TIME_LIMIT
    )
    return Solution(form, where, bound=bound)


@pytest.mark.parametrize(("sense", "bound"), [("min", Fraction(1, 3)), ("max", Fraction(8, 3))])
def test_a_gap_is_the_distance_of_the_bound_rounded_up(sense: str, bound: Fraction) -> None:
    gap = at([1.5, 0.0], bound, sense).gap
    exact = Fraction(7, 6)  # no double
    assert gap is not None
    assert Fraction(np.nextafter(gap, -np.inf)) < exact < Fraction(gap)
    assert at([1.5, 0.0], None, sense).gap is None
    assert solution(bound, sense).gap is None


@pytest.mark.parametrize(("sense", "sign"), [("min", 1), ("max", -1)])
def test_a_point_better_than_the_bound_by_more_than_a_tolerance_is_too_good(
    sense: str, sign: int
) -> None:
    bound = Fraction(2)
    assert at([2.0 - sign, 0.0], bound, sense).too_good
    assert not at([2.0 + sign, 0.0], bound, sense).too_good
    assert not at([2.0, 0.0], bound, sense).too_good
    # a share of the larger of both counts as kept
    assert not at([2.0 - sign * FEASIBLE, 0.0], bound, sense).too_good
    assert at([2.0 - sign * 3 * FEASIBLE, 0.0], bound, sense).too_good
    assert not at([1.0, 0.0], None, sense).too_good
    assert not solution(bound, sense).too_good


@pytest.mark.parametrize("value", [4.0, -4.0])
def test_within_is_a_share_of_the_value(value: float) -> None:
    # value and bound are 1 apart: a quarter of the value, a fifth of 5, a third of 3
    for bound in (value - 1, value + 1):
        found = at([value, 0.0], Fraction(bound))
        assert found.within(Fraction(1, 4))
        assert not found.within(Fraction(1, 4) - Fraction(1, 10**30))
    assert not at([value, 0.0], None).within(Fraction(9))
    assert not solution(Fraction(3)).within(Fraction(9))


def test_values_are_what_is_not_zero_whatever_its_sign() -> None:
    assert at([-2.5, 0.0], None).values() == {"column[0]": -2.5}
    assert at([1.0, -1.0], None).values() == {"column[0]": 1.0, "column[1]": -1.0}
    found = at([1.0, -1.0], None)
    # of two entries of the source the second is 0, and of two columns one was added
    source = as_rational(found.form).replace(entries=(("x[0,0]", 0), ("x[0,1]", 0)))
    assert dataclasses.replace(found, source=source).x == {"x[0,0]": 1.0, "x[0,1]": 1.0}
    source = as_rational(found.form).replace(auxiliary=frozenset([1]))
    assert list(dataclasses.replace(found, source=source).values().values()) == [1.0]


@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_bound_in_json_stays_on_its_proved_side(sense: str) -> None:
    for bound in (Fraction(2, 3), Fraction(-2, 3)):
        said = at([1.0, 0.0], bound, sense).to_builtins()
        assert said["proved_bound_exact"] == str(bound)
        assert (Fraction(said["proved_bound"]) > bound) == (sense == "max")
        assert said["proved_bound"] == pytest.approx(float(bound))
        assert said["proved_gap"] == at([1.0, 0.0], bound, sense).gap
        up = sense == "max"
        assert f"proved bound {rounded(bound, up=up)}" in repr(at([1.0, 0.0], bound, sense))
    none = at([1.0, 0.0], None, sense).to_builtins()
    assert none["proved_bound"] is none["proved_bound_exact"] is none["proved_gap"] is None


def test_infeasible_is_what_was_proved_so_and_no_claim() -> None:
    found = at([1.0, 0.0], None)
    claimed = dataclasses.replace(found, answer=Answer(solver="s", claim=Conclusion.INFEASIBLE))
    for one in (found, claimed):
        assert not one.proved_infeasible
        assert "infeasible" not in repr(one).removeprefix("<small: s claims infeasible")
        assert one.to_builtins()["proved_infeasible"] is None
    # branch and bound measures no distance: 0 is a proof, too
    for distance in (Fraction(0), Fraction(1, 3)):
        proved = dataclasses.replace(claimed, infeasible=distance)
        assert proved.proved_infeasible
        assert repr(proved).endswith(", proved infeasible>")
        assert proved.to_builtins()["proved_infeasible"] == str(distance)
    for finding in Finding:
        why = dataclasses.replace(
            claimed, explanation=Explanation(found.form, finding, np.zeros(found.form.num_rows), "")
        )
        assert why.proved_infeasible == (finding is Finding.SIDES)


TINY = library.load("coded/tiny")


@pytest.fixture(scope="module")
def program() -> ConvexProgram:
    found = programs.build("coded.expected_convex")
    assert isinstance(found, ConvexProgram)
    return found


def test_the_default_of_linear_programs_means_clarabel(program: ConvexProgram) -> None:
    solution = solve_convex(program, TINY)
    assert solution.answer.solver == "cvxpy:CLARABEL"
    # the linear program P3 has the same optimum, in another unit
    time = solution.answer.objective * reference_time(TINY)
    assert time == pytest.approx(shared_optimum(TINY).time, rel=1e-6)


def test_plain_data_hold_the_claim_and_the_point_on_demand_and_no_bound(
    program: ConvexProgram,
) -> None:
    answer = ConvexAnswer(
        reason=Reason.FINISHED, claim=Conclusion.OPTIMAL, objective=2.0, violation=1e-9, solver="s",
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
    with pytest.raises(AttributeError, match="did you mean objective"):
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
