"""Slots at prices: exact sums, trees that must be whole, and no bound above the optimum."""

from __future__ import annotations

import functools
import itertools
from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates import check, sums
from farkas.certificates.encoding import pack
from farkas.certificates.files import from_json
from farkas.certificates.mlbroker_slots import (
    EXACT_STEPS,
    LEAF,
    LEAF_SUMS,
    LIST,
    REDUCED,
    SUBJECT,
    PricedSlots,
    SlotBounds,
)
from farkas.certificates.priced_tree import Knapsack, PricedTree, Split
from farkas.errors import NotACertificate
from farkas.exact.node_bounds import Deadline
from farkas.instances.mlbroker import Brokerage
from farkas.offline.methods import SearchState
from farkas.offline.mlbroker import slots
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
    candidates = slots(data, SearchState("min", Deadline(), Fraction(1, 10**6)))
    bound = [candidate.bound for candidate in candidates if candidate.bound is not None][-1]
    made = from_json(msgspec.json.encode(bound.certificate))
    assert isinstance(made, PricedTree)
    return data, farkas.prove(data, SUBJECT).value, made


def simple(data, prices=None, trees=None):
    """A certificate of any prices, shape (links, sets), and a tree for each slot with jobs."""
    program = PricedSlots(data, trees)
    made = PricedTree.of(program, np.zeros(program.width), bound=Fraction(0))
    return made if prices is None else msgspec.structs.replace(made, prices=pack(prices.ravel()))


@pytest.mark.ids(2)
@pytest.mark.parametrize("seed", range(6))
def test_any_prices_and_any_trees_bound_the_optimum(seed, monkeypatch):
    data, optimum, made = case(seed)
    assert made.prove_bound(data) <= optimum * ROUNDED
    rng = np.random.default_rng(seed)
    cells = data.num_sites * data.num_resources
    for turn in range(6):
        if turn == 3:  # prices of single sites
            monkeypatch.setattr("farkas.certificates.mlbroker_slots.MOST_SITES", 1)
        bounds = SlotBounds(data)
        shape = len(bounds.links), bounds.sets
        drawn = bounds.rounded(rng.uniform(0, 1.5, shape) * data.deploy_cost.max())
        trees = []
        for _ in np.unique(data.pair_slot):
            cell = int(rng.integers(cells))
            tree = [cell + 1, LEAF, (cell + 1) % cells + 1, LEAF, LEAF]
            trees.append(tree if rng.random() < 0.7 else [LEAF])
        assert simple(data, drawn, trees).prove_bound(data) <= optimum * ROUNDED


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
    assert (chord.found.workers.tolist(), chord.found.server.tolist()) == ([[3, 0]], [0])
    assert float(bounds.leaf(0, np.full_like(state, LIST), nothing).total()) == pytest.approx(5.0)
    state[0] = REDUCED
    reduced = bounds.leaf(0, state, nothing)
    assert reduced.surcharge == Fraction(1, 2)
    assert float(reduced.total()) == pytest.approx(3.0)
    assert bounds.surcharges(np.full_like(state, REDUCED)) == 1


def test_sets_pay_deployment_and_prices_once():
    data = single([[10.0, 0.0], [0.0, 10.0], [10.0, 0.0]], deploy_cost=3.0)
    bounds = SlotBounds(data)
    prices = np.array([[0.0, 1, 2, 2.5], [0.0, 0, 3, 3]])
    extra = bounds.extra(prices)
    expected = [[0, 3, 3, 6] - prices[0], prices[0] - prices[1], prices[1]]
    assert extra.tolist() == np.array(expected).tolist()
    assert bounds.rounded(prices).tolist() == prices.tolist()


def test_what_a_deployment_costs_is_rounded_down_to_whole_units():
    least = 2.0 ** -SlotBounds(single([[10.0, 0.0]], deploy_cost=3.0)).exponent
    data = single([[10.0, 0.0]], deploy_cost=3.0)
    again = [{**msgspec.to_builtins(data.jobs[0]), "deploy_cost": 3.0 - least / 2}]
    extra = SlotBounds(data.replace(jobs=again)).extra(np.zeros((0, 4)))
    assert extra.tolist() == [[0, 3 - least, 3 - least, 6 - 2 * least]]


