"""mlbroker.outer_job: one job of a slot in shares of its workers."""

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.models.mlbroker.slot import SlotProblem
from farkas.relaxations.mlbroker.outer_job import JobPrices, OuterJob
from farkas.relaxations.mlbroker.tangents import Tangents, Touched
from farkas.solvers import solve
from tests.conformance.oracle import row
from tests.generators.mlbroker import discounted, single, slots


@pytest.mark.slow
def test_a_job_in_shares_has_the_value_of_the_traced_slot():
    for problem in slots("printed"):
        if problem.market.num_jobs == 1:
            tangents = Tangents.first(
                problem.before, problem.scale, problem.market.epsilon, grows=True, pieces=6
            )
            touched = Touched(problem, tangents)
            whole = solve(programs.build("mlbroker.outer[relax=tight]").form(touched))
            share = solve(programs.build("mlbroker.outer_job").form(touched))
            assert share.objective == pytest.approx(whole.objective, rel=1e-9, abs=1e-9)


def test_prices_of_all_workers_at_once():
    # 3 workers of 10 GB: moving all costs 30; 3 units at 0.6; 3 links of 2 GB to the other site
    prices = JobPrices.of(SlotProblem.of(discounted()).market)
    assert prices.moved.tolist() == [[[0, 30], [30, 0]]]
    assert prices.connected[0] == pytest.approx(np.array([[1.8, 7.8], [7.8, 1.8]]))
    assert prices.server == pytest.approx(np.array([[1.2, 1.2]]))
    assert prices.volume.tolist() == [[1.0, 0.0]]


def test_a_job_without_data_costs_its_server_only():
    prices = JobPrices.of(SlotProblem.of(single([[0.0, 0.0]])).market)
    assert not prices.moved.any()
    assert not prices.connected.any()
    assert prices.volume.tolist() == [[0, 0]]
    assert prices.server.tolist() == [[1, 1]]


def test_the_matrix_of_signs_written_out():
    form = OuterJob().form(discounted())
    arriving = "-1 moved[0,1] -1 moved[1,1] +1 connected[1,0] +1 connected[1,1]"
    assert row(form, "enough_workers[1]") == f"0 <= {arriving}"
    assert row(form, "all_data_moved[0]") == "+1 moved[0,0] +1 moved[0,1] = 1"
    assert row(form, "server_is_connected[1]") == (
        "0 <= +1 connected[0,1] +1 connected[1,1] -1 server[1]"
    )
    here = "+1 risen[1,0] +1 risen[1,1] +1 risen[1,2]"
    assert row(form, "present_with_workers[1]") == (
        f"0 <= -1 connected[1,0] -1 connected[1,1] {here}"
    )
    assert row(form, "present_with_server[1]") == f"0 <= -1 server[1] {here}"


def test_what_was_deployed_need_not_rise():
    problem = SlotProblem.of(discounted())
    before = np.array([[0.0, 0.25]])
    problem = SlotProblem(market=problem.market, before=before, constants=problem.constants)
    tangents = Tangents.first(before, problem.scale, 1.0, grows=True, pieces=3)
    form = OuterJob().form(Touched(problem, tangents))
    assert row(form, "present_with_server[1]").startswith("-0.25 <= -1 server[1]")
