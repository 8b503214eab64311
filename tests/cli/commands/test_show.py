"""`farkas show` says what a name means, what is installed, and compiles."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import os
from pathlib import Path

import pytest

from farkas.algebra import programs
from farkas.api.warm import CompiledKernel
from farkas.cli import call
from farkas.cli.commands import show
from farkas.cli.commands.show import SORTS, _lines
from farkas.errors import NoAnswer
from farkas.experiments.demo import DemoLine, proved
from farkas.experiments.figures import of_kind
from farkas.instances import kinds, library
from farkas.instances.generate import presets
from farkas.instances.library import path as shipped
from farkas.instances.traces import sources
from farkas.online import algorithms
from farkas.proofs import claims
from farkas.quantities import quantities
from farkas.solvers import backends
from farkas.solvers.base import Access, Availability, Status
from tests.tools.cells import cells, rows

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


def test_behind_an_instance_quantities_are_computed(capsys: Capture) -> None:
    assert call(["show", "dps/tiny", "dps.certificate", "--json"]) == 0
    shown = capsys.readouterr().out
    assert call(["evaluate", "dps/tiny", "dps.certificate", "--json"]) == 0
    assert capsys.readouterr().out == shown


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
    assert {"cvxpy:SCS", "pyomo:cbc"} <= set(told)
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

    monkeypatch.setattr("farkas.api.prove.prove", none)
    assert show._proof()[1:3] == ("broken", "no solver")


def test_it_tells_kernels_apart_by_whether_they_were_there(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    asked = []
    done = [
        CompiledKernel("farkas.online.dps.seller.sell_at", ("dps",), 1.5, False),
        CompiledKernel("farkas.online.eris.scheduler_dp.best_plan", ("eris", "dps"), 0.25, True),
    ]

    def warm(kinds: list[str], progress: object) -> list[CompiledKernel]:
        asked.append(list(kinds))
        return done

    monkeypatch.setattr("farkas.api.warm.warm", warm)
    assert call(["show", "--compile", "dps", "eris"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("2 kernels are machine code now, 1.75 CPU seconds")
    assert rows(out)[-2:] == [
        ["online.dps.seller.sell_at", "dps", "1.50", "compiled"],
        ["online.eris.scheduler_dp.best_plan", "eris, dps", "0.250", "kept before"],
    ]
    assert call(["show", "--compile", "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["kernels"]
    assert (first["kernel"], first["kept"]) == ("farkas.online.dps.seller.sell_at", False)
    assert (second["kinds"], second["seconds"]) == (["eris", "dps"], 0.25)
    assert asked == [["dps", "eris"], []]
    monkeypatch.undo()
    assert call(["show", "--compile", "dbs"]) == 2
    assert capsys.readouterr().err == "farkas: unknown kind 'dbs'; did you mean dps?\n"


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
    some = dataclasses.replace(better, among="plans that dedicate workers")
    assert "The bound of b.offline is about plans that dedicate workers alone." in proved([some])
    assert proved(LINES[1:]) == "Nothing is proved of these lines."


def test_json_names_the_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["demo", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["demo"][0] == {
        "instance": "a/demo", "what": "a.greedy", "sense": "min", "value": 3.0, "bound": 2.0,
        "ratio": 1.5, "seconds": 0.25, "measure": "cost (USD)", "is_replayed": True,
        "among": "",
    }  # fmt: skip


EXPECTED = {
    "kinds": lambda kind: [kind] if kind else kinds(),
    "instances": library.names,
    "algorithms": lambda kind: algorithms.names(f"{kind}." if kind else ""),
    "programs": lambda kind: programs.names(f"{kind}." if kind else ""),
    "claims": lambda kind: claims.names(f"{kind}." if kind else ""),
    "quantities": lambda kind: quantities.names(f"{kind}." if kind else ""),
    "sources": lambda kind: [s for s in sources() if not kind or s not in ("alibaba", "gavel")],
    "presets": lambda kind: [f"{k} {p}" for k in ([kind] if kind else kinds()) for p in presets(k)],
    "figures": lambda kind: [e.name for k in ([kind] if kind else kinds()) for e in of_kind(k)],
    "solvers": lambda kind: list(backends),
}


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("kind", ["", "eris"])
def test_the_names_of_a_sort_are_those_that_are_registered(
    sort: str, kind: str, capsys: Capture
) -> None:
    if sort == "solvers" and kind:
        assert call(["list", sort, kind]) == 2
        assert "solvers are of no kind" in capsys.readouterr().err
        return
    words = ["list", sort, *([kind] if kind else [])]
    assert call([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)[sort]
    expected = EXPECTED[sort](kind)
    assert [one["name"] for one in found] == expected
    assert expected
    assert call(words) == 0
    title, *lines = cells(capsys.readouterr().out)
    of = " of eris" if kind and sort != "kinds" else ""
    assert title == [f"{len(expected)} {sort}{of}"]
    assert [line[0] for line in lines] == expected


def test_without_a_sort_the_sorts_are_listed(capsys: Capture) -> None:
    assert call(["list"]) == 0
    assert [row[0] for row in cells(capsys.readouterr().out)[1:]] == list(SORTS)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["algoritms"], "unknown sort 'algoritms'; did you mean algorithms?"),
        (["programs", "gadgt"], "unknown kind 'gadgt'; did you mean gadget?"),
    ],
)
def test_a_misspelt_word_is_answered_with_the_nearest(
    words: list[str], said: str, capsys: Capture
) -> None:
    assert call(["list", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_shipped_instance_says_what_it_is_without_its_settings() -> None:
    told = dict(_lines("instances", "eris"))
    assert told["eris/tiny"] == "two sites, three jobs; a state for prices"
    assert told["eris/demo"] == "generated, preset small, seed 9"


def test_a_program_lists_what_its_brackets_take() -> None:
    told = dict(_lines("programs", "dps"))
    assert told["dps.offline"].endswith("when all budgets are known.  [free|capped|forced]")
    assert told["dps.interval_ip"].endswith("  [budget|capped|fixed,cliques|scarce]")
    assert told["dps.worst_fixed_price"].endswith(".")  # its only variant is itself
    for name, words in told.items():
        taken = words.partition("  [")[2].rstrip("]").replace("|", ",").split(",")
        assert set(taken) - {""} <= {v for vs in programs[name].options().values() for v in vs}


def test_a_preset_says_how_to_draw_it_and_a_source_what_it_makes() -> None:
    assert ("gadget small", "farkas generate gadget --preset small") in _lines("presets", "gadget")
    assert dict(_lines("sources", ""))["gavel"] == "makes coded"


TINY = str(shipped("mlbroker/tiny"))


def test_evaluate_prints_exactly_the_values(capsys: Capture) -> None:
    assert call(["evaluate", TINY, "mlbroker.relaxed[printed]", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values == {"mlbroker.relaxed[printed]": pytest.approx(14.192857142857145, abs=1e-5)}


def test_a_key_without_value_is_explained_and_no_answer_only_where_none_has_one(
    capsys: Capture,
) -> None:
    # tiny was made by hand, so ties decide the myopic baselines
    assert call(["evaluate", TINY, "mlbroker.oasis", "--json"]) == 3
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {}
    assert captured.err.startswith("farkas: mlbroker.oasis: instances made by hand")
    assert call(["evaluate", TINY, "mlbroker.oasis", "mlbroker.big_m_smallest"]) == 0
    captured = capsys.readouterr()
    assert "mlbroker.oasis" not in captured.out
    assert captured.err.count("\n") == 1


def test_an_error_of_one_key_leaves_the_others_their_values(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    tiny = str(shipped("coded/tiny"))
    keys = ["coded.simple_greedy", "coded.chance"]  # a program for Pyomo only
    assert call(["evaluate", tiny, *keys, "--json"]) == 2
    captured = capsys.readouterr()
    assert list(json.loads(captured.out)) == ["coded.simple_greedy"]
    assert "coded.chance: coded.chance[shared] is not linear" in captured.err

    def broken(*given: object) -> object:
        raise ZeroDivisionError("nothing to divide by")

    # the gravest of several errors is the exit code
    monkeypatch.setattr("farkas.quantities.coded.least_level", broken)
    assert call(["evaluate", tiny, *keys]) == 70
    assert "internal error: ZeroDivisionError: nothing to divide by" in capsys.readouterr().err


def test_without_keys_those_the_file_expects_are_computed_in_silence(
    tmp_path: Path, capsys: Capture
) -> None:
    from farkas.instances import read, write

    expected = {
        key: {"value": 77, "tol": 0} for key in ("mlbroker.oasis", "mlbroker.local_expected")
    }
    write(read(TINY).replace(expected=expected), tmp_path / "asking.json")
    assert call(["evaluate", str(tmp_path / "asking.json"), "--json"]) == 0
    captured = capsys.readouterr()
    assert list(json.loads(captured.out)) == ["mlbroker.local_expected"]
    assert captured.err == ""
