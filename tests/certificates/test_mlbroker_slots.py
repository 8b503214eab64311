"""Slots at tolls: exact sums, trees that must be whole, and no bound above the optimum."""

from __future__ import annotations

import functools
import itertools
from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates import check, sums
from farkas.certificates.files import from_json
from farkas.certificates.mlbroker_slots import (
    EXACT_STEPS,
    LEAF,
    LEAF_SUMS,
    LIST,
    MOST_SITES,
    REDUCED,
    SUBJECT,
    SlotBounds,
    SlotTrees,
)
from farkas.certificates.packed import pack, unpack
from farkas.errors import NotACertificate
from farkas.exact.bounding import Deadline
from farkas.instances.mlbroker import Brokerage
from farkas.offline.ladder import Ascent
from farkas.offline.mlbroker import tolls
from farkas.replay import replay
from tests.generators.mlbroker import (
    discounted,
    even_brokerage,
    leaf_states,
    random_brokerage,
    single,
)

ROUNDED = 1 + Fraction(1, 10**12)
"""The program's data were rounded one by one."""


@functools.cache
def case(seed):
    """An instance, its optimum and a certificate."""
    data = random_brokerage(seed, sites=2, slots=3, jobs=3, resources=2)
    rungs = tolls(data, Ascent("min", Deadline(), Fraction(1, 10**6)))
    bound = [rung.bound for rung in rungs if rung.bound is not None][-1]
    made = from_json(msgspec.json.encode(bound.certificate))
    assert isinstance(made, SlotTrees)
    return data, farkas.prove(data, SUBJECT).value, made


def simple(data, toll=None, trees=None, exponent=20):
    bounds = SlotBounds(data)
    shape = len(bounds.links), bounds.sets
    busy = len(np.unique(data.pair_slot))
    return SlotTrees.of(
        data, Fraction(0), exponent, np.zeros(shape) if toll is None else toll,
        [LEAF] * busy if trees is None else trees,
    )  # fmt: skip


@pytest.mark.ids(2)
@pytest.mark.parametrize("seed", range(6))
def test_any_tolls_and_any_trees_bound_the_optimum(seed):
    data, optimum, made = case(seed)
    assert made.prove_bound(data) <= optimum * ROUNDED
    rng = np.random.default_rng(seed)
    bounds = SlotBounds(data)
    cells = data.num_sites * data.num_resources
    for _ in range(6):
        # falls of one site each, added up, are tolls
        fall = rng.uniform(0, 1, (len(bounds.links), data.num_sites))
        fall *= data.deploy_cost[data.pair_job[bounds.links]][:, None]
        inside = np.arange(bounds.sets)[:, None] >> np.arange(data.num_sites) & 1
        grains = np.floor(fall * 2.0**20 - 1).clip(0) / 2.0**20
        toll = -(grains @ inside.T) + np.rint(9 * rng.normal(size=(len(fall), 1)))
        trees = []
        for _ in np.unique(data.pair_slot):
            cell = int(rng.integers(cells))
            trees += [cell, LEAF, (cell + 1) % cells, LEAF, LEAF] if rng.random() < 0.7 else [LEAF]
        assert simple(data, toll, trees).prove_bound(data) <= optimum * ROUNDED


@pytest.mark.parametrize("seed", range(6))
def test_the_search_closes_the_gap_and_claims_no_more_than_is_proved(seed):
    data, optimum, made = case(seed)
    assert Fraction(made.bound) == made.prove_bound(data)
    assert float(Fraction(made.bound)) == pytest.approx(float(optimum), rel=1e-6)
    proof = check(made, instance=data)
    assert (proof.sense, proof.program, proof.bound) == ("min", SUBJECT, Fraction(made.bound))
    more = msgspec.structs.replace(made, bound=str(Fraction(made.bound) * ROUNDED))
    with pytest.raises(NotACertificate, match="prove"):
        check(more, instance=data)


