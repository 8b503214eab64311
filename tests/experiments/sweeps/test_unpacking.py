"""Packed data of a store."""

from __future__ import annotations

import zlib

import pytest

from farkas.errors import FileProblem
from farkas.experiments.sweeps.unpacking import inflated


def test_packed_data_unfold_up_to_the_limit() -> None:
    packed = zlib.compress(b"0" * 1000)
    assert inflated(packed, "blob", 1000) == b"0" * 1000
    with pytest.raises(FileProblem, match="blob: unfolds into more than 999 bytes"):
        inflated(packed, "blob", 999)


@pytest.mark.parametrize(
    "packed", [b"", b"x", zlib.compress(b"abc")[:-1], zlib.compress(b"abc") + b"x"]
)
def test_damaged_packed_data_are_refused(packed: bytes) -> None:
    with pytest.raises(FileProblem, match="cannot be decompressed"):
        inflated(packed, "blob")
