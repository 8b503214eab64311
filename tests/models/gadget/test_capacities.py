"""What can fill up in programs of rings: finite capacities of servers and links."""

from farkas.algebra import Set
from farkas.algebra.declare import Declarations
from farkas.models.gadget.base import declare_capacities, declare_links
from tests.generators.gadget import small


def declared():
    """Servers of 2 and unlimited GPUs and a switch; one link of 3 Gbps, all others unlimited."""
    edges = [(0, 2, 3), (2, 1, None), (1, 0, None), (2, 0, None)]
    jobs = {"demand": [9.0]}, {"demand": [2.0]}, {"max_workers": 2, "bandwidth": 7.0}
    cluster = small([2, None], edges, *jobs, switches=1, one_way=True)
    m = Declarations()
    m.jobs = Set([1, 2], label="job")
    declare_capacities(m, cluster, [1, 2])
    declare_links(m, cluster, [1, 2])
    return m


def test_only_what_is_finite_and_no_switch_can_fill_up():
    m = declared()
    assert m.limits.table.tolist() == [[0, 0]]
    assert m.capacity.values.tolist() == [2.0]
    assert m.demand.values.tolist() == [[2.0], [1.0]]
    assert m.limited_links.table.tolist() == [[0]]
    assert m.bandwidth.values.tolist() == [3.0]
    assert m.reserved.values.tolist() == [2.0, 7.0]


def test_links_leave_one_node_and_enter_another():
    m = declared()
    assert [m.leaving.group(u) for u in range(3)] == [[0], [2], [1, 3]]
    assert [m.entering.group(u) for u in range(3)] == [[2, 3], [1], [0]]
