"""gadget.offline_printed: what the printed (7)-(9) forbid and admit."""

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.gadget import printed
from farkas.models.gadget.offline import Offline
from farkas.models.gadget.printed import OfflinePrinted, simple_paths
from farkas.proofs.gadget.relaxed import shipped
from farkas.proofs.gadget.temporal import printed_optimum
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
