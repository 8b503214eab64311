"""One set of options: what is refused, what stands for the default, and words of solvers."""

import math
import subprocess
import sys

import numpy as np
import pytest

from farkas.errors import InvalidOption, SolverUnavailable, UnknownName, UnsupportedForm
from farkas.solvers import (
    Ability,
    Access,
    Answer,
    Conclusion,
    Options,
    Reason,
    backends,
    solve,
    status,
)
from farkas.solvers.base import find, installed, version_of
from farkas.solvers.gurobi import _ranged
from farkas.solvers.options import WORDS
from tests.conformance.solvers.cases import INF, form, knapsacks, market_split

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
        ("lower", np.nan, "column 0 lies between nan and"),
        ("upper", -INF, "and -inf; no number does"),
        ("row_lower", INF, "row 0 lies between inf and"),
        ("row_upper", np.nan, "and nan; no number does"),
    ],
)
def test_numbers_that_mean_nothing_are_refused(field, value, words):
    with pytest.raises(UnsupportedForm) as refusal:
        solve(SMALL.replace(**{field: np.array([value])}))
    assert words in str(refusal.value)


@pytest.mark.filterwarnings("error")
def test_numbers_whose_sum_overflows_are_looked_at_without_a_warning():
    large = form([1], [(2, [1e308], INF), (2, [1e308], INF)])
    assert solve(large).claim is Conclusion.OPTIMAL


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
    assert (answer.reason, answer.claim, answer.message) == (Reason.ERROR, Conclusion.NONE, words)


@pytest.mark.parametrize(
    "failure", [RuntimeError("out of\nmemory"), MemoryError(), SystemExit("bye")]
)
def test_exceptions_of_a_solver_become_answers(monkeypatch, failure):
    def explode(*_):
        raise failure

    monkeypatch.setattr(find("highs"), "run", explode)
    answer = solve(SMALL)
    assert (answer.reason, answer.claim) == (Reason.ERROR, Conclusion.NONE)
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
    assert names[names.index("cvxpy") + 1].startswith("cvxpy:")
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


def test_packages_are_found_without_importing_them(tmp_path, monkeypatch):
    (tmp_path / "raises_on_import.py").write_text("raise RuntimeError")
    monkeypatch.syspath_prepend(tmp_path)
    assert installed("raises_on_import")
    assert not installed("no_such_package")
    assert not installed("no_such_package.below")
    assert not installed("")
    assert version_of("no-such-distribution") == ""
    assert version_of("numpy") != ""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"timelimit": 3}, "unknown solver option 'timelimit'; did you mean time_limit?"),
        ({"time_limit": -1}, "time_limit = -1: must be a number of seconds >= 0"),
        ({"time_limit": "3"}, "time_limit = '3': must be a number of seconds >= 0"),
        ({"time_limit": float("nan")}, "time_limit = nan: must be"),
        ({"gap": INF}, "gap = inf: must be a finite number >= 0"),
        ({"threads": 0}, "threads = 0: must be a whole number from 1 to 2147483647"),
        ({"threads": True}, "threads = True: must be"),
        ({"seed": 2**31}, "seed = 2147483648: must be a whole number from 0"),
        ({"log": 1}, "log = 1: must be True or False"),
    ],
)
def test_options_are_refused_by_name_and_value(options, words):
    with pytest.raises(InvalidOption) as refusal:
        solve(SMALL, **options)
    assert words in str(refusal.value)


def test_options_go_by_the_words_of_the_solver_and_no_limit_is_no_word():
    assert Options().worded(("a", "b", "c", "d")) == {"b": 0.0, "c": 1, "d": 0}
    given = Options(time_limit=2.5, gap=0.125, threads=3, seed=9)
    assert given.worded(WORDS["highs"]) == {
        "time_limit": 2.5, "mip_rel_gap": 0.125, "threads": 3, "random_seed": 9,
    }  # fmt: skip
    assert given.worded(("", "gap", "", "")) == {"gap": 0.125}


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"time_limit": 1.0}, "time_limit"),
        ({"gap": 0.1}, "gap"),
        ({"threads": 2}, "threads"),
        ({"seed": 1}, "seed"),
    ],
)
def test_a_needed_option_without_a_word_is_refused_unless_it_is_the_default(options, name):
    nothing = ("", "", "", "")
    assert Options().worded(nothing, "x", [name]) == {}
    assert Options(**options).worded(nothing, "x") == {}
    with pytest.raises(InvalidOption, match=f"farkas cannot pass {name} to x; leave it out"):
        Options(**options).worded(nothing, "x", [name])


def test_amounts_and_counts_may_be_numpy_numbers():
    parsed = Options.parse({"time_limit": np.float64(2), "seed": np.int32(7)})
    assert (parsed.time_limit, parsed.seed, parsed.gap) == (2.0, 7, 0.0)
    assert Options.parse({"time_limit": math.inf}) == Options()


ROWS = [(1, [1, 1], 1), (0, [1, 0], 4), (-INF, [0, 1], 3), (-2, [1, 1], INF), (-INF, [1, 1], INF)]


def test_only_rows_with_two_different_finite_sides_take_a_column_more():
    case = form([1, 1], ROWS)
    assert _ranged(case).tolist() == [False, True, False, False, False]
    assert find("gurobi").footprint(case) == (5, 3)


@pytest.mark.parametrize(("sense", "value"), [("min", -1.0), ("max", 4.0)])
def test_the_slack_of_a_range_ends_on_both_sides(sense, value):
    # x in [-1, 4] by a row, free otherwise; a wrong sign of the slack gives [-6, -1]
    answer = solve(form([1], [(-1, [1], 4)], lower=-INF, sense=sense), "gurobi")
    assert answer.point.tolist() == [value]
    assert answer.row_duals.tolist() == [1.0]


def test_a_stopped_search_without_bound_or_point_says_nothing():
    answer = solve(knapsacks(), "gurobi", time_limit=0.0)
    assert answer.reason is Reason.TIME_LIMIT
    assert answer.claim in (Conclusion.NONE, Conclusion.FEASIBLE)
    # its stand-in for infinity, 1e100, is no bound
    assert not abs(answer.bound) >= 1e100


@pytest.mark.parametrize(("sense", "value"), [("min", -5.5), ("max", 9.5)])
def test_the_constant_counts_in_value_and_bound(sense, value):
    case = form([5, 10], [(-1.5, [1, 1], 1.5)], lower=-INF, sense=sense, offset=2.0)
    # all of the row on the column of cost 5 needs the other at 0: fixed, so +-7.5 + 2
    case = case.replace(lower=np.array([-INF, 0.0]), upper=np.array([INF, 0.0]))
    answer = solve(case, "scip")
    assert answer.objective == pytest.approx(value)
    assert answer.bound == pytest.approx(value)


def test_a_start_that_breaks_a_row_does_no_harm():
    case = form([1, 1], [(3, [2, 2], INF)], upper=5.0, integer=[0, 1])
    # 2 (x + y) >= 3: two units; the start has none
    assert solve(case, "scip", start=np.zeros(2)).objective == pytest.approx(2)
    assert solve(case, "scip", start=np.array([2.0, 0.0])).objective == pytest.approx(2)


def test_infinite_bounds_are_unknown():
    answer = solve(market_split(), "scip", time_limit=0.0)
    assert answer.reason is Reason.TIME_LIMIT
    assert math.isnan(answer.bound) or abs(answer.bound) < 1e20
