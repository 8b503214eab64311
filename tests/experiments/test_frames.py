"""Rows as frames of the library that is there, or as a table."""

from __future__ import annotations

import sys
import types

import pytest

from farkas.experiments.frames import SHOWN, Rows, framed


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


def test_rows_without_a_library_of_frames_show_themselves():
    rows = Rows([{"a": k, "b": k / 3 if k else None, "c": 0} for k in range(SHOWN + 2)], ("b", "a"))
    lines = repr(rows).splitlines()
    assert lines[0].split() == ["b", "a"]
    assert lines[1].split() == ["0"]  # None is an empty cell
    assert lines[2].split() == ["0.3333333333333333", "1"]
    assert len(lines) == SHOWN + 2
    assert lines[-1].startswith("2 rows more")
    assert rows[1] == {"b": 1 / 3, "a": 1}
    assert rows.head(2) == rows[:2]
    assert repr(rows.head(2)).count("\n") == 2
    assert rows._repr_html_().count("<tr>") == SHOWN + 3
    assert repr(Rows([], ("a",))) == "a"


@pytest.mark.parametrize("count", [SHOWN - 1, SHOWN, SHOWN + 1])
def test_only_rows_that_are_left_out_are_counted(count):
    lines = repr(Rows([{"a": k} for k in range(count)], ("a",))).splitlines()
    assert lines[1 : SHOWN + 1] == [str(k) for k in range(min(count, SHOWN))]
    assert [line.partition(";")[0] for line in lines[SHOWN + 1 :]] == (
        ["1 row more"] if count > SHOWN else []
    )
