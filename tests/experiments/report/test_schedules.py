"""Small drawings of worst cases: blocks to scale, in the colours of the page."""

from __future__ import annotations

import dataclasses
import re

from farkas.experiments.figures import PlotAxis
from farkas.experiments.report.charts import WIDTH
from farkas.experiments.report.schedules import FILLED, LANE, LEFT, RIGHT, both_sides, owners
from farkas.experiments.worst_cases import BothSides
from farkas.experiments.worst_cases.schedule import Held, Layout, Schedule

LAYOUT = Layout(
    lanes=["site 0", "<b>"], tops=[2.0, 4.0], owners=["job 0", "job 1"], x=PlotAxis("slot"),
    unit="workers", end=4,
    sides=[
        Schedule([Held(0, 0, 0, 2, 2.0), Held(1, 1, 1, 4, 1.0)], ["job 1 waits"]),
        Schedule([Held(1, 0, 3, 4, 4.0)]),
    ],
)  # fmt: skip
BOTH = BothSides("one: at least 2", ("one costs 2", "two costs 1"), LAYOUT, "words")
RECT = re.compile(
    r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" class="(.+?)"'
)


def rectangles(text: str) -> list[tuple[float, float, float, float, str]]:
    return [(*map(float, found[:4]), found[4]) for found in RECT.findall(text)]  # type: ignore[misc]


def test_blocks_are_to_scale_and_in_the_colour_of_their_owner() -> None:
    first, second, third = rectangles(both_sides(BOTH, "w"))
    slot = (WIDTH - RIGHT - LEFT) / 4
    assert (first[0], first[2]) == (LEFT, round(2 * slot, 2))
    assert first[3] == second[3] * 4 == third[3] == round(LANE * FILLED, 2)
    assert first[1] < second[1] < third[1], "lanes and sides lie below each other"
    assert (first[4], second[4], third[4]) == ("area c0", "area c1", "area c0")


def test_it_speaks_and_escapes() -> None:
    text = both_sides(BOTH, "w")
    assert "one costs 2, job 1 waits; two costs 1" in text
    assert "<b>" not in text
    assert 'id="w-title"' in text
    assert owners(BOTH) == [(0, "job 0"), (1, "job 1")]


def test_tiny_blocks_are_seen_and_many_lanes_are_counted() -> None:
    sides = [Schedule([Held(lane, 0, 0, 1e-9, 1.0) for lane in range(40)]), Schedule([])]
    many = dataclasses.replace(
        LAYOUT, lanes=[f"lane {'x' * 40}"] * 40, tops=[1.0] * 40, sides=sides
    )
    text = both_sides(dataclasses.replace(BOTH, layout=many), "w")
    drawn = rectangles(text)
    assert len(drawn) == 16
    assert all(block[2] == 2 for block in drawn)
    assert "24 lanes more are not drawn" in text
