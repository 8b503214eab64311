"""Column generation: master, prices, and a bound every round."""

import tracemalloc

import numpy as np
import pytest

from farkas.forms.matrices import as_scipy
from farkas.instances.generate import generate
from farkas.models.gadget.column import ColumnLP, all_columns
from farkas.models.gadget.forest import forest
from farkas.models.gadget.links import link_cap
from farkas.models.gadget.rings import Rings, enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.relaxed import random_clusters
from farkas.relaxations.gadget import ring_walks
from farkas.relaxations.gadget.embedding import NodeLP
from farkas.relaxations.gadget.generation import (
    CapacityPrices,
    ForestPricing,
    MasterProgram,
    RingPool,
    generate_columns,
    improving,
    no_prices,
    start,
    tree_rings,
)
from farkas.relaxations.gadget.ring_pricing import RingPricing, TreePricing, cheapest
from farkas.relaxations.gadget.ring_walks import program_ring
from farkas.solvers import solve
from tests.generators.gadget import any_networks, small, table, wide_area
from tests.references.gadget_pricing import least_costs, random_prices, tree_costs
from tests.relaxations.gadget.test_ring_search import best_listed


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


def forest_pricing(slot):
    return ForestPricing(slot, forest(slot.cluster))


def pair():
    """Servers of 2 and 1 GPUs, 3 Gbps both ways, a job worth 4, 7, 9."""
    return small([2, 1], [(0, 1, 3)], table(0, 4, 7, 9))


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


def priced(slot, node, link):
    cluster = slot.cluster
    worker = cluster.demand[slot.jobs] @ node.T
    return worker, cluster.bandwidth[slot.jobs][:, None] * link


def test_the_program_finds_the_best_of_all_rings():
    rng, rings = np.random.default_rng(8), 0
    for cluster in any_networks(25, 9):
        slot = snapshot(cluster)
        node, link = random_prices(cluster, rng)
        link *= rng.random() < 0.6  # links for nothing invite cycles away from the hosts
        worker, length = priced(slot, node, link)
        best = best_listed(slot, node, link) if len(slot.jobs) else []
        for place, most in enumerate(best):
            worth, bound, workers, flow = program_ring(slot, place, worker[place], length[place])
            assert (worth, bound) == pytest.approx((most, most), abs=1e-5)
            out = np.bincount(cluster.link_source, flow, cluster.num_nodes)
            assert out.tolist() == np.bincount(cluster.link_target, flow, len(out)).tolist()
            rings += bool(flow.any()) and int((workers > 0).sum() > 1)
    assert rings > 5


def test_without_an_answer_nothing_is_claimed(monkeypatch):
    slot = snapshot(small([2, 1], [(0, 1, 3)], table(0, 4, 7, 9)))
    worker, length = priced(slot, np.array([[1.0], [2.0]]), np.array([0.5, 0.0]))
    # 9 - 4 - 1 for three, 7 - 2 for two, 4 - 1 for one
    worth, bound, workers, flow = program_ring(slot, 0, worker[0], length[0])
    assert (worth, bound, workers.tolist(), flow.tolist()) == (
        5.0,
        pytest.approx(5),
        [2, 0],
        [0, 0],
    )
    dear = program_ring(slot, 0, worker[0] + 9, length[0])
    assert (dear[0], dear[1], dear[2].any()) == (0.0, pytest.approx(0), False)
    monkeypatch.setattr(ring_walks, "PATIENCE", 0.0)
    worth, bound, workers, flow = program_ring(slot, 0, worker[0], length[0])
    assert worth <= 5.0 <= bound


