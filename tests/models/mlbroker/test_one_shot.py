"""Program mlbroker.one_shot: one slot with a memory."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.models.mlbroker.offline import Offline
from farkas.models.mlbroker.one_shot import OneShot, snapshot
from farkas.solvers import solve
from tests.generators.mlbroker import random_brokerage, single


def value(data, prices="choice"):
    return solve(OneShot(prices=prices).form(data)).require_optimal().objective


@pytest.mark.parametrize("prices", ["choice", "single"])
@pytest.mark.parametrize("seed", range(5))
def test_one_slot_without_past_is_the_strict_offline_program(prices, seed):
    data = random_brokerage(seed, slots=1, sites=3, jobs=3)
    strict = solve(Offline(semantics="strict").form(data)).require_optimal().objective
    assert value(data, prices) == pytest.approx(strict, abs=1e-6)


def test_staying_is_free_and_moving_costs_a_deployment():
    # 5 GB at site 1; a worker and a server at 1 USD each; moving costs 1 USD/GB, deploying 1 USD
    data = single([[5.0, 0.0], [0.0, 5.0]])
    assert value(snapshot(data, 1)) == pytest.approx(2 + 1)
    assert value(snapshot(data, 1, [[False, True]])) == pytest.approx(2)
    assert value(snapshot(data, 1, [[True, False]])) == pytest.approx(2 + 1)
    # with deployment at 9 USD the data go back to where the job is
    dear = single([[5.0, 0.0], [0.0, 5.0]], deploy_cost=9.0)
    assert value(snapshot(dear, 1, [[True, False]])) == pytest.approx(2 + 5)


def test_list_prices_ignore_the_discount():
    # three workers and a server: 4 units; list 4, discounted 0.5 * 4 + 0.5 * 1 = 2.5; deployment 1
    data = single([[30.0]], discount_price=[[0.5]], discount_threshold=[[1.0]])
    assert value(data, "list") == pytest.approx(4 + 1)
    assert value(data, "choice") == pytest.approx(2.5 + 1)
    assert value(data, "single") == pytest.approx(2.5 + 1)


def test_jobs_alone_do_not_pool_their_volume():
    # two equal jobs of 2 units each: alone 2 at list price; together 0.5 * 4 + 0.5 * 2 = 3
    data = single([[10.0]], discount_price=[[0.5]], discount_threshold=[[2.0]], deploy_cost=0.0)
    data = data.replace(jobs=[data.jobs[0], data.jobs[0]])
    assert value(snapshot(data, 0, jobs=[1])) == pytest.approx(2)
    assert value(snapshot(data, 0)) == pytest.approx(3)


def test_an_instance_without_jobs_costs_nothing():
    empty = single([[5.0, 5.0]]).replace(jobs=[])
    assert value(empty) == 0
    assert np.array_equal(snapshot(empty, 0).jobs, [])


def test_a_slot_is_an_instance_with_its_jobs_and_their_data():
    data = single([[5.0, 0.0], [1.0, 4.0]], discount_price=None)
    now = snapshot(data, 1, [[False, True]])
    assert (now.slot, now.jobs.tolist(), now.deployed.tolist()) == (1, [0], [[False, True]])
    assert (now.market.num_slots, now.market.num_jobs) == (1, 1)
    assert now.market.volume.tolist() == [[1.0, 4.0]]
    assert now.market.big_m is None


def test_nothing_is_deployed_before_arrival():
    data = single([[5.0, 0.0], [0.0, 5.0]])
    assert not snapshot(data, 0, [[True, True]]).deployed.any()


def test_an_inactive_job_is_refused():
    data = random_brokerage(1)
    away = [i for i in range(data.num_jobs) if i not in data.jobs_at(0)]
    assert away == [0, 1]
    with pytest.raises(NotApplicable, match="job 0 is not active in slot 0"):
        snapshot(data, 0, jobs=away)
