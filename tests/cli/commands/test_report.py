"""`farkas report` writes the page of a store."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import farkas
from farkas.cli import call
from farkas.experiments.sweeps import Store
from tests.experiments.sweeps.made import INSTANCES, result

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Two certified runs, and one that failed."""
    with Store(tmp_path / "made.sqlite") as made:
        made.add_instances((instance.sha256, instance) for instance in INSTANCES)
        made.add(result(at=0, output=None))
        made.add(result(at=1, output=None))
        made.add(result(at=2, status="failed", value=None, bound="", ratio=None, output=None))
    return str(tmp_path / "made.sqlite")


def test_the_command_writes_the_page_and_counts(
    store: str, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "page.html"
    assert call(["report", store, "-o", str(out), "--recheck", "0", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    counts = {"tasks": 3, "certified": 2, "proved_again": 0, "seed": 0, "rejected": {}}
    assert shown == {"report": str(out), "the_word_of_the_store": 2, **counts}
    assert out.read_text().startswith("<!doctype html>")
    assert call(["report", store, "-o", str(out), "--recheck", "0", "--title", "Two runs"]) == 0
    said = f"{out}: 2 certified ratios of 3 tasks; proved again: 0\n"
    word = "the store's word, not proved: 2 (--recheck 1 proves all)\n"
    assert capsys.readouterr().out == said + word
    assert "<title>Two runs" in out.read_text()


def test_what_is_drawn_is_told_with_its_seed(store: str, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "page.html"
    assert call(["report", store, "-o", str(out), "--recheck", "0.5", "--seed", "7"]) == 1
    assert "proved again: 0, drawn with --seed 7\n" in capsys.readouterr().out
    assert "while this page was written, drawn with --seed 7:" in out.read_text()
    assert call(["report", store, "-o", str(out), "--recheck", "0.5"]) == 1
    assert "drawn with --seed" in capsys.readouterr().out


def test_what_the_store_cannot_prove_is_told_and_left_out(
    store: str, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "page.html"
    assert call(["report", store, "-o", str(out), "--recheck", "1", "--json"]) == 1
    shown, said = capsys.readouterr()
    assert json.loads(shown)["certified"] == 0
    assert len(json.loads(shown)["rejected"]) == len(said.splitlines()) == 2
    assert "certificate rejected" in out.read_text()


def test_what_is_no_store_or_no_folder_is_refused_in_one_line(
    store: str, tmp_path: Path, capsys: Capture
) -> None:
    assert call(["report", store, "-o", str(tmp_path / "no" / "page.html")]) == 2
    assert "no directory" in capsys.readouterr().err
    out = tmp_path / "page.html"
    assert call(["report", str(tmp_path / "none.sqlite"), "-o", str(out)]) == 2
    assert "run farkas sweep first" in capsys.readouterr().err
    wrong = tmp_path / "wrong.sqlite"
    wrong.write_bytes(b"no database at all" * 100)
    before = wrong.read_bytes()
    assert call(["report", str(wrong), "-o", str(out)]) == 2
    assert "no store of results" in capsys.readouterr().err
    assert wrong.read_bytes() == before
    assert not out.exists()


def test_what_is_no_store_is_told_before_a_package_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = str(tmp_path / "run.json")
    farkas.save(farkas.run("mlbroker/tiny", "mlbroker.local"), run)
    for name in [name for name in sys.modules if name.startswith("farkas.experiments.report")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert call(["report", run]) == 2
    said = capsys.readouterr().err
    assert "is no store of results, which farkas sweep makes; it is a run" in said
    assert f"farkas plot {run} draws it" in said


def test_one_is_counted_in_the_singular(tmp_path: Path, capsys: Capture) -> None:
    with Store(tmp_path / "one.sqlite") as made:
        made.add_instances((instance.sha256, instance) for instance in INSTANCES)
        made.add(result(at=0, output=None))
    out = str(tmp_path / "page.html")
    assert call(["report", str(tmp_path / "one.sqlite"), "-o", out, "--recheck", "0"]) == 0
    assert "1 certified ratio of 1 task; proved again" in capsys.readouterr().out
