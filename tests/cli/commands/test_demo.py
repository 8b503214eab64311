"""`farkas demo` prints the lines of the demo."""

from __future__ import annotations

import json

import pytest

from farkas.cli import call
from farkas.experiments.demo import DemoLine

LINES = [
    DemoLine("a/demo", "a.greedy", "min", 3.0, 2.0, 1.5, 0.25),
    DemoLine("b/demo", "b.offline", "max", 7.0, None, None, 0.5),
]


@pytest.fixture(autouse=True)
def lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkas.experiments.demo.demo", lambda progress: LINES)


def test_every_line_has_its_columns_and_a_dash_where_nothing_is_proved(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call(["demo"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("│")]
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines]
    assert cells == [
        ["a/demo", "a.greedy", "3", "2", "1.5", "0.25"],
        ["b/demo", "b.offline", "7", "-", "-", "0.5"],
    ]


def test_json_names_the_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["demo", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["demo"][0] == {
        "instance": "a/demo", "what": "a.greedy", "sense": "min", "value": 3.0, "bound": 2.0,
        "ratio": 1.5, "seconds": 0.25,
    }  # fmt: skip
