"""An instance is given by value, by path or by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from farkas.errors import FarkasError, InvalidOption
from farkas.instances import library, write
from farkas.verbs.inputs import as_instance

TINY = library.load("mlbroker/tiny")


def test_an_instance_is_taken_as_it_is() -> None:
    assert as_instance(TINY) is TINY


def test_a_name_and_a_path_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write(TINY, path)
    for given in ("mlbroker/tiny", str(path), path):
        assert as_instance(given).sha256 == TINY.sha256
    with pytest.raises(FarkasError, match="did you mean mlbroker/tiny"):
        as_instance("mlbroker/tinny")


@pytest.mark.parametrize("given", [None, 3, {"kind": "mlbroker"}, b"mlbroker/tiny"])
def test_anything_else_is_refused_with_its_type(given: object) -> None:
    with pytest.raises(InvalidOption, match=f"not {type(given).__name__}"):
        as_instance(given)  # type: ignore[arg-type]
