"""Figures are written so that others can read them, all of them in several processes."""

from __future__ import annotations

import csv
import dataclasses
import json
import math
import os
import signal
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from farkas.errors import InvalidOption, NoAnswer
from farkas.experiments.figures import PRESETS, Exhibit, figures, writing
from farkas.experiments.figures.writing import (
    Batch,
    FigureOutcome,
    as_csv,
    kept_in,
    measurement,
    sources,
    write,
)
from tests.experiments.figures.made import exhibit, lines, rows

FULL = PRESETS["full"]


def test_csv_tells_computed_from_published():
    table = list(csv.reader(as_csv(lines()).splitlines()))
    assert table[0] == ["origin", "series", "sites", "cost [USD]", "low", "high"]
    assert table[1] == ["computed", "ours", "1", "3.0", "2.5", "4.0"]
    assert table[-3:] == [
        ["published", "bound", "", "2.5", "", ""],
        ["published", "points", "1", "2.9", "", ""],
        ["published", "points", "4", "1.4", "", ""],
    ]
    assert as_csv(rows()).splitlines()[1:] == ["computed,A,1.5", "published,A,1.4", "published,B,"]


def test_json_holds_everything_and_no_nan(tmp_path):
    path = tmp_path / "figure.json"
    write(exhibit(), lines(), str(path), FULL, 3)
    found = json.loads(path.read_text(), parse_constant=lambda word: pytest.fail(word))
    assert found["data"]["series"][0]["y"] == [3.0, None, 1.5]
    assert (found["standing"], found["seed"], found["preset"]) == ("trend reproduced", 3, "full")
    assert "trend reproduced; falls: yes (3 to 1.5); below 2.5: no" in found["caption"]
    assert "Means of 5 instances; 95 % t intervals of the mean." in found["caption"]
    assert found["instances"] == 5


@pytest.mark.slow
def test_the_same_data_gives_the_same_picture_and_text_stays_text(tmp_path):
    paths = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for path in paths:
        write(exhibit(), lines(), str(path), FULL, 0)
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    words = " ".join(ElementTree.fromstring(first).itertext())
    assert "Cost & load" in words
    assert "trend reproduced; falls: yes" in words
    for suffix, magic in ((".png", b"\x89PNG"), (".pdf", b"%PDF")):
        write(exhibit(), rows(), str(tmp_path / f"c{suffix}"), FULL, 0)
        assert (tmp_path / f"c{suffix}").read_bytes().startswith(magic)


def test_a_name_without_suffix_is_quoted():
    with pytest.raises(InvalidOption, match='"written: it is true": unknown suffix'):
        write(exhibit(), rows(), "written: it is true", "full", 0)


def test_an_unknown_suffix_is_refused(tmp_path):
    with pytest.raises(InvalidOption, match=r"did you mean \.png"):
        write(exhibit(), lines(), str(tmp_path / "a.pgn"), FULL, 0)


REDUCED = PRESETS["reduced"]


def counted(made: list[int]) -> Exhibit:
    def build(preset, seed):
        made.append(seed)
        return lines()

    return dataclasses.replace(exhibit(), build=build)


def written(batch: Batch, one: Exhibit) -> FigureOutcome:
    (outcome,) = batch.write_all([one], 1)
    return outcome


def test_a_figure_that_is_there_is_not_computed_again(tmp_path):
    made: list[int] = []
    one = counted(made)
    first = written(Batch(tmp_path, REDUCED, 3), one)
    picture = tmp_path / "mlbroker.figure5.png"
    assert first == FigureOutcome("mlbroker.figure5", "trend reproduced", str(picture))
    assert written(Batch(tmp_path, REDUCED, 3), one) == first
    assert made == [3]
    picture.unlink()  # one of its files is gone
    written(Batch(tmp_path, REDUCED, 3), one)
    written(Batch(tmp_path, REDUCED, 4), one)  # another seed
    written(Batch(tmp_path, dataclasses.replace(REDUCED, instances=9), 4), one)
    assert made == [3, 3, 4, 4]


@pytest.mark.parametrize("text", ["", "[]", '{"figure": "mlbroker.figure5"}'])
def test_a_file_that_is_not_whole_is_written_again(tmp_path, text):
    made: list[int] = []
    one = counted(made)
    written(Batch(tmp_path, REDUCED, 0), one)
    (tmp_path / "mlbroker.figure5.json").write_text(text)
    written(Batch(tmp_path, REDUCED, 0), one)
    assert made == [0, 0]
    assert json.loads((tmp_path / "mlbroker.figure5.json").read_text())["seed"] == 0


def test_figures_made_by_other_sources_are_made_again(tmp_path, monkeypatch):
    made: list[int] = []
    one = counted(made)
    written(Batch(tmp_path, REDUCED, 0), one)
    monkeypatch.setattr(writing, "sources", lambda: "changed")
    written(Batch(tmp_path, REDUCED, 0), one)
    assert made == [0, 0]


