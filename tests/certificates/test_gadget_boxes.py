"""Boxes of a slot's decisions: parts lose no decision, and leave no more than fits."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
import pytest

from farkas.certificates.gadget_slot_tree import SlotBox, SlotBranch
from farkas.errors import NotACertificate
from farkas.models.gadget.rings import enumerate_rings
from tests.generators.gadget import any_networks, job, small, star


def branch(of, job, place, count):
    return SlotBranch(prices=-1, of=of, job=job, place=place, count=count)


def whole(cluster):
    limit = np.where(cluster.active(0, np.zeros(cluster.num_jobs)), cluster.ring_limit(), 0)
    return SlotBox.whole(cluster, limit), limit


def decisions(cluster, limit):
    """Sizes, workers and uses of every set of rings that fits, by job."""
    rings = enumerate_rings(cluster, limit)
    of_job = [[None, *np.flatnonzero(rings.job == i)] for i in range(cluster.num_jobs)]
    for choice in itertools.product(*of_job):
        part = rings.take(np.array([c for c in choice if c is not None], int))
        if (part.node_load(cluster).sum(axis=0) > cluster.capacity + 1e-9).any():
            continue
        if (part.link_load(cluster).sum(axis=0) > cluster.link_bandwidth + 1e-9).any():
            continue
        size = np.zeros(cluster.num_jobs, int)
        workers = np.zeros((cluster.num_jobs, cluster.num_nodes), int)
        uses = np.zeros((cluster.num_jobs, cluster.num_links), int)
        size[part.job], workers[part.job], uses[part.job] = part.size, part.workers, part.flow
        yield size, workers, uses


def holds(box, decision):
    size, workers, uses = (each[box.jobs] for each in decision)
    return (
        not box.empty
        and box.sizes[np.arange(len(size)), size].all()
        and (workers >= box.least_workers).all()
        and (workers <= box.most_workers).all()
        and (uses >= box.least_uses).all()
        and (uses <= box.most_uses).all()
    )


def test_every_decision_lies_in_exactly_one_part_however_often_boxes_are_split():
    rng, split, shut = np.random.default_rng(3), 0, 0
    for cluster in any_networks(25, 11):
        box, limit = whole(cluster)
        every = list(decisions(cluster, limit))
        assert all(holds(box, each) for each in every)
        for _ in range(6):
            if not len(box.jobs) or box.empty:
                break
            of = ("size", "workers", "uses")[int(rng.integers(3))]
            places = {"size": 1, "workers": cluster.num_nodes, "uses": cluster.num_links}[of]
            if not places:
                continue
            given = int(rng.integers(len(box.jobs))), int(rng.integers(places))
            chosen = branch(of, *given, int(rng.integers(0, 3)))
            first, second = box.parts(chosen)
            inside = [each for each in every if holds(box, each)]
            for each in inside:
                size, workers, uses = (what[box.jobs[given[0]]] for what in each)
                used = {"size": [size], "workers": workers, "uses": uses}[of]
                count = used[given[1]]
                assert holds(first, each) == (count <= chosen.count)
                assert holds(second, each) == (count > chosen.count)
            split += len(inside)
            box = (first, second)[int(rng.integers(2))]
            shut += box.empty
    assert split > 1000
    assert shut > 3


def test_others_have_what_is_left_beside_the_least_of_everybody():
    # three jobs of 3, 2 and 1 Gbps on links of 7, servers of 4 GPUs
    jobs = [job(bandwidth=need, max_workers=4) for need in (3, 2, 1)]
    box = whole(star(4, 4, bandwidth=7, jobs=jobs))[0]
    assert box.most_uses[:, 0].tolist() == [2, 3, 4]
    _, second = box.parts(branch("uses", 0, 0, 0))
    assert second.least_uses[:, 0].tolist() == [1, 0, 0]
    assert second.most_uses[:, 0].tolist() == [2, 2, 4]
    assert second.most_uses[:, 1].tolist() == [2, 3, 4]
    _, both = second.parts(branch("uses", 1, 0, 0))
    assert both.most_uses[:, 0].tolist() == [1, 2, 2]
    assert both.sizes[0].tolist() == both.sizes[1].tolist() == [False, False, True, True, True]
    assert both.sizes[2].all()
    _, full = both.parts(branch("uses", 2, 0, 1))
    assert full.most_uses[:, 0].tolist() == [1, 1, 2]
    assert not full.empty
    assert full.parts(branch("uses", 1, 0, 1))[1].empty
    first, second = box.parts(branch("workers", 0, 1, 2))
    assert first.most_workers[:, 1].tolist() == [2, 4, 4]
    assert second.least_workers[:, 1].tolist() == [3, 0, 0]
    assert second.most_workers[:, 1].tolist() == [4, 1, 1]
    assert second.sizes[0].tolist() == [False] * 3 + [True] * 2
    _, both = second.parts(branch("workers", 0, 0, 0))
    assert both.sizes[0].tolist() == [False] * 4 + [True]


def test_each_resource_limits_what_is_left():
    cluster = small([4], (), {"max_workers": 3}, {"max_workers": 3})
    two = [
        msgspec.structs.replace(one, demand=(1.0, need), budget=(None, None))
        for one, need in zip(cluster.jobs, (3.0, 2.0), strict=True)
    ]
    nodes = [msgspec.structs.replace(cluster.nodes[0], capacity=(4.0, 8.0))]
    wide = cluster.replace(resources=["gpu", "memory"], nodes=nodes, jobs=two)
    _, second = whole(wide)[0].parts(branch("workers", 0, 0, 0))
    assert second.most_workers[:, 0].tolist() == [2, 2]
    _, second = whole(wide)[0].parts(branch("workers", 0, 0, 1))
    assert second.most_workers[:, 0].tolist() == [2, 1]


def test_what_is_unlimited_or_not_needed_limits_nobody():
    jobs = [job(bandwidth=need, max_workers=3) for need in (0, 2)]
    box = whole(star(4, 4, bandwidth=4, jobs=jobs))[0]
    _, second = box.parts(branch("uses", 1, 0, 1))
    assert second.most_uses[:, 0].tolist() == [3, 2]
    free = whole(star(None, 4, bandwidth=None, jobs=jobs))[0]
    _, second = free.parts(branch("uses", 1, 0, 1))
    assert second.most_uses[:, 0].tolist() == [3, 3]
    _, second = free.parts(branch("workers", 1, 0, 1))
    assert second.most_workers[:, 0].tolist() == [3, 3]


def test_as_many_fit_beside_others_as_decimals_let_fit():
    # 3 times 0.1 is more than 0.3 in doubles
    jobs = [job(demand=[0.1], max_workers=2) for _ in range(2)]
    _, second = whole(star(0.3, jobs=jobs))[0].parts(branch("workers", 0, 0, 1))
    assert second.most_workers[:, 0].tolist() == [2, 1]


@pytest.mark.parametrize(
    "wrong", [("size", 9, 0, 0), ("size", 0, 1, 0), ("uses", 0, 9, 0), ("workers", 0, 4, 0)]
)
def test_branches_on_what_is_not_there_are_refused(wrong):
    box = whole(star(2, 2, 2, jobs=[job()]))[0]
    with pytest.raises(NotACertificate, match="does not have"):
        box.parts(branch(*wrong))
