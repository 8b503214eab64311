"""Slots in shares of workers, with tangents; cheapest schedules of jobs at prices."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
import pytest

import farkas
from farkas.algebra import programs
from farkas.errors import NoAnswer
from farkas.forms.matrices import part_of
from farkas.models.mlbroker.data import PlacedWorkers, SlotProblem, usage_of
from farkas.online.mlbroker.environment import recourse_costs
from farkas.relaxations.mlbroker.job_schedules import SiteSchedules, schedules_of
from farkas.relaxations.mlbroker.outer import Outer, TangentProblem, Tangents
from farkas.relaxations.mlbroker.relaxed import JobsApart, Relaxation
from farkas.relaxations.mlbroker.slot_solver import refine
from farkas.relaxations.mlbroker.slot_transport import JobPrices
from farkas.relaxations.mlbroker.slot_trees import cheapest_schedules
from farkas.solvers import solve
from tests.conformance.oracle import row
from tests.generators.mlbroker import (
    discounted,
    edge_cases,
    even_brokerage,
    random_brokerage,
    single,
)


def test_prices_of_all_workers_at_once():
    # 3 workers of 10 GB: moving all costs 30; 3 units at 0.6; 3 links of 2 GB to the other site
    prices = JobPrices.of(SlotProblem.of(discounted()).market)
    assert prices.moved.tolist() == [[[0, 30], [30, 0]]]
    assert prices.connected[0] == pytest.approx(np.array([[1.8, 7.8], [7.8, 1.8]]))
    assert prices.server == pytest.approx(np.array([[1.2, 1.2]]))
    assert prices.volume.tolist() == [[1.0, 0.0]]


def touched(grows=True):
    """First slot of `discounted`, half deployed at site 0; tangents at p and full deployment."""
    problem = SlotProblem.of(discounted())
    before = np.array([[0.5, 0.0]])
    problem = SlotProblem(market=problem.market, before=before, constants=problem.constants)
    start = before if grows else np.zeros((1, 2))
    points = np.stack([start, np.ones((1, 2))], axis=-1)
    return TangentProblem(problem, Tangents(points, before, start, problem.scale, 1.0))


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


def test_more_tangents_bound_the_slot_closer():
    few = touched()
    many = Tangents.first(few.problem.before, few.problem.scale, 1.0, grows=True, pieces=9)
    values = [solve(Outer(relax="tight").form(few)).objective]
    for _ in range(6):
        form = Outer(relax="tight").form(TangentProblem(few.problem, many))
        answer = solve(form)
        values.append(answer.objective)
        deployed = form.values(answer.point, "deployed")
        refine(many, deployed, np.zeros((1, 2)), np.ones((1, 2), bool))
    assert values[0] <= values[-1] + 1e-9
    exact = programs.build("mlbroker.regularized[relax=tight]").model(few.problem)
    exact.problem.solve(solver="CLARABEL")
    assert values[-1] == pytest.approx(exact.problem.value, rel=1e-3)
    assert values[-1] <= exact.problem.value + 1e-6


def nothing():
    """The clock does not matter."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_at_list_prices_the_lives_are_the_optimum_without_discounts(seed):
    data = random_brokerage(seed, sites=2 + seed % 2, slots=3, jobs=2, resources=2)
    data = data.replace(discount_price=None, discount_threshold=None)
    slope = np.broadcast_to(data.list_price, (data.num_slots, *data.list_price.shape))
    schedules = cheapest_schedules(data, slope, nothing)
    optimum = farkas.prove(data, "mlbroker.offline[strict,two,split]").value
    assert schedules.cost(data) == pytest.approx(float(optimum), rel=1e-8)
    assert schedules.bound.sum() == pytest.approx(float(optimum), rel=1e-8)
    assert schedules.bound.sum() <= float(optimum) * (1 + 1e-12)


def pairs_of(data):
    return [np.array([pair]) for pair in range(data.num_pairs)]


