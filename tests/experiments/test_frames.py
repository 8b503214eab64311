"""Rows as frames of the library that is there, or as they are."""

from __future__ import annotations

import sys
import types

import pytest

from farkas.experiments.frames import framed


@pytest.mark.parametrize("there", ["pandas", "polars", "neither", "both"])
def test_frames_come_from_the_library_that_is_there(monkeypatch, there):
    for name in ("pandas", "polars"):
        frames = types.ModuleType(name)
        frames.DataFrame = lambda data, name=name: (name, data)
        monkeypatch.setitem(sys.modules, name, frames if there in (name, "both") else None)
    rows = [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    found = framed(rows, ("a", "b"))
    first = "pandas" if there == "both" else there
    assert found == (rows if there == "neither" else (first, {"a": [1, 3], "b": [2, 4]}))