@pytest.mark.parametrize(
    ("prices", "words"),
    [
        ([0.0, -1, 0, 0], "falls with a site"),
        ([0.0, 0.5, 0, -0.5], "falls with a site"),
        ([0.0, 0, 3.5, 3.5], "grows by more"),
        ([0.0, 0, 0, 0.1 * 2.0**-40], "not whole"),
        ([2.0**60, 0, 0, 0], "out of range"),
        ([np.nan, 0, 0, 0], "not a finite"),
    ],
)
def test_prices_that_are_none_are_refused(prices, words):
    data = single([[10.0, 0.0], [0.0, 10.0]], deploy_cost=3.0)
    with pytest.raises(NotACertificate, match=words):
        SlotBounds(data).extra(np.array([prices]))


@pytest.mark.parametrize("price", [-0.5, 3.5])
def test_prices_of_single_sites_lie_between_nothing_and_a_deployment(price, monkeypatch):
    monkeypatch.setattr("farkas.certificates.mlbroker_slots.MOST_SITES", 1)
    bounds = SlotBounds(single([[10.0, 0.0], [0.0, 10.0]], deploy_cost=3.0))
    assert bounds.extra(np.array([[1.0, 3.0]])).tolist() == [[2, 0], [1, 3]]
    with pytest.raises(NotACertificate, match="a price falls with a site, or grows"):
        bounds.extra(np.array([[0.0, price]]))


def test_sums_of_prices_of_sites_prove_as_much_as_prices_of_sets(monkeypatch):
    data = random_brokerage(3, sites=3, slots=5, jobs=4, resources=2)
    sets = SlotBounds(data)
    monkeypatch.setattr("farkas.certificates.mlbroker_slots.MOST_SITES", 1)
    sites = SlotBounds(data)
    drawn = np.random.default_rng(1).uniform(-3, 9, (len(sites.links), 3))
    prices = sites.rounded(drawn)
    assert (prices >= 0).all()
    assert (sites.rounded(prices) == prices).all()
    sums = prices @ sets.members.T
    assert (sets.rounded(sums) == sums).all()
    state = np.zeros(sets.cells, np.int64)
    for slot in range(data.num_slots):
        pairs = data.pairs_at(slot)
        one, other = (
            float(bounds.leaf(slot, state, bounds.extra(p)[pairs]).total())
            for bounds, p in ((sets, sums), (sites, prices))
        )
        assert one == pytest.approx(other, rel=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_rounded_prices_are_prices(seed):
    data = random_brokerage(seed, sites=3, slots=4, jobs=4)
    bounds, rng = SlotBounds(data), np.random.default_rng(seed)
    wild = bounds.rounded(9 * rng.normal(size=(len(bounds.links), bounds.sets)))
    bounds.extra(wild)  # refuses what are none
    assert (wild[:, 0] == 0).all()
    assert (wild > 0).any()
    assert (bounds.rounded(wild) == wild).all()


def test_trees_bound_their_leaves_and_decide_list_price_first():
    data = random_brokerage(2, sites=2, slots=1, jobs=4)
    bounds = SlotBounds(data)
    extra = np.zeros((len(data.pairs_at(0)), bounds.sets))
    tree = [2, LEAF, 1, LEAF, LEAF]
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
            before = node.found.least.copy(), node.found.workers.copy()
            node, above = (
                bounds.branch(slot, node, cell, int(rng.choice([LIST, REDUCED])), extra),
                node,
            )
            assert (above.found.least == before[0]).all()
            assert (above.found.workers == before[1]).all()
            anew = bounds.leaf(slot, node.state, extra)
            assert node.bound.tolist() == anew.bound.tolist()
            assert (node.slope == anew.slope).all()
            steps += np.array([node.steps, anew.steps])
            for chosen in range(1, bounds.sets):
                alone = extra + np.where(np.arange(bounds.sets) == chosen, 0.0, 1e6)
                most = bounds.leaf(slot, node.state, alone).bound
                assert (node.found.least[:, chosen] <= most + 1e-12 * abs(most)).all()
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
    assert other.found.least[0, 1] == root.found.least[0, 1]
    assert other.found.least[0, 2] == pytest.approx(root.found.least[0, 2] - saved, rel=1e-12)
    assert other.bound.tolist() == root.bound.tolist()
    assert (other.found.chosen.tolist(), other.found.workers.tolist()) == ([1], [[3, 0]])


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ([], "ends before"),
        ([2, LEAF], "ends before"),
        ([LEAF, LEAF], "goes on after"),
        ([3, LEAF, LEAF], "no cell"),
        ([2, 2, LEAF, LEAF, LEAF], "decided"),
    ],
)
def test_trees_that_are_not_whole_are_refused(tree, words):
    bounds = SlotBounds(discounted())
    with pytest.raises(NotACertificate, match=words):
        bounds.tree(0, iter(tree), np.zeros((1, bounds.sets)))


