"""Figures of Eris: what they say is what they compute."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from farkas.experiments.figures import Agreement, find, writing
from farkas.experiments.figures.eris import (
    ALGORITHMS,
    BOUND,
    ERIS,
    FLOOR,
    PAPER,
    RIVALS,
    _ahead,
    _alike,
    _gain,
    play,
    simulated,
    simulated_run,
)
from tests.experiments.figures.made import reduced
from tests.tools.shared import ROOT


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
    run = play(FLOOR, auction)
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
    monkeypatch.setattr(writing, "_plain", nearly_full)
    shown = find("eris", "7").data("reduced")
    (below,) = (one for one in shown.findings if one.statement == "CPU and memory stay below")
    assert not below.holds


@pytest.mark.slow
def test_the_price_floor_turns_the_fall_with_jobs_into_a_rise() -> None:
    found = {finding.statement: finding.holds for finding in data("9").findings}
    assert found["falls with I"]
    assert found["rises with I at price floor 1/2"]


def test_the_paper_is_ahead_only_where_it_is_ahead_of_all_baselines_everywhere() -> None:
    found = {PAPER: [5.0, 7.0], **{name: [4.0, 6.0] for name in RIVALS}}
    assert _ahead(found).holds
    assert _alike("rises", found, 1.0).holds
    found[RIVALS[-1]] = [4.0, 8.0]
    assert not _ahead(found).holds
    assert _ahead(found).note == "5 against 4, 7 against 8"
    found[RIVALS[0]] = [4.0, 4.0]
    assert not _alike("rises", found, 1.0).holds


@pytest.mark.slow
def test_every_welfare_is_below_its_proved_bound() -> None:
    lines = {line.name: line.y for line in data("9").series}
    bound = lines.pop(BOUND)
    assert all(
        value <= most for line in lines.values() for value, most in zip(line, bound, strict=True)
    )


@pytest.mark.slow
@pytest.mark.parametrize("label", ["8", "10", "11"])
def test_sweeps_have_one_value_a_setting(label: str) -> None:
    found = data(label)
    assert {len(line.y) for line in found.series} == {len(found.series[0].x)}
    assert all(value >= 0 for line in found.series for value in line.y)


@pytest.mark.slow
def test_gains_are_computed_from_the_welfare_of_runs() -> None:
    # welfare of Eris over Liquid at m = 1 and 10 jobs, in percent of its mean over two auctions
    rows = data("table3").rows
    small = {"sites": 12, "slots": 40, "transfer_budget": 8000.0, "num_jobs": 10}
    auctions = [ERIS.draw(seed, **small, workers_per_chunk=[1, 1]) for seed in (1, 2)]
    ours, rival = (
        np.array([play(label, auction).value for auction in auctions])
        for label in (PAPER, "Liquid")
    )
    assert list(rows[0][:3]) == [PAPER, "1", 10.0]
    assert rows[0][-2] == pytest.approx(100 * (ours.sum() / rival.sum() - 1))
    assert math.isnan(rows[0][-1])  # two auctions have no interval
    # of four, gains 10, 10, 30 and 30 % of a mean of 100: t is 3.1824, s is sqrt(400/3)
    four = [{"ours": 100.0 + more, "rival": 100.0} for more in (10, 10, 30, 30)]
    mean, half = _gain(four, "ours", "rival")
    assert mean == pytest.approx(20)
    assert half == pytest.approx(3.182446 * math.sqrt(400 / 3) / 2, rel=1e-5)


@pytest.mark.slow
def test_the_page_says_what_price_floors_do_to_few_jobs_and_to_many():
    floors = {"no floor": 0.0, "1/4": 0.25, "1/2": 0.5, "1": 1.0}
    text = (ROOT / "docs" / "eris.md").read_text()
    assert f"| I | {' | '.join(floors)} |" in text
    worths = {}
    for jobs in (10, 50, 100):
        auction = simulated(True, 0, {"sites": 50, "num_jobs": jobs})
        runs = [ERIS.run("eris", auction, price_floor=f) for f in floors.values()]
        cells = [f"{run.value:,.0f} ({run.numbers['accepted']:.0f})" for run in runs]
        assert f"| {jobs} | {' | '.join(cells)} |" in text
        worths[jobs] = dict(zip(floors, (run.value for run in runs), strict=True))
    bound = simulated_run(True, 0, {"sites": 50, "num_jobs": 100}, PAPER)["bound"]
    page, many = " ".join(text.split()), worths[100]
    assert f"At 100 jobs {bound:,.0f} is the proved bound" in page
    assert f"Eris is {bound / many['no floor']:.1f} times below it" in page
    assert f"with floor 1/2 {bound / many['1/2']:.1f} times" in page
