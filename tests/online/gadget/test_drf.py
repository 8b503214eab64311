"""Dominant resource fairness by progressive filling."""

import numpy as np

from farkas.online.gadget.fixed_rings import dominant_share, finite_totals
from tests.generators.gadget import any_networks, job, over_time, star
from tests.references import gadget_baselines
from tests.tools.decisions import decisions


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
