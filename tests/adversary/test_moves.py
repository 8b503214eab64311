"""Moves stay inside their box and reach all of it."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.adversary.box import InstanceBox, Range, entries
from farkas.adversary.moves import drawn, moved
from farkas.adversary.shape import copied
from farkas.instances.files import own_kinds


@pytest.mark.parametrize("kind", own_kinds())
def test_moves_keep_ranges_and_sizes_and_their_start(kind: str) -> None:
    box, rng = InstanceBox.drawn(kind), np.random.default_rng(0)
    start = box.starts[0]
    before, built, changed = copied(start), 0, set()
    for _ in range(200):
        found = moved(start, box, rng)
        assert start == before
        for family, holder, key in entries(found):
            allowed = box.ranges[family]
            assert allowed.low <= holder[key] <= allowed.high
        old = [(family, holder[key]) for family, holder, key in entries(start)]
        new = [(family, holder[key]) for family, holder, key in entries(found)]
        if len(new) == len(old):
            changed |= {a[0] for a, b in zip(new, old, strict=True) if a[0] == b[0] and a != b}
        assert len(found.get("jobs", ())) <= box.most
        built += box.built(found) is not None
    assert built > 100
    assert changed >= {f for f, allowed in box.ranges.items() if allowed.open}


def test_the_same_seed_moves_the_same() -> None:
    box = InstanceBox.drawn("eris")
    one, two = (moved(box.starts[3], box, np.random.default_rng(5)) for _ in range(2))
    assert one == two


def test_jobs_are_left_out_and_doubled() -> None:
    box, rng = InstanceBox.drawn("dps"), np.random.default_rng(0)
    data, seen = copied(box.starts[0]), set()
    for _ in range(200):
        data = moved(data, box, rng)
        seen.add(len(data["jobs"]))
    assert {1, 6} <= seen <= {1, 2, 3, 4, 5, 6}


def test_draws_are_even_in_size_above_zero() -> None:
    rng = np.random.default_rng(0)
    wide = [drawn(Range(1e-3, 1e3, False), rng) for _ in range(2000)]
    assert 0.45 < np.mean([value < 1 for value in wide]) < 0.55
    even = [drawn(Range(0.0, 10.0, False), rng) for _ in range(2000)]
    assert 0.45 < np.mean([value < 5 for value in even]) < 0.55
