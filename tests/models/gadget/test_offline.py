"""gadget.offline: the whole horizon, one closed walk per job and slot."""

import itertools

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.gadget import Cluster
from farkas.models.gadget import offline_printed
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.models.gadget.offline import Offline
from farkas.models.gadget.offline_printed import PrintedOffline, simple_paths
from farkas.models.gadget.rings import enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.relaxations import random_clusters, shipped
from farkas.proofs.gadget.temporal import printed_optimum
from farkas.solvers import solve
from tests.conformance.oracle import row
from tests.generators.gadget import small, table


def optimum(form):
    return solve(form, gap=0.0).require_optimal().objective


def test_never_running_is_rewarded_as_the_utility_says():
    # a job that fits nowhere keeps its reward at 0, and a loss is not forced upon the other
    jobs = {"demand": [2.0]} | table(7, 9), table(4, 1)
    assert optimum(Offline().form(small([1], (), *jobs))) == 11.0


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


@pytest.mark.parametrize("concave", [True, False])
def test_the_dynamic_program_agrees_with_the_offline_program(concave):
    settings = {"network": "any", "servers": 2, "jobs": 2, "horizon": 2, "concave": concave}
    for cluster in random_clusters(8, 4, **settings):
        value, received = offline_optimum(FeasibleCounts.of(cluster))
        assert optimum(Offline().form(cluster)) == pytest.approx(value, abs=1e-6)
        assert cluster.total_reward(received) == pytest.approx(value)


def test_ties_go_to_the_lexicographically_largest_counts():
    # one GPU, two equal jobs: (1, 0) and (0, 1) both gain 1
    cluster = library.load("gadget/one_gpu")
    twice = cluster.replace(jobs=[cluster.jobs[0], cluster.jobs[0]])
    assert FeasibleCounts.of(twice).best(snapshot(twice))[1].tolist() == [1, 0]


def test_jobs_count_from_their_arrival_and_within_their_budget():
    cluster = small([2], (), {"arrival": 1}, {"budget": [3.0]}, horizon=3)
    feasible = FeasibleCounts.of(cluster)
    assert feasible.limit(0, [0, 0]).tolist() == [0, 2]
    assert feasible.limit(1, [0, 2]).tolist() == [2, 1]
    assert feasible.limit(2, [0, 3]).tolist() == [2, 0]


def test_the_dynamic_program_stops_a_job_where_its_reward_is_largest():
    # two workers a slot, two slots; rewards 0, 1, 4, 2, 2 after 0..4 worker-slots: stop after 2
    cluster = small([2], (), {"max_workers": 2} | table(0, 1, 4, 2, 2), horizon=2)
    value, received = offline_optimum(FeasibleCounts.of(cluster))
    assert (value, received.tolist()) == (4.0, [2])


def test_nobody_and_too_many():
    empty = small([2]).replace(jobs=[])
    assert FeasibleCounts.of(empty).vectors.shape == (1, 0)
    assert offline_optimum(FeasibleCounts.of(empty))[0] == 0.0
    with pytest.raises(NotApplicable, match="too many to list"):
        FeasibleCounts.of(small([3], (), {}, {}), most=31)  # 4 x 4 vectors


def test_the_printed_program_forbids_pairs_and_admits_two_triangles():
    every = PrintedOffline(degree="every_server").form(shipped("two_ring_star"))
    assert optimum(every) == pytest.approx(2 * np.sqrt(2))
    assert optimum(Offline().form(library.load("gadget/two_ring_star"))) == pytest.approx(4.0)
    assert printed_optimum(shipped("two_triangles")) == pytest.approx(5.0)
    assert optimum(Offline().form(library.load("gadget/two_triangles"))) == pytest.approx(1.0)


TRIANGLE = [(0, 1, 4), (0, 2, 6), (1, 2, 3)]


def test_a_path_has_the_room_of_its_narrowest_link():
    cluster = small([1, 1, 1], TRIANGLE)
    room = [
        (ends, float(cluster.link_bandwidth[links].min())) for ends, links in simple_paths(cluster)
    ]
    assert sorted(room) == [
        ((0, 1), 3.0), ((0, 1), 4.0), ((0, 2), 3.0), ((0, 2), 6.0), ((1, 2), 3.0), ((1, 2), 4.0),
    ]  # fmt: skip
    form = PrintedOffline().form(cluster)
    capacity = [row(form, f"path_capacity[0,{p}]") for p in range(6)]
    assert sorted(c.split("<= ")[1] for c in capacity) == ["3", "3", "3", "4", "4", "6"]
    assert all(c.startswith("+2 path_used") for c in capacity)


def test_a_triangle_is_the_smallest_ring_it_knows():
    cluster = small([1, 1, 1], TRIANGLE)
    assert optimum(PrintedOffline().form(cluster)) == optimum(Offline().form(cluster)) == 15.0


def test_too_many_paths_are_not_listed(monkeypatch):
    monkeypatch.setattr(offline_printed, "MOST_PATHS", 5)
    with pytest.raises(NotApplicable, match="more than 5 "):
        simple_paths(small([1, 1, 1], TRIANGLE))
