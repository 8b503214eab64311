"""Randomised rounding of rings: distribution, guarantees, repair."""

from __future__ import annotations

import math

import numpy as np
import pytest

from farkas.rounding.rings import Mix, admit, round_printed, round_repaired, violation_factor


def mix(share=(0.5, 0.25, 1.0), load=(1.0, 2.0, 1.0), room=2.0):
    return Mix(
        job=np.array([0, 0, 1]),
        share=np.array(share),
        gain=np.array([3.0, 4.0, 1.0]),
        load=np.array(load)[:, None],
        room=np.array([room]),
    )


def test_of_no_items_none_is_picked():
    # a relaxation of nothing but idle jobs decomposes into no rings
    nothing = Mix(
        job=np.zeros(0, np.int64),
        share=np.zeros(0),
        gain=np.zeros(0),
        load=np.zeros((0, 2)),
        room=np.array([1.0, 0.0]),
    )
    rng = np.random.default_rng(0)
    assert nothing.draw(rng).tolist() == []
    assert nothing.fullness(nothing.draw(rng)).tolist() == [0.0, 0.0]
    for rounded in (round_printed(nothing, 0.0, 1.0, 3, rng), round_repaired(nothing, 1, 3, rng)):
        assert rounded.picked.tolist() == []


def test_items_are_drawn_with_their_shares():
    rng = np.random.default_rng(0)
    draws = [tuple(mix().draw(rng).tolist()) for _ in range(4000)]
    assert draws.count((0, 2)) / 4000 == pytest.approx(0.5, abs=0.03)
    assert draws.count((1, 2)) / 4000 == pytest.approx(0.25, abs=0.03)
    assert draws.count((2,)) / 4000 == pytest.approx(0.25, abs=0.03)


def test_one_uniform_draw_a_job():
    # job 0 draws .637 < .75: item 1; job 1 has share 1: item 2
    rng = np.random.default_rng(0)
    levels = np.random.default_rng(0).random(2)
    assert 0.5 < levels[0] < 0.75
    assert mix().draw(rng).tolist() == [1, 2]


def test_the_printed_round_may_violate_within_its_factor():
    rounded = round_printed(mix((0.0, 1.0, 1.0)), 0.0, np.array([1.5]), 10,
                            np.random.default_rng(0))  # fmt: skip
    assert rounded.qualified
    assert rounded.rounds == 1
    assert rounded.worst == 1.5


def test_without_a_qualified_round_the_least_violation_is_returned():
    rounded = round_printed(mix(), 100.0, np.array([9.0]), 50, np.random.default_rng(0))
    assert not rounded.qualified
    assert rounded.rounds == 50
    assert rounded.picked.tolist() == [2]  # the draw without job 0 loads least


def test_repair_admits_by_gain_per_worker():
    size = np.array([1, 1, 1])
    rounded = round_repaired(mix((0.0, 1.0, 1.0)), size, 1, np.random.default_rng(0))
    assert rounded.picked.tolist() == [1]  # gain 4 fills the room; job 1 is left out
    assert rounded.worst == 1.0


def test_admission_takes_one_item_per_job():
    assert admit(mix(room=10.0), np.array([1, 0, 2]))[0].tolist() == [1, 2]


def test_a_load_without_room_is_infinite():
    empty = mix(room=0.0)
    assert empty.fullness(np.array([0])).tolist() == [math.inf]
    assert empty.fullness(np.array([], dtype=int)).tolist() == [0.0]


def test_violation_factor_by_hand():
    # ε = 1/2, Δ = 2² + 1² = 5, ln 8
    factor = violation_factor(np.array([1.0, 1.0]), np.array([2, 1]), np.array([2.0, 4.0]), 8)
    assert factor == pytest.approx(1 + 0.5 * math.sqrt(10 * math.log(8)))
    assert violation_factor(np.array([0.0]), np.array([2]), np.array([2.0]), 8) == 1.0
    assert violation_factor(np.array([1.0]), np.array([2]), np.array([2.0]), 1) == 1.0


def test_of_rounds_with_equal_violation_the_larger_gain_is_returned():
    # both items of job 0 load 1 of 2; they gain 3 and 4
    even, least = mix(share=(0.5, 0.5, 0.0), load=(1.0, 1.0, 1.0)), np.array([9.0])
    ends = set()
    for seed in range(6):
        rng, drawn = np.random.default_rng(seed), []
        for rounds in range(1, 8):
            drawn += even.draw(rng).tolist()
            rounded = round_printed(even, 100.0, least, rounds, np.random.default_rng(seed))
            assert not rounded.qualified
            assert rounded.picked.tolist() == [max(drawn)]
            ends.add((drawn[0], max(drawn), drawn[-1]))
    assert {(0, 1, 1), (1, 1, 0)} <= ends  # the better one comes later, and the worse one last


