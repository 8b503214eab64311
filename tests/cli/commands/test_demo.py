"""`farkas demo` prints the lines of the demo."""

from __future__ import annotations

import dataclasses
import json

import pytest

from farkas.cli import call
from farkas.experiments.demo import DemoLine, proved
from tests.tools.cells import rows

LINES = [
    DemoLine("a/demo", "a.greedy", "min", 3.0, 2.0, 1.5, 0.25, "cost (USD)"),
    DemoLine("b/demo", "b.offline", "max", 7.0, None, None, 0.5),
]


@pytest.fixture(autouse=True)
def lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkas.experiments.demo.demo", lambda progress: LINES)


def test_every_line_has_its_columns_and_a_dash_where_nothing_is_proved(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call(["demo"]) == 0
    assert rows(capsys.readouterr().out) == [
        ["a/demo", "a.greedy", "3", "2", "1.5", "cost (USD)", "0.250"],
        ["b/demo", "b.offline", "7", "-", "-", "-", "0.500"],
    ]


def test_on_a_narrow_line_the_seconds_go_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    assert call(["demo"]) == 0
    text = capsys.readouterr().out
    assert rows(text)[0] == ["a/demo", "a.greedy", "3", "2", "1.5", "cost (USD)", "0.250"]
    monkeypatch.setenv("COLUMNS", "64")
    assert call(["demo"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 64
    assert rows(text)[0] == ["a/demo", "a.greedy", "3", "2", "1.5", "cost (USD)"]


def test_the_last_sentence_is_read_off_the_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["demo"]) == 0
    said = " ".join(capsys.readouterr().out.split("\n\n")[1].split())
    assert "for 1 of 2 lines" in said
    assert "the largest is 1.5: a.greedy on a/demo" in said
    assert said.endswith("Next: farkas compare a/demo")
    better = dataclasses.replace(LINES[1], bound=21.0, ratio=3.0)
    said = proved([LINES[0], better])
    assert "for all 2 lines" in said
    assert "the largest is 3: b.offline on b/demo" in said
    assert said.endswith("Next: farkas compare b/demo")
    assert proved(LINES[1:]) == "Nothing is proved of these lines."


def test_json_names_the_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["demo", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["demo"][0] == {
        "instance": "a/demo", "what": "a.greedy", "sense": "min", "value": 3.0, "bound": 2.0,
        "ratio": 1.5, "seconds": 0.25, "measure": "cost (USD)",
    }  # fmt: skip
