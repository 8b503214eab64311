"""What is in use in every slot, and the prices that follow."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import InvalidOption
from farkas.instances import library
from farkas.online.eris.environment import Ledger
from farkas.online.eris.proposal import Proposal, nothing
from farkas.online.eris.scheduler_dp import repaired_schedule
from tests.generators.eris import auction_in, one_resource


def test_a_ledger_posts_the_prices_of_its_use() -> None:
    auction = library.load("eris/tiny")
    ledger = Ledger(auction)
    job = auction.jobs[1]  # one chunk at site 1, workers and servers of 2 and 1 cpu
    seen = ledger.meet(job)
    found = repaired_schedule(auction, job, seen)
    twin = ledger.copy()
    ledger.book(job, seen, found)
    used = ledger.used[:, 1, 0]
    assert sorted(used.tolist()) == [0.0, 3.0]
    site = int(np.argmax(used))
    expected = 90.0 ** (3.0 / auction.capacity[site, 1]) - 1.0
    assert ledger.prices.resource[site, 1, 0] == pytest.approx(expected)
    assert twin.used.sum() == 0.0


def test_schedules_are_booked_where_and_when_they_run() -> None:
    # from slot 1 on: worker and server at site 1, a worker at site 0 that is remote, a chunk moved
    auction = one_resource(
        {"arrival": 1, "server_demand": [0.5], "parameter_size": 3.0}, transfer_budget=8.0
    )
    ledger, job = Ledger(auction), auction.jobs[0]
    found = Proposal(1.0, 1, 0.0, np.array([[0, 0], [1, 1]]), np.array([-1, 1]), np.array([0, 1]))
    ledger.book(job, ledger.meet(job), found)
    assert ledger.transferred.tolist() == [0.0, 0.0, 4.0]
    assert ledger.used[:, 0].tolist() == [[0.0, 0.0, 1.0], [0.0, 0.0, 1.5]]
    # half of the budget at base 2, half and three quarters of 2 gpus at base 4
    assert ledger.prices.transfer.tolist() == pytest.approx([0.0, 0.0, 2**0.5 - 1])
    assert ledger.prices.resource[:, 0, 2].tolist() == pytest.approx([1.0, 4**0.75 - 1])
    ledger.book(job, ledger.meet(job), nothing(2, 2))
    assert ledger.used.sum() == 2.5


def test_the_floor_is_a_share_of_what_earlier_jobs_offered_for_a_unit() -> None:
    # worth 10 for 2 epochs of one chunk, 2 worker-slots of a gpu; then 2 for one worker-slot
    auction = one_resource({"epochs": 2}, {"utility": [2.0, 1.0, 0.0]})
    ledger = Ledger(auction, floor=0.5)
    assert (ledger.prices.resource == 0).all()  # whoever comes first meets prices (6)
    twin = ledger.copy()
    for job, price in zip(auction.jobs, [0.5 * 10 / 2, 0.5 * 12 / 3], strict=True):
        ledger.hear(job)
        assert (ledger.prices.resource == price).all()
    found = Proposal(1.0, 0, 0.0, np.array([[1, 0]]), np.array([0]), np.array([0]))
    ledger.book(auction.jobs[0], ledger.meet(auction.jobs[0]), found)
    assert ledger.prices.resource[0, 0].tolist() == [2.0 + 4**0.5 - 1, 2.0, 2.0]
    assert (twin.prices.resource == 0).all()
    twin.hear(auction.jobs[0])
    assert (twin.prices.resource == 2.5).all()
    with pytest.raises(InvalidOption, match="price_floor = -1"):
        Ledger(auction, floor=-1.0)


def test_the_floor_is_shared_by_what_was_asked_for_in_worker_slots() -> None:
    # worth 10 for 3 epochs of 2 chunks at 4 chunks a worker-slot: 1.5 worker-slots of 2 gpus
    auction = one_resource().replace(
        resource_names=["gpu", "cpu", "ssd"],
        site_capacity=[[2.0] * 3] * 2,
        price_base_resource=[4.0] * 3,
        jobs=[
            {
                "arrival": 0, "utility": [10.0] * 3, "data": [2, 0], "epochs": 3, "worker_rate": 4,
                "worker_demand": [2.0, 1.0, 0.0], "server_demand": [0.0] * 3, "parameter_size": 1.0,
            }
        ],
    )  # fmt: skip
    ledger = Ledger(auction, floor=0.5)
    ledger.hear(auction.jobs[0])
    assert ledger.unit_floor().tolist() == [0.5 * 10 / 3 / 2, 0.5 * 10 / 1.5 / 2, 0.0]


@pytest.mark.parametrize("nothing_asked", [{"data": [0, 0]}, {"worker_demand": [0.0]}])
def test_jobs_that_ask_for_nothing_leave_the_floor(nothing_asked) -> None:
    auction = one_resource({}, {"utility": [1000.0, 1.0, 0.0], **nothing_asked})
    ledger = Ledger(auction, floor=0.5)
    for job in auction.jobs:
        ledger.hear(job)
        assert (ledger.prices.resource == 5.0).all()


@pytest.mark.parametrize(("money", "units"), [(2.0**40, 1.0), (1.0, 2.0**-40), (0.5, 4.0)])
def test_the_floor_changes_with_the_units(money: float, units: float) -> None:
    floors = []
    for auction in (library.load("eris/tiny"), library.load("eris/dear_server")):
        for each in (auction, auction_in(auction, money=money, units=units)):
            ledger = Ledger(each, floor=0.5)
            for job in each.jobs:
                ledger.hear(job)
            floors.append(ledger.unit_floor())
        assert floors[-1].any()
        assert np.array_equal(floors[-1], floors[-2] * money / units)
