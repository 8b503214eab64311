"""Column generation: master, prices, and a bound every round."""

import tracemalloc

import numpy as np
import pytest

from farkas.forms.matrices import as_scipy
from farkas.instances.gadget import Cluster
from farkas.instances.generate import generate
from farkas.models.gadget.column import ColumnLP, all_columns
from farkas.models.gadget.forest import forest
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.relaxed import random_clusters
from farkas.relaxations.gadget.embedding import NodeLP
from farkas.relaxations.gadget.generation import (
    CapacityPrices,
    ForestPricing,
    MasterProgram,
    generate_columns,
    improving,
    no_prices,
    sampled,
    start,
    tree_rings,
)
from farkas.relaxations.gadget.ring_pricing import RingPricing
from farkas.solvers import solve
from tests.generators.gadget import any_networks, small, table, wide_area


def optimum(form):
    return solve(form).require_optimal().objective


@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_column_generation_reaches_the_relaxation_over_all_rings(network):
    for cluster in random_clusters(12, 4, network=network, servers=4, jobs=4):
        slot = snapshot(cluster)
        exact = optimum(ColumnLP().form(slot))
        found = generate_columns(slot)
        assert found.value == pytest.approx(exact, rel=1e-6, abs=1e-6)
        assert found.bound == pytest.approx(exact, rel=2e-6, abs=1e-6)


def test_column_generation_where_links_are_scarce():
    # one GPU per server and rings of three to five: every ring needs links
    settings = {"num_servers": 12, "num_jobs": 8, "gpus": [1], "max_workers": [3, 5]}
    cluster = generate("gadget", "scarce_links", 3, server_bandwidth=[10, 30], **settings)
    found = generate_columns(snapshot(cluster))
    exact = optimum(ColumnLP().form(cluster))
    assert found.value == pytest.approx(exact, rel=1e-6)
    assert found.bound == pytest.approx(exact, rel=1e-6)
    assert found.rounds > 1  # the node relaxation alone does not settle it
    assert optimum(NodeLP().form(cluster)) > exact * (1 + 1e-4)


def test_without_rounds_no_ring_is_searched_and_the_bound_is_that_of_the_first_prices():
    for cluster in any_networks(30, 14):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        prices, placed = start(slot)
        found = generate_columns(slot, most_rounds=0, search="walks")
        assert found.rounds == 0
        assert found.prices.node.tolist() == prices.node.tolist()
        assert len(found.share) <= len(slot.jobs) * len(placed)
        whole = generate_columns(slot)
        assert found.value <= whole.value * (1 + 1e-9)
        assert found.bound >= whole.bound * (1 - 1e-9)


def test_sampling_mixes_back_to_its_mean():
    mean = np.array([0.5, 1.25, 0.0, 1.25])
    vectors = sampled(mean)
    assert all(v.sum() == 3 for v in vectors)
    assert all((np.abs(v - mean) < 1).all() for v in vectors)
    assert sampled(np.array([2.0, 1.0]))[0].tolist() == [2, 1]


def test_generation_does_not_stop_when_the_first_prices_are_too_high_for_any_ring():
    """Servers for two workers and one, unlinked; three workers are worth 8, two are worth 1.

    The node relaxation runs a ring of three over both servers at 8/3 a worker, where a ring of two
    loses 13/3, and rings of three do not exist.  The best is a ring of two: 1.
    """
    job = {"arrival": 0, "demand": [1], "budget": [None], "max_workers": 3, "bandwidth": 1}
    table = {"kind": "table", "values": [0, 0, 1, 8]}
    cluster = Cluster.build(
        horizon=1,
        resources=["gpu"],
        nodes=[{"capacity": [2]}, {"capacity": [1]}],
        links=[],
        jobs=[job | {"efficiency": 1, "utility": table}],
    )
    assert solve(NodeLP().form(cluster)).objective == pytest.approx(8)
    generated = generate_columns(snapshot(cluster))
    assert generated.value == pytest.approx(1)
    assert generated.bound == pytest.approx(1)


def forest_pricing(slot):
    return ForestPricing(slot, forest(slot.cluster))


def pair():
    """Servers of 2 and 1 GPUs, 3 Gbps both ways, a job worth 4, 7, 9."""
    return small([2, 1], [(0, 1, 3)], table(0, 4, 7, 9))


def test_rent_by_hand():
    # 2 x 1 + 1 x 2 for the servers, 3 x 0.5 for a link
    prices = CapacityPrices(np.array([[1.0], [2.0]]), np.array([0.5, 0.0]))
    assert prices.rent(pair()) == 5.5
    half = prices.mix(no_prices(pair()), 0.25)
    assert (half.node.tolist(), half.link.tolist()) == ([[0.75], [1.5]], [0.375, 0.0])


@pytest.mark.parametrize("pricing", [forest_pricing, RingPricing])
def test_the_best_reply_of_a_job_is_its_gain_less_the_rent_of_its_ring(pricing):
    # at 1 and 2 for the servers and 0.5 for 2 Gbps of the link from 0 to 1, rings of 1, 2, 3 cost
    # 1, 2, 5 and are worth 3, 5, 4 beyond
    prices = CapacityPrices(np.array([[1.0], [2.0]]), np.array([0.5, 0.0]))
    most, found = pricing(snapshot(pair())).replies(prices.node, prices.link, np.zeros(1))
    assert most == pytest.approx([5.0])
    assert found.size[found.size == 2].tolist() == [2]
    # nobody is worth more than what is known already
    most, found = pricing(snapshot(pair())).replies(prices.node, prices.link, np.array([5.0]))
    assert (most == pytest.approx([5.0]), len(found)) == (True, 0)
    # a size that is forbidden is not the reply, however cheap
    only = snapshot(pair()).fixed([1])
    most, found = pricing(only).replies(prices.node, prices.link, np.zeros(1))
    assert (most == pytest.approx([3.0]), found.size.tolist()) == (True, [1])


