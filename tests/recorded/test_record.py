"""The command that writes verdicts and golden texts, on a ledger of its own."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from farkas.errors import UnknownName
from farkas.proofs import Stated, Verdict, claim, claims, held, proved, refuted
from tests.recorded import figures, golden, instances, matrix, practice, relations, verdicts
from tests.recorded.__main__ import main

ENTRY = {
    "claim": "coded.toy",
    "source": "nowhere",
    "slow": False,
    "verdict": {"standing": "held", "runs": 3, "slack": 0.5, "numbers": {"left": 1.0}},
}


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger that holds one claim, and a registry that holds none."""
    claims.load()
    monkeypatch.setattr(claims, "_items", {})
    monkeypatch.setattr(verdicts, "FOLDER", tmp_path)
    monkeypatch.setattr(relations, "PATH", tmp_path / "relations.json")
    monkeypatch.setattr(golden, "FOLDER", tmp_path / "golden")
    monkeypatch.setattr(golden, "names", list)
    monkeypatch.setattr(matrix, "out_of_date", list)
    page = tmp_path / "coded.json"
    page.write_text(json.dumps({"claims": [ENTRY]}))
    return page


def toy(verdict: Verdict, source: str = "nowhere") -> None:
    """Register the claim with a check that says ``verdict``, instead of one before."""
    claims._items.pop("coded.toy", None)

    @claim("coded.toy", source=source)
    def check() -> Verdict:
        """Left is at most right."""
        return verdict


def entry(ledger: Path) -> dict[str, Any]:
    (found,) = json.loads(ledger.read_text())["claims"]
    return found


REFUTED = refuted("coded/tiny", Stated(2.0, "<=", 1.0))


def held_thrice(slack: float, **numbers: float) -> Verdict:
    return held([Stated(0.0, "<=", slack)], runs=3, **numbers)


def test_a_standing_does_not_change_unless_told(ledger: Path, capsys) -> None:
    toy(REFUTED)
    assert main(["--names", "coded.toy"]) == 1
    said = capsys.readouterr().out
    assert "coded.toy: held: in 3 runs -> refuted: by coded/tiny; statement 2 <= 1 fails" in said
    assert "  (not written)" in said
    assert 'make record CHANGED="coded.toy"' in said
    assert entry(ledger) == ENTRY


@pytest.mark.slow
@pytest.mark.parametrize("names", ["coded", "all"])
def test_renewing_many_does_not_tell_either(ledger: Path, names: str, monkeypatch) -> None:
    monkeypatch.setattr(matrix, "renew", str)
    toy(REFUTED)
    assert main(["--names", names]) == 1
    assert entry(ledger) == ENTRY


def test_a_standing_changes_when_told_by_name(ledger: Path, capsys) -> None:
    toy(REFUTED)
    assert main(["--changed", "coded.toy"]) == 0
    assert entry(ledger)["verdict"]["standing"] == "refuted"
    assert "held: in 3 runs -> refuted" in capsys.readouterr().out


def test_another_source_does_not_let_a_standing_change(ledger: Path) -> None:
    toy(REFUTED, source="somewhere else")
    assert main([]) == 1
    assert entry(ledger) == ENTRY


def test_numbers_that_move_are_written_and_said(ledger: Path, capsys) -> None:
    toy(held_thrice(0.5, left=1.01))
    assert main(["--names", "coded.toy"]) == 0
    assert entry(ledger)["verdict"]["numbers"] == {"left": 1.01}
    assert "coded.toy: held: in 3 runs -> held" in capsys.readouterr().out


def test_last_digits_leave_the_ledger_as_it_stands(ledger: Path, capsys) -> None:
    before = ledger.read_bytes()
    toy(held_thrice(0.7, left=1.0 + 1e-9))
    assert main(["--names", "coded.toy"]) == 0
    assert (ledger.read_bytes(), capsys.readouterr().out) == (before, "")


def test_sides_that_move_are_written_and_those_whose_last_digits_move_are_not(
    ledger: Path, capsys
) -> None:
    toy(REFUTED)
    assert main(["--changed", "coded.toy"]) == 0
    before = ledger.read_bytes()
    capsys.readouterr()
    toy(refuted("coded/tiny", Stated(2.0 + 1e-9, "<=", 1.0)))
    assert main(["--names", "coded.toy"]) == 0
    assert (ledger.read_bytes(), capsys.readouterr().out) == (before, "")
    for other in (Stated(2.01, "<=", 1.0), Stated(2.01, "<", 1.0)):
        toy(refuted("coded/tiny", other))
        assert main(["--names", "coded.toy"]) == 0
        assert entry(ledger)["verdict"]["fails"] == [other.to_builtins()]