@pytest.mark.parametrize("layout", [{}, {"rows": ()}, {"trees": (), "rows": ()}, {"trees": ()}])
def test_another_number_of_trees_is_refused(layout):
    data, _, made = case(0)
    with pytest.raises(NotACertificate, match="needs trees of 3 slots and nothing else"):
        msgspec.structs.replace(made, layout=layout).prove_bound(data)


def test_splits_charges_and_prices_of_another_size_are_refused():
    data, _, made = case(1)
    with pytest.raises(NotACertificate, match="has no charges and no splits by value"):
        msgspec.structs.replace(made, tree=(Split(0, 1.0), None, None)).prove_bound(data)
    one = Knapsack(rows=((0, 1),), unit=1.0, owners=(0,), values=(1.0,), amounts=(1.0,))
    with pytest.raises(NotACertificate, match="has no charges"):
        msgspec.structs.replace(made, knapsacks=(one,)).prove_bound(data)
    with pytest.raises(NotACertificate, match="prices"):
        msgspec.structs.replace(made, prices=pack(np.zeros(3))).prove_bound(data)


def test_many_nodes_and_cells_are_refused(monkeypatch):
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
    """An instance and prices of nothing, and such as tie most sets of sites."""
    rng = np.random.default_rng(0)
    transfer = rng.uniform(0.085, 0.095, (4, 4)).round(4) * (1 - np.eye(4))
    data = single(
        rng.uniform(14, 15, (2, 4)).round(2),
        transfer_price=transfer,
        base_price=rng.uniform(0.99, 1.01, (4, 1)).round(3),
        deploy_cost=2.0,
        sync_volume=0.03,
    )
    return data, np.zeros((1, 16)), SlotBounds(data).members.sum(axis=1)[None] * 1.0


def steps_of(prices, data):
    bounds = SlotBounds(data)
    extra = bounds.extra(prices)
    for slot in range(data.num_slots):
        bounds.tree(slot, iter([LEAF]), extra[data.pairs_at(slot)])
    return int(bounds.work[0])


def test_a_tree_that_asks_for_many_branchings_is_refused(monkeypatch):
    # what is counted is done, not what the sizes say: they are the same
    data, none, ties = tied()
    few, many = steps_of(none, data), steps_of(ties, data)
    plain, hostile = simple(data, none), simple(data, ties)
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
    deep = [*range(1, 21), *[LEAF] * 21]
    assert bounds.tree(0, iter(deep), extra) > 0
    monkeypatch.setattr(sums.affordable, "__defaults__", (21 * bounds.table(0) - 1,))
    with pytest.raises(NotACertificate, match="levels of a tree"):
        bounds.tree(0, iter(deep), extra)
    assert bounds.tree(0, iter([*range(1, 20), *[LEAF] * 20]), extra) > 0


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))]
)
def test_ties_and_far_units(seed):
    data = even_brokerage(seed)
    found = farkas.optimum(data, gap=1e-6, time_limit=20)
    optimum = farkas.prove(data, SUBJECT).value
    assert found.complete
    assert found.bound <= optimum * ROUNDED
    assert found.value == optimum


def test_costs_and_prices_that_overflow_are_refused():
    # a worker and a server are within doubles by themselves, and beyond them with a deployment
    data = single(
        [[10.0, 0.0]], base_price=np.full((2, 1), 4e307), server_demand=[2.0], deploy_cost=8.9e307
    )
    with pytest.raises(NotACertificate, match="placement"):
        simple(data).prove_bound(data)


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
    tree = [1] + [node for _ in range(2) for node in (2, LEAF, LEAF)]
    assert cells == 2
    bounds = [simple(data, trees=[each]).prove_bound(data) for each in ([LEAF], tree)]
    assert bounds[0] <= bounds[1] <= least
    assert bounds[1] >= least * (1 - Fraction(1, 10**11))


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
