"""Blocks stand on each other without losing or inventing any amount."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from farkas.adversary.shipped import find_statement
from farkas.experiments.worst_cases.schedule import (
    Held,
    layouts,
    pair_of,
    stacked,
    tops_of,
)
from farkas.instances.files import own_kinds
from tests.experiments.worst_cases.made import proof_of

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


def test_slots_of_one_owner_are_one_rectangle_and_a_new_height_is_another() -> None:
    slots = [Held(0, 1, t, t + 1, 2.0) for t in (2, 0, 1)]
    (one,) = stacked(slots)
    assert (one.start, one.end, one.high) == (0, 3, 2.0)
    assert len(stacked([*slots, Held(0, 1, 3, 4, 1.0)])) == 2
    assert len(stacked([*slots, Held(0, 1, 4, 5, 2.0)])) == 2, "a hole parts them"
    assert len(stacked([*slots, Held(0, 0, 1, 2, 1.0)])) == 4, "lifted in the middle"


def test_every_kind_has_a_layout() -> None:
    assert set(own_kinds()) <= set(layouts)


@pytest.mark.parametrize(
    "name", ["eris.eris", "coded.simple_greedy", "dps.fixed_price", "gadget.drf", "mlbroker.local"]
)
def test_a_pair_says_who_and_what_is_proved(name: str) -> None:
    proof = proof_of(name)
    pair = pair_of(proof, again=True)
    assert pair is not None
    assert pair.title.startswith(f"{name}: ")
    verb = "costs" if proof.sense == "min" else "earns"
    assert pair.heads[0].startswith(f"{name} {verb} ")
    assert pair.heads[1].startswith(f"{proof.gap.witness.algorithm} {verb} ")
    assert "unbounded" in pair.title or f"{float(proof.ratio or 0):.1f}"[:-2] in pair.title
    layout = pair.layout
    assert len(layout.sides) == 2
    for side in layout.sides:
        for block in side.blocks:
            assert 0 <= block.lane < len(layout.lanes)
            assert 0 <= block.owner < len(layout.owners)
            assert layout.begin <= block.start < block.end <= layout.end
            assert block.amount > 0
        room = tops_of(side.blocks, len(layout.lanes))
        assert all(
            most <= top * (1 + 1e-9)
            for lane, (most, top) in enumerate(zip(room, layout.tops, strict=True))
            if any(block.lane == lane for block in side.blocks)
        )


def test_decisions_are_the_algorithms_only_where_it_decides_so_again():
    proof = find_statement("eris.eris").prove().proof
    ours, theirs = (pair_of(proof, again=again) for again in (True, False))
    assert theirs.title == f"the file's {ours.title}"
    assert theirs.heads == (f"the file's {ours.heads[0]}", ours.heads[1])
