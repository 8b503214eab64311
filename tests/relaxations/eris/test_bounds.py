"""Payoff bounds, Lagrangian bounds and column generation against programs and enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.certificates.eris import prove_payoff, prove_welfare
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.models.eris.best_schedule import PricedJobs
from farkas.models.eris.prices import Prices, posted_on_arrival
from farkas.relaxations.eris.aggregated import Aggregated, aggregated_prices, worker_slots
from farkas.relaxations.eris.columns import generate_columns, relaxation_by_columns
from farkas.relaxations.eris.job_slots import job_slots, slot_of
from farkas.relaxations.eris.payoff_bound import bound_payoff, cover_slot, payoff_bounds
from farkas.relaxations.eris.subgradient import evaluate, subgradient
from farkas.relaxations.eris.welfare_bound import certify_welfare, find_prices
from farkas.solvers import solve
from tests.generators.eris import random_auction
from tests.references.eris_payoff import payoff_bound, slot_costs


def optimum(name: str, data: object) -> float:
    return solve(programs.build(name).form(data)).require_optimal().objective


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
            cover_slot(slot_of(seen, t, seen.data), idle, served)
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


@pytest.mark.parametrize("seed", range(40))
def test_the_traced_cover_costs_what_the_bound_says(seed: int) -> None:
    # worth - cost of (workers, moves, server) read off the tables is the bound
    auction = random_auction(seed, most_chunks=7, jobs=5)
    prices = posted_on_arrival(auction)
    for job in auction.jobs:
        seen = job_slots(auction, job, prices, None, None)
        cover = bound_payoff(seen)
        if cover.finish < 0 or seen.chunks == 0:
            continue
        assert cover.processed.sum() == seen.chunks
        cost = 0.0
        for t in np.flatnonzero(cover.server >= 0):
            workers = -(-seen.epochs * cover.processed[t] // seen.worker_rate)
            remote = workers.sum() - workers[cover.server[t]]
            moved = np.maximum(0, cover.processed[t] - seen.data).sum()
            mb = seen.chunk_size * moved + seen.parameter_size * remote
            cost += workers @ seen.worker_price[t] + seen.server_price[t, cover.server[t]]
            cost += seen.transfer_price[t] * mb
        assert seen.worth[cover.finish] - cost == pytest.approx(cover.payoff, abs=1e-9)


@pytest.mark.parametrize("seed", range(25))
def test_exact_proof_is_just_above_the_floating_bound(seed: int) -> None:
    auction = random_auction(seed, most_chunks=6, jobs=5)
    prices = posted_on_arrival(auction)
    floating = payoff_bounds(auction, prices, full=True)
    for job, bound in zip(auction.jobs, floating, strict=True):
        proved = float(prove_payoff(auction, job, prices.transfer, prices.resource))
        assert -1e-9 * max(1.0, bound) <= proved - bound <= 1e-7 * max(1.0, job.utility[0])


@pytest.mark.parametrize("seed", range(15))
def test_every_effort_proves_a_bound_on_the_optimum(seed: int) -> None:
    auction = random_auction(seed)
    best = optimum("eris.offline", auction)
    for effort in ("free", "aggregated", "subgradient", "columns"):
        prices = find_prices(auction, effort, rounds=20)
        proved = float(prove_welfare(auction, prices.transfer, prices.resource))
        assert proved >= best - 1e-9


@pytest.mark.parametrize("seed", range(15))
def test_column_generation_closes_on_the_listed_relaxation(seed: int) -> None:
    auction = random_auction(seed)
    listed = optimum("eris.schedule_lp", auction)
    rounds = list(generate_columns(auction))
    assert rounds[-1].settled
    assert rounds[-1].value == pytest.approx(listed, abs=1e-5)
    assert rounds[-1].bound == pytest.approx(listed, abs=1e-5)
    # every round's bound holds, not only the last
    assert all(r.bound >= listed - 1e-6 for r in rounds)


def test_subgradient_steps_never_lose_the_best_bound() -> None:
    auction = generate("eris", "small", seed=4, num_jobs=12)
    start = aggregated_prices(auction)
    bounds = [bound for bound, _ in subgradient(auction, start, rounds=25)]
    assert bounds[0] == pytest.approx(evaluate(auction, start).bound)
    assert all(later <= earlier for earlier, later in itertools.pairwise(bounds))
    assert bounds[-1] >= relaxation_by_columns(auction).value - 1e-6


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


def test_pooling_the_sites_relaxes_the_optimum() -> None:
    # eris.aggregated: windows are short here, so its optimum is a bound
    auction = library.load("eris/integrality_gap")
    assert optimum("eris.aggregated", auction) >= 81.594 - 1e-6


def test_worker_slots_count_whole_workers() -> None:
    # integrality_gap, job 1: E=3, P=2, up to 3 workers at a site: q=1 takes 2, q=2 takes 3
    auction = library.load("eris/integrality_gap")
    assert worker_slots(auction, 1) == pytest.approx(2 * 3 / 2)
    blocked = auction.replace(site_capacity=[[0, 0], [0, 0]])
    assert worker_slots(blocked, 1) == np.inf
    assert Aggregated().form(blocked).num_columns == 0


def test_without_a_budget_transfer_is_priced_out() -> None:
    # no_transfer: 21 with moves forbidden, 33 if moving were free
    auction = library.load("eris/no_transfer")
    assert float(certify_welfare(auction, "columns").bound) == pytest.approx(21.0)
