from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from farkas.errors import InvalidOption
from farkas.rounding import workers
from farkas.rounding.workers import (
    add_missing_workers,
    draw_servers,
    round_jobs,
    round_sites,
    round_workers,
)
from tests.tools.quick import some

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


def test_no_jobs_need_no_draw():
    rng = np.random.default_rng(0)
    assert round_workers(np.zeros((0, 3)), np.zeros((0, 2)), rng).shape == (0, 3)
    assert round_sites(np.zeros((2, 0)), [1, 1], rng).shape == (2, 0)
    assert round_jobs(np.zeros((2, 0)), rng).shape == (2, 0)


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
