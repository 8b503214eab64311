"""`farkas warm` prints what it compiled."""

from __future__ import annotations

import json

import pytest

from farkas.cli import call
from farkas.verbs.warm import Warmed
from tests.tools.cells import rows

Capture = pytest.CaptureFixture[str]
DONE = [
    Warmed("farkas.online.dps.kernel.run_posted", ("dps",), 1.5, False),
    Warmed("farkas.online.eris.scheduler_dp.best_plan", ("eris", "dps"), 0.25, True),
]


def test_it_tells_kernels_apart_by_whether_they_were_there(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    asked = []

    def warm(kinds: list[str], progress: object) -> list[Warmed]:
        asked.append(list(kinds))
        return DONE

    monkeypatch.setattr("farkas.verbs.warm.warm", warm)
    assert call(["warm", "dps", "eris"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("2 kernels are machine code now, 1.75 CPU seconds")
    assert rows(out)[-2:] == [
        ["online.dps.kernel.run_posted", "dps", "1.50", "compiled"],
        ["online.eris.scheduler_dp.best_plan", "eris, dps", "0.250", "kept before"],
    ]
    assert call(["warm", "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["kernels"]
    assert (first["kernel"], first["kept"]) == ("farkas.online.dps.kernel.run_posted", False)
    assert (second["kinds"], second["seconds"]) == (["eris", "dps"], 0.25)
    assert asked == [["dps", "eris"], []]


def test_a_kind_that_there_is_not_is_bad_input(capsys: Capture) -> None:
    assert call(["warm", "dbs"]) == 2
    assert capsys.readouterr().err == "farkas: unknown kind 'dbs'; did you mean dps?\n"
