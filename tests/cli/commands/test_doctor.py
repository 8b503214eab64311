"""`farkas doctor` prints what it finds and ends with 1 where something is broken."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from farkas.cli import call
from farkas.cli.health import Looked
from tests.tools.cells import rows

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(("state", "code"), [("fine", 0), ("absent", 0), ("broken", 1)])
def test_only_what_is_broken_is_a_negative_result(
    state: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def found() -> Iterator[Looked]:
        yield Looked("Python", state, "3.1", "install another")

    monkeypatch.setattr("farkas.cli.health.findings", found)
    assert call(["doctor"]) == code
    assert rows(capsys.readouterr().out) == [["Python", state, "3.1", "install another"]]
    assert call(["doctor", "--json"]) == code
    (one,) = json.loads(capsys.readouterr().out)["findings"]
    assert (one["what"], one["remedy"]) == ("Python", "install another")


def test_here_nothing_is_broken(capsys: Capture) -> None:
    assert call(["doctor", "--json"]) == 0
    found = {one["what"] for one in json.loads(capsys.readouterr().out)["findings"]}
    assert {"Python", "packages", "solver highs", "kernel cache", "a proof"} <= found


def test_one_broken_thing_among_others_is_a_negative_result(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    found = [Looked("one", "fine", ""), Looked("two", "broken", ""), Looked("three", "absent", "")]
    monkeypatch.setattr("farkas.cli.health.findings", lambda: iter(found))
    assert call(["doctor", "--json"]) == 1
    assert call(["doctor"]) == 1
    assert "broken" in capsys.readouterr().out
