"""Algorithm 1: whole runs, with every scheduler."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import pytest

import farkas.kernels
from farkas.certificates.eris import PricedAuction, certify_prices
from farkas.errors import InvalidOption, UnsupportedForm
from farkas.instances import library
from farkas.instances.eris import Auction
from farkas.instances.generate import generate
from farkas.kernels import Kernel
from farkas.models.eris.offline import Offline
from farkas.online import algorithms
from farkas.online.eris.environment import (
    Environment,
    Ledger,
    Piece,
)
from farkas.online.eris.eris import Bid, Eris
from farkas.online.eris.printed_scheduler import printed_plan
from farkas.online.eris.scheduler_dp import ROUNDS, best_plan
from farkas.online.loop import take_step
from farkas.online.run import Bound
from farkas.solvers import solve
from farkas.solvers.subproblem import solve_subproblem
from tests.generators.eris import one_resource, random_auction
from tests.tools.eris_bounds import prove_welfare
from tests.tools.samples import seeds


def test_printed_schedules_that_cannot_run_cost_the_ratio() -> None:
    auction = library.load("eris/above_optimum")
    run = algorithms["eris.eris"].run(auction, scheduler="printed")
    assert run.value == pytest.approx(119.723)
    assert run.ratio is None
    assert any("cannot process all its data" in words for words in run.violations)


def test_a_price_floor_keeps_slots_for_worth() -> None:
    auction = generate("eris", "small", seed=0)
    run = algorithms["eris.eris"].run(auction, price_floor=0.5)
    plain = algorithms["eris.eris"].run(auction)
    assert run.value > plain.value  # worthless late completions no longer fill the slots
    with pytest.raises(InvalidOption):
        algorithms["eris.eris"].run(auction, price_floor=-1.0)


@pytest.mark.parametrize(("scheduler", "kernel"), [("dp", best_plan), ("printed", printed_plan)])
def test_long_auctions_have_their_scheduler_compiled_before_clocks_start(
    scheduler: str, kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each job alone is short, so only the sum over all jobs tells.
    compiled: list[Kernel] = []
    monkeypatch.setitem(vars(kernel), "machine", None)  # so that what was there comes back
    monkeypatch.delitem(vars(kernel), "machine")
    keep: Any = lambda k, **_: compiled.append(k) or k.interpret  # noqa: E731
    monkeypatch.setattr("farkas.kernels.machine.translate", keep)
    policy, auction = Eris(scheduler=scheduler), library.load("eris/demo")
    step = policy_steps(scheduler, auction)
    monkeypatch.setattr(farkas.kernels, "STEPS_INTERPRETED", kernel.interpreted + sum(step))
    policy.prepare(auction)
    assert compiled == []
    monkeypatch.setattr(farkas.kernels, "STEPS_INTERPRETED", kernel.interpreted + max(step))
    policy.prepare(auction)
    assert compiled == [kernel]


def policy_steps(scheduler: str, auction: Auction) -> list[int]:
    """What the kernel itself says of every job when it meets it."""
    ledger = Ledger(auction)
    seen = [ledger.meet(job) for job in auction.jobs]
    if scheduler == "printed":
        return [printed_plan.steps(job) for job in seen]
    return [best_plan.steps(job, None, ROUNDS) for job in seen]


@pytest.mark.parametrize("scheduler", ["dp", "printed", "exact"])
def test_a_job_pays_the_price_posted_before_it_came_if_it_is_worth_more(scheduler: str) -> None:
    # 1 of 2 gpus in use: 4**.5 - 1 = 1 for the second; the third finds none and leaves
    jobs = [{"utility": [worth]} for worth in (0.5, 1.5, 9.0)]
    close = {"slots": 1, "sites": 1, "site_capacity": [[2.0]]}
    run = algorithms["eris.eris"].run(one_resource(*jobs, **close), scheduler=scheduler)
    awards = [award for d in run.decisions for award in d["awards"]]
    assert [award["accepted"] for award in awards] == [True, True, False]
    assert [award["payment"] for award in awards] == pytest.approx([0.0, 1.0, 0.0])
    jobs = [{"utility": [worth]} for worth in (0.5, 1.0)]  # worth what it pays: nothing is gained
    run = algorithms["eris.eris"].run(one_resource(*jobs, **close), scheduler=scheduler)
    assert [award["accepted"] for award in run.decisions[0]["awards"]] == [True, False]


def test_deciding_leaves_the_state_before_as_it_was() -> None:
    auction = one_resource({})
    policy, arrivals = Eris(), Environment().arrivals(auction)
    before = policy.start(auction, 0)
    after, decision, _ = take_step(policy, before, arrivals[0], np.random.default_rng(0))
    assert (before.ledger.used.sum(), after.ledger.used.sum()) == (0.0, 1.0)
    (piece,) = decision.pieces
    assert piece == Piece(job=0, slot=0, server=0, workers=((0, 1),), moved=0)


@pytest.mark.parametrize("asked", ["dp", "printed", "exact", "highs"])
def test_every_schedule_is_by_the_solver_of_the_name(asked: str) -> None:
    auction = one_resource({}, {}, {"arrival": 1})
    option = {"solver": asked} if asked == "highs" else {"scheduler": asked}
    run = algorithms["eris.eris"].run(auction, **option)
    first, second, third = run.steps
    assert [first.solver, second.solver, third.solver] == [asked, asked, ""]
    assert [first.programs, second.programs, third.programs] == [2, 1, 0]
    assert first.program == "eris.best_schedule[residual]"
    same = algorithms["eris.eris"].run(auction, solver=asked)
    assert same.decisions == run.decisions
    assert (first.fractional, first.dual is None) == (pytest.approx(20.0), asked == "printed")


GENERAL = ["highs", "gurobi", "scip", "pyomo:highs"]


def answered(auction: Auction, solver: str) -> list[float]:
    """Objectives of (7) of every job, in the state of the file."""
    ledger = Ledger.in_state_of(auction)
    bids = [Bid.of(ledger, job).subproblem("dp") for job in auction.jobs]
    return [solve_subproblem(bid, solver).value for bid in bids]


@seeds(12, 40)
def test_own_solvers_are_held_against_a_general_one(seed: int) -> None:
    auction = random_auction(seed, most_chunks=4, jobs=3)
    best = answered(auction, "highs")
    assert answered(auction, "exact") == pytest.approx(best, abs=1e-5)
    ledger = Ledger.in_state_of(auction)
    for job, payoff in zip(auction.jobs, best, strict=True):
        found = solve_subproblem(Bid.of(ledger, job).subproblem("dp"))
        assert found.value <= payoff + 1e-5 <= found.dual + 2e-5


@pytest.mark.parametrize("solver", GENERAL)
def test_general_solvers_run_the_auction(solver: str) -> None:
    auction = library.load("eris/tiny")
    run = algorithms["eris.eris"].run(auction, solver=solver)
    exact = algorithms["eris.eris"].run(auction, scheduler="exact")
    assert run.violations == []
    assert run.ratio is not None
    assert {slot.solver for slot in run.steps if slot.programs} == {solver}
    assert run.value == pytest.approx(exact.value)


@pytest.mark.parametrize("solver", ["clarabel", "cvxpy:SCS"])
def test_a_solver_without_whole_numbers_is_refused(solver: str) -> None:
    with pytest.raises(UnsupportedForm):
        algorithms["eris.eris"].run(library.load("eris/tiny"), solver=solver)


def test_increments_are_those_of_lemma_1() -> None:
    # four gpus, base 4: a worker and a server take half of them, whose price rises from 0 to 1 and
    # to 3
    jobs = [{"utility": [worth], "server_demand": [1.0]} for worth in (3.0, 5.0)]
    auction = one_resource(*jobs, slots=1, sites=1, site_capacity=[[4.0]])
    (step,) = algorithms["eris.eris"].run(auction).steps
    # 3 and a rent of 4 · 1; then 5 - 2 and a rent of 4 · 2
    assert Fraction(step.left) == 3 + 4 + (5 - 2) + 8
    # 2 log2(2 · 4) = 6 of 8, rounded down
    assert 0 < 48 - Fraction(step.right) < Fraction(1, 2**40)
    assert step.holds
    assert step.value == 8.0


def test_increments_break_where_one_job_fills_a_site() -> None:
    run = algorithms["eris.eris"].run(library.load("eris/late_fortune"))
    assert [step.holds for step in run.steps] == [False]
    dearer = algorithms["eris.eris"].run(one_resource({}, slots=1), price_floor=0.5)
    assert [step.left for step in dearer.steps] == [None]


@pytest.mark.parametrize("seed", range(12))
def test_bounds_so_far_are_those_of_the_auction_that_ends_there(seed: int) -> None:
    auction = random_auction(seed, most_chunks=4, jobs=5).replace(occupied=None)
    rng, shape = np.random.default_rng(seed), (auction.sites, 2, auction.slots)
    prices = certify_prices(auction, rng.uniform(0, 2, auction.slots), rng.uniform(0, 4, shape))
    bound = Bound.of(Fraction(prices.bound), "prices", prices.plain())
    found = Environment().bounds_so_far(auction, bound)
    assert found[-1] == bound.fraction
    transfer, resource = PricedAuction(auction).parts(prices.single_prices(auction))
    for slot, proved in enumerate(found):
        ends = auction.replace(
            slots=slot + 1,
            jobs=[
                msgspec.structs.replace(job, utility=job.utility[: slot + 1 - job.arrival])
                for job in auction.jobs
                if job.arrival <= slot
            ],
        )
        assert proved == prove_welfare(ends, transfer[: slot + 1], resource[:, :, : slot + 1])
        assert proved >= solve(Offline().form(ends)).objective - 1e-6


def test_other_certificates_have_no_bounds_so_far() -> None:
    auction = one_resource({})
    proof = farkas.prove(auction, "eris.offline").certificate
    bound = Bound.of(10, "a tree", msgspec.to_builtins(proof))
    assert Environment().bounds_so_far(auction, bound) is None
