"""Slots by themselves: whole placements by trees, fractional ones, and schedules of jobs."""

from __future__ import annotations

import dataclasses
import itertools
from fractions import Fraction

import numpy as np
import pytest

from farkas import executor as module
from farkas.algebra import programs
from farkas.certificates import exact_bound
from farkas.errors import InvalidOption
from farkas.executor import Executor
from farkas.instances import library
from farkas.models.mlbroker.data import SlotProblem, snapshot
from farkas.models.mlbroker.placement import OneShot, placement
from farkas.relaxations.mlbroker import slot_trees
from farkas.relaxations.mlbroker.job_schedules import JobSchedules, schedules_of
from farkas.relaxations.mlbroker.relaxed import Relaxation, ServerRelaxation
from farkas.relaxations.mlbroker.slot_solver import Together
from farkas.relaxations.mlbroker.slot_trees import (
    SlotGrowth,
    cheapest_schedules,
    grow,
    slot_tree,
)
from farkas.solvers import solve
from farkas.solvers.convex import solve_problem
from farkas.solvers.subproblem import Subproblem
from farkas.testing import variants
from tests.generators.mlbroker import (
    discounted,
    edge_cases,
    even_brokerage,
    random_brokerage,
    seen,
    single,
    slots,
    without_discounts,
)
from tests.references.mlbroker_policies import cheapest, cost_of
from tests.tools.quick import some


def placed(now):
    """What the tree of a slot says."""
    return slot_tree(Subproblem(OneShot(), now, placement))


def with_discounts(seed):
    """Random numbers, or ties; wires from free to dear, and discounts that count."""
    factor = (0.0, 0.05, 1.0, 5.0)[seed % 4]
    if seed % 3:
        broker = random_brokerage(seed, slots=2, jobs=2 + seed % 2, resources=2, most=3)
    else:
        broker = even_brokerage(seed, slots=2, jobs=3)
    return broker.replace(transfer_price=factor * broker.transfer)


def assert_right(broker, slot, deployed):
    """Compare with all placements, at list prices and with discounts; return both values."""
    now = seen(broker, slot, deployed)
    rows = list(enumerate(now.jobs.tolist()))
    before = {n: frozenset(np.flatnonzero(now.deployed[row]).tolist()) for row, n in rows}
    values = []
    for listed in (True, False):
        market = without_discounts(now.market) if listed else now.market
        answer = placed(dataclasses.replace(now, market=market))
        workers, server = answer.decisions
        plans = {n: (tuple(workers[row].tolist()), int(server[row])) for row, n in rows}
        least = float(cheapest(broker, [slot], before, listed=listed))
        worth = float(cost_of(broker, slot, plans, before, listed=listed))
        assert worth == pytest.approx(least, rel=1e-9, abs=1e-300)
        assert answer.value == pytest.approx(least, rel=1e-9, abs=1e-300)
        assert least * (1 - 1e-8) <= answer.dual <= answer.value
        values.append(answer.value)
    return values


@pytest.mark.slow
def test_placements_of_a_slot_are_the_cheapest_of_all(monkeypatch):
    asked = []
    monkeypatch.setattr(slot_trees, "solve_subproblem", asked.append)  # is not needed
    discounts = 0
    for seed in range(some(20, 60)):
        broker = with_discounts(seed)
        shape = len(broker.jobs_at(1)), broker.num_sites
        if shape[0]:
            was = np.random.default_rng(seed).random(shape) < 0.4
            listed, paid = assert_right(broker, 1, was)
            discounts += paid < 0.99 * listed
    assert discounts > some(5, 15)
    assert not asked


@pytest.mark.parametrize("name", edge_cases())
def test_edge_cases(name):
    broker = edge_cases()[name]
    shape = len(broker.jobs_at(0)), broker.num_sites
    if shape[0]:
        assert_right(broker, 0, np.zeros(shape, bool))


def test_a_solver_is_asked_where_the_tree_leaves_something_open(monkeypatch):
    asked, solve = [], slot_trees.solve_subproblem
    monkeypatch.setattr(slot_trees, "solve_subproblem", lambda x: asked.append(x) or solve(x))
    monkeypatch.setattr(slot_trees, "MOST_NODES", 1)
    for seed in range(20):
        broker = with_discounts(seed)
        now = snapshot(broker, 1)
        if now.market.num_jobs:
            least = float(cheapest(broker, [1], {n: frozenset() for n in now.jobs.tolist()}))
            assert placed(now).value == pytest.approx(least, rel=1e-6)
    assert 0 < len(asked) < 10
    assert {one.fastest for one in asked} == {"highs"}


