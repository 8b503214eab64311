"""Other Pythons run what is installed and what was asked for, never what lies about."""

from __future__ import annotations

import os
import subprocess

import pytest

from farkas.isolated import command, environment


def test_the_folders_that_were_asked_for_are_searched(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["/a", "", "b", "/c"]))
    assert environment()["PYTHONPATH"] == os.pathsep.join(["/a", "/c"])
    monkeypatch.setenv("PYTHONPATH", ".")
    assert "PYTHONPATH" not in environment()


@pytest.mark.parametrize("path", ["", ".", "same"])
def test_a_module_of_farkas_is_run_with_its_words_and_none_of_the_current_folder(
    path, tmp_path, monkeypatch
):
    for name in ("typer.py", "sitecustomize.py", "json.py", "farkas/__init__.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"open({str(tmp_path / 'executed')!r}, 'w')")
    if path != "same":
        known = [entry for entry in os.environ.get("PYTHONPATH", "").split(":") if entry]
        monkeypatch.setenv("PYTHONPATH", ":".join([path, *known]))
    monkeypatch.chdir(tmp_path)
    words = command("farkas.cli", "--version")
    done = subprocess.run(words, env=environment(), capture_output=True, text=True)
    assert done.stdout.startswith("farkas "), done.stderr
    assert not (tmp_path / "executed").exists()