def test_what_is_unlimited_costs_no_rent():
    cluster = small([None, 1], [(0, 1, None)])
    prices = CapacityPrices(np.ones((2, 1)), np.ones(2))
    assert prices.rent(cluster) == 1.0


def test_rings_half_as_good_as_the_best_are_worth_adding():
    # surpluses 4 - 1 - 1, 7 - 2 - 1, 9 - 6 - 1 with σ = 1: 2, 4, 2
    slot = snapshot(pair())
    cost = np.array([[1.0, 2.0, 6.0]])
    assert improving(slot, cost, np.array([1.0])).tolist() == [[0, 1], [0, 2], [0, 3]]
    assert improving(slot, cost + np.array([0.5, 0, 0]), np.array([1.0])).tolist() == [
        [0, 2],
        [0, 3],
    ]
    assert improving(slot, cost, np.array([5.0])).tolist() == []


def test_the_master_takes_a_ring_once_and_prices_what_is_full():
    cluster = small([1], (), {"max_workers": 1} | table(0, 4), {"max_workers": 1} | table(0, 7))
    master = MasterProgram(snapshot(cluster))
    nothing = np.zeros((2, 0), np.int64)
    rings = Rings(np.array([0, 1]), np.array([1, 1]), np.array([[1], [1]]), nothing)
    assert (master.add(rings), master.add(rings), master.size) == (2, 0, 2)
    value, prices = master.solve()
    # the GPU goes to the second job; its price lies between both, and the rest is the job's
    assert value == pytest.approx(7.0)
    assert master.share == pytest.approx([0, 1])
    assert 4 - 1e-9 <= prices.node[0, 0] <= 7 + 1e-9
    assert master.surplus(prices) == pytest.approx([0.0, 7.0 - prices.node[0, 0]])


def test_node_prices_start_and_place_whole_rings():
    _, rings = start(snapshot(pair()))
    # all three GPUs are used by one ring of three
    assert [(p, y.tolist()) for p, y in rings] == [(0, [2, 1])]
    slot, tree = snapshot(pair()), forest(pair())
    found = tree_rings(slot, tree, rings)
    assert (found.size.tolist(), found.flow.tolist()) == ([3], [[1, 1]])
    assert len(tree_rings(slot, tree, [(0, np.array([1, 2]))])) == 0  # two do not fit on server 1
    narrow = small([2, 1], [(0, 1, 1)], table(0, 4, 7, 9))
    assert len(tree_rings(snapshot(narrow), forest(narrow), rings)) == 0


def test_a_slot_without_jobs_needs_no_master():
    found = generate_columns(snapshot(pair().replace(jobs=[])))
    assert (found.value, found.bound, found.rounds, len(found.share)) == (0.0, 0.0, 0, 0)


def test_a_ring_is_not_worth_adding_for_noise():
    # gains 4, 7, 9; noise is 1e-9 of the largest gain, or of σ where that is larger
    slot, gains = snapshot(pair()), np.array([[4.0, 7.0, 9.0]])
    for sigma, surplus, new in ((1.0, 5e-9, 0), (1.0, 2e-8, 3), (100.0, 5e-8, 0), (100.0, 2e-7, 3)):
        cost = gains - sigma - surplus
        assert len(improving(slot, cost, np.array([sigma]))) == new, (sigma, surplus)


@pytest.mark.slow
def test_memory_grows_no_faster_than_the_square_of_the_nodes(monkeypatch):
    monkeypatch.setattr("farkas.kernels.STEPS_INTERPRETED", -1)  # numba is loaded the first time

    def peak(nodes):
        slot = snapshot(wide_area(nodes, 3, jobs=20))
        tracemalloc.start()
        generate_columns(slot)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(20)  # what is loaded the first time
    assert peak(80) <= 16 * peak(20)


def test_a_ring_found_for_one_job_is_priced_for_all():
    # two jobs alike on two servers of one GPU: a ring over both is found for one and both may run
    alike = {"max_workers": 2} | table(0, 1, 9)
    cluster = small([1, 1], [(0, 1, 3)], alike, alike)
    master = MasterProgram(snapshot(cluster))
    master.add(Rings(np.array([0]), np.array([2]), np.array([[1, 1]]), np.array([[1, 1]])))
    nothing = no_prices(cluster)
    assert master.surplus(nothing).tolist() == [9.0, 0.0]
    assert master.known_surplus(nothing).tolist() == [9.0, 9.0]
    value, prices = master.solve_pool()
    # one of them runs: the prices leave nothing to the other
    assert (value, master.size) == (pytest.approx(9.0), 2)
    assert master.surplus(prices).sum() + prices.rent(cluster) == pytest.approx(9.0)


@pytest.mark.slow
def test_the_master_of_all_rings_is_the_program_over_them():
    compared = 0
    for cluster in any_networks(30, 6):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        form = ColumnLP().form(slot)
        columns = all_columns(slot)
        master = MasterProgram(slot)
        for first in range(0, len(columns.rings), 3):  # in several additions, as they are found
            master.add(columns.rings.take(np.arange(first, min(first + 3, len(columns.rings)))))
        made = as_scipy(master.session.form.matrix).toarray()
        used = form.row_block("link_capacity")  # rows of both: jobs, nodes, links
        assert used.stop == len(made) == form.num_rows
        np.testing.assert_array_equal(made, as_scipy(form.matrix).toarray())
        np.testing.assert_array_equal(master.session.form.cost, form.cost)
        compared += made.size > 0
    assert compared > 20
