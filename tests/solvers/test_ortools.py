"""OR-tools: what its process is asked, and what becomes of its words."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from farkas.errors import InvalidOption, SolverUnavailable, UnknownName, UnsupportedForm
from farkas.solvers import Ability, Claimed, Reason, backends, ortools, solve
from farkas.solvers.access import installed
from farkas.solvers.base import find
from farkas.solvers.ortools import ENGINES
from tests.conformance.solvers.cases import INF, form

# max 3x + 2y, x + y <= 4, x + 3y <= 6, and 5 on top: (4, 0), value 17
MAXIMUM = form([3, 2], [(-INF, [1, 1], 4), (-INF, [1, 3], 6)], sense="max", offset=5.0)
WHOLE = MAXIMUM.replace(integer=np.ones(2, dtype=bool))


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setattr(ortools, "CHILD", "tests.solvers.ortools_fake_child")
    monkeypatch.setattr("farkas.solvers.base.installed", lambda _: True)

    def say(case, solver, *, others=(), **told):
        options = {"solver_options": {"say": json.dumps(told)}, **dict(others)}
        return solve(case, f"ortools:{solver}", **options)

    return say


@pytest.mark.parametrize("solver", ["glop", "pdlp"])
def test_duals_of_the_minimum_become_those_of_the_program(fake, solver):
    units = MAXIMUM.units
    found = {
        "point": np.ldexp([4.0, 0.0], -units.columns).tolist(),
        "duals": np.ldexp([-3.0, 0.0], units.rows - units.cost).tolist(),
    }
    answer = fake(MAXIMUM, solver, status="optimal", arrays=found, message="kept for itself")
    assert (answer.reason, answer.claim, answer.message) == (Reason.FINISHED, Claimed.OPTIMAL, "")
    assert answer.solver == f"ortools:{solver}"
    assert (answer.point.tolist(), answer.row_duals.tolist()) == ([4, 0], [3, 0])


def test_a_process_is_asked_for_a_minimum_of_arrays(fake):
    others = {"time_limit": 7.5, "threads": 2, "seed": 9, "gap": 0.25}
    words, arrays = json.loads(fake(MAXIMUM, "glop", asked=1, others=others).message)
    assert words == {
        "engine": "glop", "time_limit": 7.5, "threads": 2, "seed": 9, "gap": 0.25, "log": False,
        "feasibility": False,
    }  # fmt: skip
    units = MAXIMUM.units
    assert arrays["cost"] == np.ldexp([-3.0, -2.0], units.columns - units.cost).tolist()
    assert arrays["row_upper"] == np.ldexp([4.0, 6.0], -units.rows).tolist()
    assert arrays["row_lower"] == [-INF, -INF]
    assert (arrays["starts"], arrays["columns"]) == ([0, 2, 4], [0, 1, 0, 1])


def test_cp_sat_is_asked_in_whole_numbers_and_its_bound_comes_back_in_the_unit_of_costs(fake):
    # in whole numbers min -3x - 2y; it says at least -13, so the maximum is at most 13 + 5
    told = {"status": "limit", "bound": -13.0, "arrays": {"point": [3, 1]}}
    answer = fake(WHOLE, "cpsat", **told, others={"time_limit": 1e-9})
    assert (answer.reason, answer.claim) == (Reason.TIME_LIMIT, Claimed.FEASIBLE)
    assert (answer.objective, answer.bound) == (16.0, 18.0)
    half = WHOLE.replace(cost=WHOLE.cost / 2)
    assert fake(half, "cpsat", **told).bound == 11.5
    _, arrays = json.loads(fake(WHOLE, "cpsat", asked=1).message)
    assert (arrays["cost"], arrays["upper"]) == ([-3, -2], [4, 4])
    assert "start" not in arrays
    start = {"start": np.array([9.4, 0.6])}
    _, arrays = json.loads(fake(WHOLE, "cpsat", asked=1, others=start).message)
    assert arrays["start"] == [4, 1], "a start outside the bounds would be no hint"


@pytest.mark.parametrize(
    ("status", "limit", "reason"),
    [
        ("limit", 1e-9, Reason.TIME_LIMIT),
        ("limit", 1e9, Reason.ITERATION_LIMIT),
        ("numerical", 1e9, Reason.NUMERICAL),
        ("error", 1e9, Reason.ERROR),
    ],
)
def test_ends_without_a_point_claim_nothing(fake, status, limit, reason):
    answer = fake(MAXIMUM, "glop", status=status, message="why", others={"time_limit": limit})
    assert (answer.reason, answer.claim, answer.message) == (reason, Claimed.NONE, "why")


def test_infeasible_or_unbounded_is_decided_without_costs(fake):
    case = form([1, 1], [(1, [1, -1], 1)], sense="max")
    point = {"arrays": {"point": [1, 0], "duals": [0]}}
    answer = fake(case, "pdlp", status="optimal or either", **point)
    assert (answer.reason, answer.claim) == (Reason.FINISHED, Claimed.UNBOUNDED)
    answer = fake(case, "pdlp", status="infeasible", arrays={"ray": [1.0]})
    assert (answer.reason, answer.claim) == (Reason.FINISHED, Claimed.INFEASIBLE)


def test_ctrl_c_and_a_process_that_had_to_be_killed_keep_what_was_said(monkeypatch):
    monkeypatch.setattr("farkas.solvers.base.installed", lambda _: True)
    said = {"status": "limit", "bound": -13.0}
    for how, reason in (("interrupted", Reason.INTERRUPTED), ("overlong", Reason.TIME_LIMIT)):
        monkeypatch.setattr(ortools, "ask", lambda *_, how=how, **__: (said, {}, how))
        answer = solve(WHOLE, "ortools:cpsat")
        assert (answer.reason, answer.claim, answer.bound) == (reason, Claimed.NONE, 18.0)
        monkeypatch.setattr(ortools, "ask", lambda *_, how=how, **__: ({}, {}, how))
        assert solve(MAXIMUM, "ortools:pdlp").reason is reason


def test_a_refused_option_is_named(fake):
    with pytest.raises(InvalidOption, match=r"^ortools:glop refuses its option say: no field$"):
        fake(MAXIMUM, "glop", refused="say: no field")


def test_what_has_no_whole_point_is_infeasible_without_asking(monkeypatch):
    monkeypatch.setattr("farkas.solvers.base.installed", lambda _: True)
    monkeypatch.setattr(ortools, "ask", None)
    case = form([1], lower=0.25, upper=0.75, integer=[0])
    answer = solve(case, "ortools:cpsat")
    assert (answer.claim, answer.message) == (
        Claimed.INFEASIBLE, "column 0: no whole number within its bounds"
    )  # fmt: skip


def test_names_and_abilities():
    assert backends["ortools"].names() == tuple(ENGINES)
    assert find("ortools").name == find("ortools:").name == find("ortools:glop").name
    assert find("ortools:cpsat").abilities == Ability.INTEGER
    with pytest.raises(UnknownName, match="did you mean cpsat"):
        find("ortools:cp_sat")


def test_without_the_package_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setattr("farkas.solvers.base.installed", lambda _: False)
    words = r"solver ortools:pdlp is missing: pip install 'farkas\[solvers\]' to use it"
    with pytest.raises(SolverUnavailable, match=words):
        solve(MAXIMUM, "ortools:pdlp")
    monkeypatch.setattr("farkas.solvers.base.installed", lambda _: True)
    assert backends["ortools"].availability().detail == "bridge: ortools:NAME"


@pytest.mark.skipif(not installed("ortools"), reason="needs ortools, of farkas[solvers]")
def test_the_process_of_highs_loads_nothing_of_it():
    code = (
        "import sys, numpy as np; from farkas.solvers import solve; "
        "from tests.solvers.test_ortools import MAXIMUM; "
        "print(solve(MAXIMUM, 'highs').objective, solve(MAXIMUM, 'ortools').objective, "
        "solve(MAXIMUM, 'highs:ipm').objective, 'ortools' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["17.0", "17.0", "17.0", "False"]


@pytest.mark.skipif(not installed("ortools"), reason="needs ortools, of farkas[solvers]")
@pytest.mark.parametrize(
    ("solver", "name", "value"),
    [
        ("glop", "max_number_of_iterations", 0),
        ("pdlp", "termination_criteria.iteration_limit", 1),
        ("cpsat", "max_deterministic_time", 0.0),
    ],
)
def test_options_of_its_own_are_taken_and_others_refused(solver, name, value):
    case = WHOLE if solver == "cpsat" else MAXIMUM
    assert solve(case, f"ortools:{solver}").objective == pytest.approx(17, abs=1e-6)
    held = solve(case, f"ortools:{solver}", solver_options={name: value})
    assert (held.reason, held.claim == Claimed.OPTIMAL) == (Reason.ITERATION_LIMIT, False)
    for wrong in ({"no_such": 1}, {name: "perhaps"}):
        with pytest.raises(InvalidOption, match=f"ortools:{solver} refuses its option"):
            solve(case, f"ortools:{solver}", solver_options=wrong)


@pytest.mark.skipif(not installed("ortools"), reason="needs ortools, of farkas[solvers]")
def test_cp_sat_refuses_what_it_cannot_count():
    with pytest.raises(UnsupportedForm, match="no upper bound, and no row implies one"):
        solve(form([1], [(1, [1], INF)], integer=[0]), "ortools:cpsat")
