"""Figures of Eris: what they say is what they compute."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from farkas.experiments.figures import Agreement, eris, figures, find
from farkas.experiments.figures.eris import (
    ALGORITHMS,
    ERIS,
    FLOOR,
    PAPER,
    RIVALS,
    SMALL,
    _ahead,
    _alike,
    play,
    simulated,
)
from farkas.experiments.figures.exhibit import Preset, Statement
from tests.experiments.figures.made import reduced
from tests.tools.shared import ROOT


def data(label: str):
    return reduced("eris", label, 1)


def one_auction(label: str):
    """Figure of the testbed with one auction, which all of these share."""
    return reduced("eris", label, 1, instances=1)


def test_training_accuracy_is_said_to_be_outside() -> None:
    assert find("eris", "6").agreement is Agreement.NOT_MODELLED


@pytest.mark.slow
def test_the_bound_is_above_every_welfare() -> None:
    bars = one_auction("3").series[0]
    assert len(bars.y) == len(ALGORITHMS) + 1
    assert max(bars.y[:-1]) <= bars.y[-1]


@pytest.mark.slow
def test_accepted_and_rejected_are_all_jobs() -> None:
    accepted, rejected = one_auction("4").series
    assert np.asarray(accepted.y) + np.asarray(rejected.y) == pytest.approx([10.0] * 5)


@pytest.mark.slow
def test_ratios_are_proved_bounds_over_welfare() -> None:
    lines = {line.name: line.y for line in one_auction("5").series}
    auction = ERIS.draw(1, "testbed")
    run = play(FLOOR, auction)
    assert lines[FLOOR][0] == pytest.approx(run.ratio)
    assert all(value >= 1.0 for line in lines.values() for value in line if np.isfinite(value))


@pytest.mark.slow
def test_no_resource_is_used_beyond_its_capacity() -> None:
    for line in one_auction("7").series:
        assert max(line.y) <= 1.0 + 1e-9


@pytest.mark.slow
def test_memory_that_counts_as_used_up_does_not_stay_below(monkeypatch) -> None:
    measured = eris.testbed_runs

    def nearly_full(seed: int, per_chunk: int) -> dict[str, Any]:
        found = measured(seed, per_chunk)
        for run in found["runs"].values():
            for name in ("cpu", "ram"):
                run["use"][name] = [0.9995] * len(run["use"][name])
        return found

    monkeypatch.setattr(eris, "testbed_runs", nearly_full)
    shown = find("eris", "7").data(Preset("reduced", 1), 1)
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
def test_statements_by_rate_are_computed_from_runs() -> None:
    # at m = 1: welfare of Eris over Liquid with 30 jobs, and slots that jobs take on the testbed
    one = Preset("reduced", 1)
    said = {each.statement: each for each in eris._holding(one, one, 1, 1)}
    small = {"sites": 12, "slots": 40, "transfer_budget": 8000.0, "num_jobs": 30}
    auction = ERIS.draw(1, **small, workers_per_chunk=[1, 1])
    gain = 100 * (play(PAPER, auction).value / play("Liquid", auction).value - 1)
    assert said["20 % above Liquid"].holds == (gain >= 20)
    assert said["20 % above Liquid"].note == f"{gain:.0f} %"
    decisions = play(PAPER, ERIS.draw(1, "testbed")).decisions
    ran = [(p["job"], p["slot"]) for slot in decisions for p in slot["pieces"]]
    slots = {job: [slot for of, slot in ran if of == job] for job, _ in ran}
    middle = np.median([max(taken) - min(taken) + 1 for taken in slots.values()])
    assert said["jobs take 6 to 12 slots"].holds == (6 <= middle <= 12)
    assert said["jobs take 6 to 12 slots"].note == f"median {middle:g}"


@pytest.mark.parametrize("last", [True, False])
def test_one_number_of_workers_satisfies_all_where_every_statement_holds(
    last: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for found in (lambda m: True, lambda m: m < 3 or last):
        monkeypatch.setattr(
            eris,
            "_holding",
            lambda preset, few, seed, m, of=found: [
                Statement("first", m == 3), Statement("last", of(m))
            ],
        )  # fmt: skip
        table = figures["eris.table3"].data("reduced")
        assert [finding.holds for finding in table.findings] == [found(3)]


@pytest.mark.slow
def test_captions_say_what_is_run_and_what_is_published() -> None:
    assert one_auction("3").caption.startswith(
        "R = 9 of 9, T = 50 of 50, I = 10 of 10 as published; seeds 1"
    )
    assert "eris.eris[scheduler=dp]" in one_auction("3").caption
    assert "m in [1] workers a chunk" in one_auction("3").caption


@pytest.mark.slow
def test_profits_of_all_algorithms_are_drawn_against_both_sizes() -> None:
    lines = {line.name: line.y for line in data("10").series}
    assert set(lines) == {
        f"{name}, {size}" for name in ALGORITHMS for size in ("sites", "num_jobs")
    }
    auctions = [ERIS.draw(seed, **SMALL | {"num_jobs": 30}) for seed in (1, 2)]
    paid = [play("AntMan", auction).numbers["revenue"] for auction in auctions]
    assert lines["AntMan, num_jobs"][-1] == pytest.approx(np.mean(paid))


@pytest.mark.slow
def test_the_page_says_what_price_floors_do_to_few_jobs_and_to_many():
    """Ten jobs are run again; of the larger auctions the text agrees with its table."""
    floors = {"no floor": 0.0, "1/4": 0.25, "1/2": 0.5, "1": 1.0}
    text = (ROOT / "docs" / "eris.md").read_text()
    assert f"| I | {' | '.join(floors)} |" in text
    auction = simulated(True, 0, {"sites": 50, "num_jobs": 10})
    runs = [ERIS.run("eris", auction, price_floor=f) for f in floors.values()]
    cells = [f"{run.value:,.0f} ({run.numbers['accepted']:.0f})" for run in runs]
    assert f"| 10 | {' | '.join(cells)} |" in text
    (row,) = re.findall(r"^\| 100 \| (.*) \|$", text, re.MULTILINE)
    none, _, half, _ = (float(cell.split(" ")[0].replace(",", "")) for cell in row.split(" | "))
    said = re.search(
        r"At 100 jobs ([\d,]+) is the proved bound\.\s+With prices \(6\) Eris is ([\d.]+) times "
        r"below it, with floor 1/2 ([\d.]+) times",
        text,
    )
    assert said is not None
    bound = float(said[1].replace(",", ""))
    assert (said[2], said[3]) == (f"{bound / none:.1f}", f"{bound / half:.1f}")
