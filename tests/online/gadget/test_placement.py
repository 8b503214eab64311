"""The placement heuristic, step by step."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import snapshot
from farkas.online.gadget.placement import Room, as_rings, packed
from farkas.proofs.gadget.small import random_clusters
from farkas.relaxations.gadget.generation import generate_columns
from tests.generators.gadget import any_networks, job, star, table
from tests.online.gadget.test_columns import slot_broken
from tests.online.gadget.test_diving import ring


def test_placement_takes_the_tightest_server_that_holds_all():
    room = Room(star(4, 2, 3, jobs=[job()]))
    # largest rings are clipped to two workers, so all three fit equally: the first wins
    assert room.place(0, 2).workers.tolist() == [2, 0, 0, 0]
    room = Room(star(4, 2, 3, jobs=[job(max_workers=4)]))
    assert room.place(0, 2).workers.tolist() == [0, 2, 0, 0]


def test_placement_spreads_by_room_and_joins_hosts_in_index_order():
    room = Room(star(1, 2, 2, jobs=[job(max_workers=5)]))
    ring = room.place(0, 4)
    assert ring.workers.tolist() == [0, 2, 2, 0]
    assert len(ring.links) == 4  # two hosts: there and back over the hub
    assert room.fit(0).tolist() == [1, 0, 0, 0]


def test_a_failed_placement_keeps_nothing():
    room = Room(star(1, 1, bandwidth=0.5, jobs=[job()]))
    before = room.free.copy(), list(room.residual)
    assert room.place(0, 2) is None
    assert room.free.tolist() == before[0].tolist()
    assert room.residual == before[1]


def legs(cluster, walk):
    """Cut a walk where it meets the hosts in turn: (nodes, links) so far."""
    nodes = [int(cluster.link_source[walk[0]])] if walk else []
    return nodes + [int(cluster.link_target[e]) for e in walk]


def distance(cluster, start, end, open_links):
    """Length of a shortest path over ``open_links`` by Bellman and Ford; infinite without one."""
    length = {start: 0.0}
    for _ in range(cluster.num_nodes):
        for e in open_links:
            u, v = int(cluster.link_source[e]), int(cluster.link_target[e])
            if u in length:
                length[v] = min(length.get(v, np.inf), length[u] + 1)
    return length.get(end, np.inf)


@pytest.mark.parametrize("network", ["tree", "mesh", "cycle"])
def test_rings_follow_shortest_paths_with_room_and_hosts_by_room(network):
    rings = 0
    for cluster in random_clusters(40, 7, network=network, servers=4, jobs=2, resources=2):
        room = Room(cluster)
        for i in (0, 1):
            for size in (3, 2):
                free, left = room.free.copy(), list(room.residual)
                holds = np.where(
                    cluster.is_server,
                    [
                        min(
                            [int(f // d) for f, d in zip(row, cluster.demand[i], strict=True) if d]
                            + [int(cluster.max_workers[i])]
                        )
                        for row in free
                    ],
                    0,
                )
                assert room.fit(i).tolist() == holds.tolist()
                ring = room.place(i, size)
                whole = [u for u in range(cluster.num_nodes) if holds[u] >= size]
                if whole:
                    tightest = min(whole, key=lambda u: (holds[u], u))
                    assert ring.workers[tightest] == size
                    assert ring.links == []
                    continue
                if holds.sum() < size:
                    assert ring is None
                    continue
                wanted, missing = np.zeros(cluster.num_nodes, int), size
                for u in sorted(range(cluster.num_nodes), key=lambda u: (-holds[u], u)):
                    wanted[u] = min(holds[u], missing)
                    missing -= wanted[u]
                hosts = np.flatnonzero(wanted).tolist()
                need, at, reached = float(cluster.bandwidth[i]), 0, True
                for start, end in zip(hosts, hosts[1:] + hosts[:1], strict=True):
                    open_links = [e for e in range(cluster.num_links) if left[e] >= need]
                    away = distance(cluster, start, end, open_links)
                    if away == np.inf:
                        reached = False
                        break
                    if ring is not None:
                        path = ring.links[at : at + int(away)]
                        assert set(path) <= set(open_links)
                        assert (legs(cluster, path)[0], legs(cluster, path)[-1]) == (start, end)
                        at += int(away)
                        for e in path:
                            left[e] -= need
                    else:
                        break  # some later leg must have failed
                if ring is None:
                    assert room.residual == left or not reached
                    assert np.array_equal(room.free, free)
                    continue
                rings += 1
                assert reached
                assert at == len(ring.links)
                assert ring.workers.tolist() == wanted.tolist()
                assert room.residual == left
                assert np.array_equal(room.free, free - wanted[:, None] * cluster.demand[i])
                room.release(i, ring)
                assert np.array_equal(room.free, free)
    assert rings >= 3


def test_a_job_without_demand_is_held_by_every_server_up_to_its_largest_ring():
    room = Room(star(0, 5, jobs=[job(demand=[0], max_workers=3)]))
    assert room.fit(0).tolist() == [3, 3, 0]


def test_placed_rings_are_collected_by_job_with_links_counted():
    cluster = star(1, 1, jobs=[job(), job()])
    room = Room(cluster)
    placed = {1: room.place(1, 2), 0: None}
    del placed[0]
    rings = as_rings(cluster, placed)
    assert (rings.job.tolist(), rings.size.tolist()) == ([1], [2])
    # there over links 0 and 3, back over 2 and 1
    assert rings.flow.tolist() == [[1, 1, 1, 1]]
    assert len(as_rings(cluster, {})) == 0


def test_tenths_that_add_up_to_what_there_is_fit():
    # in doubles 0.3 / 0.1 is below 3, and 0.3 - 0.1 - 0.1 below 0.1
    room = Room(star(0.3, jobs=[job(demand=[0.1], max_workers=4)]))
    assert room.fit(0).tolist() == [3, 0]
    room = Room(star(1, 1, bandwidth=0.3, jobs=[job(bandwidth=0.1)]))
    for _ in range(3):
        assert len(room._join(0, [0, 1])) == 4
    assert room._join(0, [0, 1]) is None


def test_a_server_that_rounding_overfills_holds_nobody_and_takes_nobody_away():
    # three times 0.1 is a share 2e-10 more than there is, so that a job of a millionth fits -60
    # times
    first = job(demand=[0.1], max_workers=3)
    room = Room(star(0.3 * (1 - 2e-10), 1e-6, 1e-6, jobs=[first, job(demand=[1e-6])]))
    assert room.place(0, 3).workers.tolist() == [3, 0, 0, 0]
    assert room.fit(1).tolist() == [0, 1, 1, 0]
    assert room.place(1, 2).workers.tolist() == [0, 1, 1, 0]


def sizes(cluster, found, share):
    """Workers by server of every job that runs."""
    slot = snapshot(cluster)
    rings = packed(slot, Rings.of(cluster, found), np.array(share))
    assert slot_broken(cluster, rings) == []
    return {
        int(i): y.tolist()[: cluster.is_server.sum()]
        for i, y in zip(rings.job, rings.workers, strict=True)
    }


def pairs(count, values=(0, 0, 10)):
    return [job(max_workers=2, **table(*values)) for _ in range(count)]


def test_halves_of_rings_are_packed_once_others_have_moved_together():
    # one worker each on servers 0 and 1, and half a pair in the room beside both
    cluster = star(2, 2, jobs=[*pairs(1), job(max_workers=1), job(max_workers=1)])
    found = [ring(cluster, 0, (2, 0)), ring(cluster, 0, (0, 2)),
             ring(cluster, 1, (1, 0)), ring(cluster, 2, (0, 1))]  # fmt: skip
    run = sizes(cluster, found, [0.5, 0.5, 1.0, 1.0])
    assert sorted(run) == [0, 1, 2]
    assert sorted(run[0]) == [0, 2]


def test_wide_rings_run_by_share_before_anything_else():
    cluster = star(1, 1, 1, bandwidth=9, jobs=pairs(2))
    found = [ring(cluster, 0, (1, 1, 0)), ring(cluster, 1, (0, 1, 1))]
    assert sizes(cluster, found, [0.4, 0.6]) == {1: [0, 1, 1]}
    assert sizes(cluster, found, [0.6, 0.4]) == {0: [1, 1, 0]}
    assert sizes(cluster, found, [0.3, 0.2]) == {}


def test_who_is_left_takes_what_is_free_by_gain_per_worker():
    jobs = [job(max_workers=2, **table(0, value, 2 * value)) for value in (3, 5, 4)]
    cluster = star(2, 2, jobs=jobs)
    assert sizes(cluster, [], []) == {1: [1, 0], 2: [1, 0], 0: [0, 1]}
    small = star(1, jobs=jobs)
    assert sizes(small, [], []) == {1: [1]}
    assert sizes(star(1, jobs=pairs(1, (0, -1))), [], []) == {}


def test_what_is_packed_fits_on_every_shape_of_network():
    wide = 0
    for cluster in any_networks(40, 41):
        slot = snapshot(cluster)
        found = generate_columns(slot)
        rings = packed(slot, found.columns.rings, found.share)
        assert slot_broken(cluster, rings) == []
        assert len(np.unique(rings.job)) == len(rings.job)
        wide += int(((rings.workers > 0).sum(axis=1) > 1).sum())
    assert wide > 8
