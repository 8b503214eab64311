"""The Gantt chart: blocks stand on each other, and each is drawn where it lies, in its colour."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from farkas.experiments.figures import PlotAxis
from farkas.experiments.pictures.gantt import (
    MOST_LANES,
    MOST_OWNERS,
    SEEN,
    BothSides,
    Held,
    Layout,
    Schedule,
    drawn,
    look,
    of_busiest_lanes,
    of_largest_owners,
    stacked,
    tops_of,
)

LAYOUT = Layout(
    lanes=["site 0", "site 1"], tops=[2.0, 4.0], owners=["job 0", "job 1"],
    x=PlotAxis("slot"), unit="workers", end=4,
    sides=[
        Schedule([Held(0, 0, 0, 2, 2.0), Held(1, 1, 1, 4, 1.0)], ["job 1 waits"]),
        Schedule([Held(1, 0, 3, 4, 4.0)]),
    ],
)  # fmt: skip
PAIR = BothSides("algorithm: at least 2 times off", ("one costs 2", "two costs 1"), LAYOUT, "words")


BLOCKS = st.lists(
    st.builds(
        lambda lane, owner, start, long, amount: Held(lane, owner, start, start + long, amount),
        st.integers(0, 2), st.integers(0, 3), st.integers(0, 6), st.integers(1, 4),
        st.integers(1, 5),
    ),
    max_size=12,
)  # fmt: skip


def held(blocks: Sequence[Held], lane: int, owner: int, at: float) -> float:
    return sum(
        b.amount for b in blocks if (b.lane, b.owner) == (lane, owner) and b.start <= at < b.end
    )


@given(BLOCKS)
def test_what_is_held_is_what_is_drawn_and_nothing_overlaps(blocks: list[Held]) -> None:
    drawn = stacked(blocks)
    for at in range(11):
        for lane in range(3):
            here = sorted((r for r in drawn if r.lane == lane and r.start <= at < r.end),
                          key=lambda r: r.low)  # fmt: skip
            assert [r.owner for r in here] == sorted(r.owner for r in here)
            low = 0.0
            for r in here:
                assert r.low == low
                assert r.high - r.low == held(blocks, lane, r.owner, at)
                low = r.high
            assert low == sum(held(blocks, lane, owner, at) for owner in range(4))
    tops = tops_of(blocks, 3)
    assert all(r.high <= tops[r.lane] for r in drawn)


def boxes(axes):
    """Box and colour of every block, from left to right."""
    found = [
        (path.get_extents(), tuple(group.get_facecolor()[0]))
        for group in axes.collections
        for path in group.get_paths()
    ]
    return sorted(found, key=lambda block: block[0].x0)


def test_blocks_lie_in_their_lanes_as_high_as_they_fill_them() -> None:
    left, right = drawn(PAIR).axes
    (first, blue), (second, orange) = boxes(left)
    assert (first.x0, first.x1) == (0, 2)
    assert first.y0 == 1  # the first lane is on top
    assert (second.x0, second.x1) == (1, 4)
    assert second.y0 == 0
    assert second.height == pytest.approx(first.height / 4)
    ((other, colour),) = boxes(right)
    assert other.height == pytest.approx(first.height)
    assert colour == blue != orange
    assert left.get_title(loc="left") == "one costs 2"


def test_titles_remarks_and_what_fills_a_lane_are_written() -> None:
    canvas = drawn(PAIR)
    words = [text.get_text() for text in canvas.texts]
    assert "job 1 waits" in words
    assert PAIR.title in words
    assert [name.get_text() for name in canvas.legends[0].get_texts()] == ["job 0", "job 1"]
    ticks = [tick.get_text() for tick in canvas.axes[0].get_yticklabels()]
    assert ticks == ["site 0\nfull: 2 workers", "site 1\nfull: 4 workers"]


@pytest.mark.parametrize("owners", [1, 2, 10])
@pytest.mark.parametrize("title", ["short", "a title that goes on and on " * 5])
def test_title_legend_and_lanes_do_not_overlap(owners: int, title: str) -> None:
    many = dataclasses.replace(
        LAYOUT,
        owners=[f"job {k} (a name that goes on)" for k in range(owners)],
        sides=[Schedule([Held(0, k, k, k + 1, 2.0) for k in range(owners)], []), Schedule([])],
        end=owners,
    )
    canvas = drawn(dataclasses.replace(PAIR, title=title, layout=many))
    render = canvas.canvas.get_renderer()
    (head,) = (text for text in canvas.texts if text.get_text().startswith(title[:5]))
    top = canvas.bbox.height
    for part in (head, canvas.legends[0], *(axes for axes in canvas.axes[:1])):
        box = part.get_tightbbox(render)
        assert box.y1 <= top + 0.5
        assert box.x1 <= canvas.bbox.width + 0.5
        top = box.y0


def test_one_unit_is_one_and_no_unit_is_not_named() -> None:
    one = dataclasses.replace(LAYOUT, tops=[1.0, 2.5])
    assert one.fillings == ["full: 1 worker", "full: 2.5 workers"]
    assert dataclasses.replace(LAYOUT, unit="").fillings == ["", ""]


def test_the_smallest_block_is_seen_and_empty_sides_are_drawn() -> None:
    tiny = dataclasses.replace(
        LAYOUT, sides=[Schedule([Held(0, 0, 0, 1e-9, 2.0)]), Schedule([])], end=4
    )
    left, right = drawn(dataclasses.replace(PAIR, layout=tiny)).axes
    assert boxes(left)[0][0].width == pytest.approx(SEEN * 4)
    assert not boxes(right)


def test_no_two_owners_look_alike() -> None:
    assert len({look(owner)["facecolor"] for owner in range(MOST_OWNERS + 1)}) == MOST_OWNERS + 1


def test_those_who_hold_most_have_colours_and_the_others_one() -> None:
    # owner k holds k + 1 of a lane that is full at 2, or as much of one that is full at 4
    many = dataclasses.replace(
        LAYOUT, owners=[f"job {k}" for k in range(12)], end=12.0,
        sides=[
            Schedule([Held(k % 2, k, k, k + 1, (k + 1) * (1 + k % 2)) for k in range(11)]),
            Schedule([Held(0, 3, 0, 9, 9.0)]),
        ],
    )  # fmt: skip
    found = of_largest_owners(many, 3)
    assert found.owners == ["job 3", "job 9", "job 10", "8 other jobs"]
    assert found.numbers == [3, 9, 10]
    numbers = [3, 3, 3, 0, 3, 3, 3, 3, 3, 1, 2]
    assert [block.owner for block in found.sides[0].blocks] == numbers
    assert [block.owner for block in found.sides[1].blocks] == [0]
    canvas = drawn(dataclasses.replace(PAIR, layout=many))
    assert len(canvas.legends[0].get_texts()) == MOST_OWNERS + 1
    assert len({colour for _, colour in boxes(canvas.axes[0])}) == MOST_OWNERS + 1


def test_lanes_that_hold_most_are_drawn_in_their_order() -> None:
    three = dataclasses.replace(
        LAYOUT, lanes=["a", "b", "c"], tops=[1.0, 8.0, 2.0],
        sides=[Schedule([Held(0, 0, 0, 3, 1.0), Held(1, 0, 0, 4, 4.0)], ["so"]),
               Schedule([Held(2, 1, 0, 4, 2.0)])],
    )  # fmt: skip
    found = of_busiest_lanes(three, 2)
    assert (found.lanes, found.tops) == (["a", "c"], [1.0, 2.0])
    assert [[block.lane for block in side.blocks] for side in found.sides] == [[0], [1]]
    assert found.sides[0].remarks == ["1 lane more is not drawn", "so"]


def test_long_names_many_owners_and_remarks_leave_room_for_the_plot() -> None:
    many = dataclasses.replace(
        LAYOUT,
        owners=[f"job {k} (a name that goes on and on and on)" for k in range(20)],
        lanes=["a lane with a very long name that does not fit anywhere", "site_" * 30],
        sides=[
            Schedule([Held(0, k, k / 5, k / 5 + 0.2, 2.0) for k in range(20)], ["words " * 20] * 9),
            Schedule([]),
        ],
    )
    canvas = drawn(dataclasses.replace(PAIR, layout=many, heads=("long " * 30, "short")))
    width, height = canvas.get_size_inches()
    for axes in canvas.axes:
        box = axes.get_position()
        assert box.width * width > 1.5
        assert box.height * height > 0.4
    assert any("lines more" in text.get_text() for text in canvas.texts)


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_as_many_lanes_as_are_drawn_leave_none_out(more: int) -> None:
    lanes = MOST_LANES + more
    held = Schedule([Held(0, 0, 0, 2, 2.0)], ["a remark"])
    every = dataclasses.replace(LAYOUT, lanes=["server"] * lanes, tops=[2.0] * lanes, sides=[held])
    canvas = drawn(dataclasses.replace(PAIR, heads=("all",), layout=every))
    said = ["1 lane more is not drawn"] if more > 0 else []
    assert canvas.texts[-1].get_text().splitlines() == [*said, "a remark"]