def test_a_site_is_entered_once_for_all_workers():
    # Two workers of data at site 1; the job was at site 0, where its server costs 1 instead of 6.
    # All at site 0 moves data for 3, all at site 1 pays 5 and a deployment of 2; workers at 1 with
    # the server at 0 pay 2 only.
    broker = single(
        [[0.0, 20.0], [0.0, 20.0]], transfer_price=[[0, 0.15], [0.15, 0]], sync_volume=0.0,
        num_resources=2, base_price=[[1, 1], [1, 6]], worker_demand=[1, 0], server_demand=[0, 1],
        deploy_cost=2.0,
    )  # fmt: skip
    answer = placed(seen(broker, 1, [[True, False]]))
    assert [part.tolist() for part in answer.decisions] == [[[0, 2]], [0]]
    assert answer.value == pytest.approx(5.0)


def test_jobs_meet_for_a_discount():
    # A worker and a server are a unit each.  At site 0, where the data are, a unit costs 2.5, at
    # site 1 3, but beyond 3 units only 0.5; the way there costs a job 0.5, any site 5.
    broker = single(
        [[10.0, 0.0]],
        transfer_price=[[0, 0.05], [0.05, 0]],
        base_price=[[2.5], [3.0]],
        discount_price=[[2.5], [0.5]],
        discount_threshold=[[9.0], [3.0]],
        deploy_cost=5.0,
    )
    # two jobs: 4 * 2.5 = 10 at site 0, 9 + 0.5 + 2 * 0.5 = 10.5 at site 1
    two = broker.replace(jobs=broker.jobs * 2)
    assert placed(snapshot(two, 0)).decisions[1].tolist() == [0, 0]
    # four: 20 and 9 + 5 * 0.5 + 4 * 0.5 = 13.5
    four = broker.replace(jobs=broker.jobs * 4)
    assert placed(snapshot(four, 0)).decisions[1].tolist() == [1, 1, 1, 1]


EDGES = edge_cases()
RANDOM = {f"random {n}": random_brokerage(n, sites=3, jobs=4, resources=2) for n in range(4)}
DATA = {**EDGES, **RANDOM}
every_instance = pytest.mark.parametrize("name", DATA)
every_variant = pytest.mark.parametrize("program", variants(Relaxation), ids=lambda p: p.full_name)


def value(program, data):
    return solve(program.form(data)).require_optimal().objective


@every_variant
@every_instance
def test_duals_prove_the_bound_exactly(program, name):
    form = program.form(DATA[name])
    answer = solve(form).require_optimal()
    proved = exact_bound(form, answer.row_duals)
    assert isinstance(proved, Fraction)
    assert float(proved) == pytest.approx(answer.objective, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("tiny", {"printed": 14.1928571, "tight": 16.8}),
        # one worker of half a site's data each: only the sharp bound sees the 5 USD of traffic
        ("surplus_worker", {"tight,strict": 0.7, "sharp,strict": 3.2}),
        ("return_trip", {"tight": 6.6, "tight,strict": 9.15}),
        # the constant of the harmonic counterexample: hindsight deploys once
        ("harmonic", {"printed": 1.0, "tight": 1.0}),
    ],
)
def test_known_bounds(name, bounds):
    data = library.load(f"mlbroker/{name}")
    for variant, expected in bounds.items():
        program = programs.build(f"mlbroker.relaxed[{variant}]")
        assert value(program, data) == pytest.approx(expected)


def test_a_larger_constant_makes_the_printed_bound_collapse():
    # once M >= (a + b) H + e, resources cost nothing in (9), however many are used
    data = random_brokerage(2, sites=2, jobs=3)
    smallest = data.smallest_big_m
    bounds = [
        value(Relaxation(), data.replace(big_m=factor * smallest))
        for factor in (1, 2, 5, 100, 1000)
    ]
    assert bounds[0] > bounds[1] + 1e-6
    assert all(high >= low - 1e-9 for high, low in itertools.pairwise(bounds))
    assert bounds[-1] == pytest.approx(bounds[-2])
    free = data.replace(
        big_m=None,
        base_price=np.zeros((2, 1)),
        discount_price=None,
        discount_threshold=None,
    )
    assert bounds[-1] == pytest.approx(value(Relaxation(), free))


@pytest.mark.slow
@pytest.mark.parametrize("semantics", ["printed", "strict"])
@pytest.mark.parametrize("relax", ["printed", "tight"])
def test_cutting_planes_reach_the_optimum_of_the_cone_solver(relax, semantics):
    program = programs.build(f"mlbroker.regularized[relax={relax},semantics={semantics}]")
    solver = Together(relax, semantics)
    for problem in slots(semantics):
        model = program.model(problem)
        model.problem.solve(solver="CLARABEL")
        solution = solver.solve(problem)
        assert solution.objective == pytest.approx(model.problem.value, rel=2e-6, abs=2e-6)
        assert solution.gap <= 1e-6 * max(1.0, solution.objective)