def test_a_leaf_has_chords_list_prices_or_discounts_with_their_surcharge():
    # 3 workers and a server of 2 units at site 0; 1 USD for the first unit, 0.5 beyond
    data = discounted()
    bounds = SlotBounds(data)
    nothing = np.zeros((1, bounds.sets))
    state = np.zeros((2, 1), np.int64)
    chord = bounds.leaf(0, state, nothing)
    assert float(chord.total()) == pytest.approx(5 * 0.6)
    assert (chord.workers.tolist(), chord.server.tolist()) == ([[3, 0]], [0])
    assert float(bounds.leaf(0, np.full_like(state, LIST), nothing).total()) == pytest.approx(5.0)
    state[0] = REDUCED
    reduced = bounds.leaf(0, state, nothing)
    assert reduced.surcharge == Fraction(1, 2)
    assert float(reduced.total()) == pytest.approx(3.0)
    assert bounds.surcharges(np.full_like(state, REDUCED)) == 1


def test_sets_pay_deployment_and_tolls_once():
    data = single([[10.0, 0.0], [0.0, 10.0], [10.0, 0.0]], deploy_cost=3.0)
    bounds = SlotBounds(data)
    toll = np.array([[0.0, -1, -2, -2.5], [5.0, 5, 2, 2]])
    extra = bounds.extra(toll, 1)
    expected = [3 * bounds.size + toll[0], toll[1] - toll[0], -toll[1]]
    assert extra.tolist() == np.array(expected).tolist()
    # what is no multiple of a half is rounded down
    assert SlotBounds(data.replace(jobs=[{**msgspec.to_builtins(data.jobs[0]), "deploy_cost": 2.9}])
                      ).extra(0 * toll, 1)[0].tolist() == [0, 2.5, 2.5, 5.0]  # fmt: skip


@pytest.mark.parametrize(
    ("toll", "words"),
    [
        ([0.0, 1, 0, 0], "grows with a site"),
        ([0.0, 0.5, 0, 0.5], "grows with a site"),
        ([0.0, 0, -3.5, -3.5], "falls by more"),
        ([0.0, 0, 0, -0.3], "not whole"),
        ([2.0**60, 0, 0, 0], "out of range"),
        ([np.nan, 0, 0, 0], "not a finite"),
    ],
)
def test_tolls_that_are_none_are_refused(toll, words):
    data = single([[10.0, 0.0], [0.0, 10.0]], deploy_cost=3.0)
    with pytest.raises(NotACertificate, match=words):
        SlotBounds(data).extra(np.array([toll]), 1)


def test_trees_bound_their_leaves_and_decide_list_price_first():
    data = random_brokerage(2, sites=2, slots=1, jobs=4)
    bounds = SlotBounds(data)
    extra = np.zeros((len(data.pairs_at(0)), bounds.sets))
    tree = [1, LEAF, 0, LEAF, LEAF]
    states = leaf_states(iter(tree), *bounds.cells)
    assert [state.ravel()[:2].tolist() for state in states] == [
        [0, LIST], [LIST, REDUCED], [REDUCED, REDUCED],
    ]  # fmt: skip
    totals = [bounds.leaf(0, state, extra).total() for state in states]
    assert len(set(totals)) == 3
    assert bounds.tree(0, iter(tree), extra) == min(totals)


@pytest.mark.ids(2)
@pytest.mark.parametrize("seed", range(8))
def test_branches_are_bounded_as_if_nothing_were_known_of_their_node(seed):
    rng = np.random.default_rng(seed)
    data = random_brokerage(seed, sites=3, slots=2, jobs=5, resources=2)
    bounds = SlotBounds(data)
    for slot in range(data.num_slots):
        jobs = len(data.pairs_at(slot))
        extra = rng.uniform(-1, 1, (jobs, bounds.sets)) * data.deploy_cost.max()
        node = bounds.leaf(slot, np.zeros(bounds.cells, np.int64), extra)
        steps = np.zeros(2)
        for cell in rng.permutation(node.state.size).tolist():
            before = node.least.copy(), node.workers.copy()
            node, above = (
                bounds.branch(slot, node, cell, int(rng.choice([LIST, REDUCED])), extra),
                node,
            )
            assert (above.least == before[0]).all()
            assert (above.workers == before[1]).all()
            anew = bounds.leaf(slot, node.state, extra)
            assert node.bound.tolist() == anew.bound.tolist()
            assert (node.slope == anew.slope).all()
            steps += np.array([node.steps, anew.steps])
            for chosen in range(1, bounds.sets):
                alone = extra + np.where(np.arange(bounds.sets) == chosen, 0.0, 1e6)
                most = bounds.leaf(slot, node.state, alone).bound
                assert (node.least[:, chosen] <= most + 1e-12 * abs(most)).all()
        assert steps[0] < steps[1]


