"""Moves stay inside their box and reach all of it."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

from farkas.adversary.moves import drawn, extreme, moved, pushed
from farkas.adversary.scoring import ScoredInstance, Scorer
from farkas.adversary.shape import InstanceBox, Range, copied, entries, shape_of
from farkas.instances import Instance
from farkas.instances.files import own_kinds
from farkas.online.driver import algorithms
from tests.recorded.worst import random_data, worst_drawn


@pytest.mark.ids(4)
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


@pytest.mark.parametrize("kind", own_kinds())
def test_fixed_boxes_keep_their_sizes(kind: str) -> None:
    box, rng = InstanceBox.drawn(kind), np.random.default_rng(0)
    fixed = dataclasses.replace(box, fixed=True)
    start, records = box.starts[0], shape_of(kind).records
    count = len(start.get(records) or ())
    found = [moved(start, box, rng) for _ in range(200)]
    assert any(len(one[records]) != count for one in found) if records else not count
    for _ in range(200):
        data = moved(start, fixed, rng)
        assert len(data.get(records) or ()) == count


def test_jobs_are_left_out_and_doubled() -> None:
    box, rng = InstanceBox.drawn("dps"), np.random.default_rng(0)
    data, seen = copied(box.starts[0]), set()
    for _ in range(200):
        data = moved(data, box, rng)
        seen.add(len(data["jobs"]))
    assert {1, 6} <= seen <= {1, 2, 3, 4, 5, 6}


def test_pairs_are_forbidden_where_the_range_begins_at_zero() -> None:
    assert not InstanceBox.drawn("coded").optional
    box, rng = InstanceBox.drawn("coded", ranges={"rate": (0, 5)}), np.random.default_rng(0)
    forbidden, back = 0, 0
    data = copied(box.starts[0])
    for _ in range(300):
        before = sum(row.count(None) for row in data["rate"])
        found = moved(data, box, rng)
        if box.built(found) is not None:
            data = found
            after = sum(row.count(None) for row in data["rate"])
            forbidden += after > before
            back += after < before
    assert forbidden > 5
    assert back > 5


def test_draws_are_even_in_size_above_zero() -> None:
    rng = np.random.default_rng(0)
    wide = [drawn(Range(1e-3, 1e3, False), rng) for _ in range(2000)]
    assert 0.45 < np.mean([value < 1 for value in wide]) < 0.55
    below = [drawn(Range(-5.0, 5.0, False), rng) for _ in range(2000)]
    assert 0.45 < np.mean([value < 0 for value in below]) < 0.55
    half = np.array([drawn(Range(0.0, 10.0, False), rng) for _ in range(2000)])
    assert 0.7 < np.mean(half < 5) < 0.8  # evenly: one half; by size: all but one in sixty
    assert 0.2 < np.mean(half < 10 * 2.0**-30) < 0.3
    assert 0 <= half.min() < 10 * 2.0**-50
    assert all(isinstance(drawn(Range(0, 3, True), rng), int) for _ in range(20))


@pytest.mark.parametrize("kind", own_kinds())
def test_extreme_draws_put_whole_families_at_every_end(kind: str) -> None:
    box, rng = InstanceBox.drawn(kind), np.random.default_rng(0)
    start, seen = box.starts[0], set()
    before, counts = copied(start), set()
    for _ in range(100):
        found = extreme(start, box, rng)
        assert start == before
        counts.add(len(found.get(shape_of(kind).records) or ()))
        held: dict[str, set[float]] = {}
        for family, holder, key in entries(found):
            held.setdefault(family, set()).add(holder[key])
        for family, values in held.items():
            allowed = box.ranges[family]
            assert all(allowed.low <= value <= allowed.high for value in values)
            seen |= {(family, end) for end in (allowed.low, allowed.high) if values == {end}}
    opened = {family for family, _, _ in entries(start) if box.ranges[family].open}
    assert seen >= {
        (family, end)
        for family in opened
        for end in (box.ranges[family].low, box.ranges[family].high)
    }
    most = len(start.get(shape_of(kind).records) or ())
    assert counts == ({0} if not most else set(range(1, most + 1)))
    fixed = extreme(start, dataclasses.replace(box, fixed=True), rng)
    assert len(fixed.get(shape_of(kind).records) or ()) == most


def test_a_push_moves_one_family_or_one_list_to_an_end() -> None:
    box, rng = InstanceBox.drawn("mlbroker"), np.random.default_rng(0)
    start, wholly, partly = box.starts[0], 0, 0
    for _ in range(200):
        found = pushed(start, box, rng)
        pairs = zip(entries(found), entries(start), strict=True)
        changed = [
            (new[0], new[1][new[2]]) for new, old in pairs if new[1][new[2]] != old[1][old[2]]
        ]
        assert len({family for family, _ in changed}) <= 1
        for family, value in changed:
            assert value in (box.ranges[family].low, box.ranges[family].high)
        if changed:
            family = changed[0][0]
            now = {holder[key] for name, holder, key in entries(found) if name == family}
            wholly, partly = wholly + (len(now) == 1), partly + (len(now) > 1)
    assert wholly > 50
    assert partly > 20


RATES = {"rate": (1.0, 1000.0)}


class Watched(Scorer):
    """Remembers what it scored."""

    def __init__(self, name: str) -> None:
        super().__init__(algorithms[name], {})
        self.seen: list[ScoredInstance] = []

    def score(self, instance: Instance, at_least: float = -np.inf) -> ScoredInstance | None:
        found = super().score(instance, at_least)
        if found is not None:
            self.seen.append(found)
        return found


@pytest.mark.slow
def test_the_worst_of_all_draws_is_kept_and_the_seed_decides() -> None:
    box = InstanceBox.drawn("coded", ranges=RATES)
    scorer = Watched("coded.simple_greedy")
    best = worst_drawn(box, scorer, ranges=RATES, draws=12)
    assert best is not None
    assert scorer.evaluations == 12
    assert best.height == max(one.height for one in scorer.seen)
    again = worst_drawn(box, Watched("coded.simple_greedy"), ranges=RATES, draws=12)
    other = worst_drawn(box, Watched("coded.simple_greedy"), ranges=RATES, draws=12, seed=1)
    assert again is not None
    assert other is not None
    assert again.instance.sha256 == best.instance.sha256 != other.instance.sha256


def test_draws_stay_in_the_box_and_half_of_them_use_all_of_it() -> None:
    box = InstanceBox.drawn("coded", ranges=RATES)
    every = list(itertools.islice(random_data(box, None, RATES, 0), 40))
    rates = [[holder[key] for family, holder, key in entries(data) if family == "rate[][]"]
             for data in every]  # fmt: skip
    for data in every:
        for family, holder, key in entries(data):
            allowed = box.ranges[family]
            assert allowed.low <= holder[key] <= allowed.high
    assert max(map(max, rates[::2])) <= 5  # the generator's own law
    assert max(map(max, rates[1::2])) > 500
    assert min(map(min, rates[1::2])) < 2


def test_as_many_are_scored_as_are_asked_for() -> None:
    scorer = Watched("mlbroker.local")
    assert worst_drawn(InstanceBox.drawn("mlbroker"), scorer, draws=3) is not None
    assert scorer.evaluations == 3
    assert worst_drawn(InstanceBox.drawn("mlbroker"), scorer, seconds=0) is None
