"""`farkas sweep` says what was performed, and ends with 1 where something went wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from farkas.cli import call
from farkas.experiments.sweeps import Summary

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
        return Summary(**{**common, "rejected": 0, **seen.get("summary", {})})

    monkeypatch.setattr("farkas.experiments.sweeps.sweep", sweep)
    return seen


def test_options_reach_the_sweep_and_its_counts_the_reader(
    given: dict[str, Any], capsys: Capture
) -> None:
    words = ["sweep", "c.toml", "--workers", "3", "--retry", "--scheduler", "tcp://a:1", "--json",
             "--bound-seconds", "7.5"]  # fmt: skip
    assert call(words) == 0
    assert given == {
        "config": "c.toml", "workers": 3, "retry": True, "scheduler": "tcp://a:1",
        "bound_seconds": 7.5,
    }  # fmt: skip
    assert json.loads(capsys.readouterr().out) == {
        "name": "broker", "store": "s.sqlite", "tasks": 7, "present": 2, "performed": {"done": 5},
        "shared": 0, "not_done": {}, "rejected_certificates": 0, "interrupted": False,
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
        ({"rejected": 1}, 1),
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
        assert any({status, str(count)} <= set(line.split()) for line in _cells(captured.out))
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
    lines = [" ".join(line.split()) for line in _cells(capsys.readouterr().out)]
    for line in ("performed by other sweeps 2", "failed 1", "failed before 2", "overlong before 1"):
        assert line in lines


def test_the_name_of_a_sweep_heads_its_table(given: dict[str, Any], capsys: Capture) -> None:
    assert call(["sweep", "c.toml"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "sweep broker"


def _cells(table: str) -> list[str]:
    return table.splitlines()