def test_a_branch_saves_no_more_than_all_workers_and_the_server_at_the_site():
    # 3 workers of a unit and a server of 2; the chord is 0.6 USD, with the discount 0.5
    data = discounted()
    bounds = SlotBounds(data)
    extra = np.zeros((1, bounds.sets))
    root = bounds.leaf(0, np.zeros((2, 1), np.int64), extra)
    other = bounds.branch(0, root, 1, REDUCED, extra)
    saved = 5 * (root.slope[1, 0] - 0.5)
    assert saved > 0
    assert other.least[0, 1] == root.least[0, 1]
    assert other.least[0, 2] == pytest.approx(root.least[0, 2] - saved, rel=1e-12)
    assert other.bound.tolist() == root.bound.tolist()
    assert (other.chosen.tolist(), other.workers.tolist()) == ([1], [[3, 0]])


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ([], "end before"),
        ([1, LEAF], "end before"),
        ([2, LEAF, LEAF], "no cell"),
        ([1, 1, LEAF, LEAF, LEAF], "decided"),
    ],
)
def test_trees_that_are_not_whole_are_refused(tree, words):
    bounds = SlotBounds(discounted())
    with pytest.raises(NotACertificate, match=words):
        bounds.tree(0, iter(tree), np.zeros((1, bounds.sets)))


def test_too_many_or_too_few_trees_are_refused():
    data, _, made = case(0)
    with pytest.raises(NotACertificate, match="end before"):
        msgspec.structs.replace(made, trees=made.trees[:-1]).prove_bound(data)
    with pytest.raises(NotACertificate, match="go on after"):
        msgspec.structs.replace(made, trees=(*made.trees, LEAF)).prove_bound(data)


def test_tolls_of_another_size_or_unit_are_refused():
    data, _, made = case(1)
    shape = len(SlotBounds(data).links), 4
    packed = unpack(made.tolls, shape, "tolls")
    assert packed.any()
    with pytest.raises(NotACertificate, match="tolls"):
        msgspec.structs.replace(made, tolls=pack(packed[1:])).prove_bound(data)
    with pytest.raises(NotACertificate, match="whole"):
        msgspec.structs.replace(made, exponent=1).prove_bound(data)
    with pytest.raises(NotACertificate, match="out of range"):
        msgspec.structs.replace(made, exponent=1000).prove_bound(data)


def test_many_sites_nodes_and_cells_are_refused(monkeypatch):
    data = single([[5.0] * (MOST_SITES + 1)])
    with pytest.raises(NotACertificate, match=f"{MOST_SITES} are the most"):
        SlotBounds(data)
    data, _, made = case(0)
    monkeypatch.setattr("farkas.certificates.mlbroker_slots.MOST_NODES", 2)
    with pytest.raises(NotACertificate, match="nodes of trees"):
        made.prove_bound(data)
    # a table over jobs in slots and sets, one over jobs, sites and resources of a slot
    data = single([[5.0, 5.0]] * 2)
    monkeypatch.setattr(sums.affordable, "__defaults__", (7,))
    with pytest.raises(NotACertificate, match="sets of sites of jobs in slots"):
        SlotBounds(data)
    monkeypatch.setattr(sums.affordable, "__defaults__", (8,))
    bounds = SlotBounds(data)
    monkeypatch.setattr(sums.affordable, "__defaults__", (1,))
    with pytest.raises(NotACertificate, match="prices of a slot"):
        bounds.leaf(0, np.zeros((2, 1), np.int64), np.zeros((1, 4)))


@functools.cache
def tied():
    """An instance and two certificates of one size: tolls tie most sets of sites in the second."""
    rng = np.random.default_rng(0)
    transfer = rng.uniform(0.085, 0.095, (4, 4)).round(4) * (1 - np.eye(4))
    data = single(
        rng.uniform(14, 15, (2, 4)).round(2),
        transfer_price=transfer,
        base_price=rng.uniform(0.99, 1.01, (4, 1)).round(3),
        deploy_cost=2.0,
        sync_volume=0.03,
    )
    half = -SlotBounds(data).size.astype(float)
    return data, simple(data), simple(data, half[None])