def worth(problem, **variant):
    program = programs.build("mlbroker.regularized", **variant)
    return solve_problem(program.model(problem).problem).require_optimal().objective


@pytest.mark.ids(5)
@pytest.mark.parametrize("semantics", ["printed", "strict"])
@pytest.mark.parametrize("relax", ["printed", "tight"])
@pytest.mark.parametrize("before", [0.0, 0.5])
def test_one_job_at_one_site_by_hand(before, relax, semantics):
    # worker and server at 1 USD; c/σ = 1/ln 2, ε = 1 and v = 1 wherever the job was before
    problem = SlotProblem.of(single([[10.0]]))
    was = np.array([[before]])
    problem = SlotProblem(market=problem.market, before=was, constants=problem.constants)
    term = 2 * np.log(2 / (before + 1)) - 1 + before
    want = 2 + term / np.log(2)
    assert worth(problem, relax=relax, semantics=semantics) == pytest.approx(want, rel=1e-6)


def test_the_discount_on_the_chord_and_as_printed():
    # `discounted` in slot 0: 3 workers and a server at site 0 are 5 units, 3 USD on the chord; the
    # printed branches share M = 2: x >= 5 - 2u and x >= 3 - 2 (1 - u), least at u = 1: x = 3
    problem = SlotProblem.of(discounted())
    move = 2 - 1 / np.log(2)
    assert worth(problem, relax="tight") == pytest.approx(3 + move, rel=1e-6)
    # with u at 1/2 and more sites the printed bound pays less, never more
    assert worth(problem, relax="printed") <= 3 + move + 1e-6


def test_under_strict_semantics_an_unused_site_is_left_and_that_costs():
    # all 10 GB at site 0, the job was at site 1: entering site 0 costs (1/ln 2)(2 ln 2 - 1); as
    # printed it stays at site 1 for nothing, by (8l) it goes: (1/ln 2)(ln(1/2) + 1)
    problem = SlotProblem.of(single([[10.0, 0.0]]))
    was = np.array([[0.0, 1.0]])
    problem = SlotProblem(market=problem.market, before=was, constants=problem.constants)
    enter, leave = 2 - 1 / np.log(2), 1 / np.log(2) - 1
    assert worth(problem, relax="tight", semantics="printed") == pytest.approx(2 + enter, rel=1e-6)
    strict = worth(problem, relax="tight", semantics="strict")
    assert strict == pytest.approx(2 + enter + leave, rel=1e-6)


def nothing() -> None:
    """The clock does not matter."""


def equal(one: JobSchedules, other: JobSchedules) -> bool:
    names = [field.name for field in dataclasses.fields(JobSchedules)]
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


@pytest.mark.slow
@pytest.mark.parametrize("part", [1, 2, 5, 100])
@pytest.mark.parametrize("workers", [None, 2])
def test_jobs_are_placed_the_same_in_any_parts(part, workers, monkeypatch):
    data = random_brokerage(5, sites=3, slots=4, jobs=7, resources=2)
    slope = data.chord_slope("strict")
    whole = schedules_of(data, 0, data.num_jobs, slope)
    monkeypatch.setattr(slot_trees, "PART", part)
    monkeypatch.setattr(module, "LEAST_STEPS", 0.0)
    with Executor.of(workers) as executor:
        assert equal(cheapest_schedules(data, slope, nothing, executor), whole)


def test_a_slot_grows_within_its_share_of_steps(monkeypatch):
    data = even_brokerage(7, slots=1, jobs=4)
    growth = SlotGrowth(data)
    extra = growth.bounds.members.sum(axis=1) * data.deploy_cost[0] * np.ones((4, 1))
    task = (0, extra, 0.0, 1000)
    whole = grow(growth.bounds, 0, extra, 0.0, 1000, nothing)
    assert growth(task).nodes == whole.nodes
    assert len(whole.nodes) > 1
    monkeypatch.setattr(slot_trees, "MOST_STEPS", whole.steps)
    assert growth(task).nodes == whole.nodes
    monkeypatch.setattr(slot_trees, "MOST_STEPS", whole.steps - 1)
    assert len(growth(task).nodes) < len(whole.nodes)


def test_the_sharp_bound_needs_strict_semantics():
    assert type(Relaxation(relax="sharp", semantics="strict")) is ServerRelaxation
    assert type(Relaxation(relax="tight")) is Relaxation
    with pytest.raises(InvalidOption, match="sharp needs semantics strict"):
        programs.build("mlbroker.relaxed[sharp]")
    with pytest.raises(InvalidOption, match="relax cannot be 'tigth'; did you mean tight"):
        Relaxation(relax="tigth")
    assert programs.build("mlbroker.relaxed[strict,tight]").full_name == (
        "mlbroker.relaxed[tight,strict]"
    )
