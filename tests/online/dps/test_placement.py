"""Algorithm 2 as a solver of (15), against general solvers of the program."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import UnsupportedForm
from farkas.instances import library
from farkas.online import algorithms
from farkas.online.dps.environment import Knowledge, Offer
from farkas.online.dps.seller import FreeOfCharge
from farkas.solvers.subproblem import solve_subproblem
from tests.generators.dps import random_market

GENERAL = ["highs", "gurobi", "scip", "cvxpy:HIGHS", "pyomo:highs"]


@pytest.mark.parametrize("seed", range(12))
def test_every_job_runs_as_short_as_a_general_solver_lets_it(seed: int) -> None:
    market, asked = random_market(seed, jobs=12, servers=3), 0
    seller = FreeOfCharge("pa")
    state, rng = seller.start(Knowledge.of(market), 0), np.random.default_rng(0)
    for offer in Offer.all_of(market):
        program, answer = seller.model(state, offer), None
        if program is not None:
            answer = solve_subproblem(program, "pa")
            assert answer.value == pytest.approx(solve_subproblem(program, "highs").value)
            asked += 1
        state, decision = seller.round(state, offer, answer, rng)
        assert bool(decision.servers) == (program is not None)
    assert asked


@pytest.mark.parametrize("seed", range(4))
def test_solved_job_by_job_the_run_is_that_of_the_kernel(seed: int) -> None:
    market = random_market(seed, jobs=12, servers=3)
    plain, solved = (algorithms["dps.pa"].run(market, solver=name) for name in ("", "pa"))
    assert solved.decisions == plain.decisions
    served = [bool(job["servers"]) for job in solved.decisions]
    by_slot = np.bincount(market.arrival, served, market.horizon)
    assert [slot.programs for slot in solved.steps] == by_slot.tolist()
    runtime = sum(slot.fractional or 0.0 for slot in solved.steps)
    assert runtime == pytest.approx(solved.numbers["total_runtime"])


@pytest.mark.parametrize("solver", GENERAL)
def test_general_solvers_place_jobs(solver: str) -> None:
    market = library.load("dps/tiny")
    run = algorithms["dps.pa"].run(market, solver=solver)
    assert run.violations == []
    assert run.certificate is not None
    assert {slot.solver for slot in run.steps if slot.programs} == {solver}
    assert {slot.program for slot in run.steps if slot.programs} == {"dps.placement"}


@pytest.mark.parametrize("solver", ["clarabel", "cvxpy:SCS"])
def test_a_solver_without_whole_numbers_is_refused(solver: str) -> None:
    with pytest.raises(UnsupportedForm):
        algorithms["dps.pa"].run(library.load("dps/tiny"), solver=solver)
