"""`farkas show` says what a name means, what is installed, and compiles."""

from __future__ import annotations

import importlib.metadata
import json
import os
from pathlib import Path

import pytest

from farkas.cli import call
from farkas.cli.commands import show
from farkas.errors import NoAnswer
from farkas.solvers import backends
from farkas.solvers.base import Access, Availability, Status
from farkas.verbs.warm import Warmed
from tests.tools.cells import rows

Capture = pytest.CaptureFixture[str]


def test_a_name_of_several_things_shows_each(capsys: Capture) -> None:
    assert call(["show", "coded.expected"]) == 0
    text = capsys.readouterr().out
    assert (
        text.index("As a program:") < text.index("As an algorithm:") < text.index("As a quantity")
    )
    assert call(["show", "coded.expected", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [shown["role"], *(one["role"] for one in shown["also"])] == [
        "program",
        "algorithm",
        "quantity",
    ]
    # one meaning: no headings
    assert call(["show", "mlbroker.fractional"]) == 0
    assert "As an" not in capsys.readouterr().out


def test_without_a_name_the_kinds_are_shown(capsys: Capture) -> None:
    assert call(["show", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["role"], found["also"]) == ("overview", [])
    assert found["kinds"] == ["coded", "dps", "eris", "gadget", "mlbroker"]


def test_behind_an_instance_quantities_are_computed(tmp_path: Path, capsys: Capture) -> None:
    kept = str(tmp_path / "bound.json")
    assert call(["show", "dps/tiny", "dps.bfp_bound", "--write", kept, "--json"]) == 0
    shown = capsys.readouterr().out
    assert call(["evaluate", "dps/tiny", "dps.bfp_bound", "--json"]) == 0
    assert capsys.readouterr().out == shown
    assert call(["check", kept, "--instance", "dps/tiny"]) == 0


def test_json_of_solvers_holds_standing_limits_and_abilities(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    limited = Availability(Access.LIMITED, "size-limited licence", 2000, 1000)
    line = Status("gurobi", limited, "12.0", ("linear", "integer"))
    monkeypatch.setattr("farkas.solvers.status", lambda *, bridged: [line] if bridged else [])
    assert call(["show", "solvers", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["solvers"] == [
        {
            "name": "gurobi", "standing": "limited", "detail": "size-limited licence",
            "most_rows": 2000, "most_columns": 1000, "version": "12.0",
            "abilities": ["linear", "integer"],
        }
    ]  # fmt: skip


def test_the_table_of_solvers_has_a_line_for_each(capsys: Capture) -> None:
    assert call(["show", "solvers"]) == 0
    usable, rest = capsys.readouterr().out.split("\n\n")
    for text in (usable, rest):
        names = [row[0] for row in rows(text)]
        assert int(text.split()[0]) == len(names)
        assert [n for n in names if ":" not in n] == [b for b in backends if b in names]
    told = {row[0]: row for row in [*rows(usable), *rows(rest)]}
    assert set(backends) <= set(told)
    assert {"highs:ipm", "cvxpy:SCS", "pyomo:cbc"} <= set(told)
    assert told["highs"][1] == "full"
    assert told["highs"][3].startswith("linear, ")


def test_here_nothing_is_broken(capsys: Capture) -> None:
    assert call(["show", "install", "--json"]) == 0
    found = {one["what"]: one for one in json.loads(capsys.readouterr().out)["findings"]}
    assert {"Python", "packages", "kernel cache", "a proof"} <= found.keys()
    assert found["a proof"]["detail"].startswith("The optimal value of mlbroker.relaxed")
    assert list(found["Python"]) == ["what", "state", "detail", "remedy"]


@pytest.mark.parametrize(("state", "code"), [("fine", 0), ("absent", 0), ("broken", 1)])
def test_only_what_is_broken_is_a_negative_result(
    state: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(show, "_kernels", lambda: ("numba", state, "3.1", "install another"))
    assert call(["show", "install"]) == code
    assert ["numba", state, "3.1", "install another"] in rows(capsys.readouterr().out)


def test_a_missing_package_is_broken_and_a_missing_extra_only_absent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    required = [
        "numpy>=1", "nosuchpackage (>=2)", "rich>=1; extra == 'here'",
        'nosuchextra>=3 ; extra == "there"', "nosuchtest; extra == 'test'",
        "farkas[here]; extra == 'all'",
    ]  # fmt: skip
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: required)
    assert show._packages() == [
        ("packages", "broken", "missing: nosuchpackage", "pip install ."),
        ("extra all", "fine", "all there", ""),
        ("extra here", "fine", "all there", ""),
        ("extra there", "absent", "missing: nosuchextra", "pip install 'farkas[there]'"),
    ]


def test_machine_code_needs_a_folder_that_is_writable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "not" / "yet"))
    monkeypatch.setattr(show, "_here", lambda package: True)
    assert show._kernels()[1:3] == ("fine", f"kept below {tmp_path / 'not' / 'yet'}")
    monkeypatch.setattr("os.access", lambda path, mode: mode == os.R_OK)
    assert show._kernels()[1] == "broken"
    assert "NUMBA_CACHE_DIR" in show._kernels()[3]
    monkeypatch.setattr(show, "_here", lambda package: False)
    assert show._kernels()[1] == "absent"


def test_a_proof_that_fails_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*given: object, **options: object) -> None:
        raise NoAnswer("no solver")

    monkeypatch.setattr("farkas.verbs.prove.prove", none)
    assert show._proof()[1:3] == ("broken", "no solver")


def test_it_tells_kernels_apart_by_whether_they_were_there(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    asked = []
    done = [
        Warmed("farkas.online.dps.kernel.run_posted", ("dps",), 1.5, False),
        Warmed("farkas.online.eris.scheduler_dp.best_plan", ("eris", "dps"), 0.25, True),
    ]

    def warm(kinds: list[str], progress: object) -> list[Warmed]:
        asked.append(list(kinds))
        return done

    monkeypatch.setattr("farkas.verbs.warm.warm", warm)
    assert call(["show", "--compile", "dps", "eris"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("2 kernels are machine code now, 1.75 CPU seconds")
    assert rows(out)[-2:] == [
        ["online.dps.kernel.run_posted", "dps", "1.50", "compiled"],
        ["online.eris.scheduler_dp.best_plan", "eris, dps", "0.250", "kept before"],
    ]
    assert call(["show", "--compile", "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["kernels"]
    assert (first["kernel"], first["kept"]) == ("farkas.online.dps.kernel.run_posted", False)
    assert (second["kinds"], second["seconds"]) == (["eris", "dps"], 0.25)
    assert asked == [["dps", "eris"], []]
    monkeypatch.undo()
    assert call(["show", "--compile", "dbs"]) == 2
    assert capsys.readouterr().err == "farkas: unknown kind 'dbs'; did you mean dps?\n"
