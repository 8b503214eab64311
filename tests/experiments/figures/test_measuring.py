"""Measurements are made once, kept whole, and made again when code or arguments are others."""

from __future__ import annotations

import math

import pytest

from farkas.experiments.figures import measuring
from farkas.experiments.figures.measuring import kept_in, measurement, sources

CALLS: list[object] = []


@measurement
def pair(value: float, more: list[float]) -> list[float]:
    """Called how often?"""
    CALLS.append(value)
    return [value, sum(more)]


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    CALLS.clear()
    monkeypatch.setattr(measuring, "_memory", {})


def test_a_measurement_is_made_once_for_its_arguments():
    assert [pair(1.0, [2.0]), pair(1.0, [2.0]), pair(1.0, [3.0])] == [[1, 2], [1, 2], [1, 3]]
    assert CALLS == [1.0, 1.0]
    pair(1.0, [2.0]).append(9.0)  # nobody's list is somebody else's
    assert pair(1.0, [2.0]) == [1, 2]


def test_another_process_finds_it_in_the_folder(tmp_path, monkeypatch):
    with kept_in(tmp_path / "kept"):
        first = pair(0.1, [1e300, math.inf])
        monkeypatch.setattr(measuring, "_memory", {})
        assert pair(0.1, [1e300, math.inf]) == first == [0.1, math.inf]
    assert CALLS == [0.1]


def test_a_file_that_is_no_measurement_is_made_again(tmp_path, monkeypatch):
    with kept_in(tmp_path):
        pair(1.0, [])
        (path,) = tmp_path.iterdir()
        path.write_text("[1.0, 2")
        monkeypatch.setattr(measuring, "_memory", {})
        assert pair(1.0, []) == [1.0, 0]
    assert len(CALLS) == 2


def test_other_sources_measure_anew(tmp_path, monkeypatch):
    with kept_in(tmp_path):
        pair(1.0, [])
        monkeypatch.setattr(measuring, "_memory", {})
        monkeypatch.setattr(measuring, "sources", lambda: "changed")
        pair(1.0, [])
    assert len(CALLS) == 2
    assert len(list(tmp_path.iterdir())) == 2


def test_the_sources_are_those_of_the_package(tmp_path, monkeypatch):
    sources.cache_clear()
    before = sources()
    (tmp_path / "a.py").write_text("x = 1\n")
    monkeypatch.setattr(measuring.farkas, "__file__", str(tmp_path / "__init__.py"))
    sources.cache_clear()
    changed_root = sources()
    (tmp_path / "a.py").write_text("x = 2\n")
    sources.cache_clear()
    assert len({before, changed_root, sources()}) == 3
    monkeypatch.undo()
    sources.cache_clear()
    assert sources() == before
