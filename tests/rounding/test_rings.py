"""Randomised rounding of rings: distribution, guarantees, repair."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from farkas.errors import InvalidOption
from farkas.rounding import workers
from farkas.rounding.rings import Mix, admit, round_printed, round_repaired, violation_factor
from farkas.rounding.workers import (
    add_missing_workers,
    draw_servers,
    round_jobs,
    round_sites,
    round_workers,
)
from tests.tools.quick import some


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
    assert round_printed(nothing, 0.0, 1.0, 3, rng)[0].tolist() == []
    assert round_repaired(nothing, 1, 3, rng).tolist() == []


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
    rng = np.random.default_rng(0)
    picked, qualified = round_printed(mix((0.0, 1.0, 1.0)), 0.0, np.array([1.5]), 10, rng)
    assert qualified
    assert mix().fullness(picked).tolist() == [1.5]


def test_without_a_qualified_round_the_least_violation_is_returned():
    picked, qualified = round_printed(mix(), 100.0, np.array([9.0]), 50, np.random.default_rng(0))
    assert not qualified
    assert picked.tolist() == [2]  # the draw without job 0 loads least


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
            picked, _ = round_printed(even, 100.0, least, rounds, np.random.default_rng(seed))
            assert picked.tolist() == [max(drawn)]
            ends.add((drawn[0], max(drawn), drawn[-1]))
    assert {(0, 1, 1), (1, 1, 0)} <= ends  # the better one comes later, and the worse one last


def test_only_jobs_that_use_the_resource_spread():
    # ε = 1/2, Δ = 2²: the second job needs none of it
    factor = violation_factor(np.array([1.0, 0.0]), np.array([2, 3]), np.array([2.0]), 8)
    assert factor == pytest.approx(1 + 0.5 * math.sqrt(8 * math.log(8)))
    assert violation_factor(np.array([1.0]), np.array([2]), np.array([2.0]), 0) == 1.0
    assert violation_factor(np.array([1.0]), np.array([2]), np.array([0.0]), 8) == 1.0


def test_a_round_worth_exactly_the_least_qualifies():
    for least, qualified in ((5.0, True), (5.1, False)):
        rng = np.random.default_rng(0)
        found = round_printed(mix((0.0, 1.0, 1.0)), least, np.array([9.0]), 1, rng)
        assert found[1] is qualified


@pytest.mark.parametrize("rounds", [1, 3])
def test_no_more_rounds_are_drawn_than_allowed(rounds):
    rng, other = np.random.default_rng(0), np.random.default_rng(0)
    round_printed(mix(), 100.0, np.array([9.0]), rounds, rng)
    for _ in range(rounds):
        mix().draw(other)
    assert rng.random() == other.random()


def test_what_fills_the_room_to_the_last_bit_is_admitted():
    assert admit(mix(), np.array([1]))[0].tolist() == [1]
    assert admit(mix(), np.array([0, 2]))[0].tolist() == [0, 2]
    assert admit(mix(room=1.999), np.array([1]))[0].tolist() == []


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
    assert found.tolist() == wanted


NO_DEADLINE = settings(deadline=None, derandomize=True, max_examples=some(50, 200))
tables = arrays(
    float, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=5), elements=st.floats(0, 4)
)


def whole_sums(workers):
    """Scale rows so that each sums to an integer, as the fractional solution's do."""
    sums = workers.sum(axis=1, keepdims=True)
    positive = sums > 1e-6
    return np.where(positive, workers * np.ceil(sums) / np.where(positive, sums, 1), 0.0)


@NO_DEADLINE
@given(tables, st.integers(0, 2**32))
def test_round2_gives_every_job_at_least_its_workers_and_less_than_one_more(table, seed):
    workers = whole_sums(table)
    rounded = round_jobs(workers, np.random.default_rng(seed))
    surplus = rounded.sum(axis=1) - np.round(workers.sum(axis=1))
    # Sums are integers up to 1e-9 or so, so an entry that is left over by noise may go up.
    assert np.all((surplus == 0) | (surplus == 1))


@NO_DEADLINE
@given(tables, st.integers(0, 2**32), st.integers(1, 3))
def test_the_paper_s_combination_keeps_enough_workers(table, seed, resources):
    workers = whole_sums(table)
    rng = np.random.default_rng(seed)
    demand = rng.integers(0, 4, (len(workers), resources)).astype(float)
    for combine in ("max", "round2"):
        rounded = round_workers(workers, demand, rng, combine=combine)
        assert np.all(rounded.sum(axis=1) >= np.round(workers.sum(axis=1)))
        assert np.all(np.abs(rounded - workers) < 1)


