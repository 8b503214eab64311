"""`farkas claims` lists claims and checks them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from farkas.cli import call
from farkas.instances.library import path as shipped
from tests.tools.cells import cells, pairs, rows

TINY = str(shipped("mlbroker/tiny"))
Capture = pytest.CaptureFixture[str]


def test_a_single_refuted_claim_is_a_negative_result(capsys: Capture) -> None:
    from farkas.proofs import Relation, Standing, claim, claims, refuted

    @claim("mlbroker.false_for_this_test", source="nowhere")
    def false() -> object:
        """All jobs are free."""
        return refuted("mlbroker/tiny", Relation(16.8, "==", 0))

    try:
        assert call(["claims", "mlbroker.false_for_this_test", "--run", "--json"]) == 1
        (entry,) = json.loads(capsys.readouterr().out)["claims"]
        assert entry["verdict"]["standing"] == Standing.REFUTED
        assert entry["verdict"]["fails"] == [{"left": 16.8, "sign": "==", "right": 0.0}]
        assert call(["claims", "mlbroker.false_for_this_test"]) == 0  # asked for words only
    finally:
        del claims._items["mlbroker.false_for_this_test"]


def test_a_list_is_headed_by_what_it_says(capsys: Capture) -> None:
    assert call(["claims", "coded"]) == 0
    assert cells(capsys.readouterr().out)[1] == ["claim", "source", "statement"]


def test_a_claim_is_proved_when_asked_and_only_stated_otherwise(capsys: Capture) -> None:
    assert call(["claims", "coded.time_exceeds_shift", "--run", "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["claims"]
    assert entry["verdict"]["standing"] == "proved"
    assert call(["claims", "coded.time_exceeds_shift", "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["claims"]
    assert sorted(entry) == ["claim", "source", "statement"]


@pytest.mark.slow
def test_a_refuted_claim_shows_both_sides_and_what_recomputes_them(capsys: Capture) -> None:
    name = "eris.competitive_ratio"
    assert call(["claims", name, "--run"]) == 1
    title, *lines = cells(capsys.readouterr().out)
    told = dict(lines)
    assert title == [name]
    # two jobs, worth 2 and 1998: one is taken, the other is the optimum
    assert list(told) == ["statement", "verdict", "counterexample", "by how much"]
    claimed = re.match(r"claimed 999 <= ([\d.]+); ", told["by how much"])
    assert claimed is not None
    assert float(claimed[1]) < 40
    assert "welfare 2; " in told["by how much"]
    assert "optimum 1998" in told["by how much"]
    assert told["counterexample"] == f"farkas show eris/late_fortune; farkas claims {name} --run"
    assert call(["show", "eris/late_fortune"]) == 0
    # a claim that holds has no sides that fail
    assert call(["claims", "coded.time_exceeds_shift", "--run"]) == 0
    assert "claimed" not in capsys.readouterr().out


def test_a_list_shows_first_sentences_and_one_claim_its_whole_statement(capsys: Capture) -> None:
    assert call(["claims", "eris"]) == 0
    listed = {row[0]: row[-1] for row in rows(capsys.readouterr().out)}
    whole = "Algorithm 2 finds the schedule of best payoff."
    assert listed["eris.algorithm_2_is_optimal"] == whole
    assert call(["claims", "eris.algorithm_2_is_optimal"]) == 0
    told = pairs(capsys.readouterr().out)
    assert told["statement"].startswith(f"{whole} Holds for total data only")
    assert told["verdict"].endswith("farkas claims eris.algorithm_2_is_optimal --run")


def test_a_check_that_fails_is_one_line_that_names_its_claim(capsys: Capture) -> None:
    from farkas.proofs import claim, claims

    @claim("mlbroker.broken_for_this_test", source="nowhere")
    def broken() -> object:
        """All jobs are free."""
        return 1 // 0

    try:
        assert call(["claims", "mlbroker.broken_for_this_test", "--run"]) == 70
        shown = capsys.readouterr()
        (line,) = shown.err.splitlines()
        assert "claim mlbroker.broken_for_this_test: its check failed: ZeroDivision" in line
        assert "mlbroker.broken_for_this_test" in shown.out
        assert call(["claims", "mlbroker.broken_for_this_test", "--run", "--json"]) == 70
        (entry,) = json.loads(capsys.readouterr().out)["claims"]
        assert "verdict" not in entry
    finally:
        del claims._items["mlbroker.broken_for_this_test"]


def test_a_counterexample_that_is_none_any_more_is_no_verdict_and_no_crash(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from farkas.online.coded.simple_greedy import IteratedGreedy

    # Algorithm 1 mended as its variant is
    printed, mended = IteratedGreedy.owner, IteratedGreedy(variant="lexicographic")
    monkeypatch.setattr(
        IteratedGreedy, "owner", lambda self, speed, seed: printed(mended, speed, seed)
    )
    assert call(["claims", "coded.iterated_greedy_is_finite", "--run"]) == 1
    shown = capsys.readouterr()
    (line,) = shown.err.splitlines()
    assert "iterated_greedy_is_finite: no verdict: coded/stuck violates nothing: " in line
    assert line.endswith("> 0 holds")
    assert "refuted" not in shown.out
    assert "held" not in shown.out


@pytest.mark.slow
def test_an_attack_says_what_it_found_and_writes_it(capsys: Capture, tmp_path: Path) -> None:
    file, claim = tmp_path / "found.json", "coded.simple_greedy_is_good"
    words = ["claims", claim, "--evaluations", "300", "--seed", "3", "--out", str(file), "--json"]
    assert call(words) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["claim"] == claim
    assert found["broken"]
    assert found["verdict"]["attacked"]["seed"] == 3
    assert found["verdict"]["counterexample"] == "coded/greedy_trap"
    assert found["shrunk"]
    written = json.loads(file.read_text())
    assert written["rate"] == found["broken_by"]["rate"]
    assert call(["show", str(file)]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["coded.theorem1", "--attack", "1"], "proved for all values"),
        (["coded.proposition", "--attack", "1"], "did you mean coded.proposition1"),
        (["coded", "--attack", "1"], "needs one claim"),
        (["--attack", "1"], "needs one claim"),
        (["coded.proposition1", "--attack", "0"], "--attack = 0.0; give seconds above 0"),
        (["coded.proposition1", "--evaluations", "0"], "--evaluations"),
        (["coded.proposition1", "--attack", "1", "--seed", "-1"], "--seed"),
        (["coded.proposition1", "--seed", "1"], "are of --attack"),
        (["coded.proposition1", "--run", "--out", "x.json"], "are of --attack"),
        (["coded.proposition1", "--attack", "1", "--out", "/nowhere/x.json"], "/nowhere"),
    ],
)
def test_what_an_attack_cannot_do_is_said_in_one_line(
    words: list[str], said: str, capsys: Capture
) -> None:
    assert call(["claims", *words]) not in (0, 1)
    told = capsys.readouterr()
    assert not told.out
    assert said in told.err
    assert "Traceback" not in told.err
