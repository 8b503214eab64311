"""All sites as one: the pooled linear program and the prices it gives."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances import library
from farkas.models.eris.prices import Prices
from farkas.relaxations.eris.aggregated import (
    Aggregated,
    aggregated_prices,
    longest_window,
    prohibitive,
    worker_slots,
)
from tests.generators.eris import auction_in, one_resource
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


def test_pooled_capacity_prices_what_is_scarce() -> None:
    # jobs worth 10 and 6 for one gpu slot of two sites together: its dual is 6 at both
    jobs = [{"data": [1, 0], "utility": [worth], "parameter_size": 0.0} for worth in (10.0, 6.0)]
    auction = one_resource(*jobs, slots=1, site_capacity=[[1.0], [0.0]])
    prices = aggregated_prices(auction)
    assert prices.resource.ravel().tolist() == pytest.approx([6.0, 6.0])
    assert prices.transfer.tolist() == [0.0]


@pytest.mark.parametrize("unit", [2.0**-50, 1.0, 2.0**50])
def test_without_a_budget_nothing_that_moves_can_pay(unit: float) -> None:
    jobs = [{"data": [1, 0], "utility": [u, u, u], "parameter_size": 0.25} for u in (3.0, 7.0)]
    auction = auction_in(one_resource(*jobs, transfer_budget=0.0), data=unit)
    prices = prohibitive(auction, Prices.zero(auction))
    assert (0.25 * unit * prices.transfer > 7.0).all()
    assert not prices.resource.any()


def test_prices_stay_where_there_is_a_budget_or_nothing_to_move() -> None:
    still = {"utility": [5.0, 5.0, 5.0], "parameter_size": 0.0}
    for auction in (
        one_resource(dict(still)),
        one_resource(dict(still), chunk_size=0.0, transfer_budget=0.0),
        one_resource(chunk_size=0.0, transfer_budget=0.0),
    ):
        zero = Prices.zero(auction)
        assert prohibitive(auction, zero) is zero


def test_windows_shrink_when_jobs_are_many() -> None:
    assert [longest_window(n) for n in (0, 1000, 2000, 20_000)] == [40, 40, 20, 4]
