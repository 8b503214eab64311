"""`farkas run` prints a run and keeps it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from farkas.cli import call
from farkas.instances.library import path as shipped

TINY = str(shipped("mlbroker/tiny"))
Capture = pytest.CaptureFixture[str]


def test_run_writes_what_it_prints(tmp_path: Path, capsys: Capture) -> None:
    from farkas.online import read_run

    out = tmp_path / "run.json"
    words = ["run", TINY, "-a", "mlbroker.fractional", "--set", "relax=tight", "-o", str(out)]
    assert call([*words, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    kept = read_run(out)
    assert kept.options["relax"] == "tight"
    assert shown["value"] == kept.value
    assert kept.certificate is not None
    assert kept.value / float(kept.certificate) == pytest.approx(kept.ratio, rel=1e-9)


def test_the_table_shows_value_bound_and_ratio(capsys: Capture) -> None:
    assert call(["run", TINY, "-a", "mlbroker.local"]) == 0
    title, *lines = capsys.readouterr().out.splitlines()
    assert title == "mlbroker.local on tiny"
    # 19.4 / 16.8 = 1.154762, upwards; the bound is proved but for the last bits of 16.8
    cells = [[cell.strip() for cell in line.split("│")[1:3]] for line in lines if "│" in line]
    assert cells[:3] == [
        ["value", "19.4"], ["proved bound", "16.7999999"], ["certified ratio", "1.15477"],
    ]  # fmt: skip


def test_a_seed_reaches_the_run(capsys: Capture) -> None:
    values = []
    for seed in ("0", "0", "1", "2", "3"):
        words = ["run", str(shipped("dps/demo")), "-a", "dps.random", "--seed", seed, "--json"]
        assert call(words) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["manifest"]["seed"] == int(seed)
        values.append(found["value"])
    assert values[0] == values[1]
    assert len(set(values)) > 1


def test_an_unknown_algorithm_is_answered_with_those_of_the_instance(capsys: Capture) -> None:
    assert call(["run", TINY, "-a", "nosuch"]) == 2
    assert "known: mlbroker.central, " in capsys.readouterr().err
    assert call(["run", TINY, "-a", "local"]) == 2
    assert "did you mean mlbroker.local?" in capsys.readouterr().err
