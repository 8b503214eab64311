"""The printed ring constraints, on networks by hand."""

import pytest

from farkas.proofs.gadget.settings import printed_optimum
from farkas.proofs.gadget.small import shipped


def test_two_rings_of_two_are_forbidden_as_printed(verdict_of):
    numbers = verdict_of("gadget.degree_two_admits_rings").numbers
    assert numbers["optimum"] == 4
    assert numbers["printed"] == pytest.approx(printed_optimum(shipped("two_ring_star")))
    assert numbers["printed"] < 4


def test_two_paths_put_twice_their_load_on_a_shared_link(verdict_of):
    numbers = verdict_of("gadget.path_capacities_bound_links").numbers
    assert (numbers["path"], numbers["link"], numbers["bandwidth"]) == (6, 12, 10)
