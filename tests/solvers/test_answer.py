"""Answers: ignorance by default, and a word for what is absent."""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest

import farkas
from farkas.errors import NoAnswer, UnknownName, UnsupportedForm
from farkas.forms import LinearForm, SparseRows
from farkas.forms.scale import Units
from farkas.instances import library
from farkas.online import algorithms
from farkas.online.mlbroker.environment import tight_bound
from farkas.solvers import Answer, Conclusion, Reason, Session, solve
from farkas.solvers.answer import as_minimum, handed, inwards, of_maximum, returned
from farkas.solvers.base import find
from farkas.solvers.session import multipliers_by_any, optimum_by_any, optimum_of
from tests.generators.forms import small


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("point", "the answer of highs has no point"),
        ("row_duals", "the answer of highs has no row duals"),
        ("ray", "the answer of highs has no infeasibility ray"),
    ],
)
def test_what_is_absent_raises_with_the_reason(field, words):
    answer = Answer(reason=Reason.TIME_LIMIT, solver="highs", message="after 3 s")
    with pytest.raises(NoAnswer) as refusal:
        getattr(answer, field)
    assert str(refusal.value) == f"{words}: stopped for reason time_limit, claim none (after 3 s)"


@pytest.mark.parametrize("claim", [c for c in Conclusion if c is not Conclusion.OPTIMAL])
def test_only_a_claim_of_optimality_is_an_optimum(claim):
    best = Answer(claim=Conclusion.OPTIMAL)
    assert best.require_optimal() is best
    with pytest.raises(NoAnswer, match=f"an empty answer did not reach an optimum.*claim {claim}"):
        Answer(claim=claim).require_optimal()


def test_an_interrupted_solve_ends_what_asked_for_it():
    stopped = Answer(reason=Reason.INTERRUPTED, claim=Conclusion.OPTIMAL)
    for asked in (stopped.unless_interrupted, stopped.require_optimal):
        with pytest.raises(KeyboardInterrupt):
            asked()
    limited = Answer(reason=Reason.TIME_LIMIT)
    assert limited.unless_interrupted() is limited


SHIFTS = [-60, -31, 31, 60]


def blend(integer: bool = False) -> LinearForm:
    """Cheapest blend of three goods: x + 2 y + 3 z >= 7, y - z <= 1, x <= 4; costs 3, 5, 8."""
    return dataclasses.replace(
        small([[1, 2, 3], [0, 1, -1]], cost=[3, 5, 8], row_lower=[7, -np.inf], upper=[4, 9, 9]),
        row_upper=np.array([np.inf, 1.0]),
        integer=np.full(3, integer),
        offset=2.0,
    )


def written(form: LinearForm, rows: int, columns: int, cost: int) -> LinearForm:
    """The same program, sides times 2 ** rows, amounts times 2 ** columns, money 2 ** cost."""
    rows_, matrix = np.full(form.num_rows, rows), form.matrix
    change = {name: np.ldexp(getattr(form, name), rows_) for name in ("row_lower", "row_upper")}
    change |= {name: np.ldexp(getattr(form, name), columns) for name in ("lower", "upper")}
    values = np.ldexp(matrix.values, rows - columns)
    return form.replace(
        matrix=SparseRows(matrix.starts, matrix.columns, values, matrix.num_columns),
        cost=np.ldexp(form.cost, cost - columns),
        offset=math.ldexp(form.offset, cost),
        **change,
    )


@pytest.mark.parametrize("solver", ["highs", "clarabel", "scip", "gurobi", "cvxpy:highs"])
@pytest.mark.parametrize("shift", SHIFTS)
def test_every_solver_answers_alike_in_every_unit(solver, shift):
    one, other = solve(blend(), solver), solve(written(blend(), 9, shift, -shift), solver)
    assert one.objective == pytest.approx(20, rel=1e-6)
    assert other.claim is one.claim is Conclusion.OPTIMAL
    assert other.objective == math.ldexp(one.objective, -shift)
    assert other.bound == math.ldexp(one.bound, -shift)
    assert other.point.tolist() == np.ldexp(one.point, shift).tolist()
    if one.raw_row_duals is not None:
        assert other.row_duals.tolist() == np.ldexp(one.row_duals, -shift - 9).tolist()


