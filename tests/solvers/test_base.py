import subprocess
import sys

import numpy as np
import pytest

from farkas.errors import InvalidOption, SolverUnavailable, UnknownName, UnsupportedForm
from farkas.solvers import (
    Ability,
    Access,
    Answer,
    Claimed,
    Reason,
    backends,
    solve,
    status,
)
from farkas.solvers.base import Availability, find, installed, missing, version_of
from tests.conformance.solvers.cases import INF, form

SMALL = form([1], [(2, [1], INF)])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("higs", "did you mean highs?"),
        ("scip:x", "scip takes no name after the colon"),
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


@pytest.mark.filterwarnings("error")
def test_numbers_whose_sum_overflows_are_looked_at_without_a_warning():
    large = form([1], [(2, [1e308], INF), (2, [1e308], INF)])
    assert solve(large).claim is Claimed.OPTIMAL


def test_start_of_the_wrong_shape_is_refused():
    with pytest.raises(InvalidOption, match="needs 1 finite values"):
        solve(SMALL, start=np.zeros(2))


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (None, "returned NoneType instead of an answer"),
        ([1.0], "returned list instead of an answer"),
        (Answer(raw_point=np.zeros(2)), "raw_point has shape (2,), the form needs (1,)"),
        (Answer(raw_row_duals=np.zeros(0)), "raw_row_duals has shape (0,), the form needs (1,)"),
        (Answer(raw_ray=np.zeros((1, 1))), "raw_ray has shape (1, 1), the form needs (1,)"),
        (Answer(raw_point=["x"]), "could not convert string to float: 'x'"),
    ],
)
def test_a_backend_that_returns_no_answer_is_in_error(monkeypatch, returned, words):
    monkeypatch.setattr(find("highs"), "run", lambda *_: returned)
    answer = solve(SMALL)
    assert (answer.reason, answer.claim, answer.message) == (Reason.ERROR, Claimed.NONE, words)


@pytest.mark.parametrize(
    "failure", [RuntimeError("out of\nmemory"), MemoryError(), SystemExit("bye")]
)
def test_exceptions_of_a_solver_become_answers(monkeypatch, failure):
    def explode(*_):
        raise failure

    monkeypatch.setattr(find("highs"), "run", explode)
    answer = solve(SMALL)
    assert (answer.reason, answer.claim) == (Reason.ERROR, Claimed.NONE)
    assert answer.message in ("out of memory", "MemoryError", "bye")


def test_status_lists_every_backend():
    lines = status()
    assert [line.name for line in lines] == backends.names()
    highs = next(line for line in lines if line.name == "highs")
    assert highs.availability.standing is Access.FULL
    assert highs.version >= "1.15"
    assert set(highs.abilities) == {"linear", "integer", "duals", "rays", "warm"}


def test_solvers_behind_a_bridge_follow_it_and_all_of_them_can_be_asked_for():
    names = [line.name for line in status(bridged=True)]
    assert [name for name in names if ":" not in name] == backends.names()
    assert names[names.index("highs") :][:4] == [
        "highs", "highs:simplex", "highs:ipm", "highs:pdlp"
    ]  # fmt: skip
    for line in status(bridged=True):
        assert line.abilities, line.name
        if line.availability.standing is Access.MISSING:
            assert line.availability.detail, f"{line.name} does not say how to get it"
            with pytest.raises(SolverUnavailable, match=f"solver {line.name} is missing: "):
                solve(SMALL.replace(integer=np.ones(1, dtype=bool)), line.name)


def test_continuous_columns_are_refused_by_solvers_of_whole_ones(monkeypatch):
    monkeypatch.setattr(find("highs"), "abilities", Ability.INTEGER)
    with pytest.raises(UnsupportedForm, match="takes whole columns only and case has 1 continuous"):
        solve(form([1, 1], [(0.5, [1, 1], INF)], integer=[0]))
    assert solve(form([1, 1], [(0.5, [1, 1], INF)], integer=[0, 1])).objective == 1


def test_a_missing_package_is_said_with_its_remedy(monkeypatch):
    monkeypatch.setattr("farkas.solvers.base.installed", lambda _: False)
    with pytest.raises(SolverUnavailable, match=r"scip is missing: pip install 'farkas\[scip\]'"):
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


@pytest.mark.parametrize(
    ("standing", "usable"),
    [
        (Access.MISSING, False),
        (Access.UNLICENSED, False),
        (Access.LIMITED, True),
        (Access.FULL, True),
    ],
)
def test_a_limited_solver_solves_something_and_an_unlicensed_one_nothing(standing, usable):
    assert bool(Availability(Access(standing))) is usable


def test_a_standing_tells_its_detail():
    assert str(Availability(Access.FULL)) == "full"
    assert str(Availability(Access.LIMITED, "2 rows")) == "limited: 2 rows"


def test_what_is_missing_names_what_brings_it():
    assert str(missing("farkas[scip]")) == "missing: pip install 'farkas[scip]' to use it"
    assert str(missing("clarabel")) == "missing: pip install 'clarabel' to use it"


def test_packages_are_found_without_importing_them(tmp_path, monkeypatch):
    (tmp_path / "raises_on_import.py").write_text("raise RuntimeError")
    monkeypatch.syspath_prepend(tmp_path)
    assert installed("raises_on_import")
    assert not installed("no_such_package")
    assert not installed("no_such_package.below")
    assert not installed("")
    assert version_of("no-such-distribution") == ""
    assert version_of("numpy") != ""
