"""Runs end with an answer and a proved bound although solvers fail."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

import farkas
from farkas.errors import InvalidOption, NoAnswer, UnknownName, UnsupportedForm
from farkas.instances import library
from farkas.online import algorithms
from farkas.online.mlbroker.environment import tight_bound
from farkas.relaxations.coded import sharing
from farkas.solvers import Answer, Claimed, Reason, open_session
from farkas.solvers.base import find
from farkas.solvers.highs_session import multipliers_by_any, optimum_by_any, optimum_of
from tests.generators.forms import small


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
        "farkas.solvers.highs_session.solve_loaded", lambda *_: Answer(reason=Reason.ERROR)
    )


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
    assert multipliers_by_any(cover()).source == "duals by highs"
    break_solvers(monkeypatch, "highs")
    found = multipliers_by_any(cover())
    assert (found.source, found.rows) == ("duals by clarabel", pytest.approx([2.0], rel=1e-6))
    break_solvers(monkeypatch)
    found = multipliers_by_any(cover())
    assert (found.source, found.rows.tolist()) == ("all 0, since no solver gave duals", [0.0])


def test_options_of_highs_are_for_highs_alone(monkeypatch):
    # one more to cover costs 2, by y; no steps give no duals
    assert multipliers_by_any(cover(), presolve="off").source == "duals by highs"
    found = multipliers_by_any(cover(), presolve="off", simplex_iteration_limit=0)
    assert (found.source, found.rows) == ("duals by clarabel", pytest.approx([2.0], rel=1e-6))
    with pytest.raises(InvalidOption, match="no_such"):
        multipliers_by_any(cover(), no_such=1)


CERTIFIED = {
    "eris/demo": ("eris.eris", "prices of the pooled linear program", "everything for nothing"),
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
        "prices of the masters, for plans that dedicate workers only",  # by whole numbers
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


def test_a_plan_too_large_for_whole_numbers_has_the_bound_of_its_slowest_master(monkeypatch):
    one = farkas.load("coded/tiny").replace(name="unsolved")
    best = Fraction(algorithms["coded.simple_greedy"].run(one).certificate.exact)
    break_solvers(monkeypatch)
    monkeypatch.setattr(sharing, "MOST_ENTRIES", 0)
    other = one.replace(name="unsolved, without solvers")
    run = algorithms["coded.simple_greedy"].run(other)
    assert run.certificate.method == "the slowest master alone, for every plan"
    assert farkas.check(run, other).proof.bound == Fraction(run.certificate.exact) <= best


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
    assert run.value == pytest.approx(one.value, rel=1e-5)


@pytest.mark.parametrize("point", [None, np.array([3.0, 0.5])])
@pytest.mark.parametrize(
    "ask", [optimum_by_any, multipliers_by_any, lambda form: optimum_of(open_session(form))]
)
def test_ctrl_c_stops_the_search_at_once(monkeypatch, ask, point):
    stopped = Answer(reason=Reason.INTERRUPTED, claim=Claimed.FEASIBLE, raw_point=point)
    asked = []

    def stop(*_):
        asked.append(1)
        return stopped

    break_solvers(monkeypatch)
    monkeypatch.setattr(find("highs"), "run", stop)
    monkeypatch.setattr("farkas.solvers.highs_session.solve_loaded", stop)
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
    with open_session(cover()) as session:
        assert optimum_of(session).solver == "highs"
        session.update(row_lower=[4.5])
        monkeypatch.setattr(
            "farkas.solvers.highs_session.solve_loaded", lambda *_: Answer(reason=Reason.ERROR)
        )
        # x = 3, y = 3/2
        assert optimum_of(session).objective == pytest.approx(6)
        break_solvers(monkeypatch, "highs")
        assert optimum_of(session).solver == "clarabel"
    with open_session(cover(integer=True)) as session:
        assert optimum_of(session).objective == pytest.approx(5)


def test_who_is_asked_first_has_to_take_the_form():
    with pytest.raises(UnsupportedForm, match="clarabel takes no integer columns"):
        optimum_by_any(cover(integer=True), "clarabel")
    with pytest.raises(UnknownName, match="did you mean highs"):
        optimum_by_any(cover(), "higs")
