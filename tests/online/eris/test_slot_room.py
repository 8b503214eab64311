"""One slot as the baselines see it."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances.eris import Auction
from farkas.online.eris.antman import QueuedJob, SlotCapacity, SlotPlacement
from farkas.online.eris.environment import Piece, coarse
from tests.generators.eris import auction_in, one_resource


def waiting_job(auction: Auction, *remaining: int) -> QueuedJob:
    return QueuedJob(0, auction.jobs[0], np.array(remaining))


@pytest.mark.parametrize(
    ("remaining", "held", "workers", "server"),
    [
        ((1, 1), (0.0, 0.0), [1, 0], 0),  # equal prices, equal data: the first
        ((1, 2), (0.0, 0.0), [0, 1], 1),  # equal prices: more data
        ((1, 2), (0.0, 0.1), [1, 0], 0),  # a price decides before data
        ((1, 2), (1.6, 1.5), [0, 0], None),  # no site holds worker and server
    ],
)
def test_sites_are_taken_by_price_then_data_then_number(
    remaining: tuple[int, int], held: tuple[float, float], workers: list[int], server: int | None
) -> None:
    auction = one_resource({"server_demand": [0.5]}, site_capacity=[[2.0], [2.0]])
    room = SlotCapacity(auction, 0)
    room.held[:, 0] = held
    found = room.place(waiting_job(auction, *remaining), 1)
    assert (found is None) is (server is None)
    if found is not None:
        assert (found.workers.tolist(), found.server) == (workers, server)


def test_prices_that_differ_by_rounding_leave_the_choice_to_the_data() -> None:
    auction = one_resource({})
    room = SlotCapacity(auction, 0)
    room.held[:, 0] = 0.6, 0.2 + 0.4
    prices, _ = room.prices()
    assert prices[0, 0] < prices[1, 0]
    found = room.place(waiting_job(auction, 1, 2), 1)
    assert found is not None
    assert found.server == 1


@pytest.mark.parametrize("unit", [2.0**-40, 1.0, 2.0**40])
def test_a_slot_is_full_but_for_rounding(unit: float) -> None:
    # three workers of 0.1 fill 0.3 gpus, and 0.1 + 0.1 + 0.1 MB of parameters 0.3 MB
    job = {"worker_demand": [0.1], "parameter_size": 0.1, "data": [0, 9]}
    auction = auction_in(
        one_resource(job, site_capacity=[[0.3], [0.3]], transfer_budget=0.3, chunk_size=0.0),
        data=unit, units=unit,
    )  # fmt: skip
    room = SlotCapacity(auction, 0)
    for _ in range(3):
        alone = SlotPlacement(np.array([0, 1]), 0)
        assert room.run(waiting_job(auction, 0, 9), alone) is not None
    assert room.transferred > auction.transfer_budget
    assert room.run(waiting_job(auction, 0, 9), SlotPlacement(np.array([0, 1]), 0)) is None
    again = room.place(waiting_job(auction, 0, 9), 1)
    assert again is not None
    assert again.server == 0  # site 1 is full


def test_what_runs_is_paid_at_the_prices_before_it() -> None:
    # half of 2 gpus and of 4 MB in use: 4**.5 - 1 = 1 a gpu, 2**.5 - 1 an MB
    job = {"data": [0, 2], "parameter_size": 0.25, "server_demand": [0.5], "utility": [9.0]}
    auction = one_resource(job, slots=1, transfer_budget=4.0, chunk_size=1.0)
    room = SlotCapacity(auction, 0)
    room.held[0], room.transferred = 1.0, 2.0
    waiting = waiting_job(auction, 0, 2)
    ran = room.run(waiting, SlotPlacement(np.array([1, 1]), 1))
    assert ran == Piece(0, 0, 1, ((0, 1), (1, 1)), 1)
    # a remote worker and a chunk moved: 1.25 MB; a worker at site 0; the rest is free as yet
    assert waiting.paid == pytest.approx(1.25 * (2**0.5 - 1) + 1.0)
    assert waiting.remaining.tolist() == [0, 0]
    assert room.transferred == 3.25
    assert room.held[:, 0].tolist() == [2.0, 1.5]


@pytest.mark.parametrize("unit", [2.0**-60, 1.0, 2.0**60])
def test_prices_tie_when_they_differ_by_rounding_only(unit: float) -> None:
    prices = unit * np.array([0.1 + 0.2, 0.3, 0.3 * (1 + 1e-8), 1e-5 * (0.1 + 0.2), 3e-6, 0.0])
    first, second, third, fourth, fifth, nothing = coarse.function(prices, prices)
    assert first == second < third
    assert fourth == fifth == pytest.approx(unit * 3e-6, rel=1e-9)
    assert nothing == 0.0
    near = unit * np.array([1.0 - 1e-11, 1.0, 1.0 + 1e-11])
    assert coarse.function(near, near).tolist() == [unit] * 3


def test_differences_tie_by_the_size_of_what_was_subtracted() -> None:
    # 1e6 + 0.1 - 1e6 is off by 1e-11: the same difference as 0.1 when measured by a million
    differences = np.array([1e6 + 0.1 - 1e6, 0.1])
    assert differences[0] != differences[1]
    found = coarse.function(differences, np.full(2, 1e6))
    assert found[0] == found[1] == pytest.approx(0.1, abs=1e-3)
