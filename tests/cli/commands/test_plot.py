"""`farkas plot` draws a run, lists what it draws, and refuses in one line."""

from __future__ import annotations

import json

import farkas
from farkas.cli import call


def test_the_command_draws_and_lists(tmp_path, capsys):
    farkas.run("eris/tiny", "eris.eris").save(tmp_path / "run.json")
    path = str(tmp_path / "run.json")
    assert call(["plot", path, "-o", str(tmp_path / "run.png")]) == 0
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
    assert call(["plot", path]) == 0
    assert "eris.eris on tiny earns at least 105" in capsys.readouterr().out
    assert call(["plot", path, "-o", str(tmp_path / "run.gif")]) == 2
    assert "a picture ends in" in capsys.readouterr().err
    assert not (tmp_path / "run.gif").exists()


def test_rows_as_json(tmp_path, capsys):
    run = farkas.run("eris/tiny", "eris.eris")
    run.save(tmp_path / "run.json")
    assert call(["plot", str(tmp_path / "run.json"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["rows"] == run.plot().rows()


def test_another_instance_is_refused_in_one_line(tmp_path, capsys):
    farkas.run("eris/tiny", "eris.eris").save(tmp_path / "run.json")
    assert call(["plot", str(tmp_path / "run.json"), "--instance", "eris/demo"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "is not that of the run" in line
