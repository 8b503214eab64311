"""Cutting planes of the regularised slot: two ways to the same optimum."""

from __future__ import annotations

import dataclasses
import itertools
from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates import sums
from farkas.certificates.mlbroker_slots import LEAF, LIST, REDUCED, SlotBounds
from farkas.errors import NoAnswer
from farkas.models.mlbroker.data import Constants, SlotProblem, entropy, growth, snapshot
from farkas.relaxations.mlbroker import slot_solver, slot_transport
from farkas.relaxations.mlbroker.outer import TangentProblem, Tangents
from farkas.relaxations.mlbroker.slot_solver import Together, full_price, refine, shortfall
from farkas.relaxations.mlbroker.slot_transport import follow
from farkas.relaxations.mlbroker.slot_trees import grow
from tests.generators.mlbroker import (
    even_brokerage,
    leaf_states,
    random_brokerage,
    single,
)
from tests.references.mlbroker_policies import worth_of


def problem_of(broker, slot, seed):
    market = snapshot(broker, slot).market
    before = np.random.default_rng(seed).random((market.num_jobs, market.num_sites))
    constants = Constants.of(broker, "printed")
    return SlotProblem(market=market, before=before, constants=constants)


@pytest.mark.ids(5)
@pytest.mark.parametrize("seed", range(8))
def test_followed_and_together_reach_the_same_value(seed):
    broker = random_brokerage(seed, sites=3, slots=2, jobs=3)
    slot = max(range(2), key=lambda t: len(broker.jobs_at(t)))
    problem = problem_of(broker, slot, seed)
    if not problem.market.num_jobs:
        return
    alone, together = follow(problem), Together("tight").solve(problem)
    room = alone.gap + together.gap + 1e-7 * (1 + abs(alone.objective))
    assert abs(alone.objective - together.objective) <= room
    market = problem.market
    for found in (alone, together):
        assert (found.deployed >= problem.before - 1e-9).all()
        assert found.server.sum(axis=1) == pytest.approx(1.0)
        assert found.moved.sum(axis=2) == pytest.approx(market.trained_volume, abs=1e-6)
        rate = market.worker_capacity[:, None]
        assert (found.moved.sum(axis=1) <= rate * found.workers + 1e-6).all()
        assert found.connected.sum(axis=2) == pytest.approx(found.workers, abs=1e-6)


def solved(relax, semantics, seed):
    """A slot where nothing was before, with its solution."""
    broker = random_brokerage(seed, sites=3, slots=1, jobs=3)
    # wires are dear, so that servers and workers pull at each other
    broker = broker.replace(transfer_price=(5 * broker.transfer).tolist())
    market = snapshot(broker, 0).market
    before = np.zeros((market.num_jobs, 3))
    problem = SlotProblem(market=market, before=before, constants=Constants.of(broker, semantics))
    alone = relax == "tight" and semantics == "printed" and seed % 2
    return problem, follow(problem) if alone else Together(relax, semantics).solve(problem)


@pytest.mark.ids(5)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("semantics", ["printed", "strict"])
@pytest.mark.parametrize("relax", ["printed", "tight"])
def test_multipliers_keep_the_dual_rows_and_are_tight_where_something_goes(relax, semantics, seed):
    problem, found = solved(relax, semantics, seed)
    market = problem.market
    size = 1e-5 * (1 + abs(found.objective))
    assert (found.server_price >= -size).all()
    # more deployment saves what the entropy term grows by, where there is any
    slope = problem.scale * growth(found.deployed, problem.before, market.epsilon)
    there = found.deployed > 1e-3
    assert there.any()
    assert found.deployed_price[there] == pytest.approx(slope[there], rel=1e-2, abs=10 * size)
    # (11e): a connection pays for its traffic; under strict semantics also for (8m)
    if semantics == "printed" and not (relax == "tight" and seed % 2):
        paid = found.worker_price[:, :, None] + found.server_price[:, None, :]
        traffic = market.sync_volume[:, None, None] * market.transfer
        assert (paid <= traffic + size).all()
        goes = found.connected > 1e-3
        assert paid[goes] == pytest.approx(traffic[goes], abs=size)


def test_gaps_of_jobs_add_up(monkeypatch):
    def wide(tangents, deployed):
        return np.full(deployed.shape, 0.25 / deployed.size)

    monkeypatch.setattr(slot_solver, "shortfall", wide)
    monkeypatch.setattr(slot_transport, "MOST_STEPS", 0)  # leaves all jobs to the program
    problem, found = solved("tight", "printed", 1)
    assert problem.market.num_jobs > 1
    assert found.gap == Together("tight").solve(problem).gap == pytest.approx(0.25)


@pytest.mark.parametrize("variant", [("tight", "printed"), ("tight", "strict")])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_point_is_worth_its_true_terms_however_few_tangents_there_are(monkeypatch, variant, seed):
    monkeypatch.setattr(slot_solver, "MOST_ROUNDS", 1)
    broker = random_brokerage(seed, sites=3, slots=1, jobs=3)
    market = snapshot(broker, 0).market
    before = np.full((market.num_jobs, 3), 0.25)
    problem = SlotProblem(market=market, before=before, constants=Constants.of(broker, variant[1]))
    for solve in [Together(*variant).solve, *([follow] if variant[1] == "printed" else [])]:
        monkeypatch.setattr(slot_transport, "MOST_STEPS", 0)  # leaves all jobs to the program
        found = solve(problem)
        point = found.workers, found.server, found.deployed, found.moved, found.connected
        worth = worth_of(broker, 0, before.tolist(), point, *variant)
        assert found.objective == pytest.approx(worth, rel=1e-9)
        assert found.gap > 1e-6 * worth  # far from settled


