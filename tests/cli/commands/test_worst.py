"""``farkas worst``."""

from __future__ import annotations

import json
import math
import signal
from fractions import Fraction
from typing import Any

import pytest

import farkas
from farkas.adversary.scoring import ScoredInstance, Scorer
from farkas.api.worst_box import _Iteration
from farkas.cli import call
from farkas.instances import Instance
from tests.tools.boxes import dps_box


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


def test_an_option_that_is_a_number_is_read_from_its_text(capsys) -> None:  # type: ignore[no-untyped-def]
    words = ["worst", "gadget.columns", "--set", "gap=0.5", "--evaluations", "1", "--json"]
    assert call(words) == 0
    assert json.loads(capsys.readouterr().out)["options"]["gap"] == 0.5


def test_ends_that_are_equal_are_a_range(capsys) -> None:  # type: ignore[no-untyped-def]
    words = ["worst", "dps.simple", "--evaluations", "8", "--range", "budget=2..2", "--json"]
    assert call(words) == 0
    jobs = json.loads(capsys.readouterr().out)["instance"]["jobs"]
    assert {job["budget"] for job in jobs} == {2.0}


def test_a_table_for_people(capsys) -> None:  # type: ignore[no-untyped-def]
    assert call(["worst", "gadget.fifo", "--evaluations", "30"]) == 0
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
    ],
)
def test_bad_words_are_one_line(words: list[str], message: str, capsys) -> None:  # type: ignore[no-untyped-def]
    assert call(["worst", *words]) in (1, 2)
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_ctrl_c_keeps_the_best(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Scorer.score

    def pressed(
        scorer: Scorer, instance: Instance, at_least: float = -math.inf
    ) -> ScoredInstance | None:
        if scorer.evaluations == 8:
            signal.raise_signal(signal.SIGINT)
        return usual(scorer, instance, at_least)

    monkeypatch.setattr(Scorer, "score", pressed)
    assert call(["worst", "mlbroker.local", "--evaluations", "1000000", "--json"]) == 130
    out, err = capsys.readouterr()
    assert "this is the best so far" in err
    said = json.loads(out)
    assert said["interrupted"] is True
    assert said["ratio_at_least"] > 1


def test_without_an_algorithm_it_is_said_what_lists_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call(["worst"]) == 2
    assert "farkas list algorithms lists them" in capsys.readouterr().err


def test_a_table_for_people_of_a_box(tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "box.json"
    farkas.save(dps_box(2.0, 4.0), file)
    assert call(["worst", "dps.fixed_price", "--from", str(file), "--prove"]) == 0
    said = capsys.readouterr().out
    assert "ratio, on every instance at most" in said
    assert "jobs[].budget" in said
    farkas.save(dps_box(1.0, 4.0), file)
    assert call(["worst", "dps.fixed_price", "--from", str(file), "--prove"]) == 0
    assert capsys.readouterr().out.count("unbounded") == 2


def test_both_sides_of_a_box_are_about_the_same_plans(capsys) -> None:  # type: ignore[no-untyped-def]
    # a plan that divides a worker is better by half, no plan of whole workers is better at all
    words = ["worst", "coded.simple_greedy", "--from", "coded/idle_pairs", "--prove"]
    assert call(words) == 0
    assert "against plans that give every worker to one master" in capsys.readouterr().out
    assert call([*words, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["scope"] == "against plans that give every worker to one master"
    assert 1 - 1e-12 <= said["ratio_at_least"] <= 1 <= said["ratio_at_most"] < 1 + 1e-6


def test_a_search_has_no_limit_by_the_clock(capsys) -> None:  # type: ignore[no-untyped-def]
    assert call(["worst", "mlbroker.local", "--time-limit", "3"]) == 2
    assert "a search takes --seconds" in capsys.readouterr().err


def test_ctrl_c_writes_the_side_there_is(tmp_path, capsys, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    box, gap = tmp_path / "box.json", tmp_path / "gap.json"
    farkas.save(dps_box(2.0, 4.0), box)
    searched, calls = _Iteration.searched, iter(range(99))

    def pressed(self: _Iteration, *given: Any, **named: Any) -> Any:
        if next(calls):  # the first finds an instance
            signal.raise_signal(signal.SIGINT)
        return searched(self, *given, **named)

    monkeypatch.setattr(_Iteration, "searched", pressed)
    words = ["worst", "dps.fixed_price", "--from", str(box), "--prove", "--write", str(gap)]
    assert call([*words, "--json"]) == 130
    read = capsys.readouterr()
    assert "interrupted; this is what is proved so far" in read.err
    said = json.loads(read.out)
    assert said["interrupted"] is True
    assert said["ratio_at_most"] is None
    assert Fraction(said["ratio_at_least_exact"]) > 1
    assert call(["check", str(gap), "--instance", str(box)]) == 0
    assert not (tmp_path / "gap.bound.json").exists()


def test_a_limit_is_exit_code_3(tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    box = tmp_path / "box.json"
    farkas.save(dps_box(2.0, 4.0), box)
    words = ["worst", "dps.fixed_price", "--from", str(box), "--prove", "--time-limit", "1e-9"]
    assert call(words) == 3
    assert "time limit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["mlbroker.local"], "give --from"),
        (["mlbroker.central", "--from", "mlbroker/tiny"], "no program of its worst case"),
        (["mlbroker.local", "--from", "mlbroker/tiny", "--seed", "3"], "--prove"),
        (["mlbroker.local", "--from", "mlbroker/tiny", "--fixed"], "of the others only"),
        (["mlbroker.local", "--from", "mlbroker/tiny", "--range", "data=1..2"], "whose numbers"),
        (["mlbroker.local", "--from", "mlbroker/tiny", "--seconds", "9"], "give --time-limit"),
        (["mlbroker.local", "--from", "mlbroker/tiny", "--time-limit", "0"], "--time-limit = 0"),
        (["mlbroker.local", "--from", "mlbroker/tiny", "--set", "nothing=3"], "no option"),
        (["mlbroker.local", "--from", "mlbroker/tiny", "--set", "parts=3"], "parts cannot be"),
        (["mlbroker.local", "--from", "mlbroker/tiny", "--write", "gap.txt"], ".json"),
    ],
)
def test_bad_words_about_a_box_are_one_line(words: list[str], message: str, capsys) -> None:  # type: ignore[no-untyped-def]
    assert call(["worst", *words, "--prove"]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