def test_a_figure_that_fails_leaves_no_file(tmp_path):
    def build(preset, seed):
        raise NoAnswer("no point")

    outcome = written(Batch(tmp_path, REDUCED, 0), dataclasses.replace(exhibit(), build=build))
    assert outcome == FigureOutcome("mlbroker.figure5", "", "no point", failed=True)
    assert not list(tmp_path.iterdir())


def children() -> list[int]:
    """Processes that were started here and still are."""
    tasks = Path("/proc/self/task").iterdir()
    return [int(pid) for task in tasks for pid in (task / "children").read_text().split()]


@pytest.mark.slow
def test_processes_write_what_one_process_writes(tmp_path):
    names = ["mlbroker.table3", "mlbroker.figure10", "eris.figure6"]
    chosen = [figures[name] for name in names]
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, jobs in zip(folders, (1, 2), strict=True):
        folder.mkdir()
        outcomes = list(Batch(folder, REDUCED, 0).write_all(chosen, jobs))
        assert sorted(outcome.name for outcome in outcomes) == sorted(names)
        assert not any(outcome.failed for outcome in outcomes)
    files = [sorted(p.name for p in folder.glob("*.*") if p.is_file()) for folder in folders]
    assert files[0] == files[1]
    for name in files[0]:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()


@pytest.mark.slow
def test_who_stops_watching_leaves_no_process_and_keeps_what_was_measured(tmp_path):
    names = ["mlbroker.figure8b", "mlbroker.figure10", "mlbroker.figure9"]
    outcomes = Batch(tmp_path, REDUCED, 0).write_all([figures[n] for n in names], 2)
    first = next(outcomes)
    outcomes.close()
    until = time.monotonic() + 60  # a thread of the pool may still be noting the end of its process
    while children():
        assert time.monotonic() < until
        time.sleep(0.01)
    there = {path.name.removesuffix(".json") for path in tmp_path.glob("*.json")}
    assert first.name in there
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / writing.MEASURED).iterdir()}
    assert kept
    rest = Batch(tmp_path, REDUCED, 0).write_all([figures[n] for n in names], 1)
    assert {outcome.name for outcome in rest} == set(names)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


def test_a_process_that_dies_leaves_what_was_drawn(tmp_path):
    names = ["mlbroker.table3", "gadget.figure4"]
    outcomes = Batch(tmp_path, REDUCED, 0).write_all([figures[n] for n in names], 2)
    first = next(outcomes)
    for process in children():
        os.kill(process, signal.SIGKILL)
    (second,) = outcomes
    assert (first.name, first.failed) == ("mlbroker.table3", False)
    assert (second.name, second.failed) == ("gadget.figure4", True)
    assert second.note.startswith("not drawn: ended by signal 9")


CALLS: list[object] = []


@measurement
def pair(value: float, more: list[float]) -> list[float]:
    """Called how often?"""
    CALLS.append(value)
    return [value, sum(more)]


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    CALLS.clear()
    monkeypatch.setattr(writing, "_memory", {})


def test_a_measurement_is_made_once_for_its_arguments():
    assert [pair(1.0, [2.0]), pair(1.0, [2.0]), pair(1.0, [3.0])] == [[1, 2], [1, 2], [1, 3]]
    assert CALLS == [1.0, 1.0]
    pair(1.0, [2.0]).append(9.0)  # nobody's list is somebody else's
    assert pair(1.0, [2.0]) == [1, 2]


def test_another_process_finds_it_in_the_folder(tmp_path, monkeypatch):
    with kept_in(tmp_path / "kept"):
        first = pair(0.1, [1e300, math.inf])
        monkeypatch.setattr(writing, "_memory", {})
        assert pair(0.1, [1e300, math.inf]) == first == [0.1, math.inf]
    assert CALLS == [0.1]


def test_a_file_that_is_no_measurement_is_made_again(tmp_path, monkeypatch):
    with kept_in(tmp_path):
        pair(1.0, [])
        (path,) = tmp_path.iterdir()
        path.write_text("[1.0, 2")
        monkeypatch.setattr(writing, "_memory", {})
        assert pair(1.0, []) == [1.0, 0]
    assert len(CALLS) == 2


def test_other_sources_measure_anew(tmp_path, monkeypatch):
    with kept_in(tmp_path):
        pair(1.0, [])
        monkeypatch.setattr(writing, "_memory", {})
        monkeypatch.setattr(writing, "sources", lambda: "changed")
        pair(1.0, [])
    assert len(CALLS) == 2
    assert len(list(tmp_path.iterdir())) == 2


def test_the_sources_are_those_of_the_package(tmp_path, monkeypatch):
    sources.cache_clear()
    before = sources()
    (tmp_path / "a.py").write_text("x = 1\n")
    monkeypatch.setattr(writing.farkas, "__file__", str(tmp_path / "__init__.py"))
    sources.cache_clear()
    changed_root = sources()
    (tmp_path / "a.py").write_text("x = 2\n")
    sources.cache_clear()
    assert len({before, changed_root, sources()}) == 3
    monkeypatch.undo()
    sources.cache_clear()
    assert sources() == before
