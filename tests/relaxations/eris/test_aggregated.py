"""All sites as one: the pooled linear program."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances import library
from farkas.numbers import Floats, Ints
from farkas.relaxations.eris import aggregated
from farkas.relaxations.eris.aggregated import Aggregated, windows, worker_slots


def test_worker_slots_count_whole_workers() -> None:
    # integrality_gap, job 1: E=3, P=2, up to 3 workers at a site: q=1 takes 2, q=2 takes 3
    auction = library.load("eris/integrality_gap")
    assert worker_slots(auction, 1) == pytest.approx(2 * 3 / 2)
    blocked = auction.replace(site_capacity=[[0, 0], [0, 0]])
    assert worker_slots(blocked, 1) == np.inf
    assert Aggregated().form(blocked).num_columns == 0


def test_windows_shrink_when_jobs_are_many_and_soon_done() -> None:
    # a tenth of a slot alone: 4,000 pairs of all jobs, but 4 to 40 slots of each
    for jobs, slots in ((1, 40), (100, 40), (200, 20), (1000, 4), (20_000, 4)):
        assert windows(np.full(jobs, 0.1)).tolist() == [slots] * jobs


def test_windows_are_four_times_as_long_as_a_job_takes_unless_that_is_too_much() -> None:
    alone = np.full(1000, 0.1)
    alone[:4] = 2.0, 2.1, 9.9, 11.0
    assert windows(alone)[:5].tolist() == [8, 9, 40, 40, 4]
    # with 2,500 jobs 40,000 pairs are 16 slots of each
    assert windows(np.full(2500, 3.0)).max() == 12
    assert windows(np.full(2500, 7.0)).max() == 16
    assert windows(np.zeros(0)).shape == (0,)


def test_a_job_may_run_in_its_window_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    auction = library.load("eris/late_arrival")
    given = []

    def short(alone: Floats) -> Ints:
        given.append(alone)
        return np.arange(1, len(alone) + 1)

    monkeypatch.setattr(aggregated, "windows", short)
    form = Aggregated().form(auction)
    for i, job in enumerate(auction.jobs):
        members = form.column_block("running").axes[0].members
        last = min(job.arrival + i + 1, auction.slots)
        assert [t for j, t in members.tolist() if j == i] == list(range(job.arrival, last))
        most = auction.most_workers[i].sum()
        assert given[0][i] == pytest.approx(worker_slots(auction, i) / most)