@pytest.mark.parametrize("seed", range(6))
def test_costs_are_those_of_the_environment(seed):
    data = even_brokerage(seed, jobs=3, slots=3)
    schedules = cheapest_schedules(data, data.chord_slope("strict"), nothing)
    placed = PlacedWorkers.of(data, schedules.workers, schedules.server)
    assert schedules.cost(data) == pytest.approx(recourse_costs(placed).total, rel=1e-9)
    np.testing.assert_array_equal(schedules.usage(data), placed.usage())
    parts = [usage_of(data, k, schedules.workers[k], schedules.server[k]) for k in pairs_of(data)]
    np.testing.assert_allclose(sum(parts), placed.usage())


def test_prices_grow_with_a_site_by_its_deployment_at_most():
    data = random_brokerage(3, sites=3, slots=4, jobs=4)
    schedules = cheapest_schedules(data, data.chord_slope("strict"), nothing)
    deploy = data.deploy_cost[data.pair_job]
    for members, site in itertools.product(range(8), range(3)):
        if not members >> site & 1:
            more = schedules.prices[:, members | 1 << site] - schedules.prices[:, members]
            assert (more >= -1e-12).all()
            assert (more <= deploy + 1e-12).all()
    assert (schedules.prices[data.next_pair < 0] == 0).all()
    assert schedules.prices[data.next_pair >= 0].any()


def test_the_clock_is_looked_at():
    def late():
        raise NoAnswer("late")

    with pytest.raises(NoAnswer, match="late"):
        cheapest_schedules(discounted(), discounted().chord_slope(), late)


def test_a_job_that_costs_more_than_doubles_hold_has_no_lives():
    # five slots with a worker for 4e307 each
    data = single([[10.0]] * 5, base_price=[[4e307]], server_demand=[0.0])
    with pytest.raises(NoAnswer, match="more than doubles hold"):
        cheapest_schedules(data, data.chord_slope("strict"), nothing)


CASES = {
    **{f"random {n}": random_brokerage(n, sites=3, slots=5, jobs=4, resources=2) for n in range(8)},
    "moving": single([[10.0, 0.0], [0.0, 10.0], [10.0, 0.0]], deploy_cost=3.0),
    "one slot": single([[10.0, 4.0]]),
    "one site": single([[10.0], [3.0]]),
    "nothing": single([[0.0, 0.0], [0.0, 0.0]]),
}


@pytest.mark.ids(1)
@pytest.mark.parametrize("name", CASES)
def test_lives_are_bounded_and_near_the_cheapest(name):
    data = CASES[name]
    slope = data.chord_slope("strict")
    search = SiteSchedules(data, 0, data.num_jobs, slope)
    search.search()
    exact, found = schedules_of(data, 0, data.num_jobs, slope), search.schedules()
    best = exact.bound
    assert (search.bound <= best * (1 + 1e-9) + 1e-12).all()
    assert (search.cost >= best * (1 - 1e-9)).all()
    assert search.cost.sum() == pytest.approx(best.sum(), rel=0.02)
    if name == "moving":  # every slot pays a worker, a server and a third of a deployment
        assert search.bound.sum() == pytest.approx(3 * (2 + 3 / 3))
    else:
        assert search.bound.sum() == pytest.approx(best.sum(), rel=0.05)
    # at these prices the jobs pay what was said
    usage = found.usage(data)
    price = found.cost(data) + (slope * usage - data.resource_cost(usage)).sum()
    assert price == pytest.approx(search.cost.sum())
    assert (found.workers.sum(axis=1) >= data.workers_needed).all()


