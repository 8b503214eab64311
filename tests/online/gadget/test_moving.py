"""Rings that go to other slots: nobody loses, nothing is overfull, and room is found."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.models.gadget.rings import Rings, enumerate_rings
from farkas.online.gadget.hindsight import improve, reward_of, schedules
from farkas.online.gadget.moving import SpareRoom
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
