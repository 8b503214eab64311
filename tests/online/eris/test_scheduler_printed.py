"""Algorithms 2 and 3 to the letter: kernel and plain reference."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances import library
from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices, posted_on_arrival
from farkas.online.eris.scheduler_printed import printed_run, printed_schedule, printed_slot
from farkas.relaxations.eris.payoff_bound import JobSlots, job_slots
from tests.generators.eris import one_resource, random_auction
from tests.references.eris_printed import algorithm_2, algorithm_3


@pytest.mark.parametrize("seed", range(120))
def test_compiled_and_plain_printed_algorithms_agree(seed: int) -> None:
    auction = random_auction(seed, most_chunks=6, jobs=4)
    prices = posted_on_arrival(auction)
    for job in auction.jobs:
        seen = job_slots(auction, job, prices, auction.transferred, auction.used)
        fast, plain = printed_schedule(seen), algorithm_2(seen)
        assert fast.payoff == pytest.approx(plain.payoff, abs=1e-9)
        assert fast.finish == plain.finish
        assert fast.cost == pytest.approx(plain.cost, abs=1e-9)
        assert np.array_equal(fast.workers, plain.workers)
        assert np.array_equal(fast.server, plain.server)
        assert np.array_equal(fast.moved, plain.moved)
        for workload in range(1, seen.chunks + 1):
            cost, server, moved, workers = printed_slot(seen, 0, workload)
            expected = algorithm_3(seen, 0, workload)
            assert cost == pytest.approx(expected[0])
            assert (server, moved) == expected[2:]
            assert np.array_equal(workers, expected[1])


def test_printed_algorithms_agree_when_many_sites_move_data() -> None:
    rng = np.random.default_rng(0)
    base = random_auction(5)
    for _ in range(30):
        sites = 8
        capacity = rng.integers(1, 6, (sites, 2)).astype(float)
        auction = base.replace(
            sites=sites,
            slots=2,
            site_capacity=capacity,
            transfer_budget=12.0,
            chunk_size=float(rng.choice([1.0, 0.7])),
            jobs=[
                {
                    "arrival": 0, "utility": [60.0, 40.0], "data": rng.integers(0, 6, sites),
                    "epochs": 2, "worker_rate": 3, "worker_demand": [1.0, 0.5],
                    "server_demand": [0.0, 1.0], "parameter_size": 0.5,
                }
            ],
            occupied={
                "transfer": [float(rng.choice([3.0, 10.9])), 0.0],
                "resources": capacity[:, :, None] * rng.uniform(0, 0.9, (sites, 2, 2)),
            },
        )  # fmt: skip
        prices = posted_on_arrival(auction)
        seen = job_slots(auction, auction.jobs[0], prices, auction.transferred, auction.used)
        fast, plain = printed_schedule(seen), algorithm_2(seen)
        assert fast.payoff == pytest.approx(plain.payoff, abs=1e-9)
        assert np.array_equal(fast.workers, plain.workers)
        assert np.array_equal(fast.moved, plain.moved)
        for workload in range(1, seen.chunks + 1):
            cost, server, moved, workers = printed_slot(seen, 0, workload)
            wanted = algorithm_3(seen, 0, workload)
            assert cost == pytest.approx(wanted[0])
            assert (workers.tolist(), server, moved) == (wanted[1].tolist(), *wanted[2:])


def met(auction: Auction, *worker_prices: float) -> JobSlots:
    price = np.array(worker_prices)[:, None, None] * np.ones((1, 1, auction.slots))
    return job_slots(auction, auction.jobs[0], Prices(np.zeros(auction.slots), price), None, None)


def test_what_may_be_moved_is_no_less_after_something_was_moved() -> None:
    # by (10) each of two pairs may move one chunk of 1 MB, though 1 MB is all: they do not fit
    auction = one_resource({"data": [1, 1, 0]}, sites=3, site_capacity=[[4.0]] * 3,
                           transfer_budget=1.0)  # fmt: skip
    seen = met(auction, 5.0, 5.0, 1.0)
    cost, _, moved, workers = printed_slot(seen, 0, 2)
    assert (cost, moved, workers.tolist()) == (np.inf, 2, [0, 0, 2])
    wanted = algorithm_3(seen, 0, 2)
    assert (wanted[0], wanted[3], wanted[1].tolist()) == (cost, moved, workers.tolist())


@pytest.mark.parametrize(
    ("data", "room", "prices", "budget", "workload", "moved"),
    [
        ((3, 2, 1, 3), (3, 3, 4, 1), (11, 4, 6, 7), 1.0, 9, 2),
        ((2, 3, 4, 0), (3, 2, 4, 5), (6, 5, 8, 3), 2.0, 8, 5),
    ],
)
def test_sites_that_are_too_full_to_take_chunks_give_none(  # type: ignore[no-untyped-def]
    data, room, prices, budget, workload, moved
) -> None:
    auction = one_resource({"data": list(data)}, sites=4, transfer_budget=budget,
                           site_capacity=[[float(each)] for each in room])  # fmt: skip
    seen = met(auction, *map(float, prices))
    found, wanted = printed_slot(seen, 0, workload), algorithm_3(seen, 0, workload)
    assert found[2] == wanted[3] == moved
    assert found[3].tolist() == wanted[1].tolist()


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


def test_the_printed_run_books_schedules_that_cannot_run() -> None:
    run = printed_run(library.load("eris/above_optimum"))
    assert run.welfare == pytest.approx(119.723)
    assert run.infeasible_jobs == 1


def test_jobs_are_booked_one_after_the_other() -> None:
    # two gpus, base 4: the second job pays 1, the third finds nothing free
    jobs = [{"utility": [worth]} for worth in (3.0, 5.0, 9.0)]
    run = printed_run(one_resource(*jobs, slots=1, sites=1, site_capacity=[[2.0]]))
    assert run.accepted == (0, 1)
    assert (run.welfare, run.infeasible_jobs) == (8.0, 0)
    assert run.revenue == pytest.approx(1.0)
    assert run.ledger.used.tolist() == [[[2.0]]]
