"""``farkas worst --prove``."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import farkas
from farkas.cli import call
from tests.tools.boxes import dps_box


def test_what_it_writes_is_what_check_proves(tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    gap, bound, box, out = (
        str(tmp_path / name) for name in ("gap.json", "gap.bound.json", "gap.box.json", "out.json")
    )
    words = ["worst", "mlbroker.local", "--from", "mlbroker/tiny", "--prove", "--set", "parts=1"]
    assert call([*words, "--write", gap, "--out", out, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert farkas.load(out).sha256 == farkas.check(gap).instance.sha256
    assert call(["check", gap, "--instance", out, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ratio_exact"] == said["ratio_at_least_exact"]
    assert call(["check", bound, "--instance", box, "--json"]) == 0
    assert Fraction(json.loads(capsys.readouterr().out)["bound_exact"]) <= 0
    assert said["program"] == "mlbroker.worst_local[printed,1.178787878787879,0,1]"
    assert call(["check", bound, "--instance", out]) == 1


def test_a_table_for_people(tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "box.json"
    farkas.save(dps_box(2.0, 4.0), file)
    assert call(["worst", "dps.fixed_price", "--from", str(file), "--prove"]) == 0
    said = capsys.readouterr().out
    assert "ratio, on every instance at most" in said
    assert "jobs[].budget" in said
    assert call(["worst", "dps.fixed_price", "--from", str(file), "--prove",
                 "--range", "budget=1..4"]) == 0  # fmt: skip
    assert capsys.readouterr().out.count("unbounded") == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["mlbroker.local"], "give --from"),
        (["mlbroker.central", "--from", "mlbroker/tiny"], "no program of its worst case"),
        (["mlbroker.local", "--from", "mlbroker/tiny", "--seed", "3"], "--prove"),
        (["mlbroker.local", "--from", "mlbroker/tiny", "--set", "nothing=3"], "no option"),
        (["mlbroker.local", "--from", "mlbroker/tiny", "--set", "parts=3"], "parts cannot be"),
        (["mlbroker.local", "--from", "mlbroker/tiny", "--write", "gap.txt"], ".json"),
    ],
)
def test_bad_words_are_one_line(words: list[str], message: str, capsys) -> None:  # type: ignore[no-untyped-def]
    assert call(["worst", *words, "--prove"]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
