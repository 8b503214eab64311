"""mlbroker.outer_job: one job of a slot in shares of its workers."""

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.models.mlbroker.slot import SlotProblem
from farkas.relaxations.mlbroker.outer_job import JobPrices, Outer, OuterJob
from farkas.relaxations.mlbroker.slot_solver import JobByJob
from farkas.relaxations.mlbroker.tangents import Tangents, Touched, refine
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


def test_what_was_deployed_need_not_rise():
    problem = SlotProblem.of(discounted())
    before = np.array([[0.0, 0.25]])
    problem = SlotProblem(market=problem.market, before=before, constants=problem.constants)
    tangents = Tangents.first(before, problem.scale, 1.0, grows=True, pieces=3)
    form = OuterJob().form(Touched(problem, tangents))
    assert row(form, "present_with_server[1]").startswith("-0.25 <= -1 server[1]")


@pytest.mark.slow
def test_one_session_serves_slots_in_any_order():
    # The trap: prices or right-hand sides of the job before that stay in the warm session.
    problems = [p for p in slots("printed") if p.market.num_sites == 2]
    warm = JobByJob(2)
    for problem in problems + problems[::-1]:
        expected = JobByJob(2).solve(problem).objective
        assert warm.solve(problem).objective == pytest.approx(expected, rel=1e-9)


def touched(grows=True):
    """First slot of `discounted`, half deployed at site 0; tangents at p and full deployment."""
    problem = SlotProblem.of(discounted())
    before = np.array([[0.5, 0.0]])
    problem = SlotProblem(market=problem.market, before=before, constants=problem.constants)
    start = before if grows else np.zeros((1, 2))
    points = np.stack([start, np.ones((1, 2))], axis=-1)
    return Touched(problem, Tangents(points, before, start, problem.scale, 1.0))


def test_deployment_is_what_was_there_and_what_segments_add():
    form = Outer(relax="tight").form(touched())
    risen = "+1 deployed[0,0,0] -1 risen[0,0,0,0] -1 risen[0,0,0,1] = 0.5"
    assert row(form, "deployed_in_pieces[0,0,0]") == risen
    # c/σ = 1/ln 2; staying is free, the tangent at 1 rises by ln((1 + 1)/(p + 1)) / ln 2
    prices = form.values(form.cost, "risen")[0]
    assert prices[0] == pytest.approx([0.0, np.log(2 / 1.5) / np.log(2)])
    assert prices[1] == pytest.approx([0.0, 1.0])
    assert form.offset == 0.0
    assert not form.cost[form.column_block("started").where].any()
    # leaving site 0 costs (1/ln 2)(ln(1/1.5) + 1/2) at the start
    leaving = Outer(relax="tight", semantics="strict").form(touched(grows=False))
    assert leaving.offset == pytest.approx((np.log(2 / 3) + 0.5) / np.log(2))


def test_the_printed_slot_has_the_constants_of_the_whole_instance():
    # U = 4 and M = 2 as in the whole of `discounted`
    form = Outer().form(touched())
    assert row(form, "present_where_used[0,0,1]") == (
        "0 <= -1 workers[0,0,1] -1 server[0,0,1] +4 deployed[0,0,1]"
    )
    assert row(form, "cost_at_list_price[0,1,0]") == (
        "0 <= -1 workers[0,0,1] -2 server[0,0,1] +1 resource_cost[0,1,0] +2 not_list[0,1,0]"
    )


def test_more_tangents_bound_the_slot_closer():
    few = touched()
    many = Tangents.first(few.problem.before, few.problem.scale, 1.0, grows=True, pieces=9)
    values = [solve(Outer(relax="tight").form(few)).objective]
    for _ in range(6):
        form = Outer(relax="tight").form(Touched(few.problem, many))
        answer = solve(form)
        values.append(answer.objective)
        deployed = form.values(answer.point, "deployed")
        refine(many, deployed, np.zeros((1, 2)), np.ones((1, 2), bool))
    assert values[0] <= values[-1] + 1e-9
    exact = programs.build("mlbroker.regularized[relax=tight]").model(few.problem)
    exact.problem.solve(solver="CLARABEL")
    assert values[-1] == pytest.approx(exact.problem.value, rel=1e-3)
    assert values[-1] <= exact.problem.value + 1e-6
