"""All schedules of a job, listed."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
import pytest

from farkas.algebra import programs
from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.eris import Auction
from farkas.models.eris import schedules
from farkas.models.eris.prices import Prices, posted, resource_price, transfer_price
from farkas.models.eris.schedules import compositions, list_schedules, spreads, unbeaten
from farkas.relaxations.eris.columns import relaxation_by_columns
from tests.generators.eris import one_resource


def test_listing_refuses_jobs_with_too_many_schedules() -> None:
    tiny = library.load("eris/tiny")
    record = {n: getattr(tiny.jobs[0], n) for n in tiny.jobs[0].__struct_fields__}
    large = tiny.replace(jobs=[{**record, "data": (40, 40)}])
    with pytest.raises(NotApplicable, match=r"jobs\[0\] has .* spreads"):
        programs.build("eris.schedule_ilp").form(large)


def test_compositions_are_all_ordered_sums() -> None:
    found = {tuple(row) for row in compositions(3, 3)}
    assert found == {c for c in itertools.product(range(4), repeat=3) if sum(c) == 3}


def test_a_row_is_beaten_by_one_that_is_nowhere_larger() -> None:
    rows = np.array([[1, 2], [2, 1], [2, 2], [1, 2], [0, 9]])
    assert unbeaten(rows).tolist() == [0, 1, 4]


def test_schedules_of_two_chunks_by_hand() -> None:
    # a chunk at each of two sites, nothing moves: each runs in slot 0 or 1; both early is worth 20
    auction = library.load("eris/one_chunk_twice")
    listed = list_schedules(auction)
    assert sorted(listed.worth.tolist()) == [15.0, 15.0, 15.0, 20.0]
    both_early = listed.used[np.argmax(listed.worth), :, 0]
    assert both_early.tolist() == [[1.0, 0.0], [1.0, 0.0]]
    assert not listed.transfer.any()
    # 1 chunk to any of 2 slots x 2 sites, twice
    assert spreads(auction, 0) == 4 * 4


def test_workers_away_from_the_server_and_moved_chunks_are_transferred() -> None:
    # 3 chunks at site 0, where 1 worker fits: 2 move for 3 MB each to a server there, and the
    # worker that stays alone takes 5 MB
    job = {"data": [3, 0], "utility": [10.0], "parameter_size": 5.0}
    close = {"slots": 1, "site_capacity": [[1.0], [2.0]], "chunk_size": 3.0}
    listed = list_schedules(one_resource(dict(job), transfer_budget=16.0, **close))
    assert listed.transfer.tolist() == [[11.0]]
    assert len(list_schedules(one_resource(dict(job), transfer_budget=10.9, **close))) == 0


def test_what_fits_but_for_rounding_is_listed() -> None:
    # 0.1 + 0.1 + 0.1 = 0.30000000000000004 gpus of 0.3
    job = {"data": [3], "utility": [10.0], "worker_demand": [0.1]}
    close = {"slots": 1, "sites": 1}
    assert len(list_schedules(one_resource(dict(job), site_capacity=[[0.3]], **close))) == 1
    assert len(list_schedules(one_resource(dict(job), site_capacity=[[0.29]], **close))) == 0


def test_no_worker_fits_beside_a_server_that_leaves_nothing_however_little_it_takes() -> None:
    # two workers of 4e-12 exceed the site by less than what is forgiven of its whole capacity
    full = Auction.build(
        slots=1, sites=1, resource_names=["cpu"], site_capacity=[[1.0]], transfer_budget=3.0,
        chunk_size=1.0, price_base_transfer=20.0, price_base_resource=[20.0],
        jobs=[{"arrival": 0, "utility": [40.0], "data": [2], "epochs": 2, "worker_rate": 2,
               "worker_demand": [4e-12], "server_demand": [1.0], "parameter_size": 2.0}],
    )  # fmt: skip
    assert not list_schedules(full).worth.sum()
    assert relaxation_by_columns(full).bound == 0
    smaller = full.replace(jobs=[msgspec.structs.replace(full.jobs[0], server_demand=(0.5,))])
    assert list_schedules(smaller).worth.max() == 40
    assert relaxation_by_columns(smaller).bound == pytest.approx(40)


def test_rows_are_beaten_whatever_the_units_of_their_columns() -> None:
    # the sums of both rows are 2**60 in doubles, yet the second is smaller in column 1
    rows = np.array([[2.0**60, 2.0], [2.0**60, 1.0]])
    assert unbeaten(rows).tolist() == [1]
    assert unbeaten(rows[:, ::-1]).tolist() == [1]


def test_rows_in_different_blocks_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.array([[i, 9 - i] for i in range(10)] * 2 + [[4, 4]])
    # (4, 5) and (5, 4) are beaten by (4, 4)
    assert unbeaten(rows, block=3).tolist() == [0, 1, 2, 3, 6, 7, 8, 9, 20]
    monkeypatch.setattr(schedules, "COMPARED", 5)
    assert unbeaten(rows).tolist() == [*range(10), 20]  # only repeated ones go


def test_prices_grow_exponentially_and_are_zero_without_capacity() -> None:
    tiny = library.load("eris/tiny").replace(site_capacity=[[0, 8], [2, 7]], occupied=None)
    used = np.zeros((2, 2, 3))
    used[1, 0, 0] = 1.0  # half of 2 gpus, base 40
    prices = posted(tiny, np.array([4.0, 2.0, 0.0]), used)
    assert prices.transfer == pytest.approx([39.0, 40**0.5 - 1, 0.0])
    assert prices.resource[1, 0] == pytest.approx([40**0.5 - 1, 0.0, 0.0])
    assert (prices.resource[0, 0] == 0).all()
    raised = resource_price(tiny, used, np.array([0.5, 0.25]))
    assert (raised[1, 0] - prices.resource[1, 0] == 0.5).all()
    assert (raised[0, 0] == 0).all()  # nothing to be had there, with a floor or without
    assert (raised[0, 1] == 0.25).all()


def test_rent_is_capacity_times_price() -> None:
    tiny = library.load("eris/tiny")
    ones = Prices(np.ones(3), np.ones((2, 2, 3)))
    assert ones.rent(tiny) == pytest.approx(3 * 4.0 + 3 * (1 + 8 + 2 + 7))


def test_without_a_budget_transfer_costs_nothing() -> None:
    auction = one_resource({}, transfer_budget=0.0)
    assert transfer_price(auction, np.zeros(3)).tolist() == [0.0, 0.0, 0.0]
