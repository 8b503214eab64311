from __future__ import annotations

import json
from pathlib import Path

import pytest

from farkas import instances
from farkas.errors import UnknownName
from farkas.instances import library
from farkas.instances.generate import generate

KINDS = instances.kinds()
HASHES = Path(__file__).with_name("shipped.json")


def test_shipped_instances_are_the_data_that_claims_and_pages_are_about():
    found = {name: library.load(name).sha256[:16] for name in library.names()}
    assert found == json.loads(HASHES.read_text())


@pytest.mark.parametrize("kind", KINDS)
def test_the_demo_of_each_kind_is_a_generated_instance(kind):
    demo = library.load(f"{kind}/demo")
    assert demo == generate(kind, "small", demo.seed, name="demo")


def test_every_file_has_the_name_it_is_loaded_by_and_a_description():
    for name in library.names():
        instance = library.load(name)
        assert name.startswith(f"{instance.kind}/")
        assert instance.description


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="did you mean mlbroker/tiny"):
        library.load("mlbroker/tny")
