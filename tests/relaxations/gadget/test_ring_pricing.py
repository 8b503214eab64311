"""Best rings of the jobs of a slot, against all rings, and short ways round."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.models.gadget.rings import enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.relaxations.gadget import ring_pricing
from farkas.relaxations.gadget.generation import CapacityPrices, generate_columns
from farkas.relaxations.gadget.ring_pricing import (
    LabelBudget,
    RingPricing,
    Router,
    network_of,
    noise,
)
from farkas.relaxations.gadget.ring_search import best_rings
from farkas.relaxations.gadget.ring_walks import program_ring
from tests.generators.gadget import any_networks, small, table
from tests.references.gadget_pricing import dense_walks, random_prices


def best_listed(slot, node, link):
    """Worth of the best enumerated ring of each job, at least 0."""
    cluster = slot.cluster
    limit = np.zeros(cluster.num_jobs, int)
    limit[slot.jobs] = slot.largest
    rings = enumerate_rings(cluster, limit)
    cost = (rings.node_load(cluster) * node).sum(axis=(1, 2)) + rings.link_load(cluster) @ link
    place = slot.jobs.searchsorted(rings.job)
    best = np.zeros(len(slot.jobs))
    np.maximum.at(best, place, slot.gains[place, rings.size - 1] - cost)
    return best


def test_replies_are_the_best_of_all_rings_on_any_network():
    rng = np.random.default_rng(1)
    relaxed = 0
    for cluster in any_networks(60, 4):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        node, link = random_prices(cluster, rng)
        link *= rng.random() < 0.7
        nothing = np.zeros(len(slot.jobs))
        pricing = RingPricing(slot)
        best = best_listed(slot, node, link)
        most, found = pricing.replies(node, link, nothing)
        while len(found):  # until nobody knows a better ring
            paid = (found.node_load(cluster) * node).sum(axis=(1, 2))
            paid = paid + found.link_load(cluster) @ link
            place = slot.jobs.searchsorted(found.job)
            known = np.maximum.reduceat(
                slot.gains[place, found.size - 1] - paid, np.flatnonzero(np.diff(place, prepend=-1))
            )
            nothing[np.unique(place)] = np.maximum(nothing[np.unique(place)], known)
            most, found = pricing.replies(node, link, nothing)
        assert most == pytest.approx(best, rel=1e-8, abs=1e-7)
        walks = dense_walks(slot, node, link)
        assert (walks >= best - 1e-9).all()
        relaxed += int((walks > best + 1e-6).sum())
    assert relaxed  # walks that are no rings look better


def test_rings_found_are_closed_walks_through_their_hosts():
    rng = np.random.default_rng(2)
    for cluster in any_networks(20, 5):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        _, found = RingPricing(slot).replies(*random_prices(cluster, rng), np.zeros(len(slot.jobs)))
        place = slot.jobs.searchsorted(found.job)
        assert (found.workers <= slot.cap[place]).all()
        for ring in range(len(found)):
            out = np.bincount(cluster.link_source, found.flow[ring], cluster.num_nodes)
            into = np.bincount(cluster.link_target, found.flow[ring], cluster.num_nodes)
            assert (out == into).all()


def test_a_program_goes_on_where_too_much_would_have_to_be_remembered(monkeypatch):
    # a GPU on each server of a triangle; three workers are worth 60, fewer nothing.  At 0, 1 and 50
    # a ring is worth 9; a walk that comes back to the second server is worth 58
    cluster = small([1] * 3, [(0, 1, 9), (1, 2, 9), (2, 0, 9)], table(0, 0, 0, 60))
    slot, pricing = snapshot(cluster), RingPricing(snapshot(cluster))
    given = np.array([[0.0], [1.0], [50.0]]), np.zeros(6), np.zeros(1)
    most, found = pricing.replies(*given)
    assert (most == pytest.approx([9.0]), found.workers.tolist()) == (True, [[1, 1, 1]])
    monkeypatch.setattr(ring_pricing, "MOST_LABELS", 0)
    asked = []
    program = ring_pricing.program_ring
    monkeypatch.setattr(
        ring_pricing, "program_ring", lambda *task: asked.append(task) or program(*task)
    )
    # what labels leave open is no more than 58; nobody asks where that is little enough
    most, found = pricing.replies(*given, enough=58.0)
    assert (most == pytest.approx([58.0]), len(found), asked) == (True, 0, [])
    most, found = pricing.replies(*given)
    assert (most == pytest.approx([9.0]), found.workers.tolist()) == (True, [[1, 1, 1]])
    assert len(asked) == len(slot.jobs) == 1


def test_how_far_rings_are_searched_is_chosen(monkeypatch):
    # as above: walks alone leave 58 open, labels find 9, and nobody else asks the integer program
    cluster = small([1] * 3, [(0, 1, 9), (1, 2, 9), (2, 0, 9)], table(0, 0, 0, 60))
    slot = snapshot(cluster)
    given = np.array([[0.0], [1.0], [50.0]]), np.zeros(6), np.zeros(1)
    asked = []
    monkeypatch.setattr(
        ring_pricing, "program_ring", lambda *task: asked.append(task) or program_ring(*task)
    )
    assert RingPricing(slot, "walks").replies(*given)[0] == pytest.approx([58.0])
    assert RingPricing(slot, "loose").replies(*given)[0] == pytest.approx([9.0])
    monkeypatch.setattr(ring_pricing, "LOOSE_LABELS", 0)
    assert RingPricing(slot, "loose").replies(*given)[0] == pytest.approx([58.0])
    assert asked == []
    monkeypatch.setattr(ring_pricing, "MOST_LABELS", 0)
    assert RingPricing(slot, "exact").replies(*given)[0] == pytest.approx([9.0])
    assert len(asked) == 1


def test_searches_share_labels_and_walks_remember_nothing_without_any(monkeypatch):
    # as above, with two jobs of the same kind
    cluster = small([1] * 3, [(0, 1, 9), (1, 2, 9), (2, 0, 9)], *[table(0, 0, 0, 60)] * 2)
    slot = snapshot(cluster)
    given = np.array([[0.0], [1.0], [50.0]]), np.zeros(6), np.zeros(2)

    def most(search, labels):
        return RingPricing(slot, search, labels).replies(*given)[0].tolist()

    every = LabelBudget(1000)
    assert most("loose", every) == [9.0, 9.0]
    used = 1000 - every.left
    assert used > 0
    assert used % 2 == 0
    one, none = LabelBudget(used // 2), LabelBudget(0)
    assert most("loose", one) == [9.0, 58.0]
    assert one.left == none.left == 0
    assert most("loose", none) == [58.0, 58.0]
    assert most("exact", none) == [9.0, 9.0]  # an integer program needs no labels
    one.spend(5)
    assert (one.left, one.most(7), LabelBudget(8).most(7)) == (0, 0, 7)
    found = generate_columns(slot, prices=CapacityPrices(*given[:2]), most_rounds=0, search="loose")
    assert found.bound == 18.0 + 51.0
    found = generate_columns(
        slot, prices=CapacityPrices(*given[:2]), most_rounds=0, search="loose", labels=none
    )
    assert found.bound == 116.0 + 51.0


def test_hops_are_links_on_the_way_one_way_or_not():
    cluster = small([1] * 4, [(0, 1, 9), (1, 2, 9), (2, 0, 9)], one_way=True)
    pricing = RingPricing(snapshot(cluster))
    assert pricing.hops(1).tolist() == [2, 0, 1, np.inf]
    both = RingPricing(snapshot(small([1] * 3, [(0, 1, 9), (1, 2, 9)])))
    assert both.hops(1).tolist() == [1, 0, 1]


def test_replies_are_the_best_with_hardly_any_labels(monkeypatch):
    monkeypatch.setattr(ring_pricing, "MOST_LABELS", 0)
    rng = np.random.default_rng(4)
    for cluster in any_networks(15, 12):
        slot = snapshot(cluster)
        if len(slot.jobs):
            node, link = random_prices(cluster, rng)
            best = best_listed(slot, node, link * 0)
            most, _ = RingPricing(slot).replies(node, link * 0, best - 1e-3)
            assert (most >= best - 1e-6).all()
            most, found = RingPricing(slot).replies(node, link * 0, best + 1e-3)
            assert (most == pytest.approx(best + 1e-3, abs=1e-5), len(found)) == (True, 0)


def test_machine_code_and_interpreter_find_the_same_rings():
    rng = np.random.default_rng(3)
    network = network_of(5, rng.permutation(np.repeat(np.arange(5), 3)), rng.integers(0, 5, 15))
    jobs = 30
    tasks = (
        rng.integers(0, 4, (jobs, 5)).astype(float),
        rng.integers(0, 3, (jobs, 5)),
        rng.integers(0, 3, (jobs, 15)).astype(float),
        rng.integers(0, 3, (jobs, 15)),
        np.column_stack([np.full(jobs, -np.inf), rng.integers(0, 20, (jobs, 6)).astype(float)]),
    )
    given = network, *tasks, np.full(jobs, 6), np.zeros(jobs), 1 << 16
    compiled, plain = best_rings.machine(*given), best_rings.interpret(*given)
    assert all(np.array_equal(a, b) for a, b in zip(compiled, plain, strict=True))
    assert (compiled[0] > 0).sum() > 10


def test_short_ways_round_go_from_host_to_host():
    network = network_of(4, np.array([0, 1, 2, 3, 1]), np.array([1, 2, 3, 0, 0]))
    router, every = Router(network), np.ones(5, np.int64)
    assert router.through([0, 1], every).tolist() == [1, 0, 0, 0, 1]
    assert router.through([0, 2], every).tolist() == [1, 1, 1, 1, 0]
    assert router.through([2], every).tolist() == [0] * 5
    assert router.through([0, 2], np.array([1, 1, 0, 1, 1])) is None
    # 0, 2, 1 goes around twice but for the last step
    assert router.through([0, 2, 1], every) is None
    assert router.through([0, 2, 1], every * 2).tolist() == [2, 1, 1, 1, 1]


def test_noise_is_a_share_of_what_is_at_stake():
    slot = snapshot(small([1]))  # a worker is worth 5
    assert noise(slot, np.array([1.0])) == pytest.approx([5e-9])
    assert noise(slot, np.array([100.0])) == pytest.approx([1e-7])
