"""Exact slots: the best counts, their rings, and the compact program for what cannot be listed."""

import dataclasses

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.models.gadget.circulation import Circulation
from farkas.models.gadget.column import Columns
from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.slot import snapshot
from farkas.online.gadget import columns
from farkas.proofs.gadget.relaxations import random_clusters
from farkas.solvers.session import optimum_by_any
from tests.generators.gadget import job, small, star, table
from tests.tools.rings import is_walk


@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_listed_and_compact_slots_are_worth_the_enumerated_best(network):
    for cluster in random_clusters(8, 2, network=network, servers=3, jobs=3, at_once=True):
        slot, feasible = snapshot(cluster), FeasibleCounts.of(cluster)
        best, counts = feasible.best(slot)
        listed = columns.exact_rings(slot, feasible)
        assert np.bincount(listed.job, listed.size, cluster.num_jobs).tolist() == counts.tolist()
        compact = columns.exact_rings(slot, None)
        for rings in (listed, compact):
            assert Columns(slot, rings).gains.sum() == pytest.approx(best, rel=1e-9, abs=1e-9)
            assert (rings.node_load(cluster).sum(axis=0) <= cluster.capacity).all()
            assert (rings.link_load(cluster).sum(axis=0) <= cluster.link_bandwidth).all()
            for workers, flow in zip(rings.workers, rings.flow, strict=True):
                assert is_walk(cluster, workers, flow)


def test_ties_go_to_the_largest_counts_of_the_first_jobs():
    # two GPUs, rewards of 1 a worker: (2, 0), (1, 1) and (0, 2) are worth 2
    cluster = star(2, jobs=[job(), job()])
    feasible = FeasibleCounts.of(cluster)
    assert feasible.best(snapshot(cluster))[1].tolist() == [2, 0]
    # a share 1e-8 less is less, a share 1e-10 is a tie
    for less, wanted in ((1e-8, [0, 2]), (1e-10, [2, 0])):
        poorer = star(2, jobs=[job(efficiency=1 - less), job()])
        counts = FeasibleCounts.of(poorer).best(snapshot(poorer))[1]
        assert counts.tolist() == wanted


def test_no_counts_have_no_rings():
    cluster = star(2, jobs=[job(), job()])
    assert len(columns.rings_of_counts(cluster, np.zeros(2, int))) == 0
    assert len(columns.exact_rings(snapshot(star(2)), None)) == 0


def test_too_many_counts_are_not_listed_and_too_large_programs_are_refused():
    many = star(60, jobs=[job(max_workers=50) for _ in range(4)])
    assert columns.list_counts(many) is None
    assert columns.list_counts(star(2, jobs=[job()])).vectors.tolist() == [[0], [1], [2]]
    with pytest.raises(NotApplicable, match=r"more than 3; use gadget\.columns"):
        columns.compact_rings(snapshot(star(2, 2, jobs=[job()])), most=3)


def test_where_nothing_is_worth_anything_the_largest_counts_run():
    cluster = star(2, jobs=[job(**table(0, 0, 0)), job(**table(0, 0, 0))])
    assert FeasibleCounts.of(cluster).best(snapshot(cluster))[1].tolist() == [2, 0]
    losing = star(2, jobs=[job(**table(0, -1, -2)), job(**table(0, 0, -1))])
    assert FeasibleCounts.of(losing).best(snapshot(losing))[1].tolist() == [0, 1]


def test_a_circulation_that_a_solver_leaves_beside_a_ring_is_no_part_of_it(monkeypatch):
    # a one-way ring of three servers, and two switches joined to each other only
    links = [(u, v, 3) for u, v in ((0, 1), (1, 2), (2, 0), (3, 4), (4, 3))]
    cluster = small([1, 1, 1], links, switches=2, one_way=True)
    slot = snapshot(cluster)
    form = Circulation().form(slot)
    away = np.zeros(form.num_columns)
    away[form.column_block("uses").where] = [0, 0, 0, 1, 1]

    def beside(form, **options):
        answer = optimum_by_any(form, **options)
        return dataclasses.replace(answer, raw_point=answer.point + away)

    monkeypatch.setattr(columns, "optimum_by_any", beside)
    rings = columns.compact_rings(slot)
    assert (rings.size.tolist(), rings.flow.tolist()) == ([3], [[1, 1, 1, 0, 0]])
