"""Points of the augmented relaxation as mixtures of rings."""

import numpy as np
import pytest

from farkas.instances import library
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.relaxed import random_clusters
from farkas.relaxations.gadget.decompose import Copy, decompose
from farkas.relaxations.gadget.horizon import Augmented, fixed_sizes
from farkas.solvers import solve
from tests.generators.gadget import small


def test_the_shares_of_a_mixture_are_those_of_the_point():
    slot = snapshot(library.load("gadget/tiny"))
    slot = slot.fixed(slot.largest)
    form = Augmented().form(slot)
    point = solve(form).require_optimal().point
    mixture = decompose(slot, form, point)
    assert mixture.share.sum() == pytest.approx(form.values(point, "chosen").sum())
    assert mixture.passes <= int((point > 0).sum())


@pytest.mark.parametrize("network", ["tree", "mesh"])
def test_node_loads_are_reproduced_and_link_loads_not_exceeded(network):
    for cluster in random_clusters(6, 11, network=network, jobs=2):
        slot = fixed_sizes(cluster)
        form = Augmented().form(slot)
        point = solve(form).require_optimal().point
        mixture = decompose(slot, form, point)
        node = np.tensordot(mixture.share, mixture.rings.node_load(cluster), 1)
        link = mixture.share @ mixture.rings.link_load(cluster)
        servers = cluster.is_server
        assert (node[servers] <= cluster.capacity[servers] + 1e-6).all()
        assert (link <= cluster.link_bandwidth + 1e-6).all()
        worth = dict(zip(slot.jobs.tolist(), slot.pair_gains.tolist(), strict=True))
        gains = np.array([worth[job] for job in mixture.rings.job.tolist()])
        assert mixture.share @ gains == pytest.approx(form.objective(point), abs=1e-6)


def test_one_ring_is_peeled_off_by_its_thinnest_part():
    # a ring of two from host 0: half of worker 1 sits on node 1, reached by 0.3 of edge 0
    cluster = small([1, 1], [(0, 1, 3)])
    placed = np.array([[0, 0], [0.25, 0.5]])
    routed = np.array([[0.3, 0.0], [0.0, 0.5]])  # edge 0 over link (0, 1), edge 1 over (1, 0)
    copy = Copy(cluster, 0, 0.75, placed, routed)
    share, hosts, paths = copy.peel()  # the first goal is at home: worker 1 with 0.25 on node 0
    assert (share, hosts, paths) == (0.25, [0, 0], [[], []])
    share, hosts, paths = copy.peel()
    assert (share, hosts, paths) == (pytest.approx(0.3), [0, 1], [[0], [1]])
    assert copy.chosen == pytest.approx(0.2)
    assert copy.placed[1].tolist() == pytest.approx([0, 0.2])
    assert copy.routed.tolist() == [pytest.approx([0, 0]), pytest.approx([0, 0.2])]
    assert copy.peel() is None  # edge 0 is used up


def test_rings_of_a_point_by_hand():
    slot = snapshot(small([1, 1], [(0, 1, 3)])).fixed([2])
    form = Augmented().form(slot)
    mixture = decompose(slot, form, solve(form).require_optimal().point)
    # the workers sit on both servers, whichever is the first
    assert set(map(tuple, mixture.rings.workers.tolist())) <= {(1, 1), (2, 0), (0, 2)}
    assert mixture.share.sum() == pytest.approx(1.0)
    nothing = decompose(slot, form, np.zeros(form.num_columns))
    assert (len(nothing.rings), nothing.passes) == (0, 0)
