"""The exact schedule of a job."""

from __future__ import annotations

import dataclasses
import math

import pytest

from farkas.algebra import programs
from farkas.instances.eris import Auction
from farkas.models.eris.best_schedule import PricedJobs
from farkas.models.eris.prices import posted_on_arrival
from farkas.online.eris.environment import Ledger, can_run, nothing
from farkas.online.eris.eris import Bid, exact_schedule
from farkas.online.eris.scheduler_dp import repaired_schedule
from farkas.solvers import solve
from farkas.solvers.session import optimum_by_any
from tests.generators.eris import one_resource, random_auction
from tests.tools.samples import seeds


def best_payoff(auction: Auction, job: int) -> float:
    data = PricedJobs(auction, (job,), posted_on_arrival(auction))
    return max(0.0, solve(programs.build("eris.best_schedule").form(data)).objective)


@seeds(20, 60)
def test_exact_schedules_earn_the_best_payoff(seed: int) -> None:
    auction = random_auction(seed, most_chunks=4, jobs=4)
    for index, job in enumerate(auction.jobs):
        bid = Bid.of(Ledger.in_state_of(auction), job)
        found = exact_schedule(bid, repaired_schedule(auction, job, bid.seen))
        assert found.payoff == pytest.approx(best_payoff(auction, index), abs=1e-5)
        assert found.bound == pytest.approx(found.payoff, abs=1e-5)
        assert found.finish < 0 or can_run(job, found)


def test_a_schedule_whose_bound_is_met_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    auction = one_resource({})
    bid = Bid.of(Ledger(auction), auction.jobs[0])
    found = repaired_schedule(auction, bid.job, bid.seen)
    monkeypatch.delattr("farkas.solvers.session.optimum_by_any")
    assert exact_schedule(bid, found) is found
    # a gap, but no slot is worth more than the payoff
    wide = dataclasses.replace(found, bound=12.0)
    assert exact_schedule(bid, wide).bound == found.payoff == 10.0


def test_only_slots_that_are_worth_more_are_searched() -> None:
    # what was found earns 5; a better schedule ends in slot 0, worth 10, the only one above 5
    auction = one_resource({"utility": [10.0, 5.0, 4.0]})
    bid = Bid.of(Ledger(auction), auction.jobs[0])
    poor = dataclasses.replace(nothing(3, 2, bound=11.0), payoff=5.0, finish=1)
    found = exact_schedule(bid, poor)
    assert (found.payoff, found.finish, found.bound) == (10.0, 0, 10.0)
    assert found.workers.shape == (3, 2)
    assert found.slots.tolist() == [0]


def test_the_program_meets_the_state_of_its_slots() -> None:
    auction = one_resource({"arrival": 1})
    ledger = Ledger(auction)
    ledger.transferred[:] = [5.0, 0.0, 7.0]
    ledger.used[1, 0] = [2.0, 1.0, 0.5]
    ledger.prices.transfer[:] = [3.0, 4.0, 5.0]
    data = Bid.of(ledger, auction.jobs[0]).priced_jobs(2)
    assert data.auction.transferred.tolist() == [0.0, 7.0]
    assert data.auction.used[1, 0].tolist() == [1.0, 0.5]
    assert data.prices.transfer.tolist() == [4.0, 5.0]
    assert (data.auction.slots, data.auction.jobs[0].arrival) == (2, 0)


def test_a_solver_that_states_no_bound_bounds_no_payoff(monkeypatch: pytest.MonkeyPatch) -> None:
    # the answer claims its point to be best and gives no bound: 11 stays
    auction = one_resource({"utility": [10.0, 5.0, 4.0]})
    bid = Bid.of(Ledger(auction), auction.jobs[0])
    poor = dataclasses.replace(nothing(3, 2, bound=11.0), payoff=5.0, finish=1)
    honest = optimum_by_any
    monkeypatch.setattr(
        "farkas.solvers.session.optimum_by_any",
        lambda form: dataclasses.replace(honest(form), bound=math.nan),
    )
    assert exact_schedule(bid, poor).bound == 11.0
