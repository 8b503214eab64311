"""Schedulers against their references, against exact programs and against brute force."""

from __future__ import annotations

import numpy as np
import pytest

import farkas.compiled
from farkas.algebra import programs
from farkas.compiled import Kernel
from farkas.instances import library
from farkas.instances.eris import Auction
from farkas.models.eris.best_schedule import PricedJobs
from farkas.models.eris.one_shot import OneShot, SlotTask
from farkas.models.eris.prices import posted_on_arrival
from farkas.online.eris.eris import Eris
from farkas.online.eris.executable import executable
from farkas.online.eris.ledger import Ledger
from farkas.online.eris.one_slot import bound_workloads, cover_with_transfer, new_bounds
from farkas.online.eris.printed_run import printed_run
from farkas.online.eris.scheduler_dp import ROUNDS, best_plan, repaired_schedule
from farkas.online.eris.scheduler_exact import exact_schedule
from farkas.online.eris.scheduler_printed import printed_plan, printed_schedule, printed_slot
from farkas.proofs.eris.samples import ledger_of
from farkas.relaxations.eris.job_slots import job_slots, slot_of
from farkas.solvers import Claimed, solve
from tests.generators.eris import random_auction
from tests.references.eris_payoff import slot_costs
from tests.references.eris_printed import algorithm_2, algorithm_3
from tests.tools.samples import seeds


def best_payoff(auction: Auction, job: int) -> float:
    data = PricedJobs(auction, (job,), posted_on_arrival(auction))
    return max(0.0, solve(programs.build("eris.best_schedule").form(data)).objective)


@pytest.mark.parametrize("seed", range(120))
def test_compiled_and_plain_printed_algorithms_agree(seed: int) -> None:
    auction = random_auction(seed, most_chunks=6, jobs=4)
    prices = posted_on_arrival(auction)
    for job in auction.jobs:
        seen = job_slots(auction, job, prices, auction.transferred, auction.used)
        fast, plain = printed_schedule(seen), algorithm_2(seen)
        assert fast.payoff == pytest.approx(plain.payoff, abs=1e-9)
        assert fast.finish == plain.finish
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
    for _ in range(20):
        sites = 8
        capacity = rng.integers(1, 6, (sites, 2)).astype(float)
        auction = base.replace(
            sites=sites,
            slots=2,
            site_capacity=capacity,
            transfer_budget=12.0,
            chunk_size=1.0,
            jobs=[
                {
                    "arrival": 0, "utility": [60.0, 40.0], "data": rng.integers(0, 4, sites),
                    "epochs": 2, "worker_rate": 3, "worker_demand": [1.0, 0.5],
                    "server_demand": [0.0, 1.0], "parameter_size": 0.5,
                }
            ],
            occupied={
                "transfer": [3.0, 0.0],
                "resources": capacity[:, :, None] * rng.uniform(0, 0.9, (sites, 2, 2)),
            },
        )  # fmt: skip
        prices = posted_on_arrival(auction)
        seen = job_slots(auction, auction.jobs[0], prices, auction.transferred, auction.used)
        fast, plain = printed_schedule(seen), algorithm_2(seen)
        assert fast.payoff == pytest.approx(plain.payoff, abs=1e-9)
        assert np.array_equal(fast.workers, plain.workers)
        assert np.array_equal(fast.moved, plain.moved)