def steps_of(made, data):
    bounds = SlotBounds(data)
    extra = bounds.extra(unpack(made.tolls, (len(bounds.links), bounds.sets), "tolls"), 20)
    for slot in range(data.num_slots):
        bounds.tree(slot, iter([LEAF]), extra[data.pairs_at(slot)])
    return int(bounds.work[0])


def test_a_tree_that_asks_for_many_branchings_is_refused(monkeypatch):
    # what is counted is done, not what the sizes say: they are the same
    data, plain, hostile = tied()
    few, many = steps_of(plain, data), steps_of(hostile, data)
    assert many > 1.5 * few
    monkeypatch.setattr("farkas.certificates.mlbroker_slots.MOST_STEPS", few)
    assert plain.prove_bound(data) > 0
    with pytest.raises(NotACertificate, match="leaves of slots: a proof would take") as refused:
        check(hostile, instance=data)
    assert "\n" not in str(refused.value)
    monkeypatch.setattr("farkas.certificates.mlbroker_slots.MOST_STEPS", few - 1)
    with pytest.raises(NotACertificate, match="leaves of slots"):
        plain.prove_bound(data)
    monkeypatch.setattr("farkas.certificates.mlbroker_slots.MOST_STEPS", many)
    assert hostile.prove_bound(data) > 0


def test_every_leaf_counts_its_jobs_cells_and_discounts():
    def steps(jobs, resources, reduced):
        data = random_brokerage(0, sites=2, slots=1, jobs=jobs, resources=resources)
        state = np.zeros((2, resources), np.int64)
        state.flat[:reduced] = REDUCED
        bounds = SlotBounds(data)
        leaf = bounds.leaf(0, state, np.zeros((jobs, 4)))
        assert leaf.steps == bounds.work[0]
        again = bounds.leaf(0, state, np.zeros((jobs, 4)))
        assert again.steps == leaf.steps
        return leaf.steps

    least = EXACT_STEPS * LEAF_SUMS
    assert steps(1, 1, 0) > least
    assert steps(200, 1, 0) > least + 200 * EXACT_STEPS
    assert steps(1, 1000, 0) > least + 2000 * 5
    assert steps(1, 1000, 900) > least + 2000 * 5 + 900 * 8 * EXACT_STEPS


def test_trees_too_deep_for_tables_of_all_their_levels_are_refused(monkeypatch):
    data = random_brokerage(0, sites=2, slots=1, jobs=1, resources=20)
    bounds = SlotBounds(data)
    extra = np.zeros((1, bounds.sets))
    deep = [*range(20), *[LEAF] * 21]
    assert bounds.tree(0, iter(deep), extra) > 0
    monkeypatch.setattr(sums.affordable, "__defaults__", (21 * bounds.table(0) - 1,))
    with pytest.raises(NotACertificate, match="levels of a tree"):
        bounds.tree(0, iter(deep), extra)
    assert bounds.tree(0, iter([*range(19), *[LEAF] * 20]), extra) > 0


@pytest.mark.ids(2)
@pytest.mark.parametrize("seed", range(6))
def test_ties_and_far_units(seed):
    data = even_brokerage(seed)
    found = farkas.optimum(data, gap=1e-6, time_limit=20)
    optimum = farkas.prove(data, SUBJECT).value
    assert found.complete
    assert found.bound <= optimum * ROUNDED
    assert found.value == optimum


def test_sums_of_tolls_that_overflow_are_refused():
    data = single([[10.0, 0.0], [0.0, 10.0]], deploy_cost=8e307)
    most = np.ldexp(np.floor(np.ldexp(1.7e308, -1000)), 1000)
    with pytest.raises(NotACertificate, match="sums of tolls: inf"):
        simple(data, np.full((1, 4), most), exponent=-1000).prove_bound(data)
    # within doubles by themselves, and beyond them with a worker and a server
    data = single([[10.0, 0.0], [0.0, 10.0]], base_price=np.full((2, 1), 5e307))
    with pytest.raises(NotACertificate, match="placement"):
        simple(data, np.full((1, 4), -most), exponent=-1000).prove_bound(data)


