"""`farkas sweep` says what was performed, and sums up, proves again and reports a store."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import farkas
from farkas.cli import call
from farkas.experiments.sweeps import Store, Summary
from tests.experiments.sweeps.made import INSTANCES, result
from tests.tools.cells import rows

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the command hands to the sweep; under ``summary`` what it gets back."""
    seen: dict[str, Any] = {}

    def sweep(config: str, **options: Any) -> Summary:
        options.pop("report")(0, 7, None)
        seen.update(options, config=config)
        common = {
            "name": "broker",
            "store": "s.sqlite",
            "tasks": 7,
            "present": 2,
            "performed": {"done": 5},
        }
        return Summary(**{**common, **seen.get("summary", {})})

    monkeypatch.setattr("farkas.experiments.sweeps.sweep", sweep)
    return seen


def test_options_reach_the_sweep_and_its_counts_the_reader(
    given: dict[str, Any], capsys: Capture
) -> None:
    words = ["sweep", "c.toml", "--workers", "3", "--retry", "--scheduler", "tcp://a:1"]
    words.append("--json")
    assert call(words) == 0
    assert given == {
        "config": "c.toml", "workers": 3, "retry": True, "scheduler": "tcp://a:1",
    }  # fmt: skip
    assert json.loads(capsys.readouterr().out) == {
        "name": "broker", "store": "s.sqlite", "tasks": 7, "present": 2, "performed": {"done": 5},
        "shared": 0, "not_done": {}, "interrupted": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("summary", "code"),
    [
        ({}, 0),
        ({"performed": {}}, 0),
        ({"performed": {"done": 4, "failed": 1}, "not_done": {"failed": 1}}, 1),
        ({"performed": {"overlong": 5}, "not_done": {"overlong": 5}}, 1),
        ({"performed": {"done": 5}, "not_done": {"failed": 2}}, 1),
        ({"performed": {"done": 1}, "shared": 4}, 0),
        ({"interrupted": True, "performed": {"crashed": 1}}, 130),
    ],
)
def test_the_exit_code_says_whether_all_is_well(
    given: dict[str, Any], summary: dict[str, Any], code: int, capsys: Capture
) -> None:
    given["summary"] = summary
    assert call(["sweep", "c.toml"]) == code
    captured = capsys.readouterr()
    for status, count in summary.get("performed", {}).items():
        assert any({status, str(count)} <= set(line.split()) for line in captured.out.splitlines())
    assert captured.err.count("\n") == (code == 130)


def test_what_was_not_done_before_and_by_others_is_told_apart(
    given: dict[str, Any], capsys: Capture
) -> None:
    given["summary"] = {
        "performed": {"done": 2, "failed": 1},
        "shared": 2,
        "not_done": {"failed": 3, "overlong": 1},
    }
    assert call(["sweep", "c.toml"]) == 1
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    for line in ("performed by other sweeps 2", "failed 1", "failed before 2", "overlong before 1"):
        assert line in lines


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Runs of one algorithm with ratios 1.5 and 3, the second on the second instance."""
    with Store(tmp_path / "made.sqlite") as made:
        made.add_instances((instance.sha256, instance) for instance in INSTANCES)
        made.add(result("mlbroker.fractional", at=0, value=1.5, ratio=1.5))
        made.add(result("mlbroker.fractional", at=1, value=3.0, ratio=3.0))
    return str(tmp_path / "made.sqlite")


def test_the_table_shows_the_mean_the_worst_and_the_theorems(store: str, capsys: Capture) -> None:
    assert call(["sweep", store, "--ratios", "--trust"]) == 0
    first, second = capsys.readouterr().out.split("theorems, ")
    (first,), theorems = rows(first), rows(second)
    # two of two certified, mean and median (1.5 + 3) / 2, no interval of two instances
    assert first[0].startswith("mlbroker.fractional")
    assert first[1:] == ["2", "2", "2.25", "-", "2.25", "3", INSTANCES[1].name]
    assert [row[1] for row in theorems] == ["printed", "repaired"]


def test_a_certificate_that_proves_nothing_is_a_negative_result(
    store: str, capsys: Capture
) -> None:
    assert call(["sweep", store, "--ratios", "--trust"]) == 0
    assert "proved again" not in capsys.readouterr().out
    assert call(["sweep", store, "--ratios"]) == 1
    captured = capsys.readouterr()
    assert "proved again: 0 of 2" in captured.out
    assert captured.err.count("rejected") == 2


@pytest.fixture
def failed(tmp_path: Path) -> str:
    """Two certified runs, and one that failed."""
    with Store(tmp_path / "failed.sqlite") as made:
        made.add_instances((instance.sha256, instance) for instance in INSTANCES)
        made.add(result(at=0, output=None))
        made.add(result(at=1, output=None))
        made.add(result(at=2, status="failed", value=None, bound="", ratio=None, output=None))
    return str(tmp_path / "failed.sqlite")


def test_the_command_writes_the_page_and_counts(
    failed: str, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "page.html"
    assert call(["sweep", failed, "--report", str(out), "--trust", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    counts = {"tasks": 3, "certified": 2, "proved_again": 0, "rejected": {}}
    assert shown == {"report": str(out), "the_word_of_the_store": 2, **counts}
    assert out.read_text().startswith("<!doctype html>")
    assert call(["sweep", failed, "--report", str(out), "--trust", "--title", "Two runs"]) == 0
    said = f"{out}: 2 certified ratios of 3 tasks; proved again: 0\n"
    word = "the store's word, not proved: 2 (without --trust all are)\n"
    assert capsys.readouterr().out == said + word
    assert "<title>Two runs" in out.read_text()


def test_who_asks_for_a_share_is_told_of_trust(failed: str, capsys: Capture) -> None:
    assert call(["sweep", failed, "--ratios", "--recheck", "0.5"]) == 2
    assert "did you mean --trust, without which all is proved again?" in capsys.readouterr().err


def test_what_the_store_cannot_prove_is_told_and_left_out(
    failed: str, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "page.html"
    assert call(["sweep", failed, "--report", str(out), "--json"]) == 1
    shown, said = capsys.readouterr()
    assert json.loads(shown)["certified"] == 0
    assert len(json.loads(shown)["rejected"]) == len(said.splitlines()) == 2
    assert "certificate rejected" in out.read_text()


def test_what_is_no_store_or_no_folder_is_refused_in_one_line(
    failed: str, tmp_path: Path, capsys: Capture
) -> None:
    assert call(["sweep", failed, "--report", str(tmp_path / "no" / "page.html")]) == 2
    assert "no directory" in capsys.readouterr().err
    out = tmp_path / "page.html"
    assert call(["sweep", str(tmp_path / "none.sqlite"), "--report", str(out)]) == 2
    assert "run farkas sweep first" in capsys.readouterr().err
    wrong = tmp_path / "wrong.sqlite"
    wrong.write_bytes(b"no database at all" * 100)
    before = wrong.read_bytes()
    assert call(["sweep", str(wrong), "--report", str(out)]) == 2
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
    assert call(["sweep", run, "--report", str(tmp_path / "page.html")]) == 2
    said = capsys.readouterr().err
    assert "is no store of results, which farkas sweep makes; it is a run" in said
    assert f"farkas figure {run} --instance FILE draws it" in said
