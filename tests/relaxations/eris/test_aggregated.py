"""All sites as one: the pooled linear program."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances import library
from farkas.relaxations.eris.aggregated import Aggregated, longest_window, worker_slots
from tests.tools.optimum import optimum


def test_pooling_the_sites_relaxes_the_optimum() -> None:
    # eris.aggregated: windows are short here, so its optimum is a bound
    auction = library.load("eris/integrality_gap")
    assert optimum("eris.aggregated", auction) >= 81.594 - 1e-6


def test_worker_slots_count_whole_workers() -> None:
    # integrality_gap, job 1: E=3, P=2, up to 3 workers at a site: q=1 takes 2, q=2 takes 3
    auction = library.load("eris/integrality_gap")
    assert worker_slots(auction, 1) == pytest.approx(2 * 3 / 2)
    blocked = auction.replace(site_capacity=[[0, 0], [0, 0]])
    assert worker_slots(blocked, 1) == np.inf
    assert Aggregated().form(blocked).num_columns == 0


def test_windows_shrink_when_jobs_are_many() -> None:
    assert [longest_window(n) for n in (0, 1000, 2000, 20_000)] == [40, 40, 20, 4]
