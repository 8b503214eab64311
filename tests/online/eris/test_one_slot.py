"""Bounds on (8) for every workload."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.models.eris.one_shot import OneShot, SlotTask
from farkas.models.eris.prices import Prices, posted_on_arrival
from farkas.online.eris.antman import (
    workers_asked,
)
from farkas.online.eris.one_slot import (
    OPEN,
    Bounds,
    bound_workloads,
    new_bounds,
)
from farkas.relaxations.eris.payoff_bound import (
    JobSlots,
    cover_slot,
    job_slots,
    trace_slot,
)
from farkas.solvers import Conclusion, solve
from tests.generators.eris import one_resource, random_auction
from tests.references import eris_slot
from tests.tools.samples import seeds


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
            bound_workloads(seen, t, seen.data, 8, 1, total, tables, bounds)
            assert (lower[0], upper[0]) == (0.0, 0.0)
            for workload in range(1, total + 1):
                slot = job.arrival + t
                task = SlotTask(auction, prices, index, slot, workload, auction.data[index])
                answer = solve(OneShot().form(task))
                best = np.inf if answer.claim is Conclusion.INFEASIBLE else answer.objective
                slack = 1e-5 * max(1.0, best) if np.isfinite(best) else 0.0
                assert lower[workload] <= best + slack
                assert upper[workload] >= best - slack


def scarce(seed: int) -> JobSlots:
    """One slot with little transfer left; every other seed has whole prices, so that covers tie."""
    rng = np.random.default_rng(seed)
    sites = int(rng.integers(2, 4))
    job = {
        "data": rng.multinomial(rng.integers(1, 6), np.full(sites, 1 / sites)),
        "utility": [float(rng.integers(20, 90))],
        "parameter_size": float(rng.choice([0.0, 1e-5, 0.7, 1.0])),
        "epochs": int(rng.integers(1, 3)),
        "worker_rate": int(rng.integers(1, 3)),
        "server_demand": [float(rng.integers(0, 2))],
    }
    room = rng.integers(1, 5, (sites, 1)).astype(float)
    chunk_size = float(rng.choice([0.0, 1.0, 1.3]))
    auction = one_resource(job, slots=1, sites=sites, site_capacity=room, chunk_size=chunk_size)
    price = rng.integers(0, 9, (sites, 1, 1)) + (seed % 2) * rng.random((sites, 1, 1))
    used = auction.transfer_budget - rng.choice([0.0, 0.5, 1.0, 1.5, 2.0, 3.3], 1)
    prices = Prices(rng.integers(0, 3, 1) * 0.5, price)
    return job_slots(auction, auction.jobs[0], prices, used, auction.used)


def bounds_of(seen: JobSlots, rounds: int, only: int) -> Bounds:
    bounds, shape = new_bounds(seen.chunks), (4, len(seen.data) + 1, seen.chunks + 1)
    first, total = (1, seen.chunks) if only < 0 else (only, only)
    bound_workloads(seen, 0, seen.data, rounds, first, total, np.empty(shape), bounds)
    return bounds


def test_many_multipliers_reach_the_dual_of_the_transfer_row() -> None:
    # the covers are listed; where three tie at a multiplier the one that fits may be missed
    count = between = missed = 0
    for seed in range(300):
        seen = scarce(seed)
        free, most = seen.free_transfer[0], seen.most_transfer[0]
        for d, uses in enumerate(eris_slot.covers(seen, 0)):
            if d == 0:
                continue
            bounds = bounds_of(seen, 60, d)
            fitting = [cost for use, cost in uses.items() if use <= most]
            if not fitting:
                assert bounds.lower[d] == bounds.upper[d] == np.inf
                continue
            best, slack = eris_slot.dual(uses, free), 1e-7 * seen.worth[0]
            assert bounds.lower[d] == pytest.approx(best, abs=slack)
            assert bounds.upper[d] >= min(fitting) - slack
            count += 1
            between += best > eris_slot.at(uses, free, 0.0) + slack
            missed += bounds.upper[d] > eris_slot.vertex(uses, most) + slack
    assert between > 50
    assert missed <= count / 100


def test_the_first_multiplier_is_made_for_the_widest_bounds() -> None:
    # the line through the two covers known meets the axis at m; no lower bound there is left out
    chosen = 0
    for seed in range(300):
        seen = scarce(seed)
        uses, free = eris_slot.covers(seen, 0), seen.free_transfer[0]
        first, then = bounds_of(seen, 0, -1), bounds_of(seen, 1, -1)
        gap, open_ = np.zeros(seen.chunks + 1), first.state == OPEN
        gap[open_] = first.upper[open_] - first.lower[open_]
        worst = int(gap.argmax())
        if not 0 < gap[worst] < np.inf:
            continue
        rise = max(0.0, first.upper[worst] - first.dear_cost[worst])
        m = rise / (first.dear_use[worst] - first.fair_use[worst])
        for d in np.flatnonzero(open_).tolist():
            there = max(first.lower[d], eris_slot.at(uses[d], free, m))
            assert then.lower[d] == pytest.approx(there, abs=1e-7 * seen.worth[0])
        chosen += worst < np.flatnonzero(gap)[-1]
    assert chosen > 10


def test_a_cover_is_traced_with_the_transfer_that_its_table_holds() -> None:
    ties = 0
    for seed in range(200):
        seen = scarce(seed)
        tables = np.empty((4, len(seen.data) + 1, seen.chunks + 1))
        uses = eris_slot.covers(seen, 0)
        for m in (0.0, 1.0, 2.0):
            cover_slot(seen, 0, seen.data, seen.chunks, 1.0, m, tables)
            for d in range(1, seen.chunks + 1):
                cost, mb = tables[1, -1, d], tables[3, -1, d]
                if cost == np.inf:
                    assert not uses[d]
                    continue
                chunks = np.zeros(len(seen.data), np.int64)
                server = trace_slot(seen, 0, seen.data, m, tables, d, chunks)
                workers = -(-seen.epochs * chunks // seen.worker_rate)
                sent = seen.chunk_size * np.maximum(0, chunks - seen.data).sum()
                sent += seen.parameter_size * (workers.sum() - workers[server])
                assert sent == pytest.approx(mb, abs=1e-12)
                paid = workers @ seen.worker_price[0] + seen.server_price[0, server]
                assert paid + (seen.transfer_price[0] + m) * sent == pytest.approx(cost)
                near = [c for use, c in uses[d].items() if abs(c + m * use - cost) < 1e-9]
                ties += len(near) > 1
    assert ties > 20


def test_the_least_transfer_is_found_where_parameters_outweigh_chunks() -> None:
    # nothing may be sent: the worker and the server are at site 0, for 7; a megabyte of a chunk
    # more must weigh as much as what is saved, though parameters have a hundred thousand of them
    two, one, none = np.full((1, 3), 2), np.ones((1, 3), np.int64), np.zeros(1)
    seen = JobSlots(
        np.array([[0.0, 5.0, 7.0]]), np.array([[7.0, 0.0, 8.0]]), two, one, none, none, none,
        np.array([1, 0, 1]), np.array([100.0]), 1, 1, 1.0, 1e5,
    )  # fmt: skip
    tables, bounds = np.empty((4, 4, 3)), new_bounds(2)
    bound_workloads(seen, 0, seen.data, 6, 1, 2, tables, bounds)
    assert bounds.upper[1] == pytest.approx(7.0)
    assert bounds.lower[1] == pytest.approx(7.0)


def test_baselines_ask_for_one_worker_at_least() -> None:
    job = one_resource({"data": [9, 8], "epochs": 2, "worker_rate": 3}).jobs[0]
    assert workers_asked(job) == 2  # 34 passes, 24 by one worker in 8 slots
    assert workers_asked(one_resource({"data": [0, 0]}).jobs[0]) == 1
