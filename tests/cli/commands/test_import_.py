"""`farkas import` makes an instance from a trace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from farkas.cli import call
from farkas.instances import read
from farkas.instances.traces.csv_jobs import ROLES
from tests.instances.traces.made import PHILLY, PRICES
from tests.tools.cells import cells
from tests.tools.shared import ROOT

Capture = pytest.CaptureFixture[str]
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
    assert "slots 3, " in told["settings"]


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
