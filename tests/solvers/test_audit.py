"""What leaves the solvers is measured here: points, objectives, bounds and rays."""

import dataclasses
import math

import numpy as np
import pytest

from farkas.api.solve import solve_form
from farkas.forms import FeasibilityReport, check_point
from farkas.solvers import Answer, Conclusion, Reason, Session, solve
from farkas.solvers.audit import audited, cleaned_ray, ray_value, settled_by_inspection
from farkas.solvers.base import UndecidedRay, find
from farkas.solvers.options import Options
from farkas.tolerances import SOLVERS_WHOLE
from tests.conformance.solvers.cases import INF, form
from tests.generators.forms import small

SMALL = form([1], [(2, [1], INF)])


def nearly(form, point):
    """Whether a point is feasible up to rounding of the terms of each row."""
    return bool(check_point(form, point, whole=SOLVERS_WHOLE))


@pytest.mark.parametrize("claim", [Conclusion.OPTIMAL, Conclusion.FEASIBLE])
def test_no_backend_can_bring_its_own_report(monkeypatch, claim):
    # min x with x >= 2: the backend sends 0, and a report that finds nothing wrong with it
    honest = find("highs").run
    fine = FeasibilityReport(0.0, 0, ())

    def lie(*arguments):
        answer = honest(*arguments)
        return dataclasses.replace(answer, claim=claim, raw_point=np.zeros(1), report=fine)

    monkeypatch.setattr(find("highs"), "run", lie)
    answer = solve(SMALL)
    assert (answer.claim, answer.has_point, answer.report) == (Conclusion.NONE, False, None)
    false = lie(SMALL, Options(), None)
    monkeypatch.setattr("farkas.solvers.session.solve_loaded", lambda *_: false)
    answer = Session(SMALL).solve()
    assert (answer.claim, answer.report) == (Conclusion.NONE, None)


def test_every_point_is_measured_once_and_the_answer_carries_it(monkeypatch):
    measured = []

    def counting(form, point, **options):
        measured.append(point.tolist())
        return check_point(form, point, **options)

    monkeypatch.setattr("farkas.solvers.audit.check_point", counting)
    solution = solve_form(SMALL, certify=True)
    assert measured == [[2.0]]
    assert solution.report is solution.answer.report
    described = solution.to_builtins()
    assert (described["feasible"], described["largest_violation"]) == (True, 0.0)


def blend():
    """Min 3 x + 5 y with x + 2 y >= 7 and x <= 4, plus 2: x = 4, y = 3/2 and 21.5."""
    return dataclasses.replace(
        small([[1, 2]], cost=[3, 5], row_lower=[7], upper=[4, 9]), offset=2.0
    )


@pytest.mark.parametrize(("told", "sense"), [(23.0, "min"), (INF, "min"), (-INF, "max")])
def test_a_bound_that_its_own_point_disproves_is_dropped(told, sense):
    # 0 + 7/2 * 5 + 2 = 19.5, whatever the answer says of its objective
    said = Answer(
        reason=Reason.FINISHED, claim=Conclusion.OPTIMAL, objective=told, bound=told,
        raw_point=np.array([0.0, 3.5]), raw_row_duals=np.array([2.5]),
    )  # fmt: skip
    answer = audited(blend().replace(sense=sense), said)
    assert (answer.claim, answer.reason) == (Conclusion.FEASIBLE, Reason.NUMERICAL)
    assert answer.objective == 19.5
    assert math.isnan(answer.bound)
    assert answer.raw_row_duals is None
    assert answer.message == f"its bound {told:.9g} and its point, worth 19.5, exclude each other"


@pytest.mark.parametrize(
    ("bound", "sense"), [(19.5 + 1e-6, "min"), (19.5 - 1e-6, "max"), (19, "min")]
)
def test_a_bound_within_the_gap_of_solvers_is_kept(bound, sense):
    said = Answer(
        reason=Reason.FINISHED,
        claim=Conclusion.OPTIMAL,
        bound=bound,
        raw_point=np.array([0.0, 3.5]),
    )
    answer = audited(blend().replace(sense=sense), said)
    assert (answer.claim, answer.objective, answer.bound) == (Conclusion.OPTIMAL, 19.5, bound)


def test_an_optimum_of_a_linear_program_claims_its_own_value_as_bound():
    said = Answer(reason=Reason.FINISHED, claim=Conclusion.OPTIMAL, raw_point=np.array([0.0, 3.5]))
    assert audited(blend(), said).bound == 19.5
    whole = blend().replace(integer=np.array([False, True]))
    four = dataclasses.replace(said, raw_point=np.array([0.0, 4.0]))
    assert math.isnan(audited(whole, four).bound)


