"""The worst instance that ships for an algorithm, proved when it is asked for."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import farkas
from farkas.adversary import shipped
from farkas.errors import NotACertificate, UnknownName


def test_what_ships_is_proved_and_drawn() -> None:
    proof = farkas.worst_known("eris.eris")
    assert proof.ratio == 2000
    assert proof.instance.kind == "eris"
    assert farkas.plot(proof).title


def test_what_does_not_ship_is_told() -> None:
    with pytest.raises(UnknownName, match=r"did you mean eris\.eris"):
        farkas.worst_known("eris.erris")


def test_an_algorithm_that_decides_otherwise_today_has_no_known_worst_case(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shipped, "decides_again", lambda *_: False)
    with pytest.raises(NotACertificate, match="decides otherwise"):
        farkas.worst_known("eris.eris")


def test_a_statement_that_proves_less_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    one = shipped.find_statement("eris.eris")
    path = tmp_path / "statements" / "eris" / "eris.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    moved = dataclasses.replace(one, folder=path.parent)
    monkeypatch.setattr("farkas.verbs.worst_known.find_statement", lambda _: moved)
    with pytest.raises(NotACertificate, match=r"eris\.eris: eris\.json"):
        farkas.worst_known("eris.eris")