def test_charges_add_up_to_a_deployment():
    data = CASES["random 2"]
    search = SiteSchedules(data, 0, data.num_jobs, data.chord_slope("strict"))
    rng = np.random.default_rng(0)
    search.prices[search.links] = (
        rng.uniform(0, 1, (len(search.links), 3)) * search.deploy[search.links]
    )
    total = np.zeros((data.num_jobs, 3))
    np.add.at(total, data.pair_job, search.charges())
    assert total == pytest.approx(np.repeat(data.deploy_cost[:, None], 3, axis=1))


def test_slots_between_others_pay_for_what_these_lack():
    data = CASES["moving"]
    search = SiteSchedules(data, 0, 1, data.chord_slope("strict"))
    search.workers[:] = [[1, 0], [0, 1], [1, 0]]
    search.at[:] = [0, 1, 0]
    # the middle one saves a second entry at the first site, and enters the second itself
    assert search.between(np.arange(3)).tolist() == [[3.0, 0.0], [-3.0, 3.0], [3.0, 0.0]]


@pytest.mark.slow
def test_a_job_stays_where_every_slot_has_a_better_site():
    # what a slot saves elsewhere is less than a deployment, and another site each time
    sites = 5
    price = np.ones((sites, 1))
    data = single([[4.0 * (r == t) for r in range(sites)] for t in range(sites)], deploy_cost=9.0,
                  base_price=price)  # fmt: skip
    search = SiteSchedules(data, 0, 1, data.chord_slope("strict"))
    search.search()
    assert len(set(search.at)) == 1
    # one deployment, a worker and a server in each slot, and 4 GB moved in all but one of them
    assert search.cost.tolist() == pytest.approx([9.0 + 2 * sites + 4 * (sites - 1)])


DATA = {
    **edge_cases(),
    **{f"random {n}": random_brokerage(n, sites=3, jobs=4, resources=2) for n in range(4)},
}


def value(program, data):
    return solve(program.form(data)).require_optimal().objective


@pytest.mark.ids(8)
@pytest.mark.parametrize("name", DATA)
def test_all_jobs_and_the_sum_of_single_jobs_are_the_tight_relaxation(name):
    data = DATA[name]
    tight = value(Relaxation(relax="tight"), data)
    apart = Relaxation(relax="tight").form(JobsApart(data, range(data.num_jobs)))
    parts = [part_of(apart, data.pair_job == i) for i in range(data.num_jobs)]
    alone = sum(solve(part).require_optimal().objective for part, _ in parts)
    assert alone == pytest.approx(tight, rel=1e-7, abs=1e-7)
    assert sorted(k for _, rows in parts for k in rows) == [*range(apart.num_rows)]
    assert sum(part.num_entries for part, _ in parts) == apart.num_entries
    for part, rows in parts:
        assert [part.row_name(k) for k in range(part.num_rows)] == [*map(apart.row_name, rows)]


def test_slots_that_share_columns_are_not_cut_apart():
    data = single([[10.0], [10.0]])
    form = Relaxation(relax="tight").form(JobsApart(data, range(1)))
    with pytest.raises(ValueError, match="share columns with others"):
        part_of(form, np.array([False, True]))  # what begins there depends on the slot before


def test_a_job_alone_keeps_the_prices_of_all_jobs_in_its_slots():
    # in the second slot two jobs of 2 units, a worker's and a server's: together beyond the
    # threshold 2, 0.5 * 4 + 1 = 3 USD on the chord to the 4 units that they can use
    data = single([[10.0]], discount_price=[[0.5]], discount_threshold=[[2.0]], num_slots=2)
    late = msgspec.structs.replace(data.jobs[0], arrival=1, departure=1)
    data = data.replace(jobs=[data.jobs[0], late, late])
    form, _ = part_of(
        Relaxation(relax="tight").form(JobsApart(data, range(1, 3))), np.array([False, True])
    )
    (row,) = range(*form.row_block("cost_on_chord").where.indices(form.num_rows)[:2])
    columns, values = form.matrix.row(row)
    at = columns.tolist().index(form.column_block("server").start)
    assert abs(values[at]) == pytest.approx(3 / 4)
