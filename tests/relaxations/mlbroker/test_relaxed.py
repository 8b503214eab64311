"""Program mlbroker.relaxed: order of the bounds, proofs, and the fast path by job."""

from __future__ import annotations

import dataclasses
import itertools
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas import executor as module
from farkas.algebra import programs
from farkas.certificates import exact_bound
from farkas.certificates.mlbroker_slots import MOST_SITES
from farkas.errors import InvalidOption
from farkas.executor import Executor
from farkas.instances import library
from farkas.models.mlbroker.slot import SlotProblem
from farkas.relaxations.mlbroker import slot_trees
from farkas.relaxations.mlbroker.lives import Lives, lives_of
from farkas.relaxations.mlbroker.relaxed import Relaxed
from farkas.relaxations.mlbroker.sharp import SetTies, Sharp, SiteTies, ties_of
from farkas.relaxations.mlbroker.slot_solver import Together
from farkas.relaxations.mlbroker.slot_trees import SlotGrowth, SlotToGrow, cheapest_lives, grow
from farkas.solvers import solve
from farkas.solvers.convex import solve_problem
from tests.conformance.oracle import variants
from tests.generators.mlbroker import (
    discounted,
    edge_cases,
    even_brokerage,
    random_brokerage,
    single,
    slots,
)

EDGES = edge_cases()
RANDOM = {f"random {n}": random_brokerage(n, sites=3, jobs=4, resources=2) for n in range(4)}
DATA = {**EDGES, **RANDOM}
every_instance = pytest.mark.parametrize("name", DATA)
every_variant = pytest.mark.parametrize("program", variants(Relaxed), ids=lambda p: p.full_name)


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
        value(Relaxed(), data.replace(big_m=factor * smallest)) for factor in (1, 2, 5, 100, 1000)
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
    assert bounds[-1] == pytest.approx(value(Relaxed(), free))


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


@pytest.mark.parametrize("power", [-60, -40, 40])
def test_a_slot_that_uses_no_charged_resource_scales_with_money(power):
    # nothing is in use, so that costs of resources had no unit but 1/2 USD: at 2^-60 the optimum
    # was 5e10 times what it is
    once = single([[5.0, 5.0]], worker_demand=[0.0], server_demand=[0.0])
    money = 2.0**power
    job = {**msgspec.to_builtins(once.jobs[0]), "deploy_cost": money}
    again = once.replace(
        jobs=[job],
        transfer_price=money * once.transfer,
        base_price=money * once.list_price,
    )
    optima = [worth(SlotProblem.of(each), relax="printed") for each in (once, again)]
    assert optima[1] == pytest.approx(money * optima[0], rel=1e-12)


def test_a_slot_without_jobs_costs_nothing():
    assert worth(SlotProblem.of(single([[10.0]]).replace(jobs=[]))) == pytest.approx(0.0)


def nothing() -> None:
    """The clock does not matter."""


def equal(one: Lives, other: Lives) -> bool:
    names = [field.name for field in dataclasses.fields(Lives)]
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


@pytest.mark.slow
@pytest.mark.parametrize("part", [1, 2, 5, 100])
@pytest.mark.parametrize("workers", [None, 2])
def test_jobs_are_placed_the_same_in_any_parts(part, workers, monkeypatch):
    data = random_brokerage(5, sites=3, slots=4, jobs=7, resources=2)
    slope = data.chord_slope("strict")
    whole = lives_of(data, 0, data.num_jobs, slope)
    monkeypatch.setattr(slot_trees, "PART", part)
    monkeypatch.setattr(module, "LEAST_STEPS", 0.0)
    with Executor.of(workers) as executor:
        assert equal(cheapest_lives(data, slope, nothing, executor), whole)
        without = cheapest_lives(data, slope, nothing, executor, tolls=False)
    assert without.tolls.shape == (0, 8)
    assert equal(dataclasses.replace(without, tolls=whole.tolls), whole)


def test_a_slot_grows_within_its_room():
    data = even_brokerage(7, slots=1, jobs=4)
    growth = SlotGrowth(data)
    extra = growth.bounds.size * data.deploy_cost[0] * np.ones((4, 1))
    task = SlotToGrow(0, extra, 0.0, 1000)
    whole = grow(growth.bounds, 0, extra, 0.0, 1000, nothing)
    assert growth(task).nodes == whole.nodes
    assert len(whole.nodes) > 1
    growth.room = 0
    assert len(growth(task).nodes) == 1


def test_the_sharp_bound_needs_strict_semantics():
    assert type(Relaxed(relax="sharp", semantics="strict")) is Sharp
    assert type(Relaxed(relax="tight")) is Relaxed
    with pytest.raises(InvalidOption, match="sharp needs semantics strict"):
        programs.build("mlbroker.relaxed[sharp]")
    with pytest.raises(InvalidOption, match="relax cannot be 'tigth'; did you mean tight"):
        Relaxed(relax="tigth")
    assert programs.build("mlbroker.relaxed[strict,tight]").full_name == (
        "mlbroker.relaxed[tight,strict]"
    )


def test_sets_are_listed_as_long_as_there_are_few():
    for sites, wanted in ((MOST_SITES, SetTies), (MOST_SITES + 1, SiteTies)):
        data = single([[1.0] * sites])
        assert type(ties_of(data, np.zeros(0, np.int64))) is wanted


def test_ties_of_sites_are_those_of_sets_that_add_up():
    data = random_brokerage(3, sites=3, slots=5, jobs=4, resources=2)
    links = np.flatnonzero(data.next_pair >= 0)
    sites, sets = SiteTies(data, links), SetTies(data, links)
    rng = np.random.default_rng(1)
    present = rng.random((len(links), 3)) < 0.5
    inside = np.arange(8)[:, None] >> np.arange(3) & 1
    assert (sets.shown(present) @ inside == sites.shown(present)).all()
    toll = sites.closed(9 * rng.normal(size=(len(links), 3)), 20)
    assert (toll <= 0).all()
    assert (toll >= -data.deploy_cost[data.pair_job[links]][:, None]).all()
    assert (sites.closed(toll, 20) == toll).all()
    assert (sets.closed(toll @ inside.T, 20) == toll @ inside.T).all()
