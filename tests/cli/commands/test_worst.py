"""``farkas worst``."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from farkas.cli import call


@pytest.mark.slow
def test_what_it_writes_is_what_check_proves(tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    gap, file = str(tmp_path / "gap.json"), str(tmp_path / "worst.json")
    words = ["worst", "mlbroker.local", "--evaluations", "40", "--size", "jobs=2,slots=4"]
    assert (
        call([*words, "--range", "sync_volume=1..10", "--write", gap, "--out", file, "--json"]) == 0
    )
    said = json.loads(capsys.readouterr().out)
    assert said["shrunk"] is True
    assert all(1 <= job["sync_volume"] <= 10 for job in said["instance"]["jobs"])
    assert call(["check", gap, "--instance", file, "--json"]) == 0
    proved = json.loads(capsys.readouterr().out)
    assert proved["ratio_exact"] == said["ratio_exact"]
    assert proved["ratio_at_least"] == said["ratio_at_least"]
    assert call(["check", gap, "--instance", "mlbroker/tiny"]) == 1
    assert "hashes to" in capsys.readouterr().err
    assert call(["check", gap, "--stand-alone", str(tmp_path / "alone.json")]) == 2
    assert "no other checker" in capsys.readouterr().err


@pytest.mark.slow
def test_an_option_of_the_algorithm_is_none_of_the_command(capsys) -> None:  # type: ignore[no-untyped-def]
    # --scheduler is an address of dask; --set scheduler is Eris's search for a schedule
    words = ["worst", "eris.eris", "--set", "scheduler=printed", "--evaluations", "20", "--json"]
    assert call(words) == 0
    assert json.loads(capsys.readouterr().out)["options"]["scheduler"] == "printed"
    assert call([*words[:3], "scheduler=tcp://nowhere:1"]) == 2
    said = capsys.readouterr().err
    assert "scheduler" in said
    assert said.count("\n") == 1


def test_ends_that_are_equal_are_a_range(capsys) -> None:  # type: ignore[no-untyped-def]
    words = ["worst", "dps.simple", "--evaluations", "8", "--range", "budget=2..2", "--json"]
    assert call(words) == 0
    jobs = json.loads(capsys.readouterr().out)["instance"]["jobs"]
    assert {job["budget"] for job in jobs} == {2.0}


def test_a_table_for_people(capsys) -> None:  # type: ignore[no-untyped-def]
    assert call(["worst", "gadget.fifo", "--evaluations", "100"]) == 0
    said = capsys.readouterr().out
    assert "worst case of gadget.fifo" in said
    assert "unbounded" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["dps.nobody"], "did you mean"),
        (["dps.simple", "--size", "jobs=x"], "whole number"),
        (["dps.simple", "--size", "sites=2"], "no size sites"),
        (["dps.simple", "--range", "budget=a..b"], "NAME=LOW..HIGH"),
        (["dps.simple", "--range", "budget=5..1"], "above the high one; write budget=1..5"),
        (["dps.simple", "--seconds", "0"], "--seconds = 0.0; give seconds above 0"),
        (["dps.simple", "--set", "nothing=1"], "no option"),
        (["dps.simple", "--from", "eris/tiny"], "takes instances of kind dps"),
        (["dps.simple", "--write", "/nowhere/at/all.json"], "/nowhere"),
        (["dps.simple", "--store", "/nowhere/at/all.json"], "/nowhere"),
        (["dps.simple", "--workers", "0"], "give at least 1"),
        (["dps.simple", "--scheduler", "tcp://nowhere"], "has no port"),
    ],
)
def test_bad_words_are_one_line(words: list[str], message: str, capsys) -> None:  # type: ignore[no-untyped-def]
    assert call(["worst", *words]) in (1, 2)
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("workers", [[], ["--workers", "2"]])
def test_ctrl_c_keeps_the_best_and_children_die(workers: list[str], tmp_path: Path) -> None:
    store = tmp_path / "store.json"
    words = ["mlbroker.local", "--evaluations", "1000000", "--store", str(store), "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "farkas", "worst", *words, *workers],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not store.exists():
        assert process.poll() is None
        time.sleep(0.05)
    tasks = Path(f"/proc/{process.pid}/task")
    children = [
        int(child) for file in tasks.glob("*/children") for child in file.read_text().split()
    ]
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "this is the best so far" in err
    said = json.loads(out)
    assert said["interrupted"] is True
    assert said["ratio_at_least"] > 1
    if tasks.parent.parent.exists():
        assert len(children) == (2 if workers else 0)
        assert not any(Path(f"/proc/{child}").exists() for child in children)


def test_without_an_algorithm_it_is_said_what_lists_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call(["worst"]) == 2
    assert "farkas list algorithms lists them" in capsys.readouterr().err
