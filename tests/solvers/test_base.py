import dataclasses
import subprocess
import sys

import numpy as np
import pytest

from farkas.errors import InvalidOption, SolverUnavailable, UnknownName, UnsupportedForm
from farkas.forms import FeasibilityReport, check_point
from farkas.solvers import (
    Access,
    Answer,
    Claimed,
    Options,
    Reason,
    backends,
    open_session,
    solve,
    status,
)
from farkas.solvers.base import find
from farkas.verbs.solve import solve_form
from tests.conformance.solvers.cases import INF, form

SMALL = form([1], [(2, [1], INF)])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("higs", "did you mean highs?"),
        ("highs:x", "highs takes no name after the colon"),
        ("cvxpy:clarabell", "did you mean CLARABEL?"),
        ("pyomo:nosuch", "Pyomo has no 'nosuch'"),
        ("nosuch:highs", "unknown solver 'nosuch'"),
    ],
)
def test_unknown_solvers_name_the_nearest(name, words):
    with pytest.raises(UnknownName) as refusal:
        solve(SMALL, name)
    assert words in str(refusal.value)


def test_solver_that_pyomo_knows_but_cannot_find_is_unavailable():
    with pytest.raises(SolverUnavailable, match="Pyomo knows glpk but cannot find"):
        solve(SMALL, "pyomo:glpk")


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("cost", INF, "cost[0] of column 0 must be finite"),
        ("lower", np.nan, "lower[0] of column 0 must be below infinity"),
        ("upper", -INF, "upper[0] of column 0 must be above -infinity"),
        ("row_lower", INF, "row_lower[0] of row 0 must be below infinity"),
        ("row_upper", np.nan, "row_upper[0] of row 0 must be above -infinity"),
    ],
)
def test_numbers_that_mean_nothing_are_refused(field, value, words):
    with pytest.raises(UnsupportedForm) as refusal:
        solve(SMALL.replace(**{field: np.array([value])}))
    assert words in str(refusal.value)


def test_start_of_the_wrong_shape_is_refused():
    with pytest.raises(InvalidOption, match="needs 1 finite values"):
        solve(SMALL, start=np.zeros(2))


@pytest.mark.parametrize("failure", [RuntimeError("out of\nmemory"), MemoryError()])
def test_exceptions_of_a_solver_become_answers(monkeypatch, failure):
    def explode(*_):
        raise failure

    monkeypatch.setattr(find("highs"), "run", explode)
    answer = solve(SMALL)
    assert (answer.reason, answer.claim) == (Reason.ERROR, Claimed.NONE)
    assert answer.message in ("out of memory", "MemoryError")


def test_a_solver_that_lies_about_its_point_is_not_believed(monkeypatch):
    honest = find("highs").run

    def lie(*arguments):
        answer = honest(*arguments)
        object.__setattr__(answer, "raw_point", answer.raw_point - 1)
        return answer

    monkeypatch.setattr(find("highs"), "run", lie)
    answer = solve(SMALL)
    assert (answer.reason, answer.claim) == (Reason.NUMERICAL, Claimed.NONE)
    # the row is measured in twos: what is 1 less for the solver is 2 less here
    assert answer.message == "the point called optimal is off by 2 in row 0"
    assert not answer.has_point


@pytest.mark.parametrize("claim", [Claimed.OPTIMAL, Claimed.FEASIBLE])
def test_no_backend_can_bring_its_own_report(monkeypatch, claim):
    # min x with x >= 2: the backend sends 0, and a report that finds nothing wrong with it
    honest = find("highs").run
    fine = FeasibilityReport(0.0, 0, ())

    def lie(*arguments):
        answer = honest(*arguments)
        return dataclasses.replace(answer, claim=claim, raw_point=np.zeros(1), report=fine)

    monkeypatch.setattr(find("highs"), "run", lie)
    answer = solve(SMALL)
    assert (answer.claim, answer.has_point, answer.report) == (Claimed.NONE, False, None)
    false = lie(SMALL, Options(), None)
    monkeypatch.setattr("farkas.solvers.highs_session.solve_loaded", lambda *_: false)
    with open_session(SMALL, "highs") as session:
        assert (session.solve().claim, session.solve().report) == (Claimed.NONE, None)


def test_a_report_without_a_point_is_dropped(monkeypatch):
    fine = FeasibilityReport(0.0, 0, ())
    monkeypatch.setattr(find("highs"), "run", lambda *_: Answer(report=fine))
    assert solve(SMALL).report is None


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


def test_status_lists_every_backend():
    lines = status()
    assert [line.name for line in lines] == backends.names()
    highs = next(line for line in lines if line.name == "highs")
    assert highs.availability.standing is Access.FULL
    assert highs.version >= "1.15"
    assert set(highs.abilities) == {"linear", "integer", "duals", "rays", "warm"}


def test_a_missing_package_is_said_with_its_remedy(monkeypatch):
    monkeypatch.setattr("farkas.solvers.base.installed", lambda _: False)
    with pytest.raises(SolverUnavailable, match=r"scip is missing: install 'farkas\[scip\]'"):
        solve(SMALL, "scip")


def test_importing_the_solvers_loads_no_solver():
    code = (
        "import sys, farkas.solvers as s; s.backends.load(); "
        "print([m for m in ('highspy', 'gurobipy', 'mosek', 'pyscipopt', 'clarabel', 'pyomo', "
        "'cvxpy') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_log_goes_to_stderr(capfd):
    solve(SMALL, log=True)
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "HiGHS" in shown.err
