"""``farkas optimum``, and ``farkas check`` of what it wrote."""

from __future__ import annotations

import json
import signal
from fractions import Fraction

import pytest

import farkas
import farkas.online
from farkas.cli import call


def test_json_has_both_sides_and_the_run_is_checked(tmp_path, capsys):
    run, proof = str(tmp_path / "run.json"), str(tmp_path / "proof.json")
    assert call(["optimum", "mlbroker/tiny", "--out", run, "--write", proof, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert Fraction(shown["value"]) >= Fraction(shown["value_exact"])
    assert Fraction(shown["bound"]) <= Fraction(shown["bound_exact"])
    assert abs(shown["value"] - 16.8) < 1e-12
    assert shown["sense"] == "min"
    assert shown["gap"] <= 0.001
    assert Fraction(shown["bound_exact"]) <= Fraction(shown["value_exact"])
    assert shown["method"]
    assert shown["seconds"] > 0
    assert call(["check", run, "--instance", "mlbroker/tiny"]) == 0
    assert call(["check", proof, "--instance", "mlbroker/tiny"]) == 0


def test_a_gap_that_is_not_reached_ends_with_what_is_proved(capsys):
    words = ["optimum", "mlbroker/demo", "--gap", "0", "--time-limit", "0.5", "--json"]
    assert call(words) == 3
    heard = capsys.readouterr()
    shown = json.loads(heard.out)
    assert shown["bound"] < shown["value"]
    assert not shown["complete"]
    assert "the gap was not reached" in heard.err


def test_the_table_names_what_found_and_what_proved(capsys):
    assert call(["optimum", "mlbroker/tiny"]) == 0
    shown = capsys.readouterr().out
    assert "value found by" in shown
    assert "each job by itself" in shown
    assert "bound proved by" in shown


def test_bad_input_ends_in_one_line(tmp_path, capsys):
    same = tmp_path / "same.json"
    for words in (
        ["optimum", "mlbroker/tiny", "--write", "proof.vipr"],
        ["optimum", "mlbroker/tiny", "--out", str(tmp_path / "none" / "run.json")],
        ["optimum", "mlbroker/tiny", "--out", str(same), "--write", str(same)],
        ["optimum", "mlbroker/tiny", "--write", str(same), "--write", f"{tmp_path}/./same.json"],
    ):
        assert call(words) == 2, words
        heard = capsys.readouterr()
        assert heard.out == ""
        assert len(heard.err.splitlines()) == 1


@pytest.mark.slow
def test_workers_change_nothing_but_the_time(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("farkas.executor.LEAST_STEPS", 0.0)
    files = [tmp_path / name for name in ("alone.json", "shared.json")]
    for path, more in zip(files, ([], ["--workers", "2"]), strict=True):
        assert call(["optimum", "mlbroker/tiny", "--write", str(path), *more]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    capsys.readouterr()
    monkeypatch.setattr("farkas.executor.PATIENCE", 0.5)
    assert call(["optimum", "mlbroker/tiny", "--scheduler", "tcp://127.0.0.1:1"]) == 3
    heard = capsys.readouterr()
    assert heard.out == ""
    assert "no dask scheduler answers" in heard.err
    assert len(heard.err.splitlines()) == 1


def test_ctrl_c_while_files_are_written_changes_nothing(monkeypatch, tmp_path, capsys):
    wrote, out = farkas.online.write_run, tmp_path / "run.json"

    def pressed(run, path):
        signal.raise_signal(signal.SIGINT)
        wrote(run, path)

    monkeypatch.setattr("farkas.online.write_run", pressed)
    assert call(["optimum", "mlbroker/tiny", "--out", str(out)]) == 0
    assert farkas.check(out, "mlbroker/tiny").value == farkas.optimum("mlbroker/tiny").value
