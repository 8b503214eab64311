from __future__ import annotations

import importlib

import pytest

from farkas import instances
from farkas.errors import InvalidOption, UnknownName
from farkas.instances import library
from farkas.instances.generate import generate
from tests.families import mlbroker
from tests.tools.shared import shared

KINDS = instances.kinds()
FAMILIES = {kind: importlib.import_module(f"tests.families.{kind}") for kind in KINDS}
SHIPPED = [(kind, name) for kind in KINDS for name in FAMILIES[kind].SHIPPED]


@pytest.mark.parametrize(("kind", "name"), SHIPPED)
def test_shipped_instances_are_members_of_their_families(kind, name):
    assert library.load(f"{kind}/{name}") == FAMILIES[kind].SHIPPED[name]()


@pytest.mark.parametrize("kind", KINDS)
def test_the_demo_of_each_kind_is_a_generated_instance(kind):
    demo = library.load(f"{kind}/demo")
    assert demo == generate(kind, "small", demo.seed, name="demo")


def test_every_file_has_the_name_it_is_loaded_by_and_a_description():
    for name in library.names():
        instance = library.load(name)
        assert name.startswith(f"{instance.kind}/")
        assert instance.description


def test_harmonic_transfer_is_free_towards_later_sites_only():
    data = mlbroker.harmonic(3)
    assert data.transfer.tolist() == [[0, 0, 0], [100, 0, 0], [100, 100, 0]]
    assert data.workers_needed.tolist() == [99, 99, 99]


def test_a_set_cover_moves_freely_to_covering_subsets_only():
    # Subsets {0, 1}, {1}: sites 0, 1; elements 0, 1: sites 2, 3.
    data = mlbroker.set_cover([[0, 1], [1]], 2)
    assert data.transfer[2].tolist() == [0.0, 1000.0, 0.0, 1000.0]
    assert data.transfer[3].tolist() == [0.0, 0.0, 1000.0, 0.0]
    with pytest.raises(InvalidOption, match=r"subsets\[0\] holds 5; elements are < 2"):
        mlbroker.set_cover([[5]], 2)


SAME = {
    "mlbroker/tiny": "tiny",
    "mlbroker/return_trip": "return_trip",
    "mlbroker/surplus_worker": "surplus_worker",
    "mlbroker/harmonic": "harmonic_twelve",
    "coded/stuck": "iterated_greedy_stuck",
    "coded/forbidden_pairs": "tiny_forbidden",
    "eris/one_chunk_twice": "eris-biased",
    "eris/late_fortune": "eris-theorem5-counterexample",
    "dps/too_many_servers": "pa_servers",
    "gadget/two_ring_star": "two_ring_star",
    "gadget/idle_cluster": "lone_server_idle",
}


@pytest.mark.parametrize(("shipped", "case"), SAME.items())
def test_counterexamples_are_the_data_of_the_case_files(shipped, case):
    kind = shipped.split("/")[0]
    path = shared("cases", kind, f"{case}.json")
    assert library.load(shipped).sha256 == instances.read(path).sha256


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="did you mean mlbroker/tiny"):
        library.load("mlbroker/tny")
