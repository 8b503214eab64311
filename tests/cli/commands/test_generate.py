"""`farkas generate` writes an instance, into a file or to standard output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from farkas.cli import call
from farkas.instances import read
from farkas.instances.library import path as shipped
from tests.tools.cells import cells

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