def test_without_names_only_what_is_missing_or_gone_is_renewed(ledger: Path, capsys) -> None:
    toy(REFUTED)  # is in the ledger already: not checked, hence not refused

    @claim("coded.another", source="nowhere")
    def another() -> Verdict:
        """One is one."""
        return proved()

    assert main([]) == 0
    assert capsys.readouterr().out == "coded.another: new -> proved\n"
    del claims._items["coded.toy"]
    assert main([]) == 0
    assert "coded.toy: held: in 3 runs -> no such claim" in capsys.readouterr().out
    assert entry(ledger)["claim"] == "coded.another"


def test_golden_texts_are_written_shown_where_they_change_and_removed(
    ledger: Path, capsys, monkeypatch
) -> None:
    golden.FOLDER.mkdir()
    monkeypatch.setattr(golden, "names", lambda: ["coded.loads_dual"])
    assert main([]) == 0
    assert "coded.loads_dual: golden text written" in capsys.readouterr().out
    path = golden.path("coded.loads_dual")
    right = path.read_text()
    path.write_text(right.replace("coded.loads_dual", "coded.loads_duel"))
    assert main([]) == 0
    assert "  -# coded.loads_duel\n  +# coded.loads_dual\n" in capsys.readouterr().out
    assert path.read_text() == right
    monkeypatch.setattr(golden, "names", list)
    assert main([]) == 0
    assert not path.exists()
    assert "golden text removed" in capsys.readouterr().out


def test_of_a_policy_nothing_is_kept_and_an_unknown_name_is_refused(ledger: Path, capsys) -> None:
    assert main(["--names", "coded.sca"]) == 0
    assert capsys.readouterr().out == "coded.sca: nothing is kept of it\n"
    with pytest.raises(UnknownName, match=r"did you mean coded\.toy"):
        main(["--names", "coded.tov"])


@pytest.mark.parametrize("record", [figures, instances, practice])
def test_every_record_is_renewed_by_the_name_of_its_module(record, ledger, monkeypatch, capsys):
    monkeypatch.setattr(record, "renew", lambda: "written anew")
    name = record.__name__.rpartition(".")[2]
    assert main(["--names", name]) == 0
    assert capsys.readouterr().out == "written anew\n"


def test_what_a_claim_states_is_recorded_by_sign(ledger: Path, capsys) -> None:
    sides = [(0, "<=", 2), (1.5, "<=", 2), (1, "==", 1)]
    _, said = relations.heard(lambda: [Stated(*side) for side in sides])  # type: ignore[arg-type]
    assert said == {"<=": [2, 1.5, 4.0], "==": [1, 1.0, 1.0]}
    _, infinite = relations.heard(lambda: Stated(-math.inf, "<", 3))
    assert infinite == {"<": [1, 0.0, 3.0]}
    relations.write("coded.toy", said)
    near = {"<=": [2, 1.5 + 1e-9, 4.0], "==": [1, 1.0, 1.0]}
    assert relations.differences("coded.toy", near) == []
    for other in (
        {"<=": [2, 1.5, 4.0]},  # one left out
        {"<=": [3, 2.5, 5.0]},  # an equality weakened
        {"<=": [2, 1.5, 4.0], "==": [1, 1.0, 1.01]},
        {">=": [2, 1.5, 4.0], "==": [1, 1.0, 1.0]},
    ):
        assert relations.differences("coded.toy", other), other
    relations.write("coded.toy", None)
    assert relations.kept() == {}


def test_a_relation_that_is_weakened_is_said_and_written(ledger: Path, capsys) -> None:
    claims._items.pop("coded.toy", None)
    stated: list[tuple[float, Any, float]] = [(1, "==", 1), (0, "<=", 0.5)]

    @claim("coded.toy", source="nowhere")
    def check() -> Verdict:
        """Sides agree."""
        return held([Stated(*sides) for sides in stated], runs=3, left=1.0)

    assert main(["--names", "coded.toy"]) == 0
    before = json.loads(relations.PATH.read_text())
    assert before == {"coded.toy": {"<=": [1, 0.0, 0.5], "==": [1, 1.0, 1.0]}}
    stated[0] = (1, "<=", 1)
    capsys.readouterr()
    assert main(["--names", "coded.toy"]) == 0
    assert "stated with ==: [1, 1.0, 1.0] -> None" in capsys.readouterr().out
    assert json.loads(relations.PATH.read_text()) == {"coded.toy": {"<=": [2, 1.0, 1.5]}}
    assert main(["--names", "coded.toy"]) == 0
    assert capsys.readouterr().out == ""
