"""`farkas solvers` lists what is installed, and what it can do."""

from __future__ import annotations

import json

import pytest

from farkas.cli import call
from farkas.solvers import backends
from farkas.solvers.access import Access, Availability
from farkas.solvers.base import Status

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
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("│")]
    names = [line.split("│")[1].strip() for line in lines]
    assert [name for name in names if ":" not in name] == list(backends)
    for name in ("highs:ipm", "ortools:cpsat", "cvxpy:SCS", "pyomo:cbc"):
        assert names.index(name) > names.index(name.partition(":")[0])
    told = {line.split("│")[1].strip(): line for line in lines}
    assert "use ortools:glop" in told["cvxpy:GLOP"]
    assert "missing" not in told["pyomo:appsi_highs"]
    (highs,) = (line for line in lines if line.startswith("│highs "))
    assert "linear, " in highs
    assert "full" in highs
