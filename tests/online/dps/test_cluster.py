"""Units held and taken back, and where the units of a job go, against lists."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances import library
from farkas.instances.dps import Market
from farkas.online.dps import cluster as kernels
from farkas.online.dps.cluster import Cluster, Jobs, filling, placed
from farkas.online.dps.seller import FreeOfCharge
from tests.generators.dps import random_market
from tests.references.dps_market import algorithm_2


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("unit", [1, 10**9 // 3])
def test_servers_come_in_the_order_of_idle_workers_then_idle_servers(seed, unit):
    workers, ps = unit * np.random.default_rng(seed).integers(0, 4, (2, 6))
    rank = np.zeros(6, np.int64)
    kernels._rank.interpret(rank, workers, ps)
    order = [kernels._next_best.interpret(rank) for _ in range(6)]
    assert order == sorted(range(6), key=lambda s: (-workers[s], -ps[s], s))


def as_lists(units):
    return tuple(part.tolist() for part in units)


@pytest.mark.ids(60)  # they take a millisecond each
@pytest.mark.parametrize("seed", range(60))
def test_placements_are_those_of_the_rules(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 5))
    idle_workers, idle_ps = rng.integers(0, 4, (2, count))
    workers, ps = (int(x) for x in rng.integers(1, 5, 2))
    found = placed("pa", idle_workers, idle_ps, workers, ps)
    if idle_workers.sum() < workers or idle_ps.sum() < ps:
        assert found is None
        assert placed("best_fit", idle_workers, idle_ps, workers, ps) is None
        return
    wanted = algorithm_2(idle_workers.tolist(), idle_ps.tolist(), workers, ps)
    assert as_lists(found) == wanted
    hosts = [s for s in range(count) if idle_workers[s] >= workers and idle_ps[s] >= ps]
    if hosts:
        least = min(hosts, key=lambda s: (idle_workers[s] + idle_ps[s], s))
        wanted = (
            [workers * (s == least) for s in range(count)],
            [ps * (s == least) for s in range(count)],
        )
    assert as_lists(placed("best_fit", idle_workers, idle_ps, workers, ps)) == wanted


def idle(market: Market) -> Cluster:
    return Cluster.empty(market.installed_workers, market.installed_ps)


@pytest.mark.parametrize("seed", range(20))
def test_units_are_taken_and_come_back_by_arrival_when_their_job_is_over(seed):
    market = random_market(seed, jobs=25, servers=3)
    jobs = Jobs.of(market)
    cluster = idle(market).with_room(jobs)
    held: dict[int, tuple[int, np.ndarray, np.ndarray]] = {}
    for job in range(market.num_jobs):
        slot = int(market.arrival[job])
        gone = [j for j, (free, *_) in sorted(held.items()) if free <= slot]
        rows = {int(cluster.running[row, kernels.FIRST]): row for row in cluster.active.tolist()}
        assert len(rows) >= len(held)
        kernels.release.interpret(cluster, slot)
        over = cluster.ended[: cluster.counts[kernels.OVER]].tolist()
        assert [int(cluster.log[cluster.running[row, kernels.FIRST], 0]) for row in over] == gone
        for j in gone:
            del held[j]
        if kernels.fits.interpret(cluster, jobs, job):
            first = int(cluster.counts[kernels.LOGGED])
            whole = kernels.place.interpret(cluster, jobs, job, filling("pa"))
            entries = cluster.log[first : cluster.counts[kernels.LOGGED]]
            units = np.zeros((2, 3), np.int64)
            units[:, entries[:, 1]] = entries[:, 2:].T
            assert whole == (len(entries) == 1)
            end = (market.colocated_end if whole else market.spread_end)[job]
            still = [t for t in range(market.horizon) if market.still_held(end, t) and t >= slot]
            held[job] = max(still) + 1, units[0], units[1]
        workers, ps = market.installed_workers.T.copy(), market.installed_ps.T.copy()
        for j, (_, one, other) in held.items():
            workers[market.worker_type[j]] -= one
            ps[market.ps_type[j]] -= other
        assert cluster.idle_workers.tolist() == workers.tolist()
        assert cluster.idle_ps.tolist() == ps.tolist()
        assert cluster.total_workers.tolist() == workers.sum(axis=1).tolist()
        assert cluster.total_ps.tolist() == ps.sum(axis=1).tolist()
        assert int(cluster.counts[kernels.RUNNING]) == len(held)


def test_runtimes_below_the_spacing_of_doubles_still_hold_the_slot():
    # Two jobs in slot 5, 1e-20 slots long, half open: the second finds the server busy.
    market = library.load("dps/one_server_half_open")
    job = {"arrival": 5, "worker_type": 0, "workers": 1, "ps_type": 0, "ps": 1, "model_size": 0,
           "epochs": 1, "epoch_compute": 1e-20, "budget": 1.0}  # fmt: skip
    twins = market.replace(runtime_rounding="none", jobs=[job, job])
    assert FreeOfCharge().simulate(twins).served.tolist() == [True, False]


def test_there_is_room_for_a_record_on_every_server_and_for_every_job():
    market = random_market(4, jobs=9, servers=4)
    records = [min(market.num_servers, job.workers + job.ps) for job in market.jobs]
    roomy = idle(market).with_room(Jobs.of(market))
    assert (len(roomy.log), len(roomy.running)) == (sum(records), 9)
    assert roomy.with_room(Jobs.of(market)).log is roomy.log  # nothing is placed yet
    # every job on as many servers as it has units, all of them at once
    apart = market.replace(server_workers=[[1] * market.num_worker_types] * 4,
                           server_ps=[[1] * market.num_ps_types] * 4)  # fmt: skip
    assert FreeOfCharge().simulate(apart).served.any()