def test_a_point_may_miss_its_row_by_a_share_of_the_rows_terms():
    # 2^40 x - 2^40 y = 0 with x = y = 1: its terms are 2^40, and 1e-6 of them is forgiven
    wide = small([[2.0**40, -(2.0**40)]], cost=[1, 1], row_lower=[0], upper=[2, 2])
    wide = wide.replace(row_upper=np.zeros(1))
    assert nearly(wide, np.array([1.0, 1.0 + 9e-7]))
    assert not nearly(wide, np.array([1.0, 1.0 + 3e-6]))
    assert not nearly(wide, np.array([-1e-5, -1e-5]))
    assert not nearly(wide, np.array([np.nan, 1.0]))
    free = small(np.zeros((0, 2)), cost=[1, 1], row_lower=[], upper=[2, 2])
    assert nearly(free, np.array([1.0, 2.0]))
    assert not nearly(free, np.array([1.0, 2.1]))
    # beside it a row of small terms, whose unit does not forgive as much
    apart = small([[2.0**40, -(2.0**40)]], cost=[1, 1], row_lower=[0], upper=[2, 2])
    assert nearly(apart.replace(row_upper=np.array([1e5])), np.array([1.0, 1.0 + 5e-7]))


def test_a_point_must_be_as_whole_as_solvers_promise():
    whole = small([[1, 1]], cost=[1, 1], row_lower=[0], upper=[9, 9], integer=[True, False])
    assert nearly(whole, np.array([3 + 9e-6, 0.5]))
    assert not nearly(whole, np.array([3 + 2e-5, 0.5]))


def test_forms_that_no_solver_need_see_are_settled():
    crossed = small([[1]], cost=[1], row_lower=[0], upper=[1])
    answer = settled_by_inspection(crossed.replace(lower=np.array([2.0])))
    assert answer.claim is Conclusion.INFEASIBLE
    assert answer.message.endswith("lower bound 2.0 > upper bound 1.0")
    two = small([[1, 1]], cost=[1, 1], row_lower=[0], upper=[1, 1])
    both = settled_by_inspection(two.replace(lower=np.array([2.0, 3.0])))
    assert both.message == "column[i=0]: lower bound 2.0 > upper bound 1.0"
    between = small([[1]], cost=[1], row_lower=[0], lower=[0.25], upper=[0.75], integer=[True])
    assert settled_by_inspection(between).message.endswith(": no whole number within its bounds")
    assert settled_by_inspection(between.replace(integer=np.array([False]))) is None
    assert settled_by_inspection(between.replace(upper=np.array([0.9999999]))) is None
    empty = small([[0.0], [1.0]], cost=[1], row_lower=[3, 0])
    answer = settled_by_inspection(empty)
    assert answer.claim is Conclusion.INFEASIBLE
    assert answer.raw_ray.tolist() == [1, 0]
    nothing = small(np.zeros((1, 0)), cost=np.zeros(0), row_lower=[0])
    for settled in (answer, both, settled_by_inspection(nothing)):
        assert settled.seconds == 0
    assert settled_by_inspection(SMALL) is None


def test_a_ray_is_turned_round_where_a_solver_has_the_other_sign():
    # x >= 5 and x <= 3: 1 (x >= 5) - 1 (x <= 3) gives 0 >= 2
    crossed = small([[1], [1]], cost=[0], row_lower=[5, 0], row_upper=[9, 3])
    assert ray_value(crossed, np.array([1.0, -1.0])) == 2
    # nothing is left of x, so that it does not matter how far down x may go
    free = dataclasses.replace(crossed, lower=np.full(1, -np.inf))
    assert ray_value(free, np.array([1.0, -1.0])) == 2
    for sign in (1, -1):
        assert cleaned_ray(crossed, sign * np.array([1.0, -1.0])).tolist() == [1, -1]
    assert cleaned_ray(crossed, np.array([1.0, 0.0])) is None
    # a third row has no lower side: its multiplier is left out, however small
    third = small([[1], [1], [1]], cost=[0], row_lower=[5, 0, -np.inf], row_upper=[9, 3, 8])
    assert cleaned_ray(third, np.array([1.0, -1.0, 0.5])).tolist() == [1, -1, 0]
    assert cleaned_ray(third, np.array([1.0, -1.0, 2.0])).tolist() == [1, -1, 0]
    assert cleaned_ray(crossed, np.array([np.inf, -1.0])) is None


@pytest.mark.parametrize("claim", [Conclusion.OPTIMAL, Conclusion.FEASIBLE])
def test_a_claim_of_a_point_counts_for_nothing_without_one(monkeypatch, claim):
    said = Answer(
        reason=Reason.FINISHED, claim=claim, objective=3.0, bound=3.0, raw_row_duals=np.ones(1)
    )
    monkeypatch.setattr(find("highs"), "run", lambda *_: said)
    answer = solve(SMALL)
    assert (answer.reason, answer.claim) == (Reason.NUMERICAL, Conclusion.NONE)
    assert math.isnan(answer.objective)
    assert math.isnan(answer.bound)
    assert answer.raw_row_duals is None
    assert answer.message == f"it claims {claim} and gives no point"


