"""Instances as files, and the schema of all kinds."""

import os

import msgspec
import pytest

from farkas import instances
from farkas.errors import FileProblem
from farkas.instances import library


@pytest.mark.parametrize("name", library.names())
def test_an_instance_survives_writing_and_reading(name, tmp_path):
    instance = library.load(name)
    instances.write(instance, tmp_path / "copy.json")
    copy = instances.read(tmp_path / "copy.json")
    assert copy == instance
    assert copy.sha256 == instance.sha256
    assert hash(copy) == hash(instance)
    assert instances.to_bytes(copy) == (tmp_path / "copy.json").read_bytes()


def test_an_unwritable_target_leaves_nothing_behind(tmp_path):
    instance = library.load("mlbroker/tiny")
    with pytest.raises(FileProblem):
        instances.write(instance, tmp_path)
    with pytest.raises(FileProblem):
        instances.write(instance, tmp_path / "absent" / "file.json")
    assert os.listdir(tmp_path) == []


def test_the_schema_names_every_kind():
    definitions = instances.schema()["$defs"]
    tags = {
        d["properties"]["kind"]["enum"][0]
        for d in definitions.values()
        if "kind" in d.get("properties", {}) and "farkas" in d["properties"]
    }
    assert tags == set(instances.kinds())
    assert "Brokerage" in instances.schema("mlbroker")["$defs"]
    assert msgspec.json.encode(instances.schema())
