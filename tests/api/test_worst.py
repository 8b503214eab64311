"""`farkas.worst`: the search, what is made small, and its proof in one call."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from pathlib import Path

import pytest

import farkas
from farkas.adversary import catalogue
from farkas.api.worst import worst
from farkas.errors import InvalidInstance, InvalidOption, NotACertificate, UnknownName
from tests.tools.quick import some


def test_it_is_found_made_small_and_proved(tmp_path) -> None:  # type: ignore[no-untyped-def]
    most = some(100, 150)
    found = worst("coded.simple_greedy", ranges={"rate": (1, 1000)}, evaluations=most, seed=1)
    assert found.is_shrunk
    assert found.ratio is not None
    assert found.ratio > 20
    plain = found.to_builtins()
    assert Fraction(plain["ratio_exact"]) == found.ratio >= Fraction(plain["ratio_at_least"])
    assert Fraction(plain["value_exact"]) / Fraction(plain["witness_exact"]) == found.ratio
    assert found.bound is not None
    assert found.bound <= found.proof.witness
    assert found.ratio_words in repr(found)
    file = tmp_path / "worst.json"
    farkas.save(found.instance, file)
    assert farkas.load(file) == found.instance
    run = farkas.run(file, "coded.simple_greedy")
    assert 0 <= Fraction(run.reached) / found.proof.value - 1 < Fraction(1, 2**40)


@pytest.mark.slow
def test_around_an_instance_only_what_is_asked_changes() -> None:
    instance = farkas.load("mlbroker/tiny")
    found = worst("mlbroker.local", instance, ranges={"deploy_cost": (0, 50)}, evaluations=40)
    changed = found.instance.base_price  # type: ignore[attr-defined]
    assert set(changed) <= set(instance.base_price)  # type: ignore[attr-defined]
    assert all(job.deploy_cost <= 50 for job in found.instance.jobs)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (UnknownName, {"algorithm": "dps.nobody"}),
        (InvalidOption, {"algorithm": "dps.simple", "evaluations": 0}),
        (InvalidOption, {"algorithm": "dps.simple", "evaluations": 2.5}),
        (InvalidOption, {"algorithm": "dps.simple", "seconds": -1.0}),
        (InvalidOption, {"algorithm": "dps.simple", "nothing": 1}),
        (InvalidOption, {"algorithm": "dps.simple", "instance": "dps/tiny", "preset": "small"}),
        (InvalidInstance, {"algorithm": "dps.simple", "instance": "eris/tiny"}),
    ],
)
def test_what_cannot_be_asked_is_refused(
    error: type[Exception], arguments: dict[str, object]
) -> None:
    with pytest.raises(error):
        worst(**arguments)  # type: ignore[arg-type]


def test_a_wrong_time_is_named_as_it_was_given() -> None:
    with pytest.raises(InvalidOption, match=r"^seconds = 0\.0; give seconds above 0"):
        worst("dps.simple", seconds=0.0)


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
    monkeypatch.setattr(catalogue, "decides_again", lambda *_: False)
    with pytest.raises(NotACertificate, match="decides otherwise"):
        farkas.worst_known("eris.eris")


def test_a_statement_that_proves_less_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    one = catalogue.find_statement("eris.eris")
    path = tmp_path / "statements" / "eris" / "eris.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    moved = dataclasses.replace(one, folder=path.parent)
    monkeypatch.setattr("farkas.api.worst.find_statement", lambda _: moved)
    with pytest.raises(NotACertificate, match=r"eris\.eris: eris\.json"):
        farkas.worst_known("eris.eris")
