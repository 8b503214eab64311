"""`farkas solvers` lists what is installed, and what it can do."""

from __future__ import annotations

import json

import pytest

from farkas.cli import call
from farkas.solvers import backends
from farkas.solvers.access import Access, Availability
from farkas.solvers.base import Status
from tests.tools.cells import rows

Capture = pytest.CaptureFixture[str]
LIMITED = Availability(Access.LIMITED, "size-limited licence", 2000, 1000)
LINE = Status("gurobi", LIMITED, "12.0", ("linear", "integer"))


def test_json_holds_standing_limits_and_abilities(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr("farkas.solvers.status", lambda *, bridged: [LINE] if bridged else [])
    assert call(["solvers", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["solvers"] == [
        {
            "name": "gurobi", "standing": "limited", "detail": "size-limited licence",
            "most_rows": 2000, "most_columns": 1000, "version": "12.0",
            "abilities": ["linear", "integer"],
        }
    ]  # fmt: skip


def test_the_table_has_a_line_a_solver(capsys: Capture) -> None:
    assert call(["solvers"]) == 0
    usable, rest = capsys.readouterr().out.split("\n\n")
    for text in (usable, rest):
        names = [row[0] for row in rows(text)]
        assert int(text.split()[0]) == len(names)
        assert [n for n in names if ":" not in n] == [b for b in backends if b in names]
    told = {row[0]: row for row in [*rows(usable), *rows(rest)]}
    assert set(backends) <= set(told)
    assert {"highs:ipm", "ortools:cpsat", "cvxpy:SCS", "pyomo:cbc"} <= set(told)
    assert "use ortools:glop" in told["cvxpy:GLOP"][2]
    assert "missing" not in told["pyomo:appsi_highs"]
    assert told["highs"][1] == "full"
    assert told["highs"][3].startswith("linear, ")
