"""`farkas figure` lists, draws, prints, writes all, and refuses in one line."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

import farkas
from farkas.cli import call
from farkas.errors import NoAnswer
from farkas.experiments.figures import Agreement, Exhibit
from farkas.experiments.figures import exhibit as module
from farkas.registry import Registry
from tests.experiments.figures.made import exhibit, lines


@pytest.fixture
def shown(monkeypatch):
    registry: Registry[Exhibit] = Registry("figure")
    monkeypatch.setattr(module, "figures", registry)
    registry.add("mlbroker.figure5", exhibit(lines()))
    unmodelled = {"kind": "mlbroker", "label": "figure6", "title": "Accuracy", "source": "Paper"}
    reason = {"agreement": Agreement.NOT_MODELLED, "reason": "needs training"}
    registry.add("mlbroker.figure6", Exhibit(**unmodelled, **reason))


@pytest.mark.slow
def test_the_command_lists_draws_and_prints(shown, tmp_path, capsys):
    assert call(["figure", "mlbroker"]) == 0
    out = capsys.readouterr().out
    assert "trend reproduced" in out
    assert "needs training" in out
    assert call(["figure", "mlbroker", "5"]) == 0
    out = capsys.readouterr().out
    assert "published" in out
    assert "This run (full, seed 0): trend reproduced; falls: yes" in out
    assert call(["figure", "mlbroker", "5", "-o", str(tmp_path / "f.svg"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["figure"] == "mlbroker.figure5"
    assert (tmp_path / "f.svg").exists()


def test_the_command_writes_all_of_them_and_says_what_is_not_modelled(shown, tmp_path, capsys):
    folder = tmp_path / "all"
    assert call(["figure", "all", "-o", str(folder), "--json"]) == 0
    found = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)["figures"]}
    assert found["mlbroker.figure6"]["note"] == "needs training"
    assert sorted(p.name for p in folder.iterdir()) == [
        "mlbroker.figure5.json", "mlbroker.figure5.png",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["mlbroker", "5", "--preset", "huge"], 2, "'full', 'reduced'"),
        (["all", "zz"], 2, "figure all zz: a number is of one kind"),
        (["mlbroker", "7"], 2, "known: figure5, figure6"),
        (["mlbroker", "5", "-o", "a.gif"], 2, "unknown suffix"),
        (["mlbroker", "6"], 3, "needs training"),
    ],
)
def test_the_command_refuses_in_one_line(shown, capsys, words, code, message):
    assert call(["figure", *words]) == code
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert message in err


def test_one_figure_that_fails_does_not_hide_the_others(shown, tmp_path, capsys):
    def fail(preset, seed):
        raise NoAnswer("no point")

    broken = dataclasses.replace(exhibit(lines()), label="figure4", build=fail)
    module.figures.add("mlbroker.figure4", broken)
    assert call(["figure", "mlbroker", "all", "-o", str(tmp_path), "--json"]) == 3
    captured = capsys.readouterr()
    notes = {entry["name"]: entry["note"] for entry in json.loads(captured.out)["figures"]}
    assert notes["mlbroker.figure4"] == "no point"
    assert notes["mlbroker.figure5"] == f"{tmp_path}/mlbroker.figure5.png"
    assert captured.err == "farkas: mlbroker.figure4: no point\n"
    assert not (tmp_path / "mlbroker.figure4.png").exists()


def test_a_folder_that_cannot_be_made_is_told_in_one_line(shown, tmp_path, monkeypatch, capsys):
    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refused)
    assert call(["figure", "all", "-o", str(tmp_path / "all")]) == 2
    captured = capsys.readouterr()
    assert captured.err.endswith(": no folder: Permission denied\n")
    assert captured.err.count("\n") == 1


def test_a_run_is_drawn_and_listed(tmp_path, capsys):
    run = farkas.run("eris/tiny", "eris.eris")
    run.save(tmp_path / "run.json")
    path = str(tmp_path / "run.json")
    assert call(["figure", path, "-o", str(tmp_path / "run.png")]) == 0
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
    assert call(["figure", path]) == 0
    assert "eris.eris on tiny earns at least 105" in capsys.readouterr().out
    assert call(["figure", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == run.plot().rows()
    assert call(["figure", path, "-o", str(tmp_path / "run.gif")]) == 2
    assert "a picture ends in" in capsys.readouterr().err
    assert not (tmp_path / "run.gif").exists()


def test_another_instance_is_refused_in_one_line(tmp_path, capsys):
    farkas.run("eris/tiny", "eris.eris").save(tmp_path / "run.json")
    assert call(["figure", str(tmp_path / "run.json"), "--instance", "eris/demo"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "is not that of the run" in line
    assert call(["figure", "eris", "--instance", "eris/demo"]) == 2
    assert "--instance: is of a run" in capsys.readouterr().err
