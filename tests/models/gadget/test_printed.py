"""gadget.offline_printed: what the printed (7)-(9) forbid and admit."""

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.gadget import printed
from farkas.models.gadget.offline import Offline
from farkas.models.gadget.printed import OfflinePrinted, simple_paths
from farkas.proofs.gadget.settings import printed_optimum
from farkas.proofs.gadget.small import shipped
from farkas.solvers import solve
from tests.conformance.oracle import row
from tests.generators.gadget import small


def optimum(form):
    return solve(form, gap=0.0).require_optimal().objective


def test_the_printed_program_forbids_pairs_and_admits_two_triangles():
    assert printed_optimum(shipped("two_ring_star"), "every_server") == pytest.approx(
        2 * np.sqrt(2)
    )
    assert optimum(Offline().form(library.load("gadget/two_ring_star"))) == pytest.approx(4.0)
    assert printed_optimum(shipped("two_triangles")) == pytest.approx(5.0)
    assert optimum(Offline().form(library.load("gadget/two_triangles"))) == pytest.approx(1.0)


TRIANGLE = [(0, 1, 4), (0, 2, 6), (1, 2, 3)]


def test_the_degree_of_a_server_written_out():
    # paths 0-1 directly and over 2, 0-2 likewise, 1-2 likewise: six, four of them end at server 0
    cluster = small([1, 1, 1], TRIANGLE)
    assert len(simple_paths(cluster)) == 6
    used = " ".join(f"+1 path_used[0,0,{p}]" for p in range(4))
    every = OfflinePrinted().form(cluster)
    # 6 + 2 = 8 outweighs any degree: Σ p + 8 (1 - several) >= 2 and Σ p - 8 (1 - several) <= 2
    assert row(every, "degree_at_least_two[0,0,0]") == f"-6 <= {used} -8 several[0,0]"
    assert row(every, "degree_at_most_two[0,0,0]") == f"{used} +8 several[0,0] <= 10"
    own = OfflinePrinted(degree="own_servers").form(cluster)
    assert row(own, "degree_at_least_two[0,0,0]") == (
        f"-14 <= -8 hosts[0,0,0] {used} -8 several[0,0]"
    )
    assert row(own, "degree_at_most_two[0,0,0]") == f"+8 hosts[0,0,0] {used} +8 several[0,0] <= 18"
    hosts = "+1 hosts[0,0,0] +1 hosts[0,0,1] +1 hosts[0,0,2]"
    assert row(own, "several_hosts[0,0]") == f"{hosts} -3 several[0,0] <= 1"
    assert row(own, "one_host[0,0]") == f"0 <= {hosts} -2 several[0,0]"


def test_a_path_has_the_room_of_its_narrowest_link():
    cluster = small([1, 1, 1], TRIANGLE)
    room = [
        (ends, float(cluster.link_bandwidth[links].min())) for ends, links in simple_paths(cluster)
    ]
    assert sorted(room) == [
        ((0, 1), 3.0), ((0, 1), 4.0), ((0, 2), 3.0), ((0, 2), 6.0), ((1, 2), 3.0), ((1, 2), 4.0),
    ]  # fmt: skip
    form = OfflinePrinted().form(cluster)
    capacity = [row(form, f"path_capacity[0,{p}]") for p in range(6)]
    assert sorted(c.split("<= ")[1] for c in capacity) == ["3", "3", "3", "4", "4", "6"]
    assert all(c.startswith("+2 path_used") for c in capacity)


def test_a_triangle_is_the_smallest_ring_it_knows():
    cluster = small([1, 1, 1], TRIANGLE)
    assert optimum(OfflinePrinted().form(cluster)) == optimum(Offline().form(cluster)) == 15.0


def test_too_many_paths_are_not_listed(monkeypatch):
    monkeypatch.setattr(printed, "MOST_PATHS", 5)
    with pytest.raises(NotApplicable, match="more than 5 "):
        simple_paths(small([1, 1, 1], TRIANGLE))
