"""Best rings by labels: by hand, and with and without machine code."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.models.gadget.slot import snapshot
from farkas.relaxations.gadget.ring_pricing import network_of
from farkas.relaxations.gadget.ring_search import (
    LabelMemory,
    alone,
    best_ring,
    best_rings,
    fitted,
    found_at,
    no_labels,
    search,
)
from farkas.relaxations.gadget.ring_walks import (
    Frame,
    RingTask,
    best_with,
    distances,
    plain_ahead,
)
from tests.generators.gadget import SHAPES, any_network, job, table
from tests.references.gadget_pricing import least_costs

MANY = 1 << 20


def network(nodes, *ends):
    pairs = np.array(ends, np.int64).reshape(-1, 2)
    return network_of(nodes, pairs[:, 0].copy(), pairs[:, 1].copy())


def task(price, cap, length, worth, uses=None):
    every = np.full(len(length), 9) if uses is None else np.array(uses)
    return RingTask(
        np.array(price, float), np.array(cap), np.array(length, float), every,
        np.array([-np.inf, *worth], float),
    )  # fmt: skip


CYCLE = network(3, (0, 1), (1, 2), (2, 0))
"""Three hosts on a one-way cycle."""

TRIANGLE = network(3, (0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2))


def found(network, task, floor=0.0, labels=MANY):
    worth, most, workers, flow, _ = best_ring(network, task, floor, labels)
    return worth, most, workers.tolist(), flow.tolist()


def test_a_ring_around_a_cycle_pays_every_link_once():
    # GPUs at 1, 10, 100; links at 2, 4, 8: once around is 14
    cycle = task([1, 10, 100], [1, 1, 1], [2, 4, 8], [3, 30, 130])
    assert found(CYCLE, cycle) == (5.0, 5.0, [1, 1, 0], [1, 1, 1])  # 30 - 11 - 14
    three = task([1, 10, 100], [1, 1, 1], [2, 4, 8], [3, 20, 131])
    assert found(CYCLE, three) == (6.0, 6.0, [1, 1, 1], [1, 1, 1])  # 131 - 111 - 14
    one = task([1, 10, 100], [1, 1, 1], [2, 4, 8], [3, 20, 120])
    assert found(CYCLE, one) == (2.0, 2.0, [1, 0, 0], [0, 0, 0])
    assert found(CYCLE, one, floor=2.5) == (2.5, 2.5, [0, 0, 0], [0, 0, 0])


def test_a_walk_that_comes_back_to_a_full_host_is_no_ring():
    # one, two and two GPUs for nothing; only five workers are worth anything, so all are needed
    idle = task([0, 0, 0], [1, 2, 2], [0] * 6, [0, 0, 0, 0, 15])
    worth, most, workers, flow = found(TRIANGLE, idle)
    assert (worth, most, workers) == (15.0, 15.0, [1, 2, 2])
    assert sum(flow) == 3
    # without memory a bound remains, and what was found is a ring all the same
    worth, most, workers, _ = found(TRIANGLE, idle, labels=0)
    assert most == 15.0
    assert worth in (0.0, 15.0)
    assert sum(workers) == (5 if worth else 0)


def test_a_host_that_is_free_holds_no_more_than_fit():
    # server 0 is free, 1 costs 1 and 2 costs 50: three workers go 0, 1, 2, not 0, 1, 0 or 0, 1, 1
    priced = task([0, 1, 50], [1, 1, 1], [0] * 6, [0, 0, 60])
    assert found(TRIANGLE, priced)[:3] == (9.0, 9.0, [1, 1, 1])


def test_a_link_is_not_used_more_often_than_it_fits():
    # hosts 0, 1, 2 around switch 3; the way from 0 to 3 fits once, so 0 cannot be passed twice.
    # Both 1 and 2 are reached through 0 only, and lead back to it
    star = network(4, (0, 3), (3, 1), (3, 2), (1, 0), (2, 0))
    worth = [1, 10, 20]
    wide = task([0, 0, 0, 0], [1, 1, 1, 0], [0] * 5, worth)
    assert found(star, wide)[:3] == (20.0, 20.0, [1, 1, 1, 0])
    narrow = task([0, 0, 0, 0], [1, 1, 1, 0], [0] * 5, worth, uses=[1, 9, 9, 9, 9])
    assert found(star, narrow)[0] == 10.0
    # a dearer way around lets it pass after all: 20 - 3
    other = network(4, (0, 3), (3, 1), (3, 2), (1, 0), (2, 0), (1, 3))
    around = task([0, 0, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0, 0, 3], worth, uses=[1, 9, 9, 9, 9, 9])
    assert found(other, around)[:3] == (17.0, 17.0, [1, 1, 1, 0])


def test_walks_are_cut_to_what_fits():
    priced = task([1, 2, 3], [1, 1, 1], [1, 1, 1], [5, 11, 20], uses=[1, 1, 2])
    walk = np.array([1, 1, 1])
    assert fitted(priced, np.array([1, 2, 0]), walk) == (11 - 3 - 3, True)
    assert fitted(priced, np.array([1, 1, 0]), walk * 2) == (-np.inf, False)


@pytest.mark.parametrize(
    ("price", "best"), [([1, 1], (8.0, 1, 2)), ([1, 5], (4.0, 0, 1)), ([9, 9], (-4.0, 0, 1))]
)
def test_the_best_ring_on_one_host(price, best):
    assert alone(task(price, [1, 2], [], [5, 10])) == best


def some_search(rng, nodes=6, links=18, size=6):
    """A random job on a random network, and what a search from its first host knows."""
    ends = rng.integers(0, nodes, (links, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    net = network(nodes, *ends.tolist())
    job = task(
        rng.integers(0, 4, nodes), rng.integers(1, 3, nodes), rng.integers(0, 3, len(ends)),
        rng.integers(0, 25, size), uses=rng.integers(0, 3, len(ends)),
    )  # fmt: skip
    back = distances(net, job.length, job.uses, 0, True)
    host = np.arange(nodes) > 0
    paid = np.arange(size + 1) * job.price.min()  # walks may come back to the cheapest host
    left = np.array([max(job.worth[j], best_with(job.worth, j, paid)) for j in range(size + 1)])
    return net, job, Frame(0, host, back, left)


def forgetful(net, nodes):
    return LabelMemory(np.zeros(nodes, np.int64), np.zeros(len(net.source), np.int64), 1)


@pytest.mark.slow
def test_a_search_that_runs_out_of_labels_says_what_it_may_have_missed():
    rng, short = np.random.default_rng(6), 0
    for _ in range(100):
        net, job, frame = some_search(rng)
        memory, ahead = forgetful(net, 6), plain_ahead(frame, 6)
        best = search(net, job, frame, ahead, memory, 0.0, no_labels(1000, 1000))[0]
        for room in range(3, 40, 4):
            value, bound, _, used = search(
                net, job, frame, ahead, memory, 0.0, no_labels(1000, room)
            )
            assert value <= best <= bound
            assert used <= room
            short += value < bound
    assert short > 50


def test_labels_are_found_again_in_a_full_table():
    # five places for two labels: 3, 8 and 13 belong to place 3, then 4, then 0
    labels = no_labels(1000, 2)
    assert (len(labels.place), len(labels.key)) == (5, 2)
    for used, (key, at) in enumerate([(8, 3), (3, 4)]):
        assert found_at(labels, key) == at
        labels.place[at], labels.key[used] = used, key
    assert [found_at(labels, key) for key in (8, 3, 13, 5)] == [3, 4, 0, 0]
    assert len(no_labels(4, 2).place) == 4  # one for every label
    assert len(no_labels(4, 9).key) == 4


@pytest.mark.ids(60)
@pytest.mark.parametrize("seed", range(60))
def test_where_gains_rise_and_fall_the_best_ring_of_all_is_found(seed):
    rng = np.random.default_rng(seed)
    gains = [0.0, *rng.integers(0, 30, 4).tolist()]
    size = len(gains) - 1
    one = {"max_workers": size, "bandwidth": 1, **table(*gains)}
    shape = SHAPES[seed % len(SHAPES)]
    cluster = any_network(rng, shape)
    cluster = cluster.replace(jobs=[job(**one)])
    slot = snapshot(cluster)
    node, link = rng.integers(0, 4, cluster.num_nodes), rng.integers(0, 3, cluster.num_links)
    prices = node[:, None].astype(float), link.astype(float)
    least = least_costs(cluster, slot, *prices)[0]
    wanted = max(0.0, float((slot.gains[0][: len(least)] - least).max(initial=0.0)))
    uses = slot.uses[0]
    found = best_ring(
        network_of(cluster.num_nodes, cluster.link_source, cluster.link_target),
        RingTask(node.astype(float), slot.cap[0], link.astype(float), uses,
                 np.array([-np.inf, *slot.gains[0]])),
        0.0, MANY,
    )  # fmt: skip
    assert found[0] == pytest.approx(wanted)
    assert found[1] == pytest.approx(wanted)


def test_a_larger_ring_that_only_promises_more_does_not_replace_a_better_one():
    # around host 0 and back: 1 for host 1, 4 for host 2, 28 for host 3.  Two workers earn 10 - 1,
    # three 12 - 5, and four would be worth 30, if the way to the last were not 28
    star = network(4, (0, 1), (1, 0), (0, 2), (2, 0), (0, 3), (3, 0))
    length = [0.5, 0.5, 2, 2, 14, 14]
    assert found(star, task([0] * 4, [1] * 4, length, [0, 10, 12, 30]))[:3] == (
        9.0,
        9.0,
        [1, 1, 0, 0],
    )


@pytest.mark.parametrize("labels", [0, MANY])
def test_rings_of_many_jobs_are_those_of_each(labels):
    rng, open_ones, followed = np.random.default_rng(4), 0, 0
    nodes, links, jobs, sizes = 3, 6, 60, 4
    worker, length = rng.random((jobs, nodes)) / 4, rng.random((jobs, links)) / 4
    cap, uses = rng.integers(0, 2, (jobs, nodes)), rng.integers(0, 4, (jobs, links))
    worth = np.column_stack([np.full(jobs, -np.inf), rng.random((jobs, sizes)).cumsum(axis=1)])
    largest, floor = rng.integers(1, sizes + 1, jobs), rng.random(jobs) - 0.5
    together = best_rings(TRIANGLE, worker, cap, length, uses, worth, largest, floor, labels)
    for i in range(jobs):
        one = RingTask(worker[i], cap[i], length[i], uses[i], worth[i, : largest[i] + 1])
        best, most, workers, flow, used = best_ring(TRIANGLE, one, float(floor[i]), labels)
        assert (together[0][i], together[1][i]) == (best, most)
        assert (together[2][i] == workers).all()
        assert (together[3][i] == flow).all()
        open_ones += most > best
        followed += used
    assert (open_ones > 3) == (labels == 0)
    assert together[4] == followed > 0
