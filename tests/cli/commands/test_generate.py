"""`farkas generate` writes an instance, into a file or to standard output."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from farkas.cli import call
from farkas.instances import read
from farkas.instances.files import own_kinds
from farkas.instances.library import path as shipped
from farkas.instances.traces import csv_coded, sources
from farkas.instances.traces.csv_jobs import ROLES
from farkas.instances.traces.importer import SECONDS
from tests.instances.traces.made import PHILLY, PRICES
from tests.tools.cells import cells
from tests.tools.shared import ROOT

TINY = str(shipped("mlbroker/tiny"))
Capture = pytest.CaptureFixture[str]


def test_a_generated_instance_is_the_same_in_a_file_and_on_standard_output(
    tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "made.json"
    words = ["generate", "mlbroker", "--preset", "small", "--seed", "4"]
    assert call([*words, "-o", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sha256"] == read(out).sha256
    assert read(out).seed == 4
    assert call(words) == 0
    assert capsys.readouterr().out == out.read_text()


def test_settings_are_json_and_reach_the_generator(tmp_path: Path, capsys: Capture) -> None:
    out = str(tmp_path / "made.json")
    words = ["generate", "mlbroker", "--preset", "small", "--set", "num_jobs=3", "-o", out]
    assert call([*words, "--set", "epsilon=0.5"]) == 0
    made = read(out)
    assert (made.num_jobs, made.epsilon, made.seed) == (3, 0.5, 0)
    title, *lines = cells(capsys.readouterr().out)
    assert title == [f"{out}: written"]
    told = dict(lines)
    assert told["instance"] == f"{made.name}, kind mlbroker"
    assert told["sha256"] == made.sha256
    assert '"epsilon":0.5,' in told["settings"]


def test_without_a_kind_the_kinds_are_named(capsys: Capture) -> None:
    assert call(["generate"]) == 2
    assert "name a kind, one of coded, dps, eris, gadget, mlbroker" in capsys.readouterr().err


SMALL = ["--set", "instance=g4.big", "--set", "slots=3"]


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    (tmp_path / "philly.csv").write_text(PHILLY)
    (tmp_path / "prices.csv").write_text(PRICES)
    return ["import", "philly", str(tmp_path / "philly.csv"), "--kind", "mlbroker",
            "--prices", str(tmp_path / "prices.csv"), *SMALL]  # fmt: skip


def test_the_file_holds_what_the_command_counts(
    words: list[str], tmp_path: Path, capsys: Capture
) -> None:
    out = str(tmp_path / "made.json")
    assert call([*words, "--seed", "5", "-o", out, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    made = read(out)
    assert (made.num_jobs, made.num_slots, made.seed) == (3, 3, 5)
    assert (shown["kept"], shown["sha256"], shown["file"]) == (3, made.sha256, out)
    assert shown["dropped"] == {"outside the window": 1, "without a GPU": 1}
    assert call([*words, "-o", out]) == 0
    said = "3 jobs imported; 2 jobs left out: 1 outside the window, 1 without a GPU"
    title, *lines = cells(capsys.readouterr().out)
    assert title == [f"{out}: written"]
    told = dict(lines)
    assert told["from the trace"] == said
    assert told["sha256"] == read(out).sha256
    assert told["size"].startswith("3 jobs, ")
    assert '"slots":3,' in told["settings"]


def test_without_a_file_the_instance_goes_out_and_the_counts_to_standard_error(
    words: list[str], tmp_path: Path, capsys: Capture
) -> None:
    assert call(words) == 0
    captured = capsys.readouterr()
    (tmp_path / "out.json").write_text(captured.out)
    assert read(tmp_path / "out.json").num_jobs == 3
    assert captured.err.startswith("farkas: 3 jobs imported")
    assert captured.err.count("\n") == 1


def test_prices_are_given_once(words: list[str], capsys: Capture) -> None:
    assert call([*words, "--set", "prices=x.csv"]) == 2
    assert "prices: given twice" in capsys.readouterr().err


def test_columns_of_a_table_are_named_by_role(tmp_path: Path, capsys: Capture) -> None:
    table = tmp_path / "mine.csv"
    table.write_text("id,at,n,len\na,0,2,60\nb,60,1,30\n")
    out = str(tmp_path / "made.json")
    words = ["import", "csv", str(table), "--kind", "gadget", "-o", out]
    roles = ["--map", "job_id=id,submit=at", "--map", "gpus=n,duration=len"]
    assert call([*words, *roles]) == 0
    assert [job.name for job in read(out).jobs] == ["a", "b"]
    assert call([*words, *roles, "--set", 'map={"gpus": "n"}']) == 2
    assert "map: given twice" in capsys.readouterr().err
    assert call([*words, "--map", "gpus"]) == 2
    assert "--map 'gpus': write KEY=VALUE" in capsys.readouterr().err


def test_the_page_on_own_traces_lists_every_role() -> None:
    page = (ROOT / "docs" / "own_trace.md").read_text()
    for role in ROLES:
        assert f"| `{role}` |" in page


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name a source, one of alibaba, csv, gavel, google, philly, slurm"),
        (["mine.csv"], "mine.csv is a file; the source comes first, one of alibaba, csv, gavel"),
        (["mine.csv", "--kind", "gadget"], "farkas import csv mine.csv --kind KIND"),
        (["csv"], "name the file of the trace: farkas import csv PATH"),
        (["csv", "mine.csv"], "--kind); csv makes coded, dps, eris, gadget, mlbroker"),
        (["alibaba", "mine.csv"], "--kind); alibaba makes dps"),
        (["cvs", "mine.csv"], "unknown trace source 'cvs'; did you mean csv?"),
    ],
)
def test_what_is_not_named_is_answered_with_what_there_is(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.csv").write_text("a,b\n1,2\n")
    assert call(["import", *words]) == 2
    assert said in capsys.readouterr().err


def test_the_help_names_sources_roles_kinds_and_units(capsys: Capture) -> None:
    assert call(["import", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    for word in (*sources(), *own_kinds(), *ROLES, *csv_coded.ROLES, *SECONDS, "date", "hms"):
        assert re.search(rf"\b{word}\b", said), word
    assert "your own table of jobs, or from a public trace" in said


def test_a_column_of_another_unit_is_warned_of_in_every_output(
    tmp_path: Path, capsys: Capture
) -> None:
    table = tmp_path / "mine.csv"
    table.write_text("at,n,len_min\n0,2,60\n60,1,30\n")
    out = str(tmp_path / "made.json")
    words = ["import", "csv", str(table), "--kind", "gadget", "--map", "submit=at,gpus=n"]
    words += ["--map", "duration=len_min"]
    warning = "len_min names min but is read in s; duration_unit=min reads it so"
    assert call([*words, "-o", out]) == 0
    captured = capsys.readouterr()
    assert captured.err == f"farkas: warning: {warning}\n"
    assert dict(cells(captured.out)[1:])["durations"] == "30 s to 60 s, median 45 s"
    assert call(words) == 0
    assert capsys.readouterr().err == f"farkas: 2 jobs imported\nfarkas: warning: {warning}\n"
    assert call([*words, "-o", out, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["warnings"] == [warning]
    assert shown["understood"]["GPUs"] == "1 to 2 a job, median 1.5"
    assert call([*words, "-o", out, "--set", "duration_unit=min"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert dict(cells(captured.out)[1:])["durations"] == "30 min to 60 min, median 45 min"
