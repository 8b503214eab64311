"""Best rings by an integer program, against all rings and against labels."""

import numpy as np
import pytest

from farkas.models.gadget.slot import snapshot
from farkas.relaxations.gadget import ring_walks
from farkas.relaxations.gadget.ring_walks import program_ring
from tests.generators.gadget import any_networks, small, table
from tests.references.gadget_pricing import random_prices
from tests.relaxations.gadget.test_ring_pricing import best_listed


def priced(slot, node, link):
    cluster = slot.cluster
    worker = cluster.demand[slot.jobs] @ node.T
    return worker, cluster.bandwidth[slot.jobs][:, None] * link


def test_the_program_finds_the_best_of_all_rings():
    rng, rings = np.random.default_rng(8), 0
    for cluster in any_networks(25, 9):
        slot = snapshot(cluster)
        node, link = random_prices(cluster, rng)
        link *= rng.random() < 0.6  # links for nothing invite cycles away from the hosts
        worker, length = priced(slot, node, link)
        best = best_listed(slot, node, link) if len(slot.jobs) else []
        for place, most in enumerate(best):
            worth, bound, workers, flow = program_ring(slot, place, worker[place], length[place])
            assert (worth, bound) == pytest.approx((most, most), abs=1e-5)
            out = np.bincount(cluster.link_source, flow, cluster.num_nodes)
            assert out.tolist() == np.bincount(cluster.link_target, flow, len(out)).tolist()
            rings += bool(flow.any()) and int((workers > 0).sum() > 1)
    assert rings > 5


def test_without_an_answer_nothing_is_claimed(monkeypatch):
    slot = snapshot(small([2, 1], [(0, 1, 3)], table(0, 4, 7, 9)))
    worker, length = priced(slot, np.array([[1.0], [2.0]]), np.array([0.5, 0.0]))
    # 9 - 4 - 1 for three, 7 - 2 for two, 4 - 1 for one
    worth, bound, workers, flow = program_ring(slot, 0, worker[0], length[0])
    assert (worth, bound, workers.tolist(), flow.tolist()) == (
        5.0,
        pytest.approx(5),
        [2, 0],
        [0, 0],
    )
    dear = program_ring(slot, 0, worker[0] + 9, length[0])
    assert (dear[0], dear[1], dear[2].any()) == (0.0, pytest.approx(0), False)
    monkeypatch.setattr(ring_walks, "PATIENCE", 0.0)
    worth, bound, workers, flow = program_ring(slot, 0, worker[0], length[0])
    assert worth <= 5.0 <= bound