def test_a_form_that_cannot_be_moved_is_handed_over_as_it_is():
    # 5e-324 beside 1e30 has no exact place in any unit that suits both
    odd = dataclasses.replace(
        small([[1, 1]], cost=[5e-324, 1e30], row_lower=[1], upper=[1, 1]), offset=7.0
    )
    given, _, units = handed(odd, None, odd.units)
    assert units is None
    assert given.cost.tolist() == odd.cost.tolist()
    assert solve(odd).objective == 7.0


def test_every_part_of_an_answer_has_its_own_unit():
    # rows in 2^3 and 2^-2, columns in 2^1, 2^0 and 2^5, money in 2^4
    units = Units(np.array([3, -2]), np.array([1, 0, 5]), 4)
    said = Answer(
        reason=Reason.FINISHED,
        bound=1.0,
        raw_point=np.ones(3),
        raw_row_duals=np.ones(2),
        raw_ray=np.ones(2),
    )
    answer = returned(said, blend(), units)
    assert answer.bound == 2.0**4 + 2.0
    assert answer.raw_point.tolist() == [2.0, 1.0, 32.0]
    # money per amount of the row; a ray is per amount of the row only
    assert answer.raw_row_duals.tolist() == [2.0**1, 2.0**6]
    assert answer.raw_ray.tolist() == [2.0**-3, 2.0**2]


def test_a_maximum_is_the_minimum_of_the_negated_costs_and_back():
    # max x + 1, x <= 3: 4, one more unit of room is worth 1
    case = dataclasses.replace(
        small([[1]], cost=[1], row_lower=[-np.inf], upper=[9]),
        row_upper=np.array([3.0]),
        sense="max",
        offset=1.0,
    )
    turned = as_minimum(case)
    assert (turned.sense, turned.cost.tolist(), turned.offset) == ("min", [-1.0], -1.0)
    said = Answer(bound=-4.0, raw_row_duals=np.array([-1.0]), raw_ray=np.array([2.0]))
    back = of_maximum(said, case)
    assert (back.bound, back.row_duals.tolist(), back.ray.tolist()) == (4.0, [1.0], [2.0])
    assert of_maximum(Answer(), case).raw_row_duals is None
    assert as_minimum(turned) is turned
    assert of_maximum(said, turned) is said


def test_ends_of_whole_columns_are_rounded_inwards() -> None:
    # what counts as feasible counts here: 3 keeps an end of 2.9999999
    lower, upper = np.array([-2.0, 0.25, -np.inf, 0.25]), np.array([2.5, 2.9999999, 7.75, 0.75])
    low, high = inwards(lower, upper, np.array([True, True, True, False]))
    assert low.tolist() == [-2, 1, -np.inf, 0.25]
    assert high.tolist() == [2, 3, 7, 0.75]
    assert inwards(lower, upper, np.zeros(4, dtype=bool))[0] is lower


def fraction_ends() -> LinearForm:
    """Least -2 (a + b + c) with 3 (a + b + c) <= 5/2, whole within [-2, 5/2]: 0."""
    return small(
        [[3, 3, 3]], cost=[-2, -2, -2], row_lower=[-np.inf], lower=[-2] * 3, upper=[2.5] * 3,
        integer=[True] * 3,
    ).replace(row_upper=np.array([2.5]))  # fmt: skip


@pytest.mark.parametrize("solver", ["highs", "scip", "gurobi", "pyomo:highs"])
def test_no_solver_stops_at_an_end_between_two_whole_numbers(solver: str) -> None:
    form = fraction_ends()
    answer = solve(form, solver)
    assert (answer.claim, answer.objective) == (Conclusion.OPTIMAL, pytest.approx(0, abs=1e-9))
    assert form.upper.tolist() == [2.5] * 3  # the form itself stays
    assert handed(form, None, form.units)[0].upper.tolist() == [2] * 3


