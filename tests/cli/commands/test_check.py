"""Certificates from ``farkas solve`` through ``farkas check``."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import farkas
from farkas.api.proof_page import proof_page
from farkas.cli import call
from farkas.instances.library import path as shipped
from tests.tools.shared import ROOT

TINY = str(shipped("mlbroker/tiny"))
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def certificate(tmp_path: Path, capsys: Capture) -> Path:
    """Certificate of the tight relaxation of the tiny instance."""
    out = tmp_path / "tight.json"
    assert call(["solve", TINY, "-p", "mlbroker.relaxed[tight]", "--write", str(out)]) == 0
    capsys.readouterr()
    return out


@pytest.mark.parametrize("extra", [[], ["--instance", TINY]], ids=["alone", "with instance"])
def test_a_certificate_proves_its_bound_again(
    certificate: Path, extra: list[str], capsys: Capture
) -> None:
    # The sheet of the kind gives 16.8.
    assert call(["check", str(certificate), *extra, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["bound"] == pytest.approx(16.8, abs=1e-6)
    assert Fraction(shown["bound_exact"]) <= Fraction(shown["value_exact"])
    assert shown["tolerance"] == 0.0
    assert shown["provenance"] == ("instance" if extra else "file")


def test_a_vipr_file_proves_the_same_bound(
    tmp_path: Path, certificate: Path, capsys: Capture
) -> None:
    out = str(tmp_path / "tight.vipr")
    assert call(["solve", TINY, "-p", "mlbroker.relaxed[tight]", "--write", out]) == 0
    capsys.readouterr()
    assert call(["check", out, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert call(["check", str(certificate), "--json"]) == 0
    assert shown["lower_exact"] == json.loads(capsys.readouterr().out)["bound_exact"]
    assert call(["check", out, "--instance", TINY]) == 2
    assert "names no instance" in capsys.readouterr().err


@pytest.fixture
def run(tmp_path: Path, capsys: Capture) -> Path:
    """Run file of the tiny instance."""
    out = tmp_path / "run.json"
    assert call(["run", TINY, "-a", "mlbroker.mlbroker", "-o", str(out)]) == 0
    capsys.readouterr()
    return out


def test_both_sides_of_the_ratio_of_a_run_file_are_proved(run: Path, capsys: Capture) -> None:
    assert call(["check", str(run), "--instance", TINY, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["bound_exact"] == json.loads(run.read_text())["certificate"]["exact"]
    assert shown["ratio"] == json.loads(run.read_text())["ratio"]
    assert shown["value_is_recomputed"] is True
    assert shown["value_exact"] == json.loads(run.read_text())["value_exact"]
    assert (shown["excess"], shown["broken"]) == (0, [])
    assert "Replayed in exact arithmetic" in shown["statement"]


def test_what_is_proved_can_be_written_to_stand_alone(tmp_path: Path, capsys: Capture) -> None:
    run, out = str(tmp_path / "run.json"), str(tmp_path / "alone.json")
    assert call(["run", TINY, "-a", "mlbroker.fractional[tight]", "--out", run]) == 0
    capsys.readouterr()
    assert call(["check", run, "--instance", TINY, "--stand-alone", out]) == 0
    assert "written: " in capsys.readouterr().out
    again = str(tmp_path / "again.json")
    assert call(["check", out, "--json", "--stand-alone", again]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["stand_alone"]["bound_exact"] == shown["bound_exact"]
    checker = ROOT / "farkas" / "standalone" / "checker.py"
    for file in (out, again):
        command = [sys.executable, "-I", str(checker), file]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0
        assert "at least 16.79" in done.stdout


def test_nothing_is_written_to_stand_alone_before_it_is_proved(
    tmp_path: Path, capsys: Capture
) -> None:
    run, out = tmp_path / "run.json", tmp_path / "alone.json"
    assert call(["run", TINY, "-a", "mlbroker.fractional", "--out", str(run)]) == 0
    run.write_text(json.dumps({**json.loads(run.read_text()), "ratio": 0.5}))
    command = ["check", str(run), "--instance", TINY, "--stand-alone"]
    assert call([*command, str(out)]) == 1
    assert not out.exists()
    out.write_text("as it was")
    assert call([*command, str(out)]) == 1
    assert out.read_text() == "as it was"
    assert {path.name for path in tmp_path.iterdir()} == {"run.json", "alone.json"}
    assert call([*command, str(tmp_path / "nowhere" / "alone.json")]) == 2
    assert "there is no directory" in capsys.readouterr().err


def test_what_stands_alone_has_the_suffix_of_its_sort(
    certificate: Path, tmp_path: Path, capsys: Capture
) -> None:
    alone = tmp_path / "out.vipr"
    assert call(["check", str(certificate), "--stand-alone", str(alone)]) == 2
    assert "trees are written as .vipr, everything else as .json" in capsys.readouterr().err
    assert not alone.exists()


def test_the_page_that_checks_is_written_instead(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "check.html"
    assert call(["check", "--page", str(path)]) == 0
    assert path.read_text(encoding="utf-8") == proof_page()
    assert "drop a certificate on it" in capsys.readouterr().out
    for words in (["--page", str(tmp_path / "none" / "check.html")], [], [TINY, "--page", "x"]):
        assert call(["check", *words]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_what_is_missing_is_named_as_the_command_line_writes_it(
    tmp_path: Path, capsys: Capture
) -> None:
    run = str(tmp_path / "run.json")
    market = farkas.load("mlbroker/tiny").replace(name="mine")
    farkas.save(farkas.run(market, "mlbroker.local"), run)
    assert call(["check", run]) == 2
    assert capsys.readouterr().err == ("farkas: a run is about an instance; add --instance FILE\n")


def test_a_run_about_another_instance_than_the_one_that_ships_says_so(
    tmp_path: Path, capsys: Capture
) -> None:
    run, other = tmp_path / "run.json", tmp_path / "other.json"
    assert call(["run", "mlbroker/tiny", "-a", "mlbroker.local", "-o", str(run)]) == 0
    data = json.loads(run.read_text())
    data["manifest"]["instance_sha256"] = "0" * 64
    other.write_text(json.dumps(data))
    assert call(["check", str(other)]) == 2
    said = "the run is not about mlbroker/tiny as it ships; add --instance FILE"
    assert said in capsys.readouterr().err