@pytest.mark.parametrize("grows", [True, False])
def test_segments_add_up_to_the_highest_tangent(grows):
    rng = np.random.default_rng(1)
    before = rng.uniform(0, 0.9, (3, 4))
    scale = rng.uniform(0, 2, (3, 1))
    tangents = Tangents.first(before, scale, 0.2, grows=grows, pieces=9)
    for _ in range(4):
        spot = rng.uniform(tangents.start, 1.0)
        refine(tangents, spot, scale * rng.normal(size=before.shape), np.ones(before.shape, bool))
    prices, widths = tangents.segments()
    assert (np.diff(prices) >= -1e-12).all()
    for v in rng.uniform(tangents.start, 1.2, (20, 3, 4)):
        filled = np.clip(v[..., None] - tangents.start[..., None] - _starts(widths), 0, widths)
        value = tangents.constant() + (prices * filled).sum()
        true = entropy(v, before, scale, 0.2)
        assert value == pytest.approx((true - shortfall(tangents, v)).sum(), abs=1e-9)


def _starts(widths):
    return np.concatenate([np.zeros((*widths.shape[:2], 1)), np.cumsum(widths, -1)[..., :-1]], -1)


def test_segments_begin_where_a_job_was_unless_it_may_leave():
    problem = dataclasses.replace(SlotProblem.of(single([[5.0, 0.0]])), before=np.full((1, 2), 0.5))
    assert TangentProblem.of(problem, "printed").tangents.start.tolist() == [[0.5, 0.5]]
    assert TangentProblem.of(problem, "strict").tangents.start.tolist() == [[0.0, 0.0]]


def test_full_deployment_costs_what_is_asked_for_every_job():
    # scales 2 and 3: (2 + 3) ln(1 + 1/ε), at ε = 1/4
    tangents = Tangents.first(np.zeros((2, 1)), np.array([[2.0], [3.0]]), 0.25, grows=True)
    assert full_price(tangents) == pytest.approx(5 * np.log(5))


def nothing():
    """The clock does not matter."""


def grown(data, slot=0, near=0.0, most=1000):
    bounds = SlotBounds(data)
    pairs = data.pairs_at(slot)
    extra = bounds.extra(np.zeros((len(bounds.links), bounds.sets)))[pairs]
    return bounds, extra, grow(bounds, slot, extra, near, most, nothing)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_finished_tree_is_as_good_as_deciding_every_cell(seed):
    data = even_brokerage(seed, slots=1, jobs=3)
    data = data.replace(jobs=[job for job in data.jobs if job.worker_capacity])
    bounds, extra, tree = grown(data)
    cells = data.num_sites * data.num_resources
    best = min(
        bounds.leaf(0, np.reshape(state, (data.num_sites, -1)), extra).total()
        for state in itertools.product((LIST, REDUCED), repeat=cells)
    )
    assert float(tree.bound) == pytest.approx(float(best), rel=1e-9, abs=0.0)
    assert tree.cost == pytest.approx(float(best), rel=1e-8)
    found = [
        bounds.leaf(0, state, extra).total()
        for state in leaf_states(iter(tree.nodes), data.num_sites, data.num_resources)
    ]
    assert min(found) == tree.bound


def test_few_nodes_and_near_bounds_end_it_early():
    data = even_brokerage(7, slots=1, jobs=4)
    _, _, whole = grown(data)
    assert len(whole.nodes) > 3
    _, _, short = grown(data, most=3)
    assert len(short.nodes) == 3
    _, _, near = grown(data, near=whole.cost)
    assert near.nodes == [LEAF]
    assert short.bound <= whole.bound + Fraction(1, 10**9)
    assert near.bound <= short.bound


def test_leaves_take_no_more_steps_than_they_may():
    data = even_brokerage(7, slots=1, jobs=4)
    bounds, extra, whole = grown(data)
    assert len(whole.nodes) > 3

    def steps(tree):
        before = int(bounds.work[0])
        bounds.tree(0, iter(tree.nodes), extra)
        return int(bounds.work[0]) - before

    assert whole.steps == steps(whole)
    for most in (0, whole.steps // 2, whole.steps - 1):
        tree = grow(bounds, 0, extra, 0.0, 1000, nothing, most_steps=most)
        assert tree.steps == steps(tree)
        assert tree.steps <= most or tree.nodes == [LEAF]
        assert tree.bound <= whole.bound
        assert tree.cost == pytest.approx(whole.cost, rel=0.5)
    same = grow(bounds, 0, extra, 0.0, 1000, nothing, most_steps=whole.steps)
    assert same.nodes == whole.nodes


def test_nodes_too_deep_for_a_check_are_left_open(monkeypatch):
    data = even_brokerage(7, slots=1, jobs=4)
    bounds, extra, whole = grown(data)
    assert len(whole.nodes) > 3
    monkeypatch.setattr("farkas.relaxations.mlbroker.slot_trees.MOST_CELLS", 2 * bounds.table(0))
    short = grow(bounds, 0, extra, 0.0, 1000, nothing)
    assert len(short.nodes) == 3
    monkeypatch.setattr(sums.affordable, "__defaults__", (2 * bounds.table(0),))
    assert bounds.tree(0, iter(short.nodes), extra) == short.bound


def test_the_clock_is_looked_at():
    def late():
        raise NoAnswer("late")

    data = even_brokerage(7, slots=1, jobs=4)
    bounds = SlotBounds(data)
    with pytest.raises(NoAnswer, match="late"):
        grow(bounds, 0, np.zeros((4, bounds.sets)), 0.0, 100, late)