def cover(integer=False):
    # min x + 2 y with x + y >= 3.5, x <= 3: x = 3, y = 1/2 and 4; in whole numbers x = 3, y = 1
    return small([[1, 1]], cost=[1, 2], row_lower=[3.5], upper=[3, 9], integer=[integer, integer])


def break_solvers(monkeypatch, *names):
    """Let every backend, or those named, end in an error."""
    for name in names or ("highs", "clarabel", "scip", "gurobi"):
        monkeypatch.setattr(
            find(name), "run", lambda *_: Answer(reason=Reason.ERROR, message="broken")
        )
    monkeypatch.setattr(
        "farkas.solvers.session.solve_loaded", lambda *_: Answer(reason=Reason.ERROR)
    )
    monkeypatch.setattr("farkas.solvers.columns.ColumnProgram.solve", lambda *_: None)


def test_the_first_solver_answers_and_the_next_when_it_fails(monkeypatch):
    assert optimum_by_any(cover()).solver == "highs"
    break_solvers(monkeypatch, "highs")
    answer = optimum_by_any(cover())
    assert answer.solver == "clarabel"
    assert answer.objective == pytest.approx(4)
    whole = optimum_by_any(cover(integer=True), gap=0.0)
    assert (whole.solver, whole.objective) == ("scip", pytest.approx(5))
    assert optimum_by_any(cover(), "scip").solver == "scip"


def test_nobody_left_to_ask_is_said_of_everybody(monkeypatch):
    break_solvers(monkeypatch)
    with pytest.raises(NoAnswer, match=r"highs: none, error, broken; clarabel: .*; scip: "):
        optimum_by_any(cover())


def test_an_infeasible_program_is_not_asked_about_again():
    crossed = small([[1], [1]], cost=[1], row_lower=[2, 0], row_upper=[9, 1])
    with pytest.raises(NoAnswer, match=r"^[^;]*highs: infeasible[^;]*$"):
        optimum_by_any(crossed)


def test_multipliers_come_from_whoever_has_some_and_are_zero_otherwise(monkeypatch):
    # one more to cover costs 2, by y
    assert multipliers_by_any(cover())[1] == "duals by highs"
    break_solvers(monkeypatch, "highs")
    rows, source = multipliers_by_any(cover())
    assert (source, rows) == ("duals by clarabel", pytest.approx([2.0], rel=1e-6))
    break_solvers(monkeypatch)
    rows, source = multipliers_by_any(cover())
    assert (source, rows.tolist()) == ("all 0, since no solver gave duals", [0.0])


CERTIFIED = {
    "eris/demo": ("eris.eris", "prices of all sites together", "everything for nothing"),
    "dps/tiny": (
        "dps.random",
        "optimal prices of the interval relaxation",
        "subgradient prices of the interval relaxation",
    ),
    "gadget/slow_start": (
        "gadget.las",
        "prices of merged slots and servers, each job's best reply in exact arithmetic",
        "prices 0 of merged slots and servers, each job's best reply in exact arithmetic",
    ),
    "coded/tiny": (
        "coded.simple_greedy",
        "prices of the masters, for plans that dedicate workers only",
        "the slowest master alone, for every plan",
    ),
}
"""Algorithm, and how its bound is proved with and without solvers."""


@pytest.mark.parametrize(("instance", "expected"), CERTIFIED.items())
def test_a_run_is_certified_when_every_solver_fails(monkeypatch, instance, expected):
    algorithm, solved, unsolved = expected
    one = farkas.load(instance).replace(name="unsolved")  # bounds are kept per instance
    certificate = algorithms[algorithm].run(one).certificate
    assert certificate.method == solved
    optimum = Fraction(certificate.exact)
    break_solvers(monkeypatch)
    other = one.replace(name="unsolved, without solvers")
    run = algorithms[algorithm].run(other)
    assert run.certificate is not None
    assert run.certificate.method == unsolved
    assert farkas.check(run, other).proof.bound == Fraction(run.certificate.exact)
    bound, noise = Fraction(run.certificate.exact), optimum / 10**9
    assert bound <= optimum + noise if run.sense == "min" else bound >= optimum - noise


