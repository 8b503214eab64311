"""gadget.offline_bound: slots and servers merged."""

import msgspec
import pytest

from farkas.proofs.gadget.small import random_clusters
from farkas.relaxations.gadget.offline_bound import OfflineBound, OfflineColumnBound, ServerClasses
from tests.conformance.oracle import column, row
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


def test_worker_slots_by_block_and_class_written_out():
    # blocks of 2 and 3 slots; class 0: two servers of 1 GPU, class 1: one of 2
    form = OfflineBound().form(two_blocks())
    assert row(form, "ring_size[0,1]") == "+1 workers[0,1,0] +1 workers[0,1,1] <= 6"  # 3 slots x 2
    assert row(form, "node_capacity[0,0,0]") == "+1 workers[0,0,0] <= 4"  # 2 slots x 2 servers x 1
    assert row(form, "node_capacity[1,1,0]") == "+1 workers[0,1,1] +1 workers[1,1,1] <= 6"
    assert row(form, "received[1]") == "+1 piece[1,0] -1 workers[1,1,0] -1 workers[1,1,1] <= 0"
    assert column(form, "workers[0,1,1]") == "0 <= workers[0,1,1] <= 6"
    assert column(form, "piece[0,0]") == "0 <= piece[0,0] <= 2"
    assert optimum(form) == 12.0  # 8 + 4


def test_rings_by_block_written_out():
    form = OfflineColumnBound().form(two_blocks())
    # rings of job 0 on one server each: 1 on 0, 1 and 2 on 1, 1 on 2; then those of job 1
    assert row(form, "one_ring[0,1]") == "+1 used[0,1] +1 used[1,1] +1 used[2,1] +1 used[3,1] <= 3"
    assert "+2 used[3,0]" in row(form, "node_capacity[1,0,0]")
    assert row(form, "node_capacity[1,0,0]").endswith(" <= 4")
    assert row(form, "node_capacity[1,0,1]").endswith(" <= 6")
    assert "used[4" not in row(form, "node_capacity[1,0,0]")  # job 1 has not arrived in block 0
    assert "used[5,1]" in row(form, "node_capacity[1,0,1]")
    assert optimum(form) == 12.0


def test_links_bound_the_rings_of_a_block():
    # a ring of two over one edge, 2 Gbps each way, four slots; two jobs: four rings in all
    cluster = small([2, 2], [(0, 1, 2)], *[{"demand": [2.0], "max_workers": 2}] * 2, horizon=4)
    form = OfflineColumnBound().form(cluster.replace(nodes=[{"capacity": [4]}, {"capacity": [4]}]))
    assert form.row_upper[form.row_block("link_capacity").where].tolist() == [8, 8]
    assert optimum(OfflineColumnBound().form(cluster)) == 40.0  # 4 slots of 2 workers at 5
