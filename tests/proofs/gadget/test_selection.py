"""Ring sizes that are selected, by hand."""

import numpy as np

from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.selection import around_mean, selected, shares
from farkas.proofs.gadget.small import random_clusters


def test_shares_of_a_job_sum_to_at_most_one_and_selected_sizes_weigh_most():
    for cluster in random_clusters(8, 4, network="any", jobs=3):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        share = shares(slot)
        assert (share.sum(axis=1) <= 1 + 1e-7).all()
        weight = np.where(slot.allowed, slot.gains * share, 0.0)
        sizes = dict(selected(slot).pairs.tolist())
        for place, job in enumerate(slot.jobs.tolist()):
            if job in sizes:
                assert weight[place, sizes[job] - 1] == weight[place].max()


def test_sizes_around_the_mean_are_its_neighbours():
    for cluster in random_clusters(8, 6, network="any", jobs=3):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        share = shares(slot)
        mean = dict(zip(slot.jobs.tolist(), share @ np.arange(1, share.shape[1] + 1), strict=True))
        for job, size in around_mean(slot).pairs.tolist():
            assert abs(size - mean[job]) < 1 + 1e-6
