"""Boxes of a slot's decisions: parts lose no decision, and leave no more than fits."""

from __future__ import annotations

import itertools
from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates import check
from farkas.certificates.gadget_slot import certify_slot
from farkas.certificates.gadget_slot_tree import OneSlot, SlotBox, SlotBranch, certify_one_slot
from farkas.errors import NotACertificate
from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.online.gadget.columns import (
    best_slot_certificate,
    column_rings,
    slot_certificate,
    tree_certificate,
)
from tests.generators.gadget import any_networks, job, scarce, small, star


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


RING = [(0, 1, 6.0), (1, 2, 6.0), (0, 2, 6.0)]


def nothing(cluster: Cluster) -> np.ndarray:
    return np.zeros(cluster.num_jobs, dtype=np.int64)


def late(horizon: int = 3) -> Cluster:
    """Two jobs in the last slot on three servers; one earns 5 without any worker."""
    shape = {"kind": "table", "values": [0.0, 2.0, 7.0]}
    paid = {"kind": "table", "values": [5.0, 6.0, 9.0]}
    jobs = [
        {"arrival": horizon - 1, "max_workers": 2, "bandwidth": 4.0, "utility": utility}
        for utility in (shape, paid)
    ]
    return small([1, 1, 1], RING, *jobs, horizon=horizon)


def prices(cluster: Cluster) -> OneSlot:
    return certify_one_slot(
        cluster, slot_certificate(cluster, cluster.horizon - 1, nothing(cluster))
    )


def test_jobs_are_worth_what_they_earn_without_workers_and_what_the_slot_adds() -> None:
    # three GPUs and links of 6: both rings of two need four GPUs; best is 7 + 6 or 2 + 9
    cluster = late()
    bound = prices(cluster).prove_bound(cluster)
    assert bound >= 13
    free = certify_one_slot(
        cluster, certify_slot(cluster, 2, nothing(cluster), np.zeros((3, 1)), np.zeros(6))
    )
    assert float(free.prove_bound(cluster)) == pytest.approx(7 + 9)  # at prices 0 both run whole


@pytest.mark.ids(4)
@pytest.mark.parametrize("utility", ["linear", "sqrt", "sigmoid", "table"])
@pytest.mark.parametrize("width", [0.35, 1.0])
def test_no_schedule_earns_more(utility: str, width: float) -> None:
    cluster = scarce(3, [(0, 1), (1, 2), (0, 2)], utility, jobs=5, width=width)
    best = farkas.solve(cluster, "gadget.offline").answer.objective
    view, none = snapshot(cluster, 0, nothing(cluster)), nothing(cluster)
    rings, _ = column_rings(view, 1e-6)
    for slot in (
        slot_certificate(cluster, 0, none),
        best_slot_certificate(cluster, 0, none, 1e-6),
        tree_certificate(view, rings, 1e-6),
    ):
        made = certify_one_slot(cluster, slot)
        proof = check(made, instance=cluster)
        assert proof.bound is not None
        assert float(proof.bound) >= best * (1 - 1e-9)
        assert proof.bound <= Fraction(made.bound)


def test_the_bound_is_that_of_the_horizon_as_programs_have_it() -> None:
    cluster = late()
    best = farkas.solve(cluster, "gadget.offline").answer.objective
    assert best == pytest.approx(13)
    assert float(prices(cluster).prove_bound(cluster)) >= 13


def test_jobs_that_come_before_the_last_slot_are_refused() -> None:
    cluster = late()
    early = msgspec.structs.replace(
        cluster, jobs=(msgspec.structs.replace(cluster.jobs[0], arrival=1), *cluster.jobs[1:])
    )
    slot = slot_certificate(early, 2, nothing(early))
    with pytest.raises(NotACertificate, match="before the last slot"):
        certify_one_slot(early, slot)
    never = msgspec.structs.replace(
        cluster, jobs=(msgspec.structs.replace(cluster.jobs[0], arrival=3), *cluster.jobs[1:])
    )
    assert prices(never).prove_bound(never) >= 9


@pytest.mark.parametrize(("change", "problem"), [
    ({"slot": 1}, "slot 1 is not the last, 2"),
    ({"progress": (1, 0)}, "has received something"),
    ({"instance": "0" * 64}, "about another instance"),
])  # fmt: skip
def test_another_slot_progress_or_instance_is_refused(change: dict, problem: str) -> None:
    cluster = late()
    made = prices(cluster)
    forged = msgspec.structs.replace(made, slot=msgspec.structs.replace(made.slot, **change))
    with pytest.raises(NotACertificate, match=problem):
        forged.prove_bound(cluster)
