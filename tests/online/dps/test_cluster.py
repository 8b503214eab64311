"""Idle units and the jobs that hold the rest."""

import numpy as np
import pytest

from farkas.online.dps.cluster import IdleUnits
from farkas.online.dps.offers import Known, Offer
from farkas.online.dps.pricing import fill
from tests.generators.dps import random_market
from tests.references.dps_market import sell


@pytest.mark.parametrize("seed", range(30))
def test_units_are_taken_and_given_back_as_in_the_list(seed):
    market = random_market(seed, jobs=14)
    gone = []
    told = sell(market, lambda job: 0.0, lambda job, runtime: gone.append((job, runtime)))
    cluster = IdleUnits(Known.of(market), "pa", np.random.default_rng(0))
    found, released = [], []
    for job in range(market.num_jobs):
        offer = Offer.of(market, job)
        released += [(r.job, r.runtime) for r in cluster.release(offer.slot)]
        if not cluster.fits(offer):
            found.append(("full", None))
            continue
        servers, workers, ps = cluster.place(offer)
        units = [0] * market.num_servers, [0] * market.num_servers
        for s, a, b in zip(servers, workers, ps, strict=True):
            units[0][s], units[1][s] = a, b
        found.append(("served", units))
    assert found == told
    assert released == gone
    cluster.release(10**9)
    assert cluster.idle_workers.tolist() == [list(row) for row in market.server_workers]
    assert cluster.idle_ps.tolist() == [list(row) for row in market.server_ps]


@pytest.mark.parametrize(("occupancy", "held"), [("closed", [0, 0, 1]), ("half_open", [0, 1, 1])])
def test_the_slot_in_which_a_job_ends_is_held_if_closed(occupancy, held):
    # arrives in slot 0 and runs one slot: over at 2, or already at 1
    market = random_market(0).replace(
        occupancy=occupancy, runtime_rounding="none", server_workers=[[1]], server_ps=[[1]],
        worker_bandwidth=[None], ps_bandwidth=[None],
        jobs=[{"arrival": 0, "worker_type": 0, "workers": 1, "ps_type": 0, "ps": 1,
               "model_size": 0, "epochs": 1, "epoch_compute": 1.0, "budget": 1.0}],
    )  # fmt: skip
    cluster = IdleUnits(Known.of(market), "pa", np.random.default_rng(0))
    offer = Offer.of(market, 0)
    cluster.place(offer)
    for slot, free in enumerate(held):
        cluster.release(slot)
        assert cluster.fits(offer) == bool(free)


def test_a_random_placement_fills_servers_in_the_order_drawn():
    market = random_market(3, jobs=1, servers=3).replace(
        server_workers=[[2, 2]] * 3, server_ps=[[2, 2]] * 3, worker_bandwidth=[None] * 2,
        ps_bandwidth=[None] * 2,
    )  # fmt: skip
    known, offer = Known.of(market), Offer.of(market, 0)
    for seed in range(8):
        cluster = IdleUnits(known, "random", np.random.default_rng(seed))
        servers, workers, ps = cluster.place(offer)
        order = np.random.default_rng(seed).permutation(3)
        two = np.full(3, 2)
        wanted = fill(order, two, two, offer.workers, offer.ps)
        used = np.flatnonzero(wanted[0] + wanted[1])
        assert list(servers) == used.tolist()
        assert list(workers) == wanted[0][used].tolist()
        assert list(ps) == wanted[1][used].tolist()
