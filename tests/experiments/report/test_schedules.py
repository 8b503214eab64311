"""Small drawings of worst cases: blocks to scale, in the colours of the page."""

from __future__ import annotations

import dataclasses
import re

import pytest

from farkas.experiments.figures import PlotAxis
from farkas.experiments.report.charts import WIDTH
from farkas.experiments.report.schedules import FILLED, HEAD, LANE, LEFT, RIGHT, both_sides, owners
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


def test_blocks_that_meet_stand_on_each_other_and_bear_their_numbers() -> None:
    sides = [Schedule([Held(0, 0, 1, 3, 0.5), Held(0, 1, 1, 3, 1.5)]), Schedule([])]
    met = dataclasses.replace(LAYOUT, sides=sides, begin=1, end=3)
    text = both_sides(dataclasses.replace(BOTH, layout=met), "w")
    below, above = rectangles(text)
    floor = HEAD + LANE
    full = LANE * FILLED
    assert [below[1] + below[3], above[1] + above[3], above[1]] == pytest.approx(
        [floor, below[1], floor - full], abs=0.02
    )
    assert above[3] == pytest.approx(3 * below[3], abs=0.02)
    # the axis begins with the first slot that is shown
    assert (below[0], below[2]) == (LEFT, WIDTH - RIGHT - LEFT)
    # only the higher one has room for the number of its owner, in its middle
    numbers = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" class="owner mid">(\d+)<', text)
    assert [number for *_, number in numbers] == ["1"]
    assert float(numbers[0][0]) == above[0] + above[2] / 2
    narrow = dataclasses.replace(met, end=3000)
    assert "owner mid" not in both_sides(dataclasses.replace(BOTH, layout=narrow), "w")


def test_names_stand_in_their_lanes_and_sides_below_each_other() -> None:
    text = both_sides(BOTH, "w")
    names = re.findall(r'y="([\d.]+)" class="tick end"><title>([^<]+)</title>', text)
    heights = [float(y) for y, _ in names]
    assert [name for _, name in names] == ["site 0", "&lt;b&gt;"] * 2
    assert heights == sorted(heights)
    for box, lane in zip(rectangles(text), (0, 1, 3), strict=True):
        floor = heights[lane] + 9
        assert floor - LANE < box[1] < box[1] + box[3] <= floor + 0.02


@pytest.mark.parametrize("lanes", [15, 16, 17])
def test_as_many_lanes_as_are_drawn_leave_none_out(lanes: int) -> None:
    every = dataclasses.replace(LAYOUT, lanes=["x"] * lanes, tops=[1.0] * lanes)
    text = both_sides(dataclasses.replace(BOTH, layout=every), "w")
    assert re.findall(r">(\d+) lane more is not drawn<", text) == (["1"] if lanes > 16 else [])
