"""Algorithms 2 and 3 repaired: schedules that can run, and bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.instances.eris import Auction
from farkas.models.eris.best_schedule import PricedJobs
from farkas.models.eris.prices import Prices, posted_on_arrival
from farkas.numbers import Ints
from farkas.online.eris import scheduler_dp
from farkas.online.eris.environment import Ledger, can_run, pieces_of
from farkas.online.eris.eris import Bid, exact_schedule
from farkas.online.eris.one_slot import new_bounds
from farkas.online.eris.scheduler_dp import best_plan, repaired_schedule
from farkas.proofs.eris.algorithms import propose
from farkas.relaxations.eris.payoff_bound import JobSlots, job_slots, new_plan
from farkas.solvers import solve
from tests.generators.eris import auction_in, one_resource, random_auction
from tests.references import eris_slot


def best_payoff(auction: Auction, job: int) -> float:
    data = PricedJobs(auction, (job,), posted_on_arrival(auction))
    return max(0.0, solve(programs.build("eris.best_schedule").form(data)).objective)


@pytest.mark.parametrize("seed", range(80))
def test_repaired_schedules_can_run_and_their_bound_holds(seed: int) -> None:
    auction = random_auction(seed, most_chunks=4, jobs=4)
    for index, job in enumerate(auction.jobs):
        ledger = Ledger.in_state_of(auction)
        seen = ledger.meet(job)
        found = repaired_schedule(auction, job, seen)
        best = best_payoff(auction, index)
        slack = 1e-6 * max(1.0, best)
        assert found.payoff <= best + slack
        assert found.bound >= best - slack
        if found.finish < 0:
            continue
        assert can_run(job, found)
        assert found.worth == pytest.approx(seen.worth[found.finish])
        slots = found.slots
        cost = (found.workers * seen.worker_price).sum()
        cost += seen.server_price[slots, found.server[slots]].sum()
        assert found.cost == pytest.approx(
            cost + seen.transfer_price @ found.transfer(auction.chunk_size, job.parameter_size)
        )
        ledger.book(job, pieces_of(index, job, found))
        assert (ledger.transferred <= auction.transfer_budget + 1e-6).all()
        assert (ledger.used <= auction.capacity[:, :, None] + 1e-6).all()


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
    assert exact_schedule(Bid(ledger, job, seen), found).payoff == pytest.approx(95.0)


def test_of_equal_schedules_that_with_least_use_is_found() -> None:
    # everything is free: staying at site 0 transfers nothing, at site 1 a chunk; workers of site 0
    # process a chunk a slot, so one of them in each of two slots is no better than two in one
    for site, data in ((0, [1, 0]), (1, [0, 1])):
        auction = one_resource({"data": data, "server_demand": [1.0]})
        found = propose(auction, auction.jobs[0], "dp")
        assert (found.payoff, found.finish, found.cost) == (10.0, 0, 0.0)
        assert found.workers[0].tolist() == data
        assert (found.server[0], found.moved.sum()) == (site, 0)
        assert 10.0 <= found.bound <= 10.0 * (1 + 1e-7)


def test_of_equal_schedules_those_with_fewer_servers_and_workers_are_found() -> None:
    # everything is free; one worker and a server fit in the first slot, two in the second, and two
    # chunks need one slot with a server or two
    auction = one_resource(
        {"data": [2, 0], "server_demand": [1.0]}, site_capacity=[[3.0], [0.0]],
        occupied={"transfer": [0.0] * 3, "resources": [[[1.0, 0.0, 0.0]], [[0.0] * 3]]},
    )  # fmt: skip
    free = Prices(np.zeros(3), np.zeros((2, 1, 3)))
    seen = job_slots(auction, auction.jobs[0], free, auction.transferred, auction.used)
    found = repaired_schedule(auction, auction.jobs[0], seen)
    assert (found.payoff, found.finish, found.slots.tolist()) == (10.0, 1, [1])
    # a worker of a site takes two chunks, one of them moved; a worker each sends as many megabytes
    auction = one_resource({"data": [1, 1], "worker_rate": 2})
    found = propose(auction, auction.jobs[0], "dp")
    assert (found.payoff, found.finish) == (10.0, 0)
    assert (found.workers.sum(), found.moved.sum()) == (1, 1)


def test_of_equal_schedules_over_two_slots_that_with_fewer_workers_is_found() -> None:
    # everything is free, three workers a slot; two chunks take a worker 4/3 slots: four and then
    # two of them need three workers and two, three and three need two and two
    auction = one_resource(
        {"data": [6, 0], "epochs": 2, "worker_rate": 3},
        site_capacity=[[3.0], [0.0]], transfer_budget=0.0,
    )  # fmt: skip
    free = Prices(np.zeros(3), np.zeros((2, 1, 3)))
    seen = job_slots(auction, auction.jobs[0], free, auction.transferred, auction.used)
    found = repaired_schedule(auction, auction.jobs[0], seen)
    assert (found.payoff, found.finish) == (10.0, 1)
    assert found.workers[:, 0].tolist() == [2, 2, 0]


def test_jobs_that_cannot_run_or_are_worth_nothing_get_nothing() -> None:
    auction = one_resource({"worker_demand": [3.0]}, {"utility": [0.0] * 3})
    for job in auction.jobs:
        found = propose(auction, job, "dp")
        assert (found.payoff, found.finish, found.slots.tolist()) == (0.0, -1, [])
        assert 0.0 <= found.bound <= 1e-6


@pytest.mark.parametrize("scheduler", ["dp", "printed"])
@pytest.mark.parametrize("unit", [2.0**-40, 1.0, 2.0**40])
def test_transfer_fits_its_budget_but_for_rounding(scheduler: str, unit: float) -> None:
    # three of four workers away from the server: 0.1 · 3 = 0.30000000000000004 MB of 0.3, not 0.29
    job = {"data": [1, 1, 1, 1], "parameter_size": 0.1}
    for budget, payoff in ((0.3, 10.0), (0.29, 0.0)):
        auction = one_resource(
            dict(job), slots=1, sites=4, site_capacity=[[1.0]] * 4, transfer_budget=budget
        )
        auction = auction_in(auction, data=unit)
        assert propose(auction, auction.jobs[0], scheduler).payoff == payoff


def moving(seed: int) -> tuple[Auction, Prices]:
    """One job of several slots whose chunks often move, for little transfer, at drawn prices."""
    rng = np.random.default_rng(seed)
    sites, slots = int(rng.integers(2, 4)), int(rng.integers(2, 5))
    job = {
        "data": rng.multinomial(rng.integers(2, 7), np.full(sites, 1 / sites)),
        "utility": 60.0 - np.cumsum(rng.integers(0, 5, slots)),
        "parameter_size": float(rng.choice([0.0, 0.5, 1.0])),
        "epochs": int(rng.integers(1, 3)),
        "worker_rate": int(rng.integers(1, 4)),
        "server_demand": [float(rng.choice([0.0, 0.5]))],
    }
    room = rng.integers(0, 4, (sites, 1)).astype(float)
    budget = float(rng.choice([1.0, 2.0, 3.0]))
    auction = one_resource(
        job, slots=slots, sites=sites, site_capacity=room, transfer_budget=budget
    )
    transfer = rng.choice([0.0, 0.5, 1.0], slots)
    return auction, Prices(transfer, rng.integers(0, 9, (sites, 1, slots)).astype(float))


def optimum(auction: Auction, prices: Prices) -> float:
    form = programs.build("eris.best_schedule").form(PricedJobs(auction, (0,), prices))
    return max(0.0, solve(form).objective)


@pytest.mark.parametrize("seed", [8, 46, 53, 133, 181, 275, 517, 687])
def test_plans_whose_chunks_move_reach_the_optimum(seed: int) -> None:
    # which depends on where moved chunks come from, on small workloads, on more multipliers, or
    # on plans for half of the chunks, rounded up, in place
    auction, prices = moving(seed)
    seen = job_slots(auction, auction.jobs[0], prices, None, None)
    found = repaired_schedule(auction, auction.jobs[0], seen)
    assert found.payoff == pytest.approx(optimum(auction, prices), rel=1e-6)
    assert can_run(auction.jobs[0], found)


def test_bounds_are_those_of_the_duals_of_all_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    # with all data in place in every slot: the least cost of the chunks up to each, slot by slot
    monkeypatch.setattr(scheduler_dp, "ROUNDS", 60)
    empty = 0
    for seed in range(80):
        auction, prices = moving(seed)
        seen = job_slots(auction, auction.jobs[0], prices, None, None)
        found = repaired_schedule(auction, auction.jobs[0], seen)
        least, best = [0.0] + [np.inf] * seen.chunks, 0.0
        for t in range(seen.window):
            costs = [0.0, *map(cost_below(seen, t), eris_slot.covers(seen, t)[1:])]
            least = [
                min(costs[d] + least[n - d] for d in range(n + 1)) for n in range(seen.chunks + 1)
            ]
            best = max(best, float(seen.worth[t]) - least[-1])
        # a slot that is never looked at could not be better than what was found
        assert found.bound == pytest.approx(max(best, found.payoff), rel=1e-6, abs=1e-6)
        empty += found.finish < 0 and best > 0
    assert empty > 2


def cost_below(seen: JobSlots, t: int):  # type: ignore[no-untyped-def]
    """Lower bound on the cost of covers in a slot, infinite where none fits."""

    def of(uses: eris_slot.Uses) -> float:
        fits = any(use <= seen.most_transfer[t] for use in uses)
        return eris_slot.dual(uses, float(seen.free_transfer[t])) if fits else np.inf

    return of


@pytest.mark.slow
def test_bounds_take_back_what_settles_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    # a share large enough to spoil schedules, so that the bound has to make up for it
    worse = 0
    for seed in range(60):
        auction, prices = moving(seed)
        seen = job_slots(auction, auction.jobs[0], prices, None, None)
        monkeypatch.setattr(scheduler_dp, "TIE", 0.4)
        found = repaired_schedule(auction, auction.jobs[0], seen)
        best = optimum(auction, prices)
        assert found.bound >= best - 1e-6
        worse += found.payoff < best - 1e-6
    assert worse > 5


def test_of_equal_workloads_the_smaller_is_chosen() -> None:
    before, costs = np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0])
    after, choice = np.empty(3), np.empty(3, np.int64)
    scheduler_dp.add_slot.interpret(before, costs, after, choice)
    assert (after.tolist(), choice.tolist()) == ([0.0, 1.0, 2.0], [0, 0, 0])
    scheduler_dp.add_slot.interpret(np.array([0.0, 1.0, np.inf]), costs, after, choice)
    assert (after.tolist(), choice.tolist()) == ([0.0, 1.0, 2.0], [0, 0, 1])


def crowded(seed: int) -> JobSlots:
    """Four chunks, two sites with hardly room in five slots that are worth about as much."""
    rng = np.random.default_rng(seed)
    shape, free = (5, 2), rng.uniform(0, 3, 5)
    return JobSlots(
        worker_price=rng.uniform(0, 1.0, shape),
        server_price=rng.uniform(0, 0.3, shape),
        alone=rng.integers(0, 3, shape),
        beside_server=rng.integers(-1, 3, shape),
        transfer_price=rng.uniform(0, 0.5, 5),
        free_transfer=free,
        most_transfer=free,
        data=np.array([4, 0] if seed % 2 else [2, 2]),
        worth=9.0 - 0.01 * np.arange(5),
        epochs=1,
        worker_rate=1,
        chunk_size=1.0,
        parameter_size=0.5,
    )


def test_a_plan_that_rests_in_its_last_slots_is_replayed_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plans: list[list[int]] = []
    replay, skipped = scheduler_dp._replay.function, 0

    def noted(job: JobSlots, sought: JobSlots, rounds: int, workloads: Ints, *scratch: Any) -> Any:
        plans.append(workloads.tolist())
        return replay(job, sought, rounds, workloads, *scratch)

    monkeypatch.setattr(scheduler_dp, "_replay", noted)
    for seed in range(60):
        seen = crowded(seed)
        plans.clear()
        best, finish, paid, _, (workers, server, moved) = best_plan.interpret(seen, seen, 6)
        tables = np.empty((4, len(seen.data) + 1, seen.chunks + 1))
        scratch = tables, new_bounds(seen.chunks), new_plan.interpret(5, len(seen.data))
        resting = [plan for plan in plans if len(plan) > 1 and plan[-1] == 0]
        # tables that are begun in a slot know no plan yet, one for each of two modes
        assert len(resting) <= 2
        # what rests on at the end is worth less, and costs what it cost before
        for plan in plans[:]:
            later = np.array([*plan, *[0] * (5 - len(plan))])
            cost = replay(seen, seen, 6, later, *scratch)
            assert seen.worth[4] - cost <= best
            skipped += cost < np.inf and len(plan) < 5
        if finish >= 0:
            assert best == seen.worth[finish] - paid
            assert (workers.sum(axis=1) > 0).tolist() == (server >= 0).tolist()
            assert moved.sum() >= 0
    assert skipped > 30


def test_moved_chunks_come_from_the_first_site_with_most_left() -> None:
    auction = one_resource({"data": [2, 2, 0]}, sites=3, site_capacity=[[4.0]] * 3)
    seen = job_slots(auction, auction.jobs[0], Prices.zero(auction), None, None)
    plan, remaining = new_plan.interpret(seen.window, 3), np.array([2, 2, 0])
    scheduler_dp.book_slot.function(seen, 0, remaining, 2, np.array([0, 0, 1]), plan, 0.0)
    assert remaining.tolist() == [1, 2, 0]
    assert (plan.moved[0], plan.server[0]) == (1, 2)
    assert plan.workers[0].tolist() == [0, 0, 1]
