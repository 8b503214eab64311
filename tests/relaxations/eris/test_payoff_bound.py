"""The bound on a job's payoff: kernel, readable reference, exact programs and proofs."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.certificates.eris import prove_payoffs
from farkas.models.eris.best_schedule import PricedJobs
from farkas.models.eris.prices import Prices, posted_on_arrival
from farkas.relaxations.eris.job_slots import Ties, job_slots, slot_of
from farkas.relaxations.eris.payoff_bound import (
    PricedBound,
    bound_payoff,
    cover_slot,
    evaluate,
    payoff_bounds,
    subgradient,
)
from tests.generators.eris import one_resource, random_auction
from tests.references.eris_payoff import payoff_bound, slot_costs
from tests.tools.optimum import optimum


@pytest.mark.parametrize("seed", range(40))
def test_compiled_and_readable_payoff_bounds_agree(seed: int) -> None:
    auction = random_auction(seed, most_chunks=7, jobs=5)
    prices = posted_on_arrival(auction)
    for job in auction.jobs:
        for used in (None, auction.used):
            seen = job_slots(auction, job, prices, None, used)
            assert bound_payoff(seen).payoff == pytest.approx(payoff_bound(seen), abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_compiled_and_readable_slot_costs_agree(seed: int) -> None:
    auction = random_auction(seed, most_chunks=7, jobs=5)
    prices = posted_on_arrival(auction)
    for job in auction.jobs:
        seen = job_slots(auction, job, prices, auction.transferred, auction.used)
        costs = slot_costs(seen)
        idle = np.empty((auction.sites + 1, seen.chunks + 1))
        served = np.empty_like(idle)
        for t in range(seen.window):
            cover_slot(slot_of(seen, t, seen.data, Ties()), idle, served)
            assert served[-1, 1:] == pytest.approx(costs[t, 1:])


@pytest.mark.parametrize("seed", range(30))
def test_payoff_bounds_are_never_below_the_exact_payoff(seed: int) -> None:
    auction = random_auction(seed, most_chunks=4)
    prices = posted_on_arrival(auction)
    for capacity, full in (("residual", False), ("full", True)):
        bounds = payoff_bounds(auction, full=full)
        for job, bound in enumerate(bounds):
            data = PricedJobs(auction, (job,), prices)
            assert optimum(f"eris.best_schedule[{capacity}]", data) <= bound + 1e-6


@pytest.mark.parametrize("seed", range(25))
def test_exact_proof_is_just_above_the_floating_bound(seed: int) -> None:
    auction = random_auction(seed, most_chunks=6, jobs=5)
    prices = posted_on_arrival(auction)
    floating = payoff_bounds(auction, prices, full=True)
    for job, bound in zip(auction.jobs, floating, strict=True):
        alone = auction.replace(jobs=(job,))
        proved = float(prove_payoffs(alone, prices.transfer, prices.resource))
        assert -1e-9 * max(1.0, bound) <= proved - bound <= 1e-7 * max(1.0, job.utility[0])


def test_a_bound_by_hand() -> None:
    # 3 chunks, 2 workers a slot at 1 or 3 each: 2 in the cheap slot and 1 in the dear one cost 5
    job = {"data": [3, 0], "utility": [10.0, 9.0, 0.0]}
    auction = one_resource(job, site_capacity=[[2.0], [0.0]])
    price = np.broadcast_to(np.array([1.0, 3.0, 0.0]), (2, 1, 3))
    found = bound_payoff(
        job_slots(auction, auction.jobs[0], Prices(np.zeros(3), price), None, None)
    )
    assert (found.payoff, found.finish) == (4.0, 1)
    assert found.processed.tolist() == [[2, 0], [1, 0], [0, 0]]
    assert found.server.tolist() == [0, 0, -1]


def test_what_costs_as_much_as_it_is_worth_is_not_run() -> None:
    auction = one_resource({"utility": [2.0, 2.0, 2.0]})
    prices = Prices(np.zeros(3), np.full((2, 1, 3), 2.0))
    found = bound_payoff(job_slots(auction, auction.jobs[0], prices, None, None))
    assert (found.payoff, found.finish) == (0.0, -1)
    assert not found.processed.any()
    assert (found.server == -1).all()


def test_jobs_without_data_earn_their_worth_on_arrival() -> None:
    auction = one_resource({"data": [0, 0], "utility": [7.0, 6.0, 5.0]}, {"utility": [0.0] * 3})
    first, worthless = (
        bound_payoff(job_slots(auction, job, Prices.zero(auction), None, None))
        for job in auction.jobs
    )
    assert (first.payoff, first.finish) == (7.0, 0)
    assert (first.server == -1).all()
    assert (worthless.payoff, worthless.finish) == (0.0, -1)


@pytest.mark.parametrize("seed", range(30))
def test_of_equal_covers_a_whole_one_is_traced(seed: int) -> None:
    # prices 0, 1 and 2 and nothing to pay for moving: many covers cost the same
    rng = np.random.default_rng(seed)
    sites, slots = 3, int(rng.integers(1, 4))
    job = {
        "data": rng.multinomial(int(rng.integers(2, 7)), [1 / 3] * 3).tolist(),
        "utility": [40.0] * slots, "server_demand": [float(rng.integers(0, 2))],
        "parameter_size": float(rng.integers(0, 2)),
    }  # fmt: skip
    auction = one_resource(
        job, slots=slots, sites=sites, site_capacity=[[3.0]] * sites, chunk_size=0.0
    )
    price = rng.integers(0, 3, (sites, 1, slots)).astype(float)
    seen = job_slots(
        auction, auction.jobs[0], Prices(rng.integers(0, 2, slots).astype(float), price), None, None
    )
    cover = bound_payoff(seen)
    if cover.finish < 0:
        return
    assert cover.processed.sum() == seen.chunks
    cost = 0.0
    for t in np.flatnonzero(cover.server >= 0):
        workers, server = cover.processed[t], cover.server[t]
        assert (workers <= np.where(np.arange(sites) == server, seen.beside_server[t], 3)).all()
        cost += workers @ seen.worker_price[t] + seen.server_price[t, server]
        remote = workers.sum() - workers[server]
        cost += seen.transfer_price[t] * seen.parameter_size * remote
    assert seen.worth[cover.finish] - cost == pytest.approx(cover.payoff, abs=1e-9)


def test_use_of_the_bounding_schedules_is_a_subgradient() -> None:
    # L(q) >= L(p) + (capacity - use at p) (q - p) for all prices q: L is convex
    auction = random_auction(3, most_chunks=6, jobs=5)
    rng = np.random.default_rng(0)
    here = Prices(rng.uniform(0, 3, auction.slots), rng.uniform(0, 9, auction.used.shape))
    found = evaluate(auction, here)
    for _ in range(20):
        there = Prices(rng.uniform(0, 3, auction.slots), rng.uniform(0, 9, auction.used.shape))
        rise = (auction.transfer_budget - found.transfer) @ (there.transfer - here.transfer)
        slack = auction.capacity[:, :, None] - found.resource
        rise += (slack * (there.resource - here.resource)).sum()
        assert evaluate(auction, there).bound >= found.bound + rise - 1e-8


def test_the_bound_at_a_price_by_hand() -> None:
    # jobs worth 10 and 6 want the only gpu at price 5: payoffs 5 + 1, rent 5, use 2
    jobs = [{"data": [1], "utility": [worth]} for worth in (10.0, 6.0)]
    auction = one_resource(*jobs, slots=1, sites=1, site_capacity=[[1.0]])
    found = evaluate(auction, Prices(np.zeros(1), np.full((1, 1, 1), 5.0)))
    assert found.bound == 5.0 + 1.0 + 5.0
    assert found.resource.tolist() == [[[2.0]]]
    assert found.transfer.tolist() == [0.0]


def test_steps_reach_the_price_at_which_demand_meets_capacity() -> None:
    jobs = [{"data": [1], "utility": [worth]} for worth in (10.0, 6.0)]
    auction = one_resource(*jobs, slots=1, sites=1, site_capacity=[[1.0]])
    *_, (bound, prices) = subgradient(auction, Prices.zero(auction), rounds=60, value=10.0)
    assert bound == pytest.approx(10.0, abs=1e-3)
    assert 6.0 - 1e-2 <= prices.resource.item() <= 10.0


def test_steps_end_where_nothing_pulls() -> None:
    # everything is free and there is room for all: the first bound is the optimum
    auction = one_resource({}, {})
    assert [bound for bound, _ in subgradient(auction, Prices.zero(auction))] == [20.0]


def test_after_eight_rounds_without_progress_the_target_moves_half_way_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # the bound stays at 10 and the only gpu is wanted twice: every slack is -1
    auction = one_resource(slots=1, sites=1, site_capacity=[[1.0]])
    asked: list[float] = []

    def flat(auction: object, prices: Prices) -> PricedBound:
        asked.append(prices.resource.item())
        return PricedBound(10.0, np.zeros(1), np.full((1, 1, 1), 2.0))

    monkeypatch.setattr("farkas.relaxations.eris.payoff_bound.evaluate", flat)
    list(subgradient(auction, Prices.zero(auction), rounds=10))
    # a first step to the target 10 - 5 % along a direction of length 1
    assert asked[:2] == [0.0, pytest.approx(0.5)]
    # rounds 2 to 9 brought nothing: from the best prices, 0, to the target 10 - 2.5 %
    length = sum(0.6**k for k in range(9))
    assert asked[9] == pytest.approx(0.25 / length)
