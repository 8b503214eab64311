from __future__ import annotations

import pytest

from farkas import instances
from farkas.errors import InvalidOption, UnknownName
from farkas.instances import library
from farkas.instances.families import mlbroker
from farkas.instances.generate import generate
from tests.shared import case_files


@pytest.mark.parametrize("name", sorted(mlbroker.SHIPPED))
def test_shipped_brokerages_are_members_of_their_families(name):
    assert library.load(f"mlbroker/{name}") == mlbroker.SHIPPED[name]()


def test_the_demo_is_a_generated_instance():
    demo = library.load("mlbroker/demo")
    assert demo == generate("mlbroker", "small", demo.seed, name="demo")


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


@pytest.mark.parametrize(
    ("shipped", "case"),
    [
        ("tiny", "tiny"),
        ("return_trip", "return_trip"),
        ("surplus_worker", "surplus_worker"),
        ("harmonic", "harmonic_twelve"),
    ],
)
def test_the_instances_of_the_case_files_are_the_same_data(shipped, case):
    paths = {path.stem: path for path in case_files("mlbroker")}
    if case not in paths:
        pytest.skip(f"../shared/cases/mlbroker/{case}.json is not beside this checkout")
    assert library.load(f"mlbroker/{shipped}").sha256 == instances.read(paths[case]).sha256


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="did you mean mlbroker/tiny"):
        library.load("mlbroker/tny")
