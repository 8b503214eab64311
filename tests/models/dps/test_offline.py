"""dps.offline, dps.offline_lp and dps.placement_sequence against complete search."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.dps.offline import Offline, OfflineLP
from farkas.models.dps.placement import Sequence
from farkas.proofs.dps.formulation import best_by_search
from farkas.solvers import Claimed, solve
from tests.generators.dps import empty_market, forced_jobs, random_market
from tests.tools.samples import seeds


def optimum(program, market) -> float:
    return solve(program.form(market), gap=0.0).require_optimal().objective


@seeds(15, 40)
def test_the_linear_program_is_the_search_over_acceptance_and_placement(seed):
    market = random_market(seed, jobs=4, servers=2)
    assert optimum(Offline(), market) == pytest.approx(best_by_search(market, market.budget))
    if market.price_cap is None:
        with pytest.raises(NotApplicable, match="needs a price_cap"):
            Offline(prices="capped").form(market)
        return
    capped = market.capped_reward
    assert optimum(Offline(prices="capped"), market) == pytest.approx(
        best_by_search(market, capped)
    )
    assert optimum(Offline(prices="forced"), market) == pytest.approx(
        best_by_search(market, capped, forced=forced_jobs(market))
    )


def test_the_order_of_free_capped_forced_can_be_strict():
    market = library.load("dps/forced_acceptance")
    # Free: 3 + 6.5.  Capped at 1 a unit the jobs pay 2, 3, 5; the last two exclude the first.
    free, capped, forced = (
        optimum(Offline(prices=prices), market) for prices in ("free", "capped", "forced")
    )
    assert free > capped > forced


def test_a_sequence_that_cannot_be_served_is_infeasible():
    assert solve(Sequence().form(library.load("dps/one_server"))).claim is Claimed.INFEASIBLE
    # Half open each of the three runs one slot.
    assert optimum(Sequence(), library.load("dps/one_server_half_open")) == pytest.approx(3.0)


def test_a_market_without_jobs_is_worth_nothing():
    market = empty_market()
    for program in (Offline(), OfflineLP(), Sequence()):
        assert optimum(program, market) == 0.0


def test_a_market_without_servers_sells_nothing():
    market = random_market(3).replace(server_workers=[], server_ps=[])
    assert optimum(Offline(), market) == 0.0
    assert not market.fits.any()


def test_spread_units_sit_where_capacity_is():
    market = random_market(5, jobs=5, servers=3)
    form = Offline().form(market)
    point = solve(form, gap=0.0).require_optimal().point
    workers = form.values(point, "spread_workers")
    assert np.allclose(workers.sum(axis=1), market.workers * form.values(point, "spread"))


@pytest.mark.parametrize("workers", [True, False])
def test_a_forced_job_that_just_fits_beside_an_earlier_one_is_served(workers):
    # 4 of each are installed.  Job 0 holds 2 workers (or servers), job 1 needs the other 2, no
    # price keeps either out, and job 2 pays more but needs all 4: it is lost
    def job(arrival: int, units: int, budget: float, slots: float) -> dict:
        side = {"workers": units, "ps": 1} if workers else {"workers": 1, "ps": units}
        kind = {"worker_type": 0, "ps_type": 0, "model_size": 0.0, "epochs": 1.0}
        return kind | side | {"arrival": arrival, "budget": budget, "epoch_compute": slots}

    market = library.load("dps/forced_acceptance")
    market = market.replace(jobs=[job(0, 2, 9.0, 2.0), job(1, 2, 9.0, 4.0), job(4, 4, 9.0, 1.0)])
    assert optimum(Offline(prices="capped"), market) == pytest.approx(3 + 5)
    assert optimum(Offline(prices="forced"), market) == pytest.approx(3 + 3)
    assert best_by_search(market, market.capped_reward, forced=forced_jobs(market)) == 6.0


@pytest.mark.parametrize("cap", [0.25, 1.0, 8.0])
def test_jobs_are_forced_that_can_pay_the_cap_for_every_unit(cap):
    for seed in range(8):
        market = random_market(seed, jobs=8, servers=2)
        jobs = [msgspec.structs.replace(job, budget=cap * job.budget) for job in market.jobs]
        market = market.replace(price_cap=cap, jobs=msgspec.to_builtins(jobs))
        form = Offline(prices="forced").form(market)
        names = [block.name for block in form.rows]
        found = []
        if "served_unless_blocked" in names:
            found = form.row_block("served_unless_blocked").axes[0].members[:, 0].tolist()
        wanted = [
            i
            for i, job in enumerate(market.jobs)
            if job.budget * (1 + 1e-9) >= cap * (job.workers + job.ps)
        ]
        assert found == wanted


@pytest.mark.parametrize("seed", range(12))
def test_a_job_is_whole_only_where_both_sides_of_it_fit_and_spread_only_where_it_fits(seed):
    # some jobs ask for more than a server has, one for more than all servers have
    market = random_market(seed, jobs=8, servers=3).replace(price_cap=1.0)
    jobs = msgspec.to_builtins(market.jobs)
    jobs[0]["workers"], jobs[1]["ps"], jobs[2]["workers"] = 9, 9, 99
    market = market.replace(jobs=jobs)
    for program in (Offline(), OfflineLP(), Offline(prices="forced")):
        form = program.form(market)
        whole = form.values(form.upper, "whole").astype(bool).tolist()
        spread = form.values(form.upper, "spread").astype(bool).tolist()
        for job, able, together in zip(market.jobs, whole, spread, strict=True):
            workers = [row[job.worker_type] for row in market.server_workers]
            ps = [row[job.ps_type] for row in market.server_ps]
            one = [w >= job.workers and p >= job.ps for w, p in zip(workers, ps, strict=True)]
            assert able == one
            assert together == (sum(workers) >= job.workers and sum(ps) >= job.ps)


def test_a_part_of_a_job_that_fits_nowhere_is_worth_nothing():
    # 4 of 5 workers would hold 4/5 of the job
    one = library.load("dps/one_server").replace(server_workers=[[4]], server_ps=[[4]])
    job = msgspec.to_builtins(one.jobs[0])
    for units, worth in ((4, job["budget"]), (5, 0.0)):
        for side in ("workers", "ps"):
            assert optimum(OfflineLP(), one.replace(jobs=[{**job, side: units}])) == worth