def test_a_broker_is_bounded_when_every_solver_fails(monkeypatch):
    # its runs still need one: what placed workers cost is a transport program
    one = library.load("mlbroker/tiny").replace(name="unsolved")
    best = tight_bound(one).fraction
    break_solvers(monkeypatch)
    bound = tight_bound(one.replace(name="unsolved, without solvers"))
    assert 0 <= bound.fraction < best
    assert bound.method.startswith("all 0, since no solver gave duals of mlbroker.relaxed[tight")


POLICIES = {
    "mlbroker/tiny": ["mlbroker.one_shot", "mlbroker.fractional", "mlbroker.oasis"],
    "gadget/tiny": ["gadget.columns", "gadget.gadget"],
}


@pytest.mark.parametrize(
    ("instance", "algorithm"), [(i, name) for i, names in POLICIES.items() for name in names]
)
def test_a_policy_asks_the_next_solver_when_the_first_fails(monkeypatch, instance, algorithm):
    one = algorithms[algorithm].run(farkas.load(instance))
    break_solvers(monkeypatch, "highs")
    run = algorithms[algorithm].run(farkas.load(instance))
    assert not run.violations
    if algorithm == "gadget.gadget":
        # it rounds one of many optima, and earns what that one is worth
        assert 0 < run.value <= float(one.certificate)
    else:
        assert run.value == pytest.approx(one.value, rel=1e-5)


@pytest.mark.parametrize("point", [None, np.array([3.0, 0.5])])
@pytest.mark.parametrize(
    "ask", [optimum_by_any, multipliers_by_any, lambda form: optimum_of(Session(form))]
)
def test_ctrl_c_stops_the_search_at_once(monkeypatch, ask, point):
    stopped = Answer(reason=Reason.INTERRUPTED, claim=Conclusion.FEASIBLE, raw_point=point)
    asked = []

    def stop(*_):
        asked.append(1)
        return stopped

    break_solvers(monkeypatch)
    monkeypatch.setattr(find("highs"), "run", stop)
    monkeypatch.setattr("farkas.solvers.session.solve_loaded", stop)
    with pytest.raises(KeyboardInterrupt):
        ask(cover())
    assert asked == [1]


def test_an_optimum_without_multipliers_does_not_do_where_they_are_needed(monkeypatch):
    honest = find("highs").run
    monkeypatch.setattr(
        find("highs"), "run", lambda *a: dataclasses.replace(honest(*a), raw_row_duals=None)
    )
    assert optimum_by_any(cover()).solver == "highs"
    answer = optimum_by_any(cover(), duals=True)
    assert answer.solver == "clarabel"
    assert answer.row_duals == pytest.approx([2.0], rel=1e-6)
    with pytest.raises(NoAnswer, match="scip: optimal, finished"):
        optimum_by_any(cover(integer=True), duals=True)


def test_a_session_is_left_for_other_solvers_when_it_leads_nowhere(monkeypatch):
    session = Session(cover())
    assert optimum_of(session).solver == "highs"
    session.update(row_lower=np.array([4.5]))
    monkeypatch.setattr(
        "farkas.solvers.session.solve_loaded", lambda *_: Answer(reason=Reason.ERROR)
    )
    # x = 3, y = 3/2
    assert optimum_of(session).objective == pytest.approx(6)
    break_solvers(monkeypatch, "highs")
    assert optimum_of(session).solver == "clarabel"
    assert optimum_of(Session(cover(integer=True))).objective == pytest.approx(5)


def test_who_is_asked_first_has_to_take_the_form():
    with pytest.raises(UnsupportedForm, match="clarabel takes no integer columns"):
        optimum_by_any(cover(integer=True), "clarabel")
    with pytest.raises(UnknownName, match="did you mean highs"):
        optimum_by_any(cover(), "higs")
