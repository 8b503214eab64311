"""Best profits of rings in integers, against all rings and the compiled search."""

from __future__ import annotations

import dataclasses
import heapq
import itertools
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from farkas.certificates.ring_profits import (
    NEVER,
    Effort,
    PricedRings,
    link_uses,
    ring_terms,
)
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.models.gadget.rings import enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.relaxations.gadget.ring_search import RingTask, best_ring
from tests.generators.gadget import any_networks
from tests.references.gadget_pricing import pricing


def cycle(gain, price, length, cap=(1, 1, 1), uses=(9, 9, 9)):
    """Three hosts on a one-way cycle."""
    ends = [(0, 1), (1, 2), (2, 0)]
    links = [(u, v, p, n) for (u, v), p, n in zip(ends, length, uses, strict=True)]
    return PricedRings([0, *gain], list(price), list(cap), links)


def test_a_ring_around_a_cycle_pays_every_link_once():
    # GPUs at 1, 10, 100; links at 2, 4, 8: once around is 14
    assert cycle([3, 30, 130], [1, 10, 100], [2, 4, 8]).best() == 30 - 11 - 14
    assert cycle([3, 20, 131], [1, 10, 100], [2, 4, 8]).best() == 131 - 111 - 14
    assert cycle([3, 20, 120], [1, 10, 100], [2, 4, 8]).best() == 2
    assert cycle([0, 20, 120], [1, 10, 100], [2, 4, 8]).best() == 0  # and nobody must run
    # one link of the cycle does not fit
    assert cycle([3, 30, 131], [1, 10, 100], [2, 4, 8], uses=[9, 0, 9]).best() == 2


def test_a_full_host_takes_no_further_block():
    # two workers fit on host 0 for nothing, the third pays 1 on host 1; links are free
    assert cycle([0, 0, 9], [0, 1, 5], [0, 0, 0], cap=[2, 1, 1]).best() == 9 - 1
    # one on each
    assert cycle([0, 0, 9], [0, 1, 5], [0, 0, 0]).best() == 9 - 6


def test_a_link_is_not_used_more_often_than_it_fits():
    # 1 and 2 are reached from 0 by way of 3 only, and lead back to 0 only
    star = [(0, 3, 0, 1), (3, 1, 0, 9), (3, 2, 0, 9), (1, 0, 0, 9), (2, 0, 0, 9)]
    rings = PricedRings([0, 1, 10, 20], [0, 0, 0, 0], [1, 1, 1, 0], star)
    assert rings.best() == 10
    around = PricedRings(rings.gain, rings.price, rings.cap, [*star, (1, 3, 3, 9)])
    assert around.best() == 20 - 3
    wide = PricedRings(rings.gain, rings.price, rings.cap, [(0, 3, 0, 2), *star[1:]])
    assert wide.best() == 20


def test_two_bottlenecks_are_remembered_together():
    # hosts 1 and 2 behind node 5 and, for 1 more, hosts 3 and 4 behind node 6; all lead back to 0
    ways = [(0, 5, 0, 1), (5, 1, 0, 9), (5, 2, 0, 9), (0, 6, 1, 1), (6, 3, 0, 9), (6, 4, 0, 9)]
    back = [(u, 0, 0, 9) for u in (1, 2, 3, 4)]
    gain, cap = [0, 1, 10, 50, 100], [1, 1, 1, 1, 1, 0, 0]
    assert PricedRings(gain, [0] * 7, cap, ways + back).best() == 50 - 1
    wide = [(u, v, p, 2) for u, v, p, _ in ways]
    assert PricedRings(gain, [0] * 7, cap, [*ways[:3], *wide[3:], *back]).best() == 100 - 2
    assert PricedRings(gain, [0] * 7, cap, [*wide[:3], *ways[3:], *back]).best() == 100 - 1


def test_the_cheapest_workers_come_first():
    rings = cycle([0, 5, 9], [3, 4, 7], [1, 1, 1])
    assert rings.cheapest([0, 1, 2]) == [0, 3, 7, 14]
    assert rings.cheapest([2]) == [0, 7, NEVER + 0, NEVER]
    assert rings.beyond(1, [0, 3, 7, 14]) == max(5 - 3, 9 - 7)
    assert rings.beyond(3, [0, 3, 7, 14]) == -NEVER


def priced(slot, place, worker, link):
    """One job of a slot at whole prices."""
    cluster, job, size = slot.cluster, int(slot.jobs[place]), int(slot.largest[place])
    uses = np.minimum(cluster.link_cap(job), size).astype(int).tolist()
    ends = cluster.link_source.tolist(), cluster.link_target.tolist()
    return PricedRings(
        [0, *np.rint(slot.gains[place, :size]).astype(int).tolist()],
        worker.tolist(),
        slot.cap[place].tolist(),
        list(zip(*ends, link.tolist(), uses, strict=True)),
    )


def test_profits_are_those_of_the_best_listed_ring_and_of_the_compiled_search():
    rng = np.random.default_rng(7)
    loose = 0
    for cluster in any_networks(60, 8):
        slot = snapshot(cluster)
        limit = np.zeros(cluster.num_jobs, int)
        limit[slot.jobs] = slot.largest
        rings = enumerate_rings(cluster, limit)
        for place, job in enumerate(slot.jobs.tolist()):
            worker = rng.integers(0, 5, cluster.num_nodes)
            link = rng.integers(0, 3, cluster.num_links) * (rng.random() < 0.7)
            own = rings.take(rings.job == job)
            task = priced(slot, place, worker, link)
            gain = np.array(task.gain)
            best = max(0, *(gain[own.size] - own.workers @ worker - own.flow @ link))
            assert task.best() == best
            uses = np.array([n for *_, n in task.links], np.int64)
            network = pricing(slot).network
            worth = np.append(-np.inf, gain[1:])
            found = RingTask(worker.astype(float), slot.cap[place], link.astype(float), uses, worth)
            assert best_ring(network, found, 0.0, 1 << 20)[:2] == (best, best)
            # with few steps a bound remains
            short = task.best(steps=3)
            assert short >= best
            loose += short > best
    assert loose


