"""gadget.offline_column_bound: rings of merged slots."""

from farkas.relaxations.gadget.offline_bound import OfflineColumnBound
from tests.conformance.oracle import row
from tests.generators.gadget import small
from tests.relaxations.gadget.test_horizon import optimum, two_blocks


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
