"""Figures of Eris: what they say is what they compute."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.experiments.figures import Standing, figures, find
from farkas.experiments.figures.eris import ALGORITHMS, FLOOR, PAPER, draw, play


def data(label: str, seed: int = 1):
    return find("eris", label).data("reduced", seed=seed)


def test_every_published_figure_of_the_evaluation_is_there() -> None:
    labels = {name.removeprefix("eris.") for name in figures.names("eris.")}
    assert labels == {f"figure{k}" for k in range(3, 12)} | {"table3"}


def test_training_accuracy_is_said_to_be_outside() -> None:
    assert find("eris", "6").standing is Standing.NOT_MODELLED


def test_the_bound_is_above_every_welfare() -> None:
    bars = data("3").series[0]
    assert len(bars.y) == len(ALGORITHMS) + 1
    assert max(bars.y[:-1]) <= bars.y[-1]


def test_accepted_and_rejected_are_all_jobs() -> None:
    accepted, rejected = data("4").series
    assert np.asarray(accepted.y) + np.asarray(rejected.y) == pytest.approx([10.0] * 5)


def test_ratios_are_proved_bounds_over_welfare() -> None:
    lines = {line.name: line.y for line in data("5").series}
    auction = draw("testbed", 1)
    run = play(FLOOR, auction, effort="subgradient")
    assert lines[FLOOR][0] == pytest.approx(run.ratio)
    assert all(value >= 1.0 for line in lines.values() for value in line if np.isfinite(value))


def test_no_resource_is_used_beyond_its_capacity() -> None:
    for line in data("7").series:
        assert max(line.y) <= 1.0 + 1e-9


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
    auction = draw(
        "published", 1, sites=12, slots=40, transfer_budget=8000.0, num_jobs=10,
        workers_per_chunk=[1, 1],
    )  # fmt: skip
    gain = 100 * (play(PAPER, auction).value / play("Liquid", auction).value - 1)
    assert rows[0][:3] == (PAPER, "1", 10.0) or rows[0][:3] == [PAPER, "1", 10.0]
    assert rows[0][-1] == pytest.approx(gain)