@pytest.mark.slow
def test_every_job_takes_the_best_ring_that_was_found_for_anybody():
    rng, others, ties = np.random.default_rng(6), 0, 0
    for cluster in any_networks(40, 7):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        limit = np.zeros(cluster.num_jobs, int)
        limit[slot.jobs] = slot.largest
        found = enumerate_rings(cluster, limit)
        found = found.take(np.flatnonzero(rng.random(len(found)) < 0.5))
        pool = RingPool(slot)
        half = len(found) // 2
        pool.add(found.take(np.arange(half)))
        pool.add(found)  # what is there already stands there once
        node, link = (np.round(2.0 * price) / 2.0 for price in random_prices(cluster, rng))
        most = pool.most(node, link)
        floor = np.where(rng.random(len(most)) < 0.3, most, most - 1e-6)
        floor[np.isinf(most)] = 0.0
        best = pool.better(node, link, floor)
        for place, job in enumerate(slot.jobs.tolist()):
            profit, able = [-np.inf], [-1]
            for ring in range(len(found)):
                size, workers, flow = found.size[ring], found.workers[ring], found.flow[ring]
                fits = size <= slot.largest[place] and (workers <= slot.cap[place]).all()
                if fits and (flow <= link_cap(cluster, job)).all():
                    rent = (workers @ node) @ cluster.demand[job]
                    rent += cluster.bandwidth[job] * (flow @ link)
                    profit.append(slot.gains[place, size - 1] - rent)
                    able.append(ring)
                    others += int(found.job[ring] != job)
            assert most[place] == pytest.approx(max(profit))
            mine = best.take(np.flatnonzero(best.job == job))
            wanted = set[bytes]()
            if np.isfinite(most[place]) and most[place] > floor[place]:
                as_good = np.flatnonzero(np.array(profit) > most[place] - 1e-6)
                wanted = {_key(found, able[k]) for k in as_good.tolist()}
                ties += len(wanted) > 1
            assert {_key(mine, ring) for ring in range(len(mine))} == wanted
            assert len(mine) == len(wanted)
    assert (others > 100, ties > 10) == (True, True)


def _key(rings, ring):
    return rings.workers[ring].tobytes() + rings.flow[ring].tobytes()


def test_an_empty_pool_has_nothing_for_anybody():
    pool, prices = RingPool(snapshot(small([1]))), (np.zeros((1, 1)), np.zeros(0))
    assert pool.most(*prices).tolist() == [-np.inf]
    assert len(pool.better(*prices, np.array([-1.0]))) == 0


def test_tree_pricing_finds_the_cheapest_ring_of_every_size():
    rng = np.random.default_rng(0)
    for cluster in random_clusters(25, 2, network="tree", servers=4, jobs=3, resources=2):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        node, link = random_prices(cluster, rng)
        pricing = TreePricing(cluster, forest(cluster), slot.jobs, slot.largest)
        cost, found = pricing.costs(node, link)
        inside = np.arange(1, cost.shape[1] + 1)[None, :] <= slot.largest[:, None]
        assert np.allclose(cost[inside], least_costs(cluster, slot, node, link)[inside])
        assert np.allclose(cost, tree_costs(pricing, node, link))
        # without machine code, which would not mind a table that is too small
        given = *pricing.prices(node, link), pricing.cap, pricing.tree.parent, pricing.tree.order
        own, _, take = cheapest.interpret(*given, cost.shape[1])
        assert np.array_equal(own, cost)
        assert np.array_equal(take, found.take)
        places = np.argwhere(np.isfinite(cost))
        rings = found.rings(places[:, 0], places[:, 1] + 1)
        paid = (rings.node_load(cluster) * node).sum(axis=(1, 2)) + rings.link_load(cluster) @ link
        assert np.allclose(paid, cost[places[:, 0], places[:, 1]])
        assert (rings.workers.sum(axis=1) == rings.size).all()


def test_a_ring_leaves_a_dear_server_when_crossing_is_cheaper():
    # two GPUs at 3 on server 0, two at 1 on server 1 behind a switch; an edge both ways costs
    # 2 Gbps x (0.1 + 0.2) + 2 Gbps x (0.3 + 0.4) = 2 to cross both
    cluster = small([2, 2], [(0, 2, 9), (1, 2, 9)], switches=1)
    pricing = TreePricing(cluster, forest(cluster), np.array([0]), np.array([3]))
    node, link = np.array([[3.0], [1.0], [0.0]]), np.array([0.1, 0.2, 0.3, 0.4])
    cost, found = pricing.costs(node, link)
    assert np.allclose(cost, [[1, 2, 2 + 3 + 2]])
    rings = found.rings(np.array([0, 0]), np.array([2, 3]))
    assert rings.workers.tolist() == [[0, 2, 0], [1, 2, 0]]
    assert rings.flow.tolist() == [[0, 0, 0, 0], [1, 1, 1, 1]]
