"""dps.interval_ip and dps.interval_lp: all shapes, special cases, and where they are exact."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.relaxations.dps.interval import IntervalIP, IntervalLP, fixed_price_payments
from farkas.solvers import solve
from tests.generators.dps import empty_market, random_market


def optimum(program, market) -> float:
    return solve(program.form(market), gap=0.0).require_optimal().objective


@pytest.mark.parametrize("seed", range(40))
def test_all_shapes_have_one_optimum(seed):
    market = random_market(seed, jobs=9)
    for program in (IntervalIP, IntervalLP):
        cliques, *others = (
            optimum(program(shape=shape), market) for shape in ("cliques", "state", "scarce")
        )
        assert others == pytest.approx([cliques, cliques], abs=1e-7)


@pytest.mark.parametrize("seed", range(30))
def test_it_is_the_best_subset_that_respects_capacity_at_every_arrival(seed):
    market = random_market(seed, jobs=7)
    best = 0.0
    for chosen in itertools.product((False, True), repeat=market.num_jobs):
        pick = np.array(chosen)
        if not (pick & ~market.fits).any() and _fits(market, pick):
            best = max(best, float(market.budget[pick].sum()))
    assert optimum(IntervalIP(), market) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(10))
def test_at_fixed_prices_it_is_the_best_subset_of_those_who_can_pay(seed):
    rng = np.random.default_rng(seed)
    market = random_market(seed, jobs=7)
    worker = rng.choice([0.1, 0.3, 0.5], market.num_worker_types).tolist()
    ps = rng.choice([0.2, 0.4], market.num_ps_types).tolist()
    market = market.replace(fixed_prices={"worker": worker, "ps": ps})
    paid = []
    for job in market.jobs:
        asked = worker[job.worker_type] * job.workers + ps[job.ps_type] * job.ps
        paid.append(asked if asked <= job.budget * (1 + 1e-9) else 0.0)
    assert fixed_price_payments(market).tolist() == pytest.approx(paid)
    best = 0.0
    for chosen in itertools.product((False, True), repeat=market.num_jobs):
        pick = np.array(chosen)
        if not (pick & ~market.fits).any() and _fits(market, pick):
            best = max(best, float(np.array(paid)[pick].sum()))
    assert optimum(IntervalIP(rewards="fixed"), market) == pytest.approx(best)


def _fits(market, pick) -> bool:
    for i in range(market.num_jobs):
        held = [
            j for j in np.flatnonzero(pick[: i + 1])
            if j == i or market.still_held(market.least_end[j], market.arrival[i])
        ]  # fmt: skip
        k, m = market.worker_type[i], market.ps_type[i]
        workers = sum(market.workers[j] for j in held if market.worker_type[j] == k)
        ps = sum(market.ps[j] for j in held if market.ps_type[j] == m)
        if workers > market.worker_capacity[k] or ps > market.ps_capacity[m]:
            return False
    return True


def test_no_jobs_no_rows():
    form = IntervalLP().form(empty_market())
    assert form.num_rows == form.num_columns == 0
    assert optimum(IntervalLP(shape="state"), empty_market()) == 0.0


def test_fixed_rewards_need_fixed_prices():
    with pytest.raises(NotApplicable, match="no fixed_prices"):
        IntervalLP(rewards="fixed").form(library.load("dps/one_server"))


@pytest.mark.parametrize("shape", ["cliques", "state"])
@pytest.mark.parametrize("side", ["workers", "ps"])
def test_a_job_that_never_fits_counts_for_nothing_in_fractions_too(side, shape):
    # twice the units that there are: half of the job would fit
    market = random_market(0).replace(
        server_workers=[[2], [2]], server_ps=[[2], [2]], worker_bandwidth=[None],
        ps_bandwidth=[None], price_cap=1.0,
        jobs=[{"arrival": 0, "worker_type": 0, "workers": 1, "ps_type": 0, "ps": 1, "model_size": 0,
               "epochs": 1, "epoch_compute": 1.0, "budget": 10.0} | {side: 8}],
    )  # fmt: skip
    assert solve(IntervalLP(shape=shape).form(market)).require_optimal().objective == 0.0
    fits = market.replace(server_workers=[[8]], server_ps=[[8]])
    assert solve(IntervalLP(shape=shape).form(fits)).require_optimal().objective == 10.0
