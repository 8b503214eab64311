"""What one job meets in every slot."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.models.eris.prices import Prices
from farkas.relaxations.eris.job_slots import NO_SERVER, Ties, chunks_of, job_slots, slot_of
from tests.generators.eris import auction_in, one_resource


def test_what_a_job_meets_by_hand() -> None:
    # site 0: 2 gpus, 0.5 in use in slot 1; a worker takes 1, a server 0.75
    state = {"transfer": [0.0, 4.0, 0.0], "resources": [[[0.0, 0.5, 2.0]], [[0.0, 0.0, 0.0]]]}
    job = {"arrival": 1, "data": [2, 3], "worker_rate": 2, "server_demand": [0.75]}
    auction = one_resource(job, occupied=state, site_capacity=[[2.0], [5.0]])
    price = np.arange(6.0).reshape(2, 1, 3)
    prices = Prices(np.array([7.0, 8.0, 9.0]), price)
    met = job_slots(auction, auction.jobs[0], prices, auction.transferred, auction.used)
    assert (met.window, met.chunks, met.size) == (2, 5, (2, 2, 5))
    assert met.worker_price.tolist() == [[1.0, 4.0], [2.0, 5.0]]
    assert met.server_price.tolist() == [[0.75, 3.0], [1.5, 3.75]]
    # 1.5 gpus left hold a worker, 0.75 beside a server none; 3 workers process all 5 chunks
    assert met.alone.tolist() == [[1, 3], [0, 3]]
    assert met.beside_server.tolist() == [[0, 3], [NO_SERVER, 3]]
    assert met.transfer_price.tolist() == [8.0, 9.0]
    assert met.free_transfer.tolist() == [6.0, 10.0]
    assert met.most_transfer.tolist() == pytest.approx([6.0 + 1e-8, 10.0 + 1e-8], abs=1e-15)
    empty = job_slots(auction, auction.jobs[0], prices, None, None)
    assert empty.alone.tolist() == [[2, 3], [2, 3]]
    assert empty.free_transfer.tolist() == [10.0, 10.0]


@pytest.mark.parametrize("unit", [2.0**-40, 1.0, 2.0**40])
def test_use_beyond_a_capacity_by_rounding_leaves_nothing_and_more_leaves_less(unit: float) -> None:
    # a worker that needs no gpu runs at a full site, not at one that is more than full
    for share, workers in ((1.0, 1), (1 + 0.9e-9, 1), (1 + 1.1e-9, 0)):
        auction = auction_in(one_resource({"worker_demand": [0.0]}), units=unit, data=unit)
        met = job_slots(
            auction, auction.jobs[0], Prices.zero(auction),
            share * np.full(3, auction.transfer_budget),
            share * np.full((2, 1, 3), 2.0 * unit),
        )  # fmt: skip
        assert (met.alone == workers).all()
        assert (met.beside_server == (workers or NO_SERVER)).all()
        assert (met.free_transfer == 0.0).all()
        assert (met.most_transfer <= 1.01e-9 * auction.transfer_budget).all()
        assert (met.most_transfer >= 0.0).all()


def test_a_slot_has_the_prices_of_its_time_and_other_data() -> None:
    auction = one_resource({"arrival": 1, "utility": [9.0, 4.0], "data": [1, 1]})
    prices = Prices(np.array([7.0, 8.0, 9.0]), np.arange(6.0).reshape(2, 1, 3))
    met = job_slots(auction, auction.jobs[0], prices, None, None)
    slot = slot_of.function(met, 1, np.array([0, 2]), Ties(0.5, 0.0, 0.25))
    assert slot.worker_price.tolist() == [2.0, 5.0]
    assert slot.transfer_price == 9.0
    assert slot.worth == 9.0  # the greatest, not that of the slot
    assert slot.data.tolist() == [0, 2]
    assert slot.ties == (0.5, 0.0, 0.25)


def test_chunks_of_workers_are_whole_and_limited() -> None:
    assert [chunks_of.function(w, 3, 4, 5) for w in (NO_SERVER, 0, 1, 2, 3, 9)] == [
        -1,
        0,
        1,
        2,
        4,
        5,
    ]