@pytest.mark.parametrize(("scheduler", "kernel"), [("dp", best_plan), ("printed", printed_plan)])
def test_long_auctions_have_their_scheduler_compiled_before_clocks_start(
    scheduler: str, kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each job alone is short, so only the sum over all jobs tells.
    compiled: list[Kernel] = []
    monkeypatch.setitem(vars(kernel), "machine", None)  # so that what was there comes back
    monkeypatch.delitem(vars(kernel), "machine")
    monkeypatch.setattr(farkas.compiled, "translate", lambda k: compiled.append(k) or k.interpret)
    policy, auction = Eris(scheduler=scheduler), library.load("eris/demo")
    step = policy_steps(scheduler, auction)
    monkeypatch.setattr(farkas.compiled, "STEPS_INTERPRETED", kernel.interpreted + sum(step))
    policy.prepare(auction)
    assert compiled == []
    monkeypatch.setattr(farkas.compiled, "STEPS_INTERPRETED", kernel.interpreted + max(step))
    policy.prepare(auction)
    assert compiled == [kernel]


def policy_steps(scheduler: str, auction: Auction) -> list[int]:
    """What the kernel itself says of every job when it meets it."""
    ledger = Ledger(auction)
    seen = [ledger.meet(job) for job in auction.jobs]
    if scheduler == "printed":
        return [printed_plan.steps(job) for job in seen]
    return [best_plan.steps(job, job, ROUNDS) for job in seen]


@seeds(20, 60)
def test_one_slot_bounds_enclose_the_optimum_of_8(seed: int) -> None:
    auction = random_auction(seed, most_chunks=5)
    prices = posted_on_arrival(auction)
    for index, job in enumerate(auction.jobs):
        seen = job_slots(auction, job, prices, auction.transferred, auction.used)
        total = seen.chunks
        tables = np.empty((4, auction.sites + 1, total + 1))
        bounds = new_bounds(total)
        lower, upper = bounds.lower, bounds.upper
        for t in range(seen.window):
            bound_workloads(slot_of(seen, t, seen.data), 8, -1, tables, bounds)
            assert (lower[0], upper[0]) == (0.0, 0.0)
            for workload in range(1, total + 1):
                slot = job.arrival + t
                task = SlotTask(auction, prices, index, slot, workload, auction.data[index])
                answer = solve(OneShot().form(task))
                best = np.inf if answer.claim is Claimed.INFEASIBLE else answer.objective
                slack = 1e-5 * max(1.0, best) if np.isfinite(best) else 0.0
                assert lower[workload] <= best + slack
                assert upper[workload] >= best - slack


@pytest.mark.parametrize("seed", range(30))
def test_covers_with_transfer_cost_what_covers_without_cost(seed: int) -> None:
    auction = random_auction(seed, most_chunks=6)
    prices = posted_on_arrival(auction)
    for job in auction.jobs:
        seen = job_slots(auction, job, prices, auction.transferred, auction.used)
        tables = np.empty((4, auction.sites + 1, seen.chunks + 1))
        costs = slot_costs(seen)
        for t in range(seen.window):
            cover_with_transfer(slot_of(seen, t, seen.data), 0.0, tables)
            assert tables[1, -1, 1:] == pytest.approx(costs[t, 1:])


@pytest.mark.parametrize("seed", range(80))
def test_repaired_schedules_can_run_and_their_bound_holds(seed: int) -> None:
    auction = random_auction(seed, most_chunks=4, jobs=4)
    for index, job in enumerate(auction.jobs):
        ledger = ledger_of(auction)
        seen = ledger.meet(job)
        found = repaired_schedule(auction, job, seen)
        best = best_payoff(auction, index)
        slack = 1e-6 * max(1.0, best)
        assert found.payoff <= best + slack
        assert found.bound >= best - slack
        if found.finish < 0:
            continue
        assert executable(job, found.workers, found.moved)
        assert found.worth == pytest.approx(seen.worth[found.finish])
        ledger.book(job, seen, found)
        assert (ledger.transferred <= auction.transfer_budget + 1e-6).all()
        assert (ledger.used <= auction.capacity[:, :, None] + 1e-6).all()


@seeds(20, 60)
def test_exact_schedules_earn_the_best_payoff(seed: int) -> None:
    auction = random_auction(seed, most_chunks=4, jobs=4)
    for index, job in enumerate(auction.jobs):
        ledger = ledger_of(auction)
        seen = ledger.meet(job)
        found = exact_schedule(ledger, job, seen, repaired_schedule(auction, job, seen))
        assert found.payoff == pytest.approx(best_payoff(auction, index), abs=1e-5)
        assert found.bound == pytest.approx(found.payoff, abs=1e-5)
        assert found.finish < 0 or executable(job, found.workers, found.moved)


def test_flow_audit_counts_chunks_over_all_slots() -> None:
    # one chunk at each of two sites; site 0 works in both slots, nothing moves: site 1 is left out
    job = library.load("eris/one_chunk_twice").jobs[0]
    assert not executable(job, np.array([[1, 0], [1, 0]]), np.array([0, 0]))
    assert executable(job, np.array([[1, 0], [1, 0]]), np.array([0, 1]))
    assert executable(job, np.array([[1, 1]]), np.array([0]))
    assert not executable(job, np.zeros((1, 2), int), np.array([9]))


def test_moves_that_are_not_needed_do_no_harm_to_the_audit() -> None:
    # 3 workers could process 3 chunks with the move allowed; only 2 exist
    job = library.load("eris/one_chunk_twice").jobs[0]
    assert executable(job, np.array([[2, 1]]), np.array([1]))


def test_the_printed_run_books_schedules_that_cannot_run() -> None:
    run = printed_run(library.load("eris/above_optimum"))
    assert run.welfare == pytest.approx(119.723)
    assert run.infeasible_jobs == 1


def test_a_ledger_posts_the_prices_of_its_use() -> None:
    auction = library.load("eris/tiny")
    ledger = Ledger(auction, floor=0.25)
    job = auction.jobs[1]  # one chunk at site 1, workers and servers of 2 and 1 cpu
    seen = ledger.meet(job)
    found = repaired_schedule(auction, job, seen)
    twin = ledger.copy()
    ledger.book(job, seen, found)
    used = ledger.used[:, 1, 0]
    assert sorted(used.tolist()) == [0.0, 3.0]
    site = int(np.argmax(used))
    expected = 0.25 + 90.0 ** (3.0 / auction.capacity[site, 1]) - 1.0
    assert ledger.prices.resource[site, 1, 0] == pytest.approx(expected)
    assert twin.used.sum() == 0.0


def test_covers_that_differ_by_little_transfer_are_all_considered() -> None:
    # moving the chunk to the server's site takes 1.001 MB, keeping it away from the server 1 MB:
    # only the latter fits 1.0005 MB, and at a worker price of 5 at site 0 it leaves 100 - 5
    auction = Auction.build(
        name="close", slots=1, sites=2, resource_names=["gpu", "cpu"],
        site_capacity=[[1, 0], [1, 1]], transfer_budget=1.0005, chunk_size=1.001,
        price_base_transfer=2, price_base_resource=[2, 2],
        jobs=[{
            "arrival": 0, "utility": [100], "data": [1, 0], "epochs": 1, "worker_rate": 1,
            "worker_demand": [1, 0], "server_demand": [0, 1], "parameter_size": 1,
        }],
    )  # fmt: skip
    ledger = Ledger(auction)
    ledger.prices.resource[0, 0, 0] = 5.0
    job = auction.jobs[0]
    seen = ledger.meet(job)
    found = repaired_schedule(auction, job, seen)
    assert found.bound >= 95.0
    assert exact_schedule(ledger, job, seen, found).payoff == pytest.approx(95.0)
