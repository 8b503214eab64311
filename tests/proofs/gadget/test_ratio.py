"""Mixtures that whole runs are drawn from."""

import numpy as np
import pytest

from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.ratio import all_sizes
from farkas.proofs.gadget.small import random_clusters


def test_the_mixture_of_all_sizes_has_the_worth_and_loads_of_the_relaxation():
    for cluster in random_clusters(15, 6, network="any", servers=3, jobs=4):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        drawn = all_sizes(slot)
        rings, share = drawn.mixture.rings, drawn.mixture.share
        place = slot.jobs.searchsorted(rings.job)
        worth = (share * slot.gains[place, rings.size - 1]).sum()
        assert worth == pytest.approx(drawn.value, rel=1e-9, abs=1e-9)
        assert (np.bincount(rings.job, share) <= 1 + 1e-9).all()
        load = (share[:, None, None] * rings.node_load(cluster)).sum(axis=0)
        assert (load <= cluster.capacity + 1e-9).all()
