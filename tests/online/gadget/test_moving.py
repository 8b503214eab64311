"""Rings that go to other slots: nobody loses, nothing is overfull, and room is found."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings, enumerate_rings
from farkas.online.gadget.exchange import SpareRoom
from farkas.online.gadget.hindsight import improve, reward_of, schedules
from farkas.proofs.gadget.small import random_clusters
from tests.generators.gadget import job, star, table
from tests.online.gadget.test_hindsight import rules_broken


def one(cluster, index, workers, links=()):
    counts, flow = np.zeros(cluster.num_nodes), np.zeros(cluster.num_links)
    for node, count in workers:
        counts[node] = count
    flow[list(links)] = 1
    return Rings.of(cluster, [(index, counts.astype(int), flow.astype(int))])


def test_a_small_ring_gives_way_to_one_that_needs_every_slot():
    # one server of two GPUs, two slots: the first job wants both all the time, the second one once
    jobs = [job(max_workers=2, **table(0, 1, 2, 3, 4)), job(max_workers=1, **table(0, 1.5))]
    cluster = star(3, horizon=2, jobs=jobs)
    at = int(np.argmax(cluster.is_server))
    small = one(cluster, 1, [(at, 1)])
    room = SpareRoom(cluster, [small, Rings.none(cluster)])
    assert room.empty(0)
    assert [rings.job.tolist() for rings in room.schedule] == [[], [1]]
    assert room.node[0, at, 0] == 3
    assert room.node[1, at, 0] == 2
    assert room.busy.tolist() == [[False, False], [False, True]]


@pytest.mark.parametrize("why", ["full", "not yet here", "runs there already"])
def test_a_ring_stays_where_no_other_slot_takes_it(why):
    arrival = 1 if why == "not yet here" else 0
    jobs = [job(arrival=arrival, max_workers=1, **table(0, 1, 2)),
            job(max_workers=1, **table(0, 1, 2))]  # fmt: skip
    cluster = star(1, horizon=2, jobs=jobs)
    at = int(np.argmax(cluster.is_server))
    there = {"full": 1, "not yet here": None, "runs there already": 0}[why]
    first = Rings.none(cluster) if there is None else one(cluster, there, [(at, 1)])
    schedule = [first, one(cluster, 0, [(at, 1)])]
    assert not SpareRoom(cluster, schedule).empty(1)
    assert schedule[1].job.tolist() == [0]


def test_a_ring_over_links_goes_as_it_is_or_to_one_host():
    jobs = [job(max_workers=2, bandwidth=1.0, **table(0, 1, 2))] * 2
    cluster = star(1, 1, horizon=3, jobs=jobs)
    rings = enumerate_rings(cluster, [2, 0])
    wide = rings.take(rings.flow.any(axis=1)).take([0])
    room = SpareRoom(cluster, [wide, Rings.none(cluster), Rings.none(cluster)])
    assert room.empty(0)
    moved = [rings for rings in room.schedule if len(rings)]
    assert len(moved) == 1
    assert moved[0].workers.tolist() == wide.workers.tolist()
    assert moved[0].flow.tolist() == wide.flow.tolist()


def test_moving_loses_nothing_and_breaks_nothing():
    moved = 0
    for cluster in random_clusters(12, 11, network="any", servers=3, jobs=4, horizon=3):
        schedule = next(schedules(cluster))
        before = reward_of(cluster, schedule)
        room = SpareRoom(cluster, schedule)
        moved += sum(room.empty(slot) for slot in range(cluster.horizon))
        assert reward_of(cluster, schedule) == pytest.approx(before, rel=1e-12)
        assert rules_broken(cluster, schedule) == []
        fresh = SpareRoom(cluster, list(schedule))
        assert np.allclose(fresh.node, room.node)
        assert np.allclose(fresh.link, room.link)
        assert (fresh.busy == room.busy).all()
    assert moved > 3


def test_a_pass_moves_what_is_in_the_way():
    # one GPU, two slots: the second job came late to a slot that the first could have left to it
    jobs = [job(max_workers=1, **table(0, 3)), job(arrival=1, max_workers=1, **table(0, 2))]
    cluster = star(1, horizon=2, jobs=jobs)
    at = int(np.argmax(cluster.is_server))
    schedule = [Rings.none(cluster), one(cluster, 0, [(at, 1)])]
    total = np.array([1.0, 0.0])
    assert improve(cluster, schedule, total, 1e-9)
    assert [rings.job.tolist() for rings in schedule] == [[0], [1]]
    assert total.tolist() == [1.0, 1.0]
    assert reward_of(cluster, schedule) == 5.0


def test_a_ring_goes_as_it_is_only_where_links_have_room_for_it():
    # two servers of three GPUs, links of 1, two rings across: one slot holds one of them
    jobs = [job(max_workers=2, bandwidth=1.0, **table(0, 1, 2)) for _ in range(2)]
    cluster = star(3, 3, bandwidth=1.0, horizon=2, jobs=jobs)
    rings = enumerate_rings(cluster, [2, 2])
    across = rings.take(rings.flow.any(axis=1))
    first, second = (across.take(np.flatnonzero(across.job == i)[:1]) for i in (0, 1))
    room = SpareRoom(cluster, [first, second])
    assert room.empty(0)
    assert (room.link >= 0).all()
    assert rules_broken(cluster, room.schedule) == []
    (moved,) = np.flatnonzero(room.schedule[1].job == 0)
    assert not room.schedule[1].flow[moved].any()  # to one host instead


def test_no_ring_goes_to_a_node_that_is_no_server():
    cluster = star(1, horizon=2, jobs=[job(max_workers=1, **table(0, 1, 2))] * 2)
    hub = int(np.argmin(cluster.is_server))
    nodes = [
        msgspec.structs.replace(node, capacity=(9.0,) * cluster.num_resources) if u == hub else node
        for u, node in enumerate(cluster.nodes)
    ]
    cluster = cluster.replace(nodes=nodes)
    assert cluster.capacity[hub].min() > 1
    at = int(np.argmax(cluster.is_server))
    full = [one(cluster, 0, [(at, 1)]), one(cluster, 1, [(at, 1)])]
    assert not SpareRoom(cluster, full).empty(0)


def test_a_ring_goes_to_the_slot_with_most_idle_units_of_what_it_needs_most():
    # two resources: the ring needs 2 of the second one and 1 of the first
    one_worker = table(0, 1, 2, 3)
    demands = [1.0, 2.0], [3.0, 0.0], [0.0, 1.0]
    some = {"budget": [None, None], "max_workers": 1, **one_worker}
    cluster = Cluster.build(
        horizon=4,
        resources=["cpu", "gpu"],
        nodes=[{"capacity": [6.0, 6.0]}],
        links=[],
        jobs=[job(demand=demand, **some) for demand in demands],
    )
    at = int(np.argmax(cluster.is_server))
    # most of the second resource is idle in slot 2, most of the first in slot 1 and 3
    schedule = [
        one(cluster, 0, [(at, 1)]),
        one(cluster, 2, [(at, 1)]),
        one(cluster, 1, [(at, 1)]),
        one(cluster, 2, [(at, 1)]),
    ]
    room = SpareRoom(cluster, schedule)
    assert room.empty(0)
    assert [sorted(rings.job.tolist()) for rings in room.schedule] == [[], [2], [0, 1], [2]]
