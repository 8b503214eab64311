"""Prices of an auction as multipliers over all its schedules."""

from __future__ import annotations

from fractions import Fraction

import pytest

import farkas
from farkas.cli import call
from farkas.errors import UnsupportedForm
from farkas.standalone.checker import check_file
from farkas.verbs.stand_alone import stand_alone


def test_where_the_schedules_are_too_many_another_bound_is_named(monkeypatch, tmp_path):
    run = farkas.run("eris/tiny", "eris.eris")
    monkeypatch.setattr("farkas.models.eris.schedules.LARGEST_LIST", 1)
    with pytest.raises(UnsupportedForm) as refusal:
        stand_alone(run, "eris/tiny")
    said = str(refusal.value)
    assert "spreads of its data" in said
    assert "column generation" not in said
    command = "farkas solve INSTANCE --program eris.aggregated --write bound.json"
    assert command in said
    # what is named keeps its word: no listing is needed, and the file is a bound of the auction
    path = tmp_path / "bound.json"
    market = tmp_path / "market.json"
    farkas.save(farkas.load("eris/tiny"), market)
    words = command.replace("INSTANCE", str(market)).replace("bound.json", str(path)).split()
    assert call(words[1:]) == 0
    found = check_file(str(path))
    assert found["upper"] >= Fraction(run.value)
    assert farkas.check(path, "eris/tiny").bound == found["upper"]
