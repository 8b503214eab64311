"""The command that writes verdicts and golden texts, on a ledger of its own."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from farkas.proofs import Relation, Verdict, claim, claims, held, refuted
from tests.recorded import golden, matrix, relations, verdicts
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


REFUTED = refuted("coded/tiny", Relation(2.0, "<=", 1.0))


def held_thrice(slack: float, **numbers: float) -> Verdict:
    return held([Relation(0.0, "<=", slack)], runs=3, **numbers)


def test_a_standing_does_not_change_unless_told(ledger: Path, capsys) -> None:
    toy(REFUTED)
    assert main(["--names", "coded.toy"]) == 1
    said = capsys.readouterr().out
    assert "coded.toy: held: in 3 runs -> refuted: by coded/tiny; statement 2 <= 1 fails" in said
    assert "  (not written)" in said
    assert 'make record CHANGED="coded.toy"' in said
    assert entry(ledger) == ENTRY


def test_last_digits_leave_the_ledger_as_it_stands(ledger: Path, capsys) -> None:
    before = ledger.read_bytes()
    toy(held_thrice(0.7, left=1.0 + 1e-9))
    assert main(["--names", "coded.toy"]) == 0
    assert (ledger.read_bytes(), capsys.readouterr().out) == (before, "")


def test_what_a_claim_states_is_recorded_by_sign(ledger: Path, capsys) -> None:
    sides = [(0, "<=", 2), (1.5, "<=", 2), (1, "==", 1)]
    _, said = relations.heard(lambda: [Relation(*side) for side in sides])  # type: ignore[arg-type]
    assert said == {"<=": [2, 1.5, 4.0], "==": [1, 1.0, 1.0]}
    _, infinite = relations.heard(lambda: Relation(-math.inf, "<", 3))
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
