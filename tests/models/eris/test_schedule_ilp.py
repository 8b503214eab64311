"""Problem (3) over listed schedules, and its linear relaxation."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.instances import library
from farkas.models.eris.best_schedule import PricedJobs
from farkas.models.eris.prices import Prices, posted_on_arrival
from farkas.models.eris.schedule_ilp import ScheduleIlp
from farkas.models.eris.schedules import list_schedules
from tests.generators.eris import one_resource, random_auction
from tests.tools.optimum import optimum


def test_schedules_are_chosen_whole_or_in_shares() -> None:
    # three jobs of 2 gpus in 3: one runs; in shares of a half each, 3 · 1/2 of them
    job = {"data": [2], "utility": [10.0]}
    auction = one_resource(dict(job), dict(job), dict(job), slots=1, sites=1, site_capacity=[[3.0]])
    assert optimum("eris.schedule_ilp", auction) == pytest.approx(10.0)
    assert optimum("eris.schedule_lp", auction) == pytest.approx(15.0)


def test_a_job_runs_by_one_schedule() -> None:
    # there is room for it in every slot, but it is worth 10 once
    assert optimum("eris.schedule_ilp", one_resource({})) == pytest.approx(10.0)
    assert optimum("eris.schedule_lp", one_resource({})) == pytest.approx(10.0)


def test_transfer_of_chosen_schedules_fits_the_budget() -> None:
    # data at site 0 must move to site 1, 1 MB each, where both fit
    jobs = [{"data": [1, 0], "utility": [10.0]} for _ in range(2)]
    auction = one_resource(*jobs, slots=1, site_capacity=[[0.0], [2.0]], transfer_budget=1.5)
    assert optimum("eris.schedule_ilp", auction) == pytest.approx(10.0)
    assert optimum("eris.schedule_lp", auction) == pytest.approx(15.0)


def test_programs_of_listed_schedules_have_their_rows_only_where_something_is_used() -> None:
    form = ScheduleIlp().form(library.load("eris/one_chunk_twice"))
    # 2 sites x 2 slots, one job, no transfer at all
    assert form.num_rows == 4 + 1
    assert form.num_columns == 4


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


def test_residual_capacities_bind_and_full_ones_do_not() -> None:
    # one gpu of two is in use and costs 4**.5 - 1 = 1; two chunks need two gpus in the only slot
    state = {"transfer": [0.0], "resources": [[[1.0]]]}
    job = {"data": [2], "utility": [10.0]}
    auction = one_resource(job, slots=1, sites=1, site_capacity=[[2.0]], occupied=state)
    assert optimum("eris.best_schedule[full]", auction) == pytest.approx(10.0 - 2 * 1.0)
    assert optimum("eris.best_schedule[residual]", auction) == pytest.approx(0.0, abs=1e-9)


def test_jobs_chosen_together_do_not_compete() -> None:
    job = {"data": [2], "utility": [10.0]}
    auction = one_resource(dict(job), dict(job), slots=1, sites=1, site_capacity=[[2.0]])
    assert optimum("eris.offline", auction) == pytest.approx(10.0)
    assert optimum("eris.best_schedule", auction) == pytest.approx(20.0)
    only = PricedJobs(auction, (1,), Prices.zero(auction))
    assert optimum("eris.best_schedule", only) == pytest.approx(10.0)


def test_residual_budgets_bind_and_full_ones_do_not() -> None:
    # the chunk must move for 1 MB; 1.5 of 2 MB are in use, at 2**.75 - 1 a MB
    state = {"transfer": [1.5], "resources": [[[0.0]], [[0.0]]]}
    close = {"slots": 1, "site_capacity": [[0.0], [2.0]], "transfer_budget": 2.0}
    auction = one_resource({}, occupied=state, **close)
    assert optimum("eris.best_schedule[full]", auction) == pytest.approx(10.0 - (2**0.75 - 1))
    assert optimum("eris.best_schedule[residual]", auction) == pytest.approx(0.0, abs=1e-9)


def test_of_what_is_overfull_by_a_rounding_error_nothing_is_free() -> None:
    # 2 gpus and 1e-9 are taken of 2; a job that needs no gpu may still run
    state = {"transfer": [0.0], "resources": [[[2.0 + 1e-9]], [[0.0]]]}
    shape = {"slots": 1, "site_capacity": [[2.0], [0.0]]}
    job = {"data": [1, 0], "utility": [10.0], "worker_demand": [0.0], "server_demand": [0.0]}
    auction = one_resource(job, occupied=state, **shape)
    assert optimum("eris.best_schedule[residual]", auction) == pytest.approx(10.0)
    state = {"transfer": [2.0 + 1e-9], "resources": [[[0.0]], [[0.0]]]}
    auction = one_resource({}, occupied=state, transfer_budget=2.0, **shape)
    form = programs.build("eris.best_schedule[residual]").form(auction)
    assert form.row_upper.min() == 0.0 == form.row_lower.max()
