"""Rings exchanged for others, on networks where every ring can be listed."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.models.gadget.rings import Rings, enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.online.gadget.columns import BASELINES, baseline_rings, worth
from farkas.online.gadget.exchange import Exchange, exchanged
from farkas.relaxations.gadget.generation import no_prices
from farkas.relaxations.gadget.whole_sizes import whole_sizes
from tests.generators.gadget import (
    any_networks,
    edges_of,
    job,
    scarce,
    small,
    star,
    table,
    wide_area,
)
from tests.tools.rings import schedule_broken


def exchange_of(slot, rings=None, seed=0):
    """Exchange at no prices, of no rings unless some are given."""
    sizes = whole_sizes(slot, no_prices(slot.cluster), 0)
    rings = Rings.none(slot.cluster) if rings is None else rings
    return Exchange(slot, sizes, rings, np.random.default_rng(seed))


def test_a_ring_is_laid_wherever_one_of_its_size_fits():
    laid = missing = 0
    for cluster in any_networks(60, 31):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        exchange = exchange_of(slot)
        for place, of in enumerate(slot.jobs.tolist()):
            limit = np.zeros(cluster.num_jobs, int)
            limit[of] = slot.largest[place]
            rings = enumerate_rings(cluster, limit)
            for size in range(1, int(slot.largest[place]) + 1):
                free, left = cluster.capacity, cluster.link_bandwidth
                workers, flow = exchange.ring(place, size, free, left)
                known = (rings.size == size).any()
                assert workers.sum() == (size if known else 0)
                one = Rings.of(cluster, [(of, workers, flow)] if known else [])
                assert schedule_broken(cluster, [one]) == []
                laid, missing = laid + known, missing + (not known)
    assert laid > 100
    assert missing > 10


def test_a_ring_takes_no_more_than_is_left():
    # two GPUs on either server, 4 Gbps between them, 2 Gbps a ring edge
    slot = snapshot(small([2, 2], [(0, 1, 4)], {"max_workers": 4}))
    exchange = exchange_of(slot)
    free, left = slot.cluster.capacity, slot.cluster.link_bandwidth
    assert exchange.ring(0, 4, free, left)[0].tolist() == [2, 2]
    assert not exchange.ring(0, 4, free - 1, left)[0].any()
    assert not exchange.ring(0, 4, free, left - 3)[0].any()
    assert exchange.ring(0, 2, free, left - 3)[0].max() == 2
    assert not exchange.ring(0, 2, free - [[1], [1]], np.array([4.0, 1.0]))[0].any()
    assert exchange.ring(0, 2, free - [[1], [1]], np.array([2.0, 2.0]))[1].tolist() == [1, 1]


def test_links_with_much_left_are_preferred():
    # two ways from server to server, of 9 and of 2 Gbps
    slot = snapshot(small([1, 1], [(0, 1, 2), (0, 1, 9)], {"max_workers": 2}))
    exchange = exchange_of(slot)
    free, left = slot.cluster.capacity, slot.cluster.link_bandwidth
    assert exchange.ring(0, 2, free, left)[1].tolist() == [0, 0, 1, 1]


def test_exchanges_keep_all_capacities_and_lose_nothing():
    better = 0
    for cluster in any_networks(60, 32):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        first = baseline_rings(slot, BASELINES[0])
        exchange = exchange_of(slot, first)
        value = worth(slot, first)
        for _ in range(10):
            exchange.move()
            assert exchange.value == worth(slot, exchange.rings) >= value * (1 - 1e-9)
            assert len(set(exchange.rings.job.tolist())) == len(exchange.rings)
            assert schedule_broken(cluster, [exchange.rings]) == []
            better += exchange.value > value * (1 + 1e-9)
            value = exchange.value
    assert better > 10


def test_rings_of_other_sizes_than_the_best_on_one_server_go_first():
    # two workers of one job are worth 9, of the others 1: nobody wants these
    slot = snapshot(star(1, 1, 1, jobs=[job(**table(0, 1, 9)), job(), job()]))
    workers = np.array([[0, 1, 0, 0], [0, 0, 1, 0]])
    rings = Rings(np.array([1, 2]), np.ones(2, int), workers, np.zeros((2, 6), int))
    exchange = exchange_of(slot, rings)
    assert exchange.wanted.tolist()[0] == 2
    kept = [exchange.kept() for _ in range(200)]
    unwanted = np.flatnonzero(exchange.wanted[1:] == 0)
    assert np.mean([row[unwanted].any() for row in kept]) < 0.2
    exchange.move()
    assert exchange.value == 10.0


def test_what_is_near_a_server_goes_and_what_is_far_stays():
    # six servers in a line, a wanted ring on each
    line = [(u, u + 1, 9) for u in range(5)]
    slot = snapshot(small([1] * 6, line, *[{"max_workers": 1}] * 6))
    eye = np.eye(6, dtype=int)
    rings = Rings(np.arange(6), np.ones(6, int), eye, np.zeros((6, 10), int))
    exchange = exchange_of(slot, rings)
    assert exchange.wanted.tolist() == [1] * 6
    gone = {tuple(np.flatnonzero(~exchange.kept()).tolist()) for _ in range(300)}
    assert {len(each) for each in gone} == {1, 2, 3, 4, 5, 6}
    assert all(max(each) - min(each) == len(each) - 1 for each in gone)  # next to one another


def test_exchanges_end_when_enough_is_reached_or_nothing_is_gained(monkeypatch):
    cluster = scarce(12, edges_of(wide_area(12, seed=2, jobs=1)), "sigmoid", jobs=40)
    slot = snapshot(cluster)
    sizes, none = whole_sizes(slot, no_prices(cluster), 0), Rings.none(cluster)
    moves = []
    move = Exchange.move
    monkeypatch.setattr(Exchange, "move", lambda self: moves.append(1) or move(self))
    assert exchanged(slot, sizes, none, 0.0) is none
    assert not moves
    best = exchanged(slot, sizes, none, np.inf)
    assert 30 < len(moves) <= 200
    assert worth(slot, best) <= sizes.bound * (1 + 1e-12)
    moves.clear()
    enough = exchanged(slot, sizes, none, 0.5 * sizes.bound)
    assert len(moves) < 30
    assert worth(slot, enough) >= 0.5 * sizes.bound


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_best_sizes_are_laid_on_a_wide_area_network(seed):
    # sigmoids: what column generation proves is up to 0.3 % above the best sizes on one server
    cluster = scarce(16, edges_of(wide_area(16, seed=seed, jobs=1)), "sigmoid", seed=seed)
    slot = snapshot(cluster)
    sizes = whole_sizes(slot, no_prices(cluster), 0)
    rings = exchanged(slot, sizes, Rings.none(cluster), sizes.bound * (1 - 1e-9))
    assert schedule_broken(cluster, [rings]) == []
    assert worth(slot, rings) == pytest.approx(sizes.bound, rel=1e-9)


def test_what_is_laid_leaves_kept_rings_their_links_and_is_smaller_where_it_must():
    # the kept ring takes one of two GPUs on either server and the links between them
    pair = {"max_workers": 2, **table(0, 1, 9)}
    slot = snapshot(small([2, 2], [(0, 1, 2)], pair, pair))
    cluster = slot.cluster
    kept = Rings.of(cluster, [(0, np.array([1, 1]), np.array([1, 1]))])
    for seed in range(5):
        new = exchange_of(slot, kept, seed).laid(kept)
        assert (new.job.tolist(), new.size.tolist()) == ([1], [1])
        assert schedule_broken(cluster, [Rings.join([kept, new], cluster)]) == []


def test_rings_that_are_laid_leave_each_other_neither_links_nor_servers_twice():
    # one way round four servers of one GPU, 2 Gbps: every ring of two workers goes all round
    pair = {"max_workers": 2, **table(0, 0, 10)}
    ways = [(u, (u + 1) % 4, 2) for u in range(4)]
    round_trip = snapshot(small([1] * 4, ways, pair, pair, one_way=True))
    # three workers for two servers of one GPU: as long as links, each server is used once
    one = {"max_workers": 1}
    free = snapshot(small([1, 1], [(0, 1, 9)], one, one, one))
    for slot, runs in ((round_trip, 1), (free, 2)):
        none = Rings.none(slot.cluster)
        for seed in range(8):
            new = exchange_of(slot, none, seed).laid(none)
            assert len(new) == runs
            assert schedule_broken(slot.cluster, [new]) == []


def test_most_exchanges_take_away_every_ring_of_an_unwanted_size():
    # two workers of the first job are worth 99, so that eleven others are not wanted
    slot = snapshot(star(*[1] * 12, jobs=[job(max_workers=12, **table(0, *range(90, 102)))]
                         + [job(max_workers=1)] * 11))  # fmt: skip
    workers = np.zeros((11, 13), int)
    workers[np.arange(11), np.arange(1, 12)] = 1
    rings = Rings(np.arange(1, 12), np.ones(11, int), workers, np.zeros((11, 24), int))
    exchange = exchange_of(slot, rings)
    unwanted = exchange.wanted[1:] == 0
    assert unwanted.sum() > 6
    left = np.mean([exchange.kept()[unwanted].any() for _ in range(400)])
    assert 0.1 < left < 0.3


def test_nothing_is_tried_longer_than_patience_allows(monkeypatch):
    slot = snapshot(star(1, 1, jobs=[job(max_workers=1)]))
    sizes = whole_sizes(slot, no_prices(slot.cluster), 0)
    moves = []
    move = Exchange.move
    monkeypatch.setattr(Exchange, "move", lambda self: moves.append(1) or move(self))
    assert worth(slot, exchanged(slot, sizes, Rings.none(slot.cluster), np.inf)) == 1.0
    assert len(moves) == 1 + 30


def test_sizes_are_chosen_for_the_gpus_that_kept_rings_leave():
    # one GPU is left for one of two jobs: the better one, though the other needs more of the links
    jobs = [job(max_workers=1, **table(0, 9)) for _ in range(2)]
    slot = snapshot(star(1, 1, jobs=[*jobs, job(max_workers=1, bandwidth=3, **table(0, 1))]))
    workers, flow = np.array([1, 0, 0]), np.zeros(4, int)
    kept = Rings.of(slot.cluster, [(0, workers, flow)])
    for seed in range(5):
        assert exchange_of(slot, kept, seed).laid(kept).job.tolist() == [1]
