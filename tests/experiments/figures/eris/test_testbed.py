"""Figures of Eris's testbed: what they say is what they compute."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from farkas.experiments.figures import Agreement, find, measuring
from farkas.experiments.figures.eris import ALGORITHMS, ERIS, FLOOR, play
from tests.experiments.figures.made import reduced


def data(label: str, seed: int = 1):
    return reduced("eris", label, seed)


def test_training_accuracy_is_said_to_be_outside() -> None:
    assert find("eris", "6").agreement is Agreement.NOT_MODELLED


def test_the_bound_is_above_every_welfare() -> None:
    bars = data("3").series[0]
    assert len(bars.y) == len(ALGORITHMS) + 1
    assert max(bars.y[:-1]) <= bars.y[-1]


def test_accepted_and_rejected_are_all_jobs() -> None:
    accepted, rejected = data("4").series
    assert np.asarray(accepted.y) + np.asarray(rejected.y) == pytest.approx([10.0] * 5)


def test_ratios_are_proved_bounds_over_welfare() -> None:
    lines = {line.name: line.y for line in data("5").series}
    auction = ERIS.draw(1, "testbed")
    run = play(FLOOR, auction, effort="subgradient")
    assert lines[FLOOR][0] == pytest.approx(run.ratio)
    assert all(value >= 1.0 for line in lines.values() for value in line if np.isfinite(value))


def test_no_resource_is_used_beyond_its_capacity() -> None:
    for line in data("7").series:
        assert max(line.y) <= 1.0 + 1e-9


def test_memory_that_counts_as_used_up_does_not_stay_below(monkeypatch) -> None:
    def nearly_full(text: str) -> dict[str, Any]:
        found = json.loads(text)
        for run in found["runs"].values():
            for name in ("cpu", "ram"):
                run["use"][name] = [0.9995] * len(run["use"][name])
        return found

    reduced("eris", "7")
    monkeypatch.setattr(measuring, "_plain", nearly_full)
    shown = find("eris", "7").data("reduced")
    (below,) = (one for one in shown.findings if one.statement == "CPU and memory stay below")
    assert not below.holds
