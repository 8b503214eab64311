"""Algorithms 2 and 3 to the letter, held against a program written from the paper alone."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices
from farkas.online.eris.environment import Ledger
from farkas.online.eris.eris import accepted
from farkas.online.eris.printed_scheduler import printed_schedule, printed_slot
from farkas.relaxations.eris.payoff_bound import JobSlots, job_slots
from tests.generators.eris import one_resource, random_auction
from tests.references.eris_printed import PaperValue


def check(auction: Auction) -> int:
    """Compare schedules and slots of every job; return how many slots move a part of a chunk."""
    parts = 0
    for index, job in enumerate(auction.jobs):
        seen = Ledger.in_state_of(auction).meet(job)
        paper = PaperValue(auction, index)
        for workload in range(1, seen.chunks + 1):
            cost, server, moved, workers = printed_slot(seen, 0, workload)
            wanted = paper.deploy(job.arrival, workload)
            assert cost == pytest.approx(wanted.cost, abs=1e-9)
            assert (server, moved) == (wanted.server, wanted.moved)
            assert tuple(workers.tolist()) == wanted.workers
            parts += moved.denominator > 1
        if seen.chunks == 0:
            continue
        found, (payoff, finish, plan) = (
            printed_schedule(seen),
            paper.schedule(),
        )
        assert found.payoff == pytest.approx(payoff, abs=1e-7)
        assert found.finish == (finish - job.arrival if finish >= 0 else -1)
        slots = {job.arrival + int(slot) for slot in found.slots}
        assert slots == set(plan)
        for slot, wanted in plan.items():
            here = slot - job.arrival
            assert tuple(found.workers[here].tolist()) == wanted.workers
            assert found.server[here] == wanted.server
            assert found.moved[here] == math.ceil(wanted.moved)
    return parts


@pytest.mark.parametrize("seed", range(20))
def test_schedules_are_those_of_the_paper(seed: int) -> None:
    check(random_auction(seed, most_chunks=6, jobs=4, most_sites=5))


def test_slots_in_which_many_sites_move_data_are_those_of_the_paper() -> None:
    rng = np.random.default_rng(0)
    parts = 0
    for _ in range(12):
        sites = 8
        capacity = rng.integers(1, 6, (sites, 2)).astype(float)
        auction = random_auction(5).replace(
            sites=sites,
            slots=1,
            site_capacity=capacity,
            transfer_budget=12.0,
            chunk_size=float(rng.choice([1.0, 0.7])),
            jobs=[
                {
                    "arrival": 0, "utility": [60.0], "data": rng.integers(0, 3, sites),
                    "epochs": 2, "worker_rate": 3, "worker_demand": [1.0, 0.5],
                    "server_demand": [0.0, 1.0], "parameter_size": 0.5,
                }
            ],
            occupied={
                "transfer": [float(rng.choice([3.0, 10.9]))],
                "resources": capacity[:, :, None] * rng.uniform(0, 0.9, (sites, 2, 1)),
            },
        )  # fmt: skip
        parts += check(auction)
    assert parts > 10  # P/E = 3/2 is not rounded


def met(auction: Auction, *worker_prices: float) -> JobSlots:
    price = np.array(worker_prices)[:, None, None] * np.ones((1, 1, auction.slots))
    return job_slots(auction, auction.jobs[0], Prices(np.zeros(auction.slots), price), None, None)


def test_a_part_of_a_chunk_is_moved_as_printed() -> None:
    # one worker fits at site 1 and makes 3 of 2 passes: 3/2 chunks
    auction = one_resource(
        {"data": [2, 0], "epochs": 2, "worker_rate": 3, "utility": [99.0, 0.0, 0.0]},
        site_capacity=[[9.0], [1.0]],
    )
    seen = met(auction, 9.0, 1.0)
    assert printed_slot(seen, 0, 2)[2] == Fraction(3, 2)
    assert printed_schedule(seen).moved.tolist() == [2, 0, 0]  # of which a schedule moves the whole


def test_sites_of_equal_price_but_for_rounding_exchange_nothing() -> None:
    auction = one_resource({"data": [1, 0]})
    moved = [
        printed_slot(met(auction, *price), 0, 1)[2] for price in ((0.1 + 0.2, 0.3), (0.31, 0.3))
    ]
    assert moved == [0, 1]


def test_later_completion_must_pay_more_than_rounding() -> None:
    # worth 10 in every slot, and free in slot 1: slot 0 is left to save more than 1e-9 of 10
    auction = one_resource({"utility": [10.0, 10.0, 10.0]})
    price = np.zeros((2, 1, 3))
    for first, finish in ((1e-9, 0), (1e-7, 1)):
        price[:, :, 0] = first
        seen = job_slots(auction, auction.jobs[0], Prices(np.zeros(3), price), None, None)
        assert printed_schedule(seen).finish == finish


def test_jobs_are_booked_one_after_the_other() -> None:
    # two gpus, base 4: the second job pays 1, the third finds nothing free
    jobs = [{"utility": [worth]} for worth in (3.0, 5.0, 9.0)]
    ledger = Ledger(one_resource(*jobs, slots=1, sites=1, site_capacity=[[2.0]]))
    run = [(index, found.worth, found.cost) for index, _, found in accepted(ledger, "printed")]
    assert run == [(0, 3.0, 0.0), (1, 5.0, pytest.approx(1.0))]
    assert ledger.used.tolist() == [[[2.0]]]