def met_by_rounding(seed):
    """One or two jobs whose decimals meet capacities and thresholds but for a rounding error."""
    rng = np.random.default_rng(seed)
    sites = 2
    jobs = []
    for _ in range(1 + seed % 2):
        # 0.1 + 0.2 is more than 0.3; a capacity may be short by nearly as much as is forgiven
        short = float(rng.choice([0.0, 0.9e-9, -1e-10]))
        data = [list(rng.permutation(rng.choice([[0.1, 0.2], [0.3, 0.3], [0.1, 0.5], [0.0, 0.3]])))]
        jobs.append({
            "arrival": 0, "departure": 0, "worker_capacity": 0.3 / (1 + short), "data": data,
            "worker_demand": [0.1], "server_demand": [float(rng.choice([0.0, 0.2]))],
            "sync_volume": float(rng.choice([0.0, 0.1])),
            "deploy_cost": float(rng.choice([0.0, 0.5])),
        })  # fmt: skip
    base = rng.choice([0.1, 1.0, 3.0], (sites, 1))
    transfer = rng.choice([1.0, 10.0], (sites, sites)) * (1 - np.eye(sites))
    return Brokerage.build(
        num_sites=sites, num_slots=1, num_resources=1, transfer_price=transfer, base_price=base,
        discount_price=(base / 2).tolist(), discount_threshold=np.full((sites, 1), 0.3),
        epsilon=1.0, jobs=jobs,
    )  # fmt: skip


def placements(data):
    """Every placement of one slot with up to a worker more than is needed."""
    ways = []
    for most in data.workers_needed.tolist():
        each = itertools.product(range(most + 2), repeat=data.num_sites)
        workers = [way for way in each if sum(way) >= most]
        ways.append(list(itertools.product(workers, range(data.num_sites))))
    for chosen in itertools.product(*ways):
        yield [{
            "jobs": list(range(data.num_jobs)),
            "workers": [list(way) for way, _ in chosen],
            "server": [server for _, server in chosen],
            "repaired": 0,
        }]  # fmt: skip


@pytest.mark.parametrize("seed", range(16))
def test_what_replays_forgive_the_bound_grants(seed):
    data = met_by_rounding(seed)
    run = farkas.run(data, "mlbroker.local")
    worth = []
    for decisions in placements(data):
        found = replay(msgspec.structs.replace(run, decisions=decisions), data)
        assert not found.broken
        worth.append((found.low, found.excess))
    least, _ = min(worth)
    cells = data.num_sites
    # every cell is decided: nothing is left to chords
    tree = [0] + [node for _ in range(2) for node in (1, LEAF, LEAF)]
    assert cells == 2
    bounds = [simple(data, trees=each).prove_bound(data) for each in ([LEAF], tree)]
    assert bounds[0] <= bounds[1] <= least
    assert bounds[1] >= least * (1 - Fraction(1, 10**11))


def test_some_of_these_data_are_lowered_by_nearly_what_is_forgiven():
    shares = []
    for data in map(met_by_rounding, range(16)):
        there = data.volume > 0
        shares.append((1 - data.trained_volume[there] / data.volume[there]).max())
    assert sum(share > 0 for share in shares) > 5
    assert max(shares) > 0.8e-9


def test_grains_of_data_are_lowered_as_all_the_rest():
    # subnormal data are whole grains: a share of one is nothing, and no grain more
    grain = 5e-324
    data = single(
        [[1e9 * grain, grain]],
        worker_capacity=1e9 * grain,
        transfer_price=np.array([[0.0, 1e300], [1e300, 0.0]]),
        base_price=np.array([[0.0], [1e-20]]),
        sync_volume=0.0,
        deploy_cost=0.0,
    )
    assert data.workers_needed.tolist() == [1]
    run = farkas.run("mlbroker/tiny", "mlbroker.local")
    decisions = [{"jobs": [0], "workers": [[1, 0]], "server": [0], "repaired": 0}]
    found = replay(msgspec.structs.replace(run, decisions=decisions), data)
    assert 0 < found.low < Fraction(grain) * Fraction(1e300)
    assert simple(data).prove_bound(data) <= found.low
