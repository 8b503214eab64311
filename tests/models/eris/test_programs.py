"""Four ways to write problem (2), brute force beside them, and the single-job programs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.errors import InvalidOption, NotApplicable
from farkas.instances import library
from farkas.instances.eris import Auction, workers_for
from farkas.models.eris.best_schedule import PricedJobs
from farkas.models.eris.one_shot import OneShot, SlotTask
from farkas.models.eris.prices import Prices, posted, posted_on_arrival
from farkas.models.eris.schedules import compositions, list_schedules, unbeaten
from farkas.solvers import Claimed, solve
from tests.generators.eris import random_auction


def optimum(name: str, data: object) -> float:
    return solve(programs.build(name).form(data)).require_optimal().objective


@pytest.mark.parametrize("seed", range(12))
def test_compact_explicit_and_listed_forms_have_one_optimum(seed: int) -> None:
    auction = random_auction(seed)
    compact = optimum("eris.offline", auction)
    assert optimum("eris.offline[explicit]", auction) == pytest.approx(compact, abs=1e-6)
    assert optimum("eris.schedule_ilp", auction) == pytest.approx(compact, abs=1e-6)
    # counting chunks over all sites together only relaxes
    assert optimum("eris.offline_total", auction) >= compact - 1e-6


@pytest.mark.parametrize("seed", range(12))
def test_the_dual_meets_the_relaxation_over_listed_schedules(seed: int) -> None:
    auction = random_auction(seed)
    relaxed = optimum("eris.schedule_lp", auction)
    assert optimum("eris.dual", auction) == pytest.approx(relaxed, abs=1e-6)
    assert relaxed >= optimum("eris.offline", auction) - 1e-6


def test_data_location_counts_only_in_the_corrected_program() -> None:
    # integrality_gap of the case files: 81.594 by site, 92.893 over all sites together
    auction = library.load("eris/integrality_gap")
    assert optimum("eris.offline", auction) == pytest.approx(81.594)
    assert optimum("eris.offline_total", auction) == pytest.approx(92.893)
    assert optimum("eris.schedule_lp", auction) == pytest.approx(87.2435)


@pytest.mark.parametrize("seed", range(12))
def test_best_schedule_earns_what_the_best_listed_schedule_earns(seed: int) -> None:
    auction = random_auction(seed)
    prices = posted_on_arrival(auction)
    listed = list_schedules(auction)
    payoff = (
        listed.worth
        - listed.transfer @ prices.transfer
        - np.einsum("nrkt,rkt->n", listed.used, prices.resource)
    )
    for job in range(auction.num_jobs):
        best = max(0.0, payoff[listed.job == job].max(initial=0.0))
        found = optimum("eris.best_schedule[full]", PricedJobs(auction, (job,), prices))
        assert max(0.0, found) == pytest.approx(best, abs=1e-6)


def brute_one_shot(task: SlotTask) -> float:
    """Cheapest of all (chunks per site, chunks at home, server) that fit; inf without any."""
    auction, slot = task.auction, task.slot
    job = auction.jobs[task.job]
    free = auction.capacity - auction.used[:, :, slot]
    price = task.prices.resource[:, :, slot]
    best = np.inf
    for chunks in compositions(task.workload, auction.sites):
        workers = np.array([workers_for(int(q), job.epochs, job.worker_rate) for q in chunks])
        moved = np.maximum(0, chunks - task.remaining).sum()
        for server in range(auction.sites):
            use = np.outer(workers, job.worker_demand)
            use[server] += job.server_demand
            mb = auction.chunk_size * moved
            mb += job.parameter_size * (workers.sum() - workers[server])
            left = auction.transfer_budget - auction.transferred[slot]
            if (use <= free + 1e-9).all() and mb <= left + 1e-9:
                best = min(best, task.prices.transfer[slot] * mb + (use * price).sum())
    return best


@pytest.mark.parametrize("seed", range(30))
def test_one_shot_is_the_cheapest_of_all_placements(seed: int) -> None:
    auction = random_auction(seed, most_chunks=4)
    prices = posted_on_arrival(auction)
    for job in range(auction.num_jobs):
        total = int(auction.chunks[job])
        for workload in range(1, total + 1):
            slot = int(auction.arrival[job])
            task = SlotTask(auction, prices, job, slot, workload, auction.data[job])
            answer = solve(OneShot().form(task))
            expected = brute_one_shot(task)
            if np.isinf(expected):
                assert answer.claim is Claimed.INFEASIBLE
            else:
                assert answer.require_optimal().objective == pytest.approx(expected, abs=1e-6)


def test_one_shot_of_no_chunks_is_refused_by_name() -> None:
    auction = library.load("eris/tiny")
    with pytest.raises(InvalidOption, match="workload = 0"):
        SlotTask(auction, posted_on_arrival(auction), 0, 0, 0, auction.data[0])


def test_jobs_without_data_complete_on_arrival_and_use_nothing() -> None:
    tiny = library.load("eris/tiny")
    job = tiny.jobs[0]
    idle = Auction.build(
        **{name: getattr(tiny, name) for name in tiny.__struct_fields__ if name != "jobs"},
        jobs=[{**{n: getattr(job, n) for n in job.__struct_fields__}, "data": (0, 0)}],
    )
    for name in ("eris.offline", "eris.offline[explicit]", "eris.schedule_ilp", "eris.dual"):
        assert optimum(name, idle) == pytest.approx(35.0)


def test_an_auction_without_jobs_is_worth_nothing() -> None:
    empty = library.load("eris/tiny").replace(jobs=())
    for name in ("eris.offline", "eris.offline[explicit]", "eris.schedule_lp", "eris.dual"):
        assert optimum(name, empty) == 0.0
    with pytest.raises(NotApplicable):
        programs.build("eris.one_shot").form(empty)


def test_listing_refuses_jobs_with_too_many_schedules() -> None:
    tiny = library.load("eris/tiny")
    record = {n: getattr(tiny.jobs[0], n) for n in tiny.jobs[0].__struct_fields__}
    large = tiny.replace(jobs=[{**record, "data": (40, 40)}])
    with pytest.raises(NotApplicable, match=r"jobs\[0\] has .* spreads"):
        programs.build("eris.schedule_ilp").form(large)


def test_prices_grow_exponentially_and_are_zero_without_capacity() -> None:
    tiny = library.load("eris/tiny").replace(site_capacity=[[0, 8], [2, 7]], occupied=None)
    used = np.zeros((2, 2, 3))
    used[1, 0, 0] = 1.0  # half of 2 gpus, base 40
    prices = posted(tiny, np.array([4.0, 2.0, 0.0]), used, floor=0.5)
    assert prices.transfer == pytest.approx([39.0, 40**0.5 - 1, 0.0])
    assert prices.resource[1, 0] == pytest.approx([40**0.5 - 0.5, 0.5, 0.5])
    assert (prices.resource[0, 0] == 0).all()
    with pytest.raises(InvalidOption, match="price_floor"):
        posted(tiny, np.zeros(3), used, floor=-1.0)


def test_rent_is_capacity_times_price() -> None:
    tiny = library.load("eris/tiny")
    ones = Prices(np.ones(3), np.ones((2, 2, 3)))
    assert ones.rent(tiny) == pytest.approx(3 * 4.0 + 3 * (1 + 8 + 2 + 7))


def test_compositions_are_all_ordered_sums() -> None:
    found = {tuple(row) for row in compositions(3, 3)}
    assert found == {c for c in itertools.product(range(4), repeat=3) if sum(c) == 3}


def test_a_row_is_beaten_by_one_that_is_nowhere_larger() -> None:
    rows = np.array([[1, 2], [2, 1], [2, 2], [1, 2], [0, 9]])
    assert unbeaten(rows).tolist() == [0, 1, 4]
