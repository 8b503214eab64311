"""Masters and workers left out."""

from __future__ import annotations

import pytest

from farkas.adversary.kinds import implied_coded, mend_coded, smaller_coded
from farkas.adversary.shape import InstanceBox


def test_pairs_go_with_their_master_or_worker() -> None:
    data = {
        "masters": ["a", "b"], "workers": 3, "rate": [[1, 2, 0], [3, 4, 0]],
        "shift": [[5, 6, 0], [7, 8, 0]], "measured": {"law": [[0, 1, 4], [2, 3, 4]]},
    }  # fmt: skip
    one, two, three, four, _ = smaller_coded(data)
    assert (one["rate"], two["rate"]) == ([[3, 4, 0]], [[1, 2, 0]])
    assert (three["rate"], four["rate"]) == ([[2, 0], [4, 0]], [[1, 0], [3, 0]])
    assert (one["shift"], three["shift"]) == ([[7, 8, 0]], [[6, 0], [8, 0]])
    assert (one["measured"]["law"], three["measured"]["law"]) == ([[2, 3, 4]], [[1, 4], [3, 4]])
    assert (one["workers"], three["workers"]) == (3, 2)
    assert [less["workers"] for less in smaller_coded(three)] == [2, 2]  # a master each, no worker


def test_what_was_to_be_evaluated_goes_first() -> None:
    data = {"masters": ["a"], "workers": 1, "plans": [1], "sca_point": None}
    assert list(smaller_coded(data)) == [data | {"plans": None}]


def test_shifts_follow_rates() -> None:
    assert implied_coded({"rate[][]": (2.0, 8.0)}) == {"shift[][]": (0.125, 0.5)}
    assert implied_coded({"shift[][]": (2.0, 8.0)}) == implied_coded({"rate[][]": (0.0, 8.0)}) == {}
    box = InstanceBox.drawn("coded", ranges={"rate": (2, 8)})
    assert (box.ranges["shift[][]"].low, box.ranges["shift[][]"].high) == (0.125, 0.5)
    box = InstanceBox.drawn("coded", ranges={"rate": (2, 8), "shift": (1, 3)})
    assert (box.ranges["shift[][]"].low, box.ranges["shift[][]"].high) == (1, 3)
    for start in box.starts:
        for row in start["shift"]:
            assert row == pytest.approx([1.0] * len(row))


def test_a_pair_without_rate_has_no_shift() -> None:
    data = {"rate": [[0.0, 4.0], [None, 2.0]], "shift": [[1.0, 5.0], [3.0, 7.0]]}
    mend_coded(data)
    assert data == {"rate": [[None, 4.0], [None, 2.0]], "shift": [[None, 5.0], [None, 7.0]]}
