"""(8) as the program of a run: its own solver, and slots that are placed anew by it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from farkas.errors import NoAnswer
from farkas.instances import library
from farkas.models.eris.one_shot import OneShot, SlotTask
from farkas.models.eris.prices import posted_on_arrival
from farkas.online import algorithms, environments
from farkas.online.eris.deployment import Deployment, read_slot
from farkas.online.eris.environment import Ledger, can_run
from farkas.online.eris.eris import Bid, Eris
from farkas.online.eris.scheduler_dp import repaired_schedule
from farkas.solvers.subproblem import Subproblem, solve_subproblem
from tests.generators.eris import random_auction


@pytest.mark.parametrize("seed", range(20))
def test_the_own_solver_of_8_agrees_with_a_general_one(seed: int) -> None:
    auction = random_auction(seed, most_chunks=5, jobs=4)
    rng = np.random.default_rng(seed)
    for index, job in enumerate(auction.jobs):
        for workload in range(1, sum(job.data) + 1):
            left = np.minimum(job.data, rng.integers(0, 4, auction.sites))
            slot = int(rng.integers(job.arrival, auction.slots))
            task = SlotTask(auction, posted_on_arrival(auction), index, slot, workload, left)
            asked = Subproblem(OneShot(), task, read_slot, "dp")
            try:
                wanted = solve_subproblem(asked, "highs").value
            except NoAnswer:
                with pytest.raises(NoAnswer):
                    solve_subproblem(asked)
                continue
            found = solve_subproblem(asked)
            assert found.value == pytest.approx(wanted, abs=1e-6)
            assert found.decisions[0].sum() == workload
            assert found.dual <= found.value + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_slots_placed_anew_process_all_data_and_cost_no_more(seed: int) -> None:
    auction = random_auction(seed, most_chunks=6, jobs=4)
    for job in auction.jobs:
        bid = Bid.of(Ledger.in_state_of(auction), job)
        draft = repaired_schedule(auction, job, bid.seen)
        if not draft.pays or not len(draft.slots):
            continue
        deployment = Deployment.of(bid, draft)
        while (found := deployment.proposal()) is None:
            answer = solve_subproblem(deployment.subproblem())
            deployment = deployment.placed(answer.decisions)
        assert found.cost <= draft.cost
        assert can_run(job, found)
        assert found.payoff == pytest.approx(bid.seen.worth[found.finish] - found.cost)


def test_a_dear_draft_is_replaced_and_one_that_leaves_data_is_kept() -> None:
    auction = library.load("eris/tiny")
    job = auction.jobs[0]
    bid = Bid.of(Ledger(auction), job)
    draft = repaired_schedule(auction, job, bid.seen)
    dear = dataclasses.replace(draft, cost=draft.cost + 1.0, payoff=draft.payoff - 1.0)
    deployment = Deployment.of(bid, dear)
    while deployment.done < len(draft.slots):
        answer = solve_subproblem(deployment.subproblem())
        deployment = deployment.placed(answer.decisions)
    found = deployment.proposal()
    assert found is not None
    assert found.cost <= draft.cost
    assert dataclasses.replace(deployment, remaining=bid.seen.data).proposal() is dear


@pytest.mark.parametrize("solver", ["", "highs"])
def test_runs_state_8_for_every_slot_of_an_accepted_schedule(solver: str) -> None:
    auction = library.load("eris/tiny")
    run = algorithms["eris.eris"].run(auction, deploy=True, solver=solver)
    plain = algorithms["eris.eris"].run(auction, solver=solver)
    assert not run.violations
    assert run.value == plain.value == 105.0
    assert run.numbers["revenue"] <= plain.numbers["revenue"]
    policy, rng = Eris(deploy=True, solver=solver), np.random.default_rng(0)
    state, stated = policy.start(auction, 0), []
    first = next(one for one in environments["eris"].arrivals(auction) if one.jobs)
    for _ in range(2):
        program = policy.model(state, first)
        stated.append(program.formulation.name)
        state, _ = policy.round(state, first, solve_subproblem(program, solver), rng)
    assert stated == ["eris.best_schedule", "eris.one_shot"]
