"""All figures: written whole, in several processes, and not again when they are there."""

from __future__ import annotations

import dataclasses
import json

import pytest

from farkas.errors import NoAnswer
from farkas.experiments.figures import PRESETS, Exhibit, figures
from farkas.experiments.figures import batch as module
from farkas.experiments.figures.batch import Batch, Drawn
from tests.experiments.figures.made import exhibit, lines

REDUCED = PRESETS["reduced"]


def silent(name, done, total):
    """Nobody watches."""


def counted(made: list[int]) -> Exhibit:
    def build(preset, seed, progress):
        made.append(seed)
        progress(1, 1)
        return lines()

    return dataclasses.replace(exhibit(), build=build)


def written(batch: Batch, one: Exhibit) -> Drawn:
    (outcome,) = batch.write_all([one], 1, silent)
    return outcome


def test_a_figure_that_is_there_is_not_computed_again(tmp_path):
    made: list[int] = []
    one = counted(made)
    first = written(Batch(tmp_path, REDUCED, 3), one)
    picture = tmp_path / "mlbroker.figure5.png"
    assert first == Drawn("mlbroker.figure5", "trend reproduced", str(picture))
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
    monkeypatch.setattr(module, "sources", lambda: "changed")
    written(Batch(tmp_path, REDUCED, 0), one)
    assert made == [0, 0]


def test_a_figure_that_fails_leaves_no_file(tmp_path):
    def build(preset, seed, progress):
        raise NoAnswer("no point")

    outcome = written(Batch(tmp_path, REDUCED, 0), dataclasses.replace(exhibit(), build=build))
    assert outcome == Drawn("mlbroker.figure5", "", "no point", failed=True)
    assert not list(tmp_path.iterdir())


def test_processes_write_what_one_process_writes(tmp_path):
    names = ["mlbroker.table3", "mlbroker.figure8b", "coded.figure3", "eris.figure6"]
    chosen = [figures[name] for name in names]
    steps: dict[str, list[tuple[int, int]]] = {}
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, jobs in zip(folders, (1, 2), strict=True):
        folder.mkdir()
        outcomes = list(
            Batch(folder, REDUCED, 0).write_all(
                chosen, jobs, lambda name, *step: steps.setdefault(name, []).append(step)
            )
        )
        assert sorted(outcome.name for outcome in outcomes) == sorted(names)
        assert not any(outcome.failed for outcome in outcomes)
    files = [sorted(p.name for p in folder.glob("*.*") if p.is_file()) for folder in folders]
    assert files[0] == files[1]
    for name in files[0]:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()
    assert steps["coded.figure3"] == 2 * [(1, 2), (2, 2)]


def test_who_stops_watching_leaves_no_process_and_keeps_what_was_measured(tmp_path):
    names = ["mlbroker.figure8b", "mlbroker.figure7", "mlbroker.figure9"]
    outcomes = Batch(tmp_path, REDUCED, 0).write_all([figures[n] for n in names], 2, silent)
    first = next(outcomes)
    outcomes.close()
    assert not module.multiprocessing.active_children()
    there = {path.name.removesuffix(".json") for path in tmp_path.glob("*.json")}
    assert first.name in there
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / module.MEASURED).iterdir()}
    assert kept
    rest = Batch(tmp_path, REDUCED, 0).write_all([figures[n] for n in names], 1, silent)
    assert {outcome.name for outcome in rest} == set(names)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


def test_a_process_that_dies_is_a_figure_that_failed(tmp_path):
    unknown = dataclasses.replace(exhibit(lines()), kind="mlbroker", label="figure99")
    other = figures["mlbroker.table3"]
    found = list(Batch(tmp_path, REDUCED, 0).write_all([unknown, other], 2, silent))
    outcomes = {outcome.name: outcome for outcome in found}
    assert outcomes["mlbroker.figure99"].note == "its process ended with status 1"
    assert outcomes["mlbroker.figure99"].failed
    assert not outcomes["mlbroker.table3"].failed
