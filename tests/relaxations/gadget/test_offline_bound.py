"""gadget.offline_bound: slots and servers merged."""

import msgspec
import pytest

from farkas.proofs.gadget.relaxed import random_clusters
from farkas.relaxations.gadget.offline_bound import OfflineBound, OfflineColumnBound, ServerClasses
from tests.generators.gadget import small
from tests.relaxations.gadget.test_horizon import optimum, two_blocks


def test_merging_slots_and_servers_loses_nothing():
    for cluster in random_clusters(15, 5, network="any", servers=3, jobs=3, horizon=3):
        merged = optimum(OfflineBound().form(cluster))
        # distinct memory capacities nobody uses keep all servers apart
        apart = cluster.replace(
            resources=[*cluster.resources, "unused"],
            nodes=[
                {"server": n.server, "capacity": [*n.capacity, 100.0 + u]}
                for u, n in enumerate(cluster.nodes)
            ],
            jobs=[
                {**msgspec.to_builtins(j), "demand": [*j.demand, 0.0], "budget": [*j.budget, None]}
                for j in cluster.jobs
            ],
        )
        assert optimum(OfflineBound().form(apart)) == pytest.approx(merged, abs=1e-6)


def test_equal_servers_are_one_class():
    servers = ServerClasses.of(two_blocks())
    assert servers.count.tolist() == [2, 1]
    assert servers.capacity.tolist() == [[1], [2]]
    assert servers.cap.tolist() == [[1, 2], [1, 1]]
    assert [m.tolist() for m in servers.members] == [[0, 2], [1]]
    assert len(ServerClasses.of(small([], switches=1)).count) == 0


def test_links_bound_the_rings_of_a_block():
    # a ring of two over one edge, 2 Gbps each way, four slots; two jobs: four rings in all
    cluster = small([2, 2], [(0, 1, 2)], *[{"demand": [2.0], "max_workers": 2}] * 2, horizon=4)
    form = OfflineColumnBound().form(cluster.replace(nodes=[{"capacity": [4]}, {"capacity": [4]}]))
    assert form.row_upper[form.row_block("link_capacity").where].tolist() == [8, 8]
    assert optimum(OfflineColumnBound().form(cluster)) == 40.0  # 4 slots of 2 workers at 5
