"""Figures of Eris's simulator: what they say is what they compute."""

from __future__ import annotations

import pytest

from farkas.experiments.figures.eris import ERIS, PAPER, play
from tests.experiments.figures.made import reduced


def data(label: str, seed: int = 1):
    return reduced("eris", label, seed)


def test_the_price_floor_turns_the_fall_with_jobs_into_a_rise() -> None:
    findings = {finding.statement: finding.holds for finding in data("9").findings}
    assert findings == {"falls with I": True, "rises with I at price floor 1": True}


@pytest.mark.parametrize("label", ["8", "10", "11"])
def test_sweeps_have_one_value_a_setting(label: str) -> None:
    found = data(label)
    assert {len(line.y) for line in found.series} == {len(found.series[0].x)}
    assert all(value >= 0 for line in found.series for value in line.y)


def test_gains_are_computed_from_the_welfare_of_runs() -> None:
    # welfare of Eris over Liquid at m = 1 and 10 jobs, in percent
    rows = data("table3").rows
    auction = ERIS.draw(
        1, sites=12, slots=40, transfer_budget=8000.0, num_jobs=10,
        workers_per_chunk=[1, 1],
    )  # fmt: skip
    gain = 100 * (play(PAPER, auction).value / play("Liquid", auction).value - 1)
    assert rows[0][:3] == (PAPER, "1", 10.0) or rows[0][:3] == [PAPER, "1", 10.0]
    assert rows[0][-1] == pytest.approx(gain)
