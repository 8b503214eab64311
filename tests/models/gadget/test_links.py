"""How often rings may use links, by hand."""

import numpy as np

from farkas.models.gadget.links import link_cap
from tests.generators.gadget import small


def test_a_link_carries_so_many_edges_of_a_ring():
    # 2 Gbps an edge: 4 carry two, 3.999 one; what asks for nothing is never limited
    cluster = small([1, 1], [(0, 1, 4), (1, 0, 3.999)], {}, {"bandwidth": 0.0}, one_way=True)
    assert link_cap(cluster, 0).tolist() == [2, 1]
    assert link_cap(cluster, 1).tolist() == [np.inf, np.inf]
