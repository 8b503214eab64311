"""Least costs of rings at given prices, against all rings."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from farkas.certificates.prices import FORBIDDEN, grid_exponent, rounded_down
from farkas.certificates.ring_profits import link_uses, ring_costs, ring_terms, rooted
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.models.gadget.rings import enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.small import random_clusters


def test_integer_ring_costs_are_those_of_the_cheapest_rings_on_trees():
    rng = np.random.default_rng(2)
    for cluster in random_clusters(15, 5, network="tree", servers=4, jobs=3):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        worker = rng.integers(0, 9, size=(len(slot.jobs), cluster.num_nodes))
        link = rng.integers(0, 9, size=(len(slot.jobs), cluster.num_links))
        costs = costs_of(cluster, slot.jobs, slot.largest_size, worker, link)
        limit = np.zeros(cluster.num_jobs, int)
        limit[slot.jobs] = slot.largest
        rings = enumerate_rings(cluster, limit)
        for place, job in enumerate(slot.jobs.tolist()):
            for k in range(1, int(slot.largest[place]) + 1):
                own = rings.take((rings.job == job) & (rings.size == k))
                paid = own.workers @ worker[place] + own.flow @ link[place]
                assert costs[place, k - 1] == int(paid.min(initial=FORBIDDEN))


def costs_of(cluster, *priced):
    """Costs on a network that is a forest."""
    return ring_costs(cluster, rooted(cluster), *priced)


def one_server(workers):
    """A single server of ``workers`` GPUs, and a job that may use all of them."""
    cluster = library.load("gadget/unlinked_pair")
    width = cluster.num_resources
    data = msgspec.to_builtins(cluster)
    node = {**data["nodes"][0], "capacity": [workers] * width}
    job = {**data["jobs"][0], "demand": [1.0] * width, "max_workers": workers}
    return cluster.replace(nodes=[node], links=[], jobs=[job])


def test_costs_of_half_a_million_workers_stay_below_what_is_forbidden():
    # k workers of equal price cost k times as much; with 40 bits a price the sum of 2^19 is 2^59.
    size = (1 << 19) + 5
    cluster = one_server(size)
    grid = grid_exponent(1.0, ring_terms(cluster, size))
    worker = rounded_down(np.ones((1, 1, 1)), np.ones((1, 1, 1)), grid)
    costs = costs_of(cluster, np.array([0]), size, worker, np.zeros((1, 0), np.int64))
    assert int(worker[0, 0]) == 2**grid - 1  # the double below one, in the grid's units
    assert costs[0].tolist() == [k * int(worker[0, 0]) for k in range(1, size + 1)]
    assert (costs < FORBIDDEN).all()


def test_prices_whose_sums_could_reach_what_is_forbidden_are_refused():
    cluster = one_server(1 << 19)
    for price in (2**40, -1):
        with pytest.raises(NotACertificate, match="price"):
            costs_of(
                cluster,
                np.array([0]),
                1 << 19,
                np.full((1, 1), price),
                np.zeros((1, 0), np.int64),
            )


def network(nodes, pairs):
    """A cluster of one-GPU servers with the given one-way links."""
    cluster = library.load("gadget/unlinked_pair")
    node = msgspec.to_builtins(cluster)["nodes"][0]
    links = [{"from": u, "to": v, "bandwidth": 9} for u, v in pairs]
    return cluster.replace(nodes=[node] * nodes, links=links)


@pytest.mark.parametrize(
    ("nodes", "pairs", "tree"),
    [
        (1, [], [(0, -1, -1, -1)]),
        (2, [(0, 1), (1, 0)], [(1, 0, 1, 0), (0, -1, -1, -1)]),
        (2, [(0, 1)], [(1, 0, -1, 0), (0, -1, -1, -1)]),
        (3, [(1, 0), (2, 1)], [(2, 1, 1, -1), (1, 0, 0, -1), (0, -1, -1, -1)]),
        (3, [(0, 1), (1, 0)], [(2, -1, -1, -1), (1, 0, 1, 0), (0, -1, -1, -1)]),
        (3, [(0, 1), (1, 2), (2, 0)], None),
        (2, [(0, 1), (0, 1)], None),
    ],
)
def test_forests_are_rooted_and_other_networks_are_none(nodes, pairs, tree):
    assert rooted(network(nodes, pairs)) == tree


@pytest.mark.parametrize("pairs", [[(0, 1), (1, 0)], [(0, 1)], [(1, 0)], []])
def test_a_ring_needs_links_both_ways(pairs):
    cluster = network(2, pairs)
    link = np.full((1, len(pairs)), 3)
    costs = costs_of(cluster, np.array([0]), 2, np.array([[5, 7]]), link)
    assert costs.tolist() == [[5, 5 + 7 + 6 if len(pairs) == 2 else FORBIDDEN]]


def test_a_link_that_is_too_narrow_for_a_job_is_no_link():
    cluster = network(2, [(0, 1), (1, 0)])
    job = msgspec.to_builtins(cluster.jobs[0])
    for bandwidth, fits in ((9.0, True), (9.0 * (1 + 1e-12), True), (9.1, False)):
        one = cluster.replace(jobs=[job | {"bandwidth": bandwidth}])
        costs = costs_of(one, np.array([0]), 2, np.array([[5, 7]]), np.full((1, 2), 3))
        assert costs.tolist() == [[5, 18 if fits else FORBIDDEN]]


def test_the_terms_of_a_ring_are_counted():
    assert ring_terms(network(2, [(0, 1), (1, 0)]), 3) == 3 * (1 + 2) + 2


def test_links_fit_as_often_as_they_have_room():
    cluster = network(2, [(0, 1), (1, 0)])
    job = msgspec.to_builtins(cluster.jobs[0])
    for bandwidth, uses in ((9.0, 1), (4.5, 2), (3.0 * (1 + 1e-12), 3), (9.1, 0), (0.0, 5)):
        one = cluster.replace(jobs=[job | {"bandwidth": bandwidth}])
        assert link_uses(one, 0, 5) == [uses, uses]