def test_only_jobs_that_use_the_resource_spread():
    # ε = 1/2, Δ = 2²: the second job needs none of it
    factor = violation_factor(np.array([1.0, 0.0]), np.array([2, 3]), np.array([2.0]), 8)
    assert factor == pytest.approx(1 + 0.5 * math.sqrt(8 * math.log(8)))
    assert violation_factor(np.array([1.0]), np.array([2]), np.array([2.0]), 0) == 1.0
    assert violation_factor(np.array([1.0]), np.array([2]), np.array([0.0]), 8) == 1.0


def test_a_round_worth_exactly_the_least_qualifies():
    exact = round_printed(mix((0.0, 1.0, 1.0)), 5.0, np.array([9.0]), 1, np.random.default_rng(0))
    assert exact.qualified
    more = round_printed(mix((0.0, 1.0, 1.0)), 5.1, np.array([9.0]), 1, np.random.default_rng(0))
    assert not more.qualified


@pytest.mark.parametrize("rounds", [1, 3])
def test_no_more_rounds_are_drawn_than_allowed(rounds):
    rng, other = np.random.default_rng(0), np.random.default_rng(0)
    assert not round_printed(mix(), 100.0, np.array([9.0]), rounds, rng).qualified
    for _ in range(rounds):
        mix().draw(other)
    assert rng.random() == other.random()


def test_what_fills_the_room_to_the_last_bit_is_admitted():
    assert admit(mix(), np.array([1]), slack=0.0)[0].tolist() == [1]
    assert admit(mix(), np.array([0, 2]), slack=0.0)[0].tolist() == [0, 2]
    assert admit(mix(room=1.999), np.array([1]), slack=0.0)[0].tolist() == []


def repaired_by_lists(whole, size, rounds, rng):
    """Algorithm 2's repair, one item after the other."""
    best, kept = -1.0, []
    for _ in range(rounds):
        picked = []
        for name in sorted(set(whole.job.tolist())):
            level, below = rng.random(), 0.0
            for item in np.flatnonzero(whole.job == name).tolist():
                if below <= level < below + whole.share[item]:
                    picked.append(item)
                below += whole.share[item]
        left, taken = whole.room.tolist(), []
        for item in sorted(picked, key=lambda c: (-whole.gain[c] / size[c], whole.job[c])):
            after = [have - need for have, need in zip(left, whole.load[item], strict=True)]
            if min(after) >= -1e-9:
                left, taken = after, [*taken, item]
        gain = sum(whole.gain[taken])
        if gain > best:
            best, kept = gain, sorted(taken)
    return kept


@pytest.mark.parametrize("seed", range(40))
def test_repair_keeps_the_best_round_of_what_fits_by_gain_per_worker(seed):
    rng = np.random.default_rng(seed)
    items = int(rng.integers(1, 9))
    whole = Mix(
        job=np.sort(rng.integers(0, 4, items)),
        share=rng.choice([0.0, 0.125, 0.25], items),
        gain=rng.integers(0, 9, items).astype(float),
        load=rng.integers(0, 3, (items, 2)).astype(float),
        room=rng.integers(0, 4, 2).astype(float),
    )
    size = rng.integers(1, 5, items)
    rounds = int(rng.integers(1, 6))
    found = round_repaired(whole, size, rounds, np.random.default_rng(seed))
    wanted = repaired_by_lists(whole, size, rounds, np.random.default_rng(seed))
    assert found.picked.tolist() == wanted
    full = [
        used / room if room else (np.inf if used else 0.0)
        for used, room in zip(whole.load[wanted].sum(axis=0), whole.room, strict=True)
    ]
    assert found.worst == max(full)


def test_a_small_ring_of_much_gain_per_worker_goes_before_a_large_one():
    # four workers earn 4, one earns 3; either fills the room
    both = Mix(
        job=np.array([0, 1]), share=np.ones(2), gain=np.array([4.0, 3.0]),
        load=np.full((2, 1), 2.0), room=np.array([2.0]),
    )  # fmt: skip
    rounded = round_repaired(both, np.array([4, 1]), 1, np.random.default_rng(0))
    assert rounded.picked.tolist() == [1]
