"""Options in the words of CVXPY's solvers."""

from __future__ import annotations

import math

import pytest

from farkas.errors import InvalidOption, SolverUnavailable
from farkas.solvers import solve
from farkas.solvers.access import installed
from farkas.solvers.options import Options
from farkas.solvers.via_cvxpy_words import PACKAGES, arguments, how_to_get
from tests.conformance.solvers.cases import INF, form


@pytest.mark.parametrize(
    ("solver", "words"),
    [
        ("CLARABEL", {"time_limit": 2.5, "max_threads": 3}),
        ("HIGHS", {"time_limit": 2.5, "mip_rel_gap": 0.125, "threads": 3, "random_seed": 9}),
        ("GUROBI", {"TimeLimit": 2.5, "MIPGap": 0.125, "Threads": 3, "Seed": 9}),
        ("SCIPY", {"scipy_options": {"time_limit": 2.5, "mip_rel_gap": 0.125}}),
        (
            "MOSEK",
            {"mosek_params": {
                "MSK_DPAR_OPTIMIZER_MAX_TIME": 2.5, "MSK_DPAR_MIO_TOL_REL_GAP": 0.125,
                "MSK_IPAR_NUM_THREADS": 3,
            }},
        ),
        (
            "SCS",
            {"time_limit_secs": 2.5, "eps_abs": 1e-8, "eps_rel": 1e-8, "max_iters": 100_000},
        ),
    ],
)  # fmt: skip
def test_options_reach_each_solver_in_its_own_words(solver, words):
    assert arguments(solver, Options(time_limit=2.5, gap=0.125, threads=3, seed=9)) == words
    # no limit is no word, not an infinite one
    assert math.inf not in arguments(solver, Options()).values()


def test_a_limit_that_cannot_be_passed_is_refused():
    assert arguments("ECOS", Options()) == {}
    with pytest.raises(InvalidOption, match="cannot pass time_limit to cvxpy:ECOS"):
        arguments("ECOS", Options(time_limit=1.0))


def test_own_options_come_last():
    given = Options.parse({"time_limit": 3.0, "solver_options": {"max_iters": 5, "alpha": 1.5}})
    assert arguments("SCS", given) | {"eps_abs": 0, "eps_rel": 0} == {
        "time_limit_secs": 3.0, "max_iters": 5, "alpha": 1.5, "eps_abs": 0, "eps_rel": 0
    }  # fmt: skip


@pytest.mark.parametrize("solver", PACKAGES)
def test_what_is_missing_names_the_package_that_brings_it(solver):
    case = form([1], [(2, [1], INF)])
    if installed(PACKAGES[solver]):
        assert solve(case, f"cvxpy:{solver}").objective == pytest.approx(2.0, abs=1e-5)
        return
    with pytest.raises(SolverUnavailable, match=f"cvxpy:{solver} is missing: .*install"):
        solve(case, f"cvxpy:{solver}")


def test_what_cvxpy_has_an_extra_for_is_got_by_it():
    assert how_to_get("ECOS") == "ecos"
    assert how_to_get("DAQP") == "cvxpy[daqp]"
    assert how_to_get("ECOS_BB") == "cvxpy[ecos-bb]"
    assert how_to_get("NAG") == ""


@pytest.mark.parametrize(
    ("solver", "words"),
    [
        ("GLOP", "its library and HiGHS's share symbols; use ortools:glop"),
        ("NAG", "https://www.cvxpy.org/tutorial/solvers says how to get it"),
        ("DAQP", r"pip install 'cvxpy\[daqp\]' to use it"),
    ],
)
def test_what_cannot_be_loaded_is_missing_with_its_remedy(solver, words):
    with pytest.raises(SolverUnavailable, match=f"solver cvxpy:{solver} is missing: {words}"):
        solve(form([1], [(2, [1], INF)]), f"cvxpy:{solver}")