def rings_by_enumeration(rings, most):
    """Best closed walk of ``most`` workers at most that lays one block on every host it serves."""
    ways = [(u, v, p) for u, v, p, _ in rings.links]

    def shortest():
        far = [
            [0 if u == v else NEVER for v in range(len(rings.price))]
            for u in range(len(rings.price))
        ]
        for u, v, p in ways:
            far[u][v] = min(far[u][v], p)
        for k, i, j in itertools.product(range(len(far)), repeat=3):
            far[i][j] = min(far[i][j], far[i][k] + far[k][j])
        return far

    far, best = shortest(), 0
    for n in range(1, len(rings.price) + 1):
        for order in itertools.permutations(range(len(rings.price)), n):
            road = sum(far[u][v] for u, v in itertools.pairwise([*order, order[0]]))
            for blocks in itertools.product(*(range(1, rings.cap[u] + 1) for u in order)):
                if sum(blocks) <= most:
                    paid = sum(m * rings.price[u] for m, u in zip(blocks, order, strict=True))
                    best = max(best, rings.gain[sum(blocks)] - paid - road)
    return best


@pytest.mark.parametrize("seed", [*range(50), 287, 386, 498])
def test_profits_are_those_of_all_orders_of_hosts_where_links_are_wide(seed):
    # one-way links at many prices, so that dear ways to a host are found before cheap ones
    rng = np.random.default_rng(seed)
    hosts, most = int(rng.integers(3, 6)), int(rng.integers(2, 6))
    pairs = [(u, v) for u in range(hosts) for v in range(hosts) if u != v and rng.random() < 0.8]
    rings = PricedRings(
        [0, *np.sort(rng.integers(0, 60, most)).tolist()],
        rng.integers(0, 9, hosts).tolist(),
        rng.integers(0, 3, hosts).tolist(),
        [(u, v, int(rng.integers(0, 20)), 99) for u, v in pairs],
    )
    assert rings.best() == rings_by_enumeration(rings, most)
    # what cannot be used changes nothing: caps beyond the gains, links that fit no use
    roomy = dataclasses.replace(
        rings, cap=[cap + most if cap >= most else cap for cap in rings.cap]
    )
    closed = [(v, u, 0, 0) for u, v in pairs]
    shut = dataclasses.replace(rings, links=[*rings.links, *closed])
    assert roomy.best() == shut.best() == rings.best()


@pytest.mark.parametrize("seed", range(20))
def test_whatever_a_search_passes_is_counted(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    hosts, most = int(rng.integers(3, 7)), int(rng.integers(2, 7))
    pairs = [(u, v) for u in range(hosts) for v in range(hosts) if u != v]
    rings = PricedRings(
        [0, *np.sort(rng.integers(0, 60, most)).tolist()],
        rng.integers(0, 5, hosts).tolist(),
        rng.integers(0, 3, hosts).tolist(),
        [(u, v, int(rng.integers(0, 3)), int(rng.integers(0, 2))) for u, v in pairs],
    )
    passed = 0

    def counted(heap, item):
        nonlocal passed
        passed += 1
        heapq.heappush(heap, item)

    effort, heaps = Effort(), SimpleNamespace(heappush=counted, heappop=heapq.heappop)
    with monkeypatch.context() as within:
        within.setattr("farkas.certificates.ring_profits.heapq", heaps)
        best = rings.best(effort=effort)
    assert effort.spent >= passed + hosts + len(pairs)
    assert rings.best(effort=Effort(effort.spent)) == best
    with pytest.raises(NotACertificate, match="searches of rings would take more than"):
        rings.best(effort=Effort(effort.spent - 1))


@pytest.mark.parametrize("hosts", [0, 1])
def test_few_hosts_need_no_links(hosts):
    assert PricedRings([0, 4, 6], [1] * hosts, [1] * hosts, []).best() == 3 * hosts


def network(nodes, pairs):
    """A cluster of one-GPU servers with the given one-way links."""
    cluster = library.load("gadget/unlinked_pair")
    node = msgspec.to_builtins(cluster)["nodes"][0]
    links = [{"from": u, "to": v, "bandwidth": 9} for u, v in pairs]
    return cluster.replace(nodes=[node] * nodes, links=links)


def test_the_terms_of_a_ring_are_counted():
    assert ring_terms(network(2, [(0, 1), (1, 0)]), 3) == 3 * (1 + 2) + 2


def test_links_fit_as_often_as_they_have_room():
    cluster = network(2, [(0, 1), (1, 0)])
    job = msgspec.to_builtins(cluster.jobs[0])
    for bandwidth, uses in ((9.0, 1), (4.5, 2), (3.0 * (1 + 1e-12), 3), (9.1, 0), (0.0, 5)):
        one = cluster.replace(jobs=[job | {"bandwidth": bandwidth}])
        assert link_uses(one, 0, 5) == [uses, uses]