def test_round1_alone_may_leave_a_job_short():
    # One worker split over two sites; Round1 rounds each site by itself and, with two jobs trading
    # at each site, job 0 gets nothing at both in some draws: Lemma 1 needs Round2.
    workers = np.full((2, 2), 0.5)
    rng = np.random.default_rng(0)
    totals = {tuple(round_sites(workers, [1, 1], rng).sum(axis=1)) for _ in range(200)}
    assert totals == {(0, 2), (1, 1), (2, 0)}


def test_one_item_per_site_always_goes_up():
    # One job, shares (0.01, 0.99): Round1 has one item per site, so (1, 1) always; the printed
    # bound (1 + λ) 0.01 on the first site is false.
    workers = np.array([[0.01, 0.99]])
    rng = np.random.default_rng(0)
    assert all(round_workers(workers, np.ones((1, 1)), rng).tolist() == [[1, 1]] for _ in range(50))


def test_an_unknown_combination_names_the_nearest():
    with pytest.raises(InvalidOption, match="did you mean round2"):
        round_workers(np.ones((1, 1)), np.ones((1, 1)), np.random.default_rng(0), combine="round1")


def test_servers_are_drawn_with_their_shares():
    shares = np.tile([0.2, 0.0, 0.5, 0.3], (20_000, 1))
    drawn = np.bincount(draw_servers(shares, np.random.default_rng(2)), minlength=4) / 20_000
    assert drawn == pytest.approx([0.2, 0.0, 0.5, 0.3], abs=0.018)  # five standard errors
    assert drawn[1] == 0


def test_noise_never_gets_a_server():
    shares = np.tile([-1e-9, 1.0, -1e-12], (1000, 1))
    assert set(draw_servers(shares, np.random.default_rng(2)).tolist()) == {1}


def test_a_job_without_any_share_is_refused():
    with pytest.raises(ValueError, match="no share"):
        draw_servers(np.zeros((1, 2)), np.random.default_rng(0))


def test_repair_adds_where_most_data_wait_and_takes_the_first_of_equals():
    # Volumes 12, 12, 30 at 10 GB a worker: 30 -> 20 -> 10 left at site 2, then 12 at site 0.
    repaired = add_missing_workers(np.zeros(3, int), 3, np.array([12.0, 12.0, 30.0]), 10.0)
    assert repaired.tolist() == [1, 0, 2]


def test_repair_never_removes_workers():
    assert add_missing_workers(np.array([3, 1]), 2, np.array([5.0, 5.0]), 10.0).tolist() == [3, 1]


class Drawing:
    """A generator that draws one number."""

    def __init__(self, number):
        self.number = number

    def random(self, count):
        return np.full(count, self.number)


def test_no_server_is_drawn_at_a_site_without_a_share():
    shares = np.array([[0.0, 0.5, 0.0, 0.5, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0]])
    assert draw_servers(shares, Drawing(0.0)).tolist() == [1, 2]
    assert draw_servers(shares, Drawing(np.nextafter(1.0, 0.0))).tolist() == [3, 2]
    # the smallest share times a number below 1 rounds up to itself
    assert draw_servers(np.array([[0.0, 5e-324]]), Drawing(np.nextafter(1.0, 0.0))).tolist() == [1]


def test_every_resource_is_rounded_in_order_before_the_jobs(monkeypatch):
    asked = []

    def sites(values, weight, rng, **_):
        asked.append(weight.tolist())
        return np.full(values.shape, len(asked))

    def jobs(values, rng, **_):
        asked.append("jobs")
        return np.zeros(values.shape, np.int64)

    monkeypatch.setattr(workers, "round_sites", sites)
    monkeypatch.setattr(workers, "round_jobs", jobs)
    found = round_workers(np.ones((2, 3)), np.array([[1.0, 0.0, 2.0], [3.0, 4.0, 0.0]]), None)
    assert asked == [[1.0, 3.0], [0.0, 4.0], [2.0, 0.0], "jobs"]
    assert found.tolist() == [[3] * 3] * 2
    asked.clear()
    assert not round_workers(np.ones((2, 3)), np.ones((2, 3)), None, combine="round2").any()
    assert asked == ["jobs"]
