"""Random clusters of a few servers."""

import numpy as np
import pytest

from farkas.instances.utilities.curvature import concave_in_reach
from farkas.proofs.gadget.small import random_clusters


@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_networks_are_what_they_are_called(network):
    for cluster in random_clusters(10, 3, network=network, servers=4, jobs=2):
        ends = set(zip(cluster.link_source.tolist(), cluster.link_target.tolist(), strict=True))
        assert cluster.is_server.sum() == 4
        if network == "cycle":
            assert ends == {(u, (u + 1) % 4) for u in range(4)}
        else:
            assert ends == {(v, u) for u, v in ends}
        if network == "tree":
            assert len(ends) == 2 * (cluster.num_nodes - 1)


def test_settings_decide_arrivals_budgets_and_concavity():
    for cluster in random_clusters(10, 5, at_once=True, budgets=False, resources=2):
        assert not cluster.arrival.any()
        assert cluster.num_resources == 2
        assert all(concave_in_reach(cluster, i) for i in range(cluster.num_jobs))
        assert all(amount is None for job in cluster.jobs for amount in job.budget)
    anything = list(random_clusters(10, 5, concave=False))
    assert not all(concave_in_reach(c, i) for c in anything for i in range(c.num_jobs))
    assert any(np.any(c.arrival) for c in anything)
