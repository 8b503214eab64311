"""Programs of one slot and of the horizon against enumeration, and against each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.gadget import Cluster
from farkas.models.gadget.circulation import Circulation
from farkas.models.gadget.column import ColumnIP
from farkas.models.gadget.counts import FeasibleCounts, greedy, offline_optimum
from farkas.models.gadget.forest import forest
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.lone import lone_sizes
from farkas.models.gadget.offline import Offline
from farkas.models.gadget.rings import ClosedWalks, enumerate_rings, link_cap
from farkas.models.gadget.slot import snapshot
from farkas.models.gadget.tree import Tree
from farkas.online.gadget.environment import closed_walk
from farkas.proofs.gadget.small import random_clusters
from farkas.proofs.gadget.topology import printed_optimum
from farkas.solvers import solve

NAMES = ["gadget.gvne", "gadget.circulation", "gadget.tree", "gadget.column_ip", "gadget.offline"]


def optimum(form):
    return solve(form, gap=0.0).require_optimal().objective


@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_all_slot_programs_agree_with_enumeration(network):
    for cluster in random_clusters(12, 1, network=network, servers=3, jobs=3, resources=2):
        best, counts = FeasibleCounts.of(cluster).best(0, np.zeros(cluster.num_jobs))
        exact = [Gvne(), Circulation(), ColumnIP()]
        if forest(cluster) is not None:
            exact.append(Tree())
        for program in exact:
            assert optimum(program.form(cluster)) == pytest.approx(best, abs=1e-6), program
        assert snapshot(cluster).value(counts) == pytest.approx(best)


def brute_force_counts(cluster: Cluster) -> set[tuple[int, ...]]:
    """Count vectors for which some choice of one ring per job fits, by trying all choices."""
    rings = enumerate_rings(cluster, cluster.ring_limit())
    node, link = rings.node_load(cluster), rings.link_load(cluster)
    options = [[None, *np.flatnonzero(rings.job == i).tolist()] for i in range(cluster.num_jobs)]
    found = set()
    for choice in itertools.product(*options):
        picked = [c for c in choice if c is not None]
        fits = (node[picked].sum(axis=0) <= cluster.capacity + 1e-9)[cluster.is_server].all()
        if fits and (link[picked].sum(axis=0) <= cluster.link_bandwidth + 1e-9).all():
            found.add(tuple(0 if c is None else int(rings.size[c]) for c in choice))
    return found


def test_feasible_counts_are_those_of_all_choices_of_rings():
    for cluster in random_clusters(15, 2, network="any", servers=3, jobs=2, horizon=1):
        vectors = {tuple(row) for row in FeasibleCounts.of(cluster).vectors.tolist()}
        assert vectors == brute_force_counts(cluster)


def test_feasible_counts_are_closed_downwards():
    for cluster in random_clusters(15, 3, network="any", servers=3, jobs=3):
        vectors = {tuple(row) for row in FeasibleCounts.of(cluster).vectors.tolist()}
        for row in vectors:
            for job in range(len(row)):
                smaller = tuple(max(0, k - (j == job)) for j, k in enumerate(row))
                assert smaller in vectors


@pytest.mark.parametrize("concave", [True, False])
def test_the_dynamic_program_agrees_with_the_offline_program(concave):
    settings = {"network": "any", "servers": 2, "jobs": 2, "horizon": 2, "concave": concave}
    for cluster in random_clusters(8, 4, **settings):
        value, received = offline_optimum(FeasibleCounts.of(cluster))
        assert optimum(Offline().form(cluster)) == pytest.approx(value, abs=1e-6)
        assert cluster.total_reward(received) == pytest.approx(value)


def test_rings_are_closed_walks_within_local_capacities():
    for cluster in random_clusters(15, 5, network="any", servers=4, jobs=2):
        rings = enumerate_rings(cluster, cluster.ring_limit())
        for c in range(len(rings)):
            job = int(rings.job[c])
            hosts = np.flatnonzero(rings.workers[c]).tolist()
            uses = dict(enumerate(rings.flow[c].tolist()))
            assert closed_walk(cluster, hosts, uses)
            assert (rings.workers[c] <= cluster.host_cap[job]).all()
            assert (rings.flow[c] <= link_cap(cluster, job)).all()
            assert rings.size[c] == rings.workers[c].sum()


def test_a_ring_on_one_host_uses_no_link():
    cluster = library.load("gadget/tiny")
    rings = enumerate_rings(cluster, cluster.ring_limit())
    alone = (rings.workers > 0).sum(axis=1) == 1
    assert not rings.flow[alone].any()


def test_on_a_one_way_cycle_every_ring_circles_once():
    cluster = library.load("gadget/six_cycle_half").replace(
        links=[{"from": u, "to": (u + 1) % 6, "bandwidth": 2} for u in range(6)]
    )
    walks = ClosedWalks(cluster, 1000).through((0, 2, 5), np.full(6, 2.0))
    assert walks == [(1, 1, 1, 1, 1, 1)]  # in the other order it would circle twice


def test_too_many_rings_are_refused_not_listed():
    cluster = library.load("gadget/two_triangles")
    with pytest.raises(NotApplicable, match="too many to list"):
        enumerate_rings(cluster, cluster.ring_limit(), most=5)


def test_the_size_of_the_embedding_program_is_the_stated_one():
    # q sizes: |V| q(q+1)/2 placements and |E| (q(q+1)/2 - 1) ring edges per job
    cluster = library.load("gadget/two_triangles")
    q, nodes, links = 6, 6, 12
    form = Gvne().form(cluster)
    assert form.num_columns == 1 + q + nodes * q * (q + 1) // 2 + links * (q * (q + 1) // 2 - 1)
    rows = 1 + q * (q + 1) // 2 + nodes * (q * (q + 1) // 2 - 1) + nodes + links
    assert form.num_rows == rows


def test_ties_go_to_the_lexicographically_largest_counts():
    # one GPU, two equal jobs: (1, 0) and (0, 1) both gain 1
    cluster = library.load("gadget/one_gpu")
    twice = cluster.replace(jobs=[cluster.jobs[0], cluster.jobs[0]])
    assert FeasibleCounts.of(twice).best(0, [0, 0])[1].tolist() == [1, 0]


def test_the_seven_ninths_instance_reaches_fourteen_of_eighteen():
    feasible = FeasibleCounts.of(library.load("gadget/seven_ninths"))
    assert feasible.cluster.total_reward(greedy(feasible)) == 14
    assert offline_optimum(feasible)[0] == 18


def test_lone_sizes_are_the_largest_enumerated_ones():
    for cluster in random_clusters(25, 6, network="any", servers=4, jobs=2):
        slot = snapshot(cluster)
        limit = np.zeros(cluster.num_jobs, int)
        limit[slot.jobs] = slot.largest
        rings = enumerate_rings(cluster, limit)
        largest = [int(rings.size[rings.job == i].max(initial=0)) for i in slot.jobs]
        assert lone_sizes(slot).tolist() == largest


def test_unlimited_links_and_nodes_do_not_bind():
    job = {
        "arrival": 0,
        "demand": [1.0],
        "budget": [None],
        "max_workers": 2,
        "bandwidth": 7.0,
        "efficiency": 1.0,
        "utility": {"kind": "linear", "slope": 1.0},
    }
    cluster = Cluster.build(
        horizon=1,
        resources=["gpu"],
        nodes=[{"capacity": [None]}, {"capacity": [1.0]}],
        links=[{"from": 0, "to": 1, "bandwidth": None}, {"from": 1, "to": 0, "bandwidth": None}],
        jobs=[job],
    )
    for name in NAMES[:4]:
        assert optimum(programs.build(name).form(cluster)) == 2.0
    boundless = cluster.replace(nodes=[{"capacity": [None]}, {"capacity": [None]}])
    assert FeasibleCounts.of(boundless).best(0, [0.0])[0] == 2.0


def test_one_way_links_carry_no_ring_on_a_tree_but_do_on_a_cycle():
    pair = library.load("gadget/worker_bound_trap")
    one_way = pair.replace(links=[{"from": 0, "to": 1, "bandwidth": 10}])
    assert forest(one_way) is not None
    assert optimum(Tree().form(one_way)) == optimum(Gvne().form(one_way)) == 1.0
    cycle = library.load("gadget/six_cycle_half")
    assert forest(cycle) is None
    with pytest.raises(NotApplicable, match="has a cycle"):
        Tree().form(cycle)


def test_zero_bandwidth_jobs_pass_every_link():
    cluster = library.load("gadget/two_ring_star")
    job = cluster.jobs[0]
    free = cluster.replace(
        jobs=[{**_plain(job), "bandwidth": 0.0}],
        links=[{"from": k.source, "to": k.target, "bandwidth": 0.0} for k in cluster.links],
    )
    assert optimum(Tree().form(free)) == pytest.approx(2 * np.sqrt(2))
    assert optimum(Circulation().form(free)) == pytest.approx(2 * np.sqrt(2))


def _plain(job):
    import msgspec

    return msgspec.to_builtins(job)


def test_the_printed_program_forbids_pairs_and_admits_two_triangles():
    # gadget.offline_printed, whose optima are wrong in both directions
    assert printed_optimum("two_ring_star", "every_server") == pytest.approx(2 * np.sqrt(2))
    assert optimum(Offline().form(library.load("gadget/two_ring_star"))) == pytest.approx(4.0)
    assert printed_optimum("two_triangles", "own_servers") == pytest.approx(5.0)
    assert optimum(Offline().form(library.load("gadget/two_triangles"))) == pytest.approx(1.0)


def test_envelope_gains_see_what_a_sigmoid_is_worth_later():
    cluster = library.load("gadget/late_sigmoid")
    printed = snapshot(cluster, 0).gains[0, 0]
    envelope = snapshot(cluster, 0, gains="envelope").gains[0, 0]
    assert printed < 1e-40
    # the chord from 0 to the seventh worker-slot, just past the bend at 6
    rewards = cluster.reward(0, np.arange(11))
    assert envelope == pytest.approx(max(rewards[m] / m for m in range(1, 11)))


def test_envelope_gains_know_the_slots_left():
    cluster = library.load("gadget/late_sigmoid")
    last = snapshot(cluster, 9, gains="envelope").gains[0, 0]
    assert last == pytest.approx(snapshot(cluster, 9).gains[0, 0])