@pytest.mark.parametrize("claim", [Conclusion.INFEASIBLE, Conclusion.UNBOUNDED, Conclusion.NONE])
def test_without_a_point_there_is_no_objective(claim):
    said = Answer(reason=Reason.TIME_LIMIT, claim=claim, objective=3.0, bound=math.inf)
    # without its bound, max x over x >= 2 is unbounded indeed
    given = SMALL.replace(sense="max") if claim is Conclusion.UNBOUNDED else SMALL
    answer = audited(given, said)
    assert (answer.reason, answer.claim) == (Reason.TIME_LIMIT, claim)
    assert math.isnan(answer.objective)
    assert math.isnan(answer.bound)
    # a bound found before the limit is one
    assert audited(given, dataclasses.replace(said, bound=2.0)).bound == 2.0


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_duals_that_are_no_numbers_are_dropped(wrong):
    said = Answer(
        reason=Reason.FINISHED, claim=Conclusion.OPTIMAL, raw_point=np.array([2.0]),
        raw_row_duals=np.array([wrong]),
    )  # fmt: skip
    answer = audited(SMALL, said)
    assert (answer.claim, answer.raw_row_duals) == (Conclusion.OPTIMAL, None)


def test_a_point_worth_more_than_doubles_hold_is_no_optimum():
    # 1e300 * 1e10
    dear = small([[1]], cost=[1e300], row_lower=[1e10], upper=[1e11])
    said = Answer(reason=Reason.FINISHED, claim=Conclusion.OPTIMAL, raw_point=np.array([1e10]))
    answer = audited(dear, said)
    assert (answer.claim, answer.reason) == (Conclusion.NONE, Reason.NUMERICAL)
    assert answer.message == "its point is worth more than doubles hold"


def test_the_row_that_is_named_is_the_one_that_is_off_by_what_is_said():
    # 4e6 of 1e12 is a share of 4e-6; 0.5 of 2 is a quarter
    mixed = small([[1, 0], [0, 1]], cost=[1, 1], row_lower=[1e12, 2])
    said = Answer(
        reason=Reason.FINISHED, claim=Conclusion.OPTIMAL, raw_point=np.array([1e12 - 4e6, 1.5])
    )
    assert audited(mixed, said).message == "the point called optimal is off by 0.5 in row[i=1]"


@pytest.mark.parametrize("integer", [False, True])
def test_a_bound_that_says_nothing_is_none(integer):
    whole = SMALL.replace(integer=np.array([integer]))
    said = Answer(claim=Conclusion.OPTIMAL, raw_point=np.array([2.0]), bound=-math.inf)
    found = audited(whole, said)
    assert (found.claim, found.objective) == (Conclusion.OPTIMAL, 2.0)
    # a linear optimum is its own bound
    assert math.isnan(found.bound) if integer else found.bound == 2.0


UNBOUNDED = Answer(reason=Reason.FINISHED, claim=Conclusion.UNBOUNDED)


@pytest.mark.parametrize(
    ("change", "possible"),
    [
        ({"upper": [3, INF]}, True),  # max y
        ({"upper": [INF, 3]}, False),  # x costs nothing
        ({"upper": [INF, INF], "implied_upper": np.array([INF, 7.0])}, False),
        ({"upper": [3, INF], "sense": "min"}, False),
        ({"upper": [3, INF], "sense": "min", "lower": [0, -INF]}, True),
    ],
)
def test_what_has_bounds_wherever_it_costs_is_not_unbounded(change, possible):
    given = {"cost": [0, 1], "row_lower": [-1], "sense": "max"} | change
    found = audited(small([[1, 0]], **given), UNBOUNDED)
    assert found.claim is (Conclusion.UNBOUNDED if possible else Conclusion.NONE)
    assert bool(found.message) != possible


@pytest.mark.parametrize("solver", ["highs", "clarabel", "scip", "gurobi"])
@pytest.mark.parametrize("far", [1e25, 1e45])
def test_sides_that_solvers_take_as_infinite_make_nothing_unbounded(solver, far):
    # min x - y with x - y >= -far and x <= 1 <= y <= 2 far: -far, with sides beyond any solver's
    wide = small([[1, -1]], cost=[1, -1], row_lower=[-far], lower=[-INF, 1], upper=[1, INF])
    answer = solve(wide, solver)
    assert answer.claim is not Conclusion.UNBOUNDED
    if answer.has_point:
        assert answer.objective == pytest.approx(-far, rel=1e-6)


def test_a_form_is_called_feasible_for_a_point_alone(monkeypatch):
    # a backend that cannot tell unbounded from infeasible, and says optimal of costs 0, without x
    free = form([-1], [(2, [1], INF)])

    def lie(given, *_):
        if given.cost.any():
            raise UndecidedRay
        return Answer(reason=Reason.FINISHED, claim=Conclusion.OPTIMAL, raw_point=np.array([-1.0]))

    assert solve(free).claim is Conclusion.UNBOUNDED
    monkeypatch.setattr(find("highs"), "run", lie)
    assert solve(free).claim is Conclusion.NONE
