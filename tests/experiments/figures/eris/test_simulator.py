"""Figures of Eris's simulator: what they say is what they compute."""

from __future__ import annotations

import math

import numpy as np
import pytest

from farkas.experiments.figures.eris import (
    ERIS,
    PAPER,
    RIVALS,
    play,
    simulated,
    simulated_bound,
)
from farkas.experiments.figures.eris.simulator import BOUND, _ahead, _alike, _gain
from tests.experiments.figures.made import reduced
from tests.tools.shared import ROOT


def data(label: str, seed: int = 1):
    return reduced("eris", label, seed)


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
        runs = [ERIS.run("eris", auction, effort="free", price_floor=f) for f in floors.values()]
        cells = [f"{run.value:,.0f} ({run.numbers['accepted']:.0f})" for run in runs]
        assert f"| {jobs} | {' | '.join(cells)} |" in text
        worths[jobs] = dict(zip(floors, (run.value for run in runs), strict=True))
    bound = simulated_bound(True, 0, {"sites": 50, "num_jobs": 100})
    page, many = " ".join(text.split()), worths[100]
    assert f"At 100 jobs {bound:,.0f} is the proved bound" in page
    assert f"Eris is {bound / many['no floor']:.1f} times below it" in page
    assert f"with floor 1/2 {bound / many['1/2']:.1f} times" in page
