"""The bound on a job's payoff: kernel, readable reference, exact programs and proofs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas import executor as module
from farkas.certificates.eris import PricedAuction, certify_prices
from farkas.certificates.priced_tree import PricedTree
from farkas.decomposition.protocol import parallel_replies
from farkas.executor import Executor
from farkas.instances import library
from farkas.instances.eris import Auction
from farkas.models.eris.best_schedule import PricedJobs
from farkas.models.eris.prices import Prices, posted_on_arrival
from farkas.relaxations.eris.payoff_bound import (
    NO_SERVER,
    bound_payoff,
    chunks_sent,
    job_slots,
    payoff_bounds,
)
from farkas.relaxations.eris.pricing import PricedCapacity, SchedulePricing, choose
from farkas.relaxations.eris.welfare_bound import (
    certify_welfare,
    relaxation_by_columns,
)
from tests.generators.eris import auction_in, one_resource, random_auction
from tests.tools.eris_bounds import prove_payoffs
from tests.tools.optimum import optimum


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
    for job in auction.jobs:
        seen = job_slots(auction, job, prices, None, None)
        bound = bound_payoff(seen, chunks_sent(seen)).payoff
        proved = float(
            prove_payoffs(auction.replace(jobs=(job,)), prices.transfer, prices.resource)
        )
        assert -1e-9 * max(1.0, bound) <= proved - bound <= 1e-7 * max(1.0, job.utility[0])


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
    cover = bound_payoff(seen, seen.chunks)
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


@pytest.mark.parametrize("seed", range(15))
def test_prices_of_all_sites_bound_the_optimum(seed: int) -> None:
    auction = random_auction(seed)
    proved, _ = certify_welfare(auction)
    assert float(Fraction(proved.bound)) >= optimum("eris.offline", auction) - 1e-9


def column_prices(auction: Auction) -> PricedTree:
    prices = PricedAuction(auction).parts(relaxation_by_columns(auction).prices)
    return certify_prices(auction, *prices)


def test_prices_of_columns_prove_the_relaxation_and_pooled_ones_less() -> None:
    # everything for nothing proves 92.893
    auction = library.load("eris/integrality_gap")
    found = certify_welfare(auction)[0], column_prices(auction)
    pooled, columns = (float(Fraction(one.bound)) for one in found)
    assert 92.893 - 1e-3 > pooled >= columns
    assert columns == pytest.approx(87.2435, abs=1e-4)


def prices_of(auction, seed=0):
    rng = np.random.default_rng(seed)
    shape = (auction.sites, auction.num_resources, auction.slots)
    return rng.random(auction.slots), rng.random(shape)


@pytest.mark.parametrize("workers", [None, 1, 3])
def test_certificates_do_not_depend_on_who_proves(workers, monkeypatch):
    monkeypatch.setattr(module, "LEAST_STEPS", 0.0)
    with Executor.of(workers) as executor:
        for seed in range(4):
            auction = random_auction(seed, jobs=6)
            prices = prices_of(auction, seed)
            program, rows = PricedAuction(auction), np.concatenate([x.ravel() for x in prices])
            found = PricedTree.of(program, rows, replies=parallel_replies(program, executor))
            assert found == certify_prices(auction, *prices)
            assert found.prove_bound(auction) == certify_prices(auction, *prices).prove_bound(
                auction
            )


def random_prices(auction, seed):
    rng = np.random.default_rng(seed)
    transfer = rng.uniform(0, 3, auction.slots)
    return Prices(transfer, rng.uniform(0, 10, auction.used.shape))


@pytest.mark.parametrize("seed", range(30))
def test_jobs_at_once_and_in_turn_agree(seed):
    auction = random_auction(seed, most_chunks=7, jobs=6)
    prices = random_prices(auction, seed)
    pricing = SchedulePricing(auction)
    room = PricedCapacity(
        auction.capacity, auction.transfer_budget, prices.transfer, prices.resource
    )
    choose(pricing.jobs, room, pricing.chosen)
    met = [job_slots(auction, job, prices, None, None) for job in auction.jobs]
    payoffs = [bound_payoff(seen, chunks_sent(seen)).payoff for seen in met]
    assert pricing.chosen.payoff == pytest.approx(payoffs)


def test_what_a_job_meets_by_hand() -> None:
    # site 0: 2 gpus, 0.5 in use in slot 1; a worker takes 1, a server 0.75
    state = {"transfer": [0.0, 4.0, 0.0], "resources": [[[0.0, 0.5, 2.0]], [[0.0, 0.0, 0.0]]]}
    job = {"arrival": 1, "data": [2, 3], "worker_rate": 2, "server_demand": [0.75]}
    auction = one_resource(job, occupied=state, site_capacity=[[2.0], [5.0]])
    price = np.arange(6.0).reshape(2, 1, 3)
    prices = Prices(np.array([7.0, 8.0, 9.0]), price)
    met = job_slots(auction, auction.jobs[0], prices, auction.transferred, auction.used)
    assert (met.window, met.chunks, met.size) == (2, 5, (2, 2, 5))
    assert met.worker_price.tolist() == [[1.0, 4.0], [2.0, 5.0]]
    assert met.server_price.tolist() == [[0.75, 3.0], [1.5, 3.75]]
    # 1.5 gpus left hold a worker, 0.75 beside a server none; 3 workers process all 5 chunks
    assert met.alone.tolist() == [[1, 3], [0, 3]]
    assert met.beside_server.tolist() == [[0, 3], [NO_SERVER, 3]]
    assert met.transfer_price.tolist() == [8.0, 9.0]
    assert met.free_transfer.tolist() == [6.0, 10.0]
    assert met.most_transfer.tolist() == pytest.approx([6.0 + 1e-8, 10.0 + 1e-8], abs=1e-15)
    empty = job_slots(auction, auction.jobs[0], prices, None, None)
    assert empty.alone.tolist() == [[2, 3], [2, 3]]
    assert empty.free_transfer.tolist() == [10.0, 10.0]


@pytest.mark.parametrize("unit", [2.0**-40, 1.0, 2.0**40])
def test_use_beyond_a_capacity_by_rounding_leaves_nothing_and_more_leaves_less(unit: float) -> None:
    # a worker that needs no gpu runs at a full site, not at one that is more than full
    for share, workers in ((1.0, 1), (1 + 0.9e-9, 1), (1 + 1.1e-9, 0)):
        auction = auction_in(one_resource({"worker_demand": [0.0]}), units=unit, data=unit)
        met = job_slots(
            auction, auction.jobs[0], Prices.zero(auction),
            share * np.full(3, auction.transfer_budget),
            share * np.full((2, 1, 3), 2.0 * unit),
        )  # fmt: skip
        assert (met.alone == workers).all()
        assert (met.beside_server == (workers or NO_SERVER)).all()
        assert (met.free_transfer == 0.0).all()
        assert (met.most_transfer <= 1.01e-9 * auction.transfer_budget).all()
        assert (met.most_transfer >= 0.0).all()
