"""Dominant resource fairness by progressive filling."""

import numpy as np
import pytest

from farkas.online import algorithms
from farkas.online.gadget.drf import dominant_share, finite_totals
from tests.generators.gadget import any_networks, job, over_time, star
from tests.references import gadget_baselines
from tests.tools.decisions import decisions


def test_drf_grows_the_poorest_job_and_freezes_what_cannot_grow():
    cluster = star(3, jobs=[job(max_workers=3), job(max_workers=3)])
    run = algorithms["gadget.drf"].run(cluster)
    # 1, 1, then the first again; the second cannot grow
    sizes = {r["job"]: sum(c for _, c in r["workers"]) for r in run.decisions[0]}
    assert sizes == {0: 2, 1: 1}


@pytest.mark.parametrize("seed", range(25))
def test_one_server_is_filled_by_the_least_dominant_share(seed):
    rng = np.random.default_rng(seed)
    capacity = rng.integers(2, 12, 2)
    jobs = [
        job(
            demand=rng.integers(0, 4, 2).tolist(),
            budget=[None, None],
            max_workers=int(rng.integers(1, 6)),
        )
        for _ in range(4)
    ]
    cluster = star(1, jobs=[]).replace(
        resources=["gpu", "memory"],
        nodes=[{"capacity": capacity.tolist()}, {"server": False, "capacity": [0, 0]}],
        jobs=jobs,
    )
    sizes, frozen = [0] * 4, set()
    while len(frozen) < 4:
        share = [
            max(n * d / c for d, c in zip(one["demand"], capacity.tolist(), strict=True))
            for n, one in zip(sizes, jobs, strict=True)
        ]
        poorest = min((i for i in range(4) if i not in frozen), key=lambda i: (share[i], i))
        more = [n + (i == poorest) for i, n in enumerate(sizes)]
        used = sum(np.array(one["demand"]) * n for n, one in zip(more, jobs, strict=True))
        if more[poorest] > jobs[poorest]["max_workers"] or (used > capacity).any():
            frozen.add(poorest)
        else:
            sizes = more
    run = algorithms["gadget.drf"].run(cluster)
    found = {r["job"]: sum(c for _, c in r["workers"]) for r in run.decisions[0]}
    assert found == {i: n for i, n in enumerate(sizes) if n}


def test_a_job_grows_no_further_than_its_budget_leaves():
    # three worker-slots: two in the first slot, one in the second, none in the third
    run = algorithms["gadget.drf"].run(star(2, horizon=3, jobs=[job(budget=[3])]))
    assert [[c for r in slot for _, c in r["workers"]] for slot in run.decisions] == [[2], [1], []]


def test_shares_are_of_all_servers_and_nothing_is_a_share_of_nothing():
    total = finite_totals(star(2, 3, jobs=[job()]))
    assert total.tolist() == [5.0]
    assert dominant_share(2, np.array([1.0, 2.0]), np.array([10.0, 8.0])) == 0.5
    assert dominant_share(3, np.array([1.0]), finite_totals(star(0, jobs=[job()]))) == 0.0
    assert dominant_share(3, np.zeros(0), np.zeros(0)) == 0.0


def test_a_ring_that_cannot_grow_keeps_its_links():
    # the first job is poor by its share of all memory, and lies on both small servers; it tries a
    # third worker before the second job tries its second, whose ring would need the same links
    wide = job(max_workers=3, demand=[0, 1, 1], budget=[None] * 3)
    narrow = job(demand=[1, 0, 1], budget=[None] * 3)
    cluster = star(0, 0, 0, bandwidth=1, jobs=[]).replace(
        resources=["gpu", "memory", "disk"],
        nodes=[{"capacity": [1, 1, None]}, {"capacity": [1, 1, None]}, {"capacity": [0, 98, 0]},
               {"server": False, "capacity": [0, 0, 0]}],
        jobs=[wide, narrow],
    )  # fmt: skip
    (slot,) = decisions("gadget.drf", cluster)
    assert [(ring.job, ring.size, len(ring.links)) for ring in slot] == [(0, 2, 4), (1, 1, 0)]


def test_units_of_switches_are_no_share():
    cluster = star(1).replace(
        resources=["gpu", "memory"],
        nodes=[{"capacity": [2, 4]}, {"server": False, "capacity": [98, 0]}],
    )
    assert finite_totals(cluster).tolist() == [2, 4]


def test_on_every_network_rings_grow_as_by_the_rule():
    for number, network in enumerate(any_networks(40, 5)):
        cluster = over_time(network, number)
        found = [
            [(ring.job, dict(ring.workers), dict(ring.links)) for ring in slot]
            for slot in decisions("gadget.drf", cluster)
        ]
        assert found == gadget_baselines.slots(cluster, gadget_baselines.drf)
