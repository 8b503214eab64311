"""Masters and workers left out."""

from __future__ import annotations

import pytest

from farkas.adversary.box import InstanceBox
from farkas.adversary.coded import implied, smaller
from farkas.adversary.shape import without


def test_pairs_go_with_their_master_or_worker() -> None:
    data = {
        "masters": ["a", "b"], "workers": 2, "rate": [[1, 2], [3, 4]], "shift": [[5, 6], [7, 8]],
        "measured": {"law": [[0, 1], [2, 3]]},
    }  # fmt: skip
    one, two, three, four = smaller(data)
    assert (one["rate"], two["rate"]) == ([[3, 4]], [[1, 2]])
    assert (three["rate"], four["rate"]) == ([[2], [4]], [[1], [3]])
    assert (one["shift"], three["shift"]) == ([[7, 8]], [[6], [8]])
    assert (one["measured"]["law"], three["measured"]["law"]) == ([[2, 3]], [[1], [3]])
    assert (one["workers"], three["workers"]) == (2, 1)
    assert list(smaller(without(one, 0, ("rate", "*"), ("shift", "*"), count="workers"))) == []


def test_what_was_to_be_evaluated_goes_first() -> None:
    data = {"masters": ["a"], "workers": 1, "plans": [1], "sca_point": None}
    assert list(smaller(data)) == [data | {"plans": None}]


def test_shifts_follow_rates() -> None:
    assert implied({"rate[][]": (2.0, 8.0)}) == {"shift[][]": (0.125, 0.5)}
    assert implied({"shift[][]": (2.0, 8.0)}) == implied({"rate[][]": (0.0, 8.0)}) == {}
    box = InstanceBox.drawn("coded", ranges={"rate": (2, 8)})
    assert (box.ranges["shift[][]"].low, box.ranges["shift[][]"].high) == (0.125, 0.5)
    box = InstanceBox.drawn("coded", ranges={"rate": (2, 8), "shift": (1, 3)})
    assert (box.ranges["shift[][]"].low, box.ranges["shift[][]"].high) == (1, 3)
    for start in box.starts:
        for row in start["shift"]:
            assert row == pytest.approx([1.0] * len(row))
