"""What a slot is split by: sizes first, then the uses that both parts change most."""

from __future__ import annotations

import numpy as np

from farkas.certificates.gadget_boxes import SlotBox
from farkas.models.gadget.rings import Rings
from farkas.online.gadget.diving import branch_of
from tests.generators.gadget import job, star


def described(cluster, found, share, box=None):
    """Job, kind, place and count of the branch; rings are (job, workers, uses of links)."""
    if box is None:
        box = SlotBox.whole(cluster, cluster.ring_limit())
    rings = Rings.of(cluster, found)
    chosen = branch_of(box, rings, np.array(share))
    return None if chosen is None else (chosen.of, chosen.job, chosen.place, chosen.count)


def two_hubs(gpus=(2, 2, 2), **changes):
    """Servers 0, 1, 2 around a hub; link 2 u leads there and 2 u + 1 back."""
    return star(*gpus, bandwidth=3, jobs=[job(max_workers=4, bandwidth=2, **changes)] * 3)


def ring(cluster, i, workers):
    """A ring of a job on a star, with workers by server."""
    flow = np.zeros(cluster.num_links, int)
    hosts = [u for u, n in enumerate(workers) if n]
    if len(hosts) > 1:
        flow[[2 * u for u in hosts] + [2 * u + 1 for u in hosts]] = 1
    return i, [*workers, 0], flow


def test_sizes_are_split_first_where_they_are_furthest_from_whole():
    cluster = two_hubs()
    found = [ring(cluster, 0, (1, 1, 0)), ring(cluster, 0, (2, 0, 0)), ring(cluster, 1, (0, 0, 1)),
             ring(cluster, 2, (0, 0, 1)), ring(cluster, 2, (0, 1, 1))]  # fmt: skip
    # job 0 has size 2 for sure; job 1 none with 0.3, job 2 at most 1 with 0.6
    assert described(cluster, found, [0.5, 0.5, 0.7, 0.6, 0.4]) == ("size", 2, 0, 1)
    assert described(cluster, found, [0.5, 0.5, 0.55, 0.8, 0.2]) == ("size", 1, 0, 0)


def test_a_link_is_split_between_jobs_that_do_not_fit_beside_each_other():
    cluster = two_hubs()
    # links of 3 hold one use of 2: both jobs share the links of server 0
    found = [ring(cluster, 0, (1, 1, 0)), ring(cluster, 0, (0, 1, 1)),
             ring(cluster, 1, (1, 1, 0)), ring(cluster, 1, (2, 0, 0))]  # fmt: skip
    assert described(cluster, found, [0.6, 0.4, 0.5, 0.5]) == ("uses", 0, 2, 0)
    assert described(cluster, found, [0.4, 0.6, 0.5, 0.5]) == ("uses", 0, 2, 0)
    # where all rings are whole nothing is left
    assert described(cluster, found, [0.0, 1.0, 0.0, 1.0]) is None


def test_workers_on_a_node_are_split_where_links_fit():
    cluster = star(2, 2, 2, bandwidth=9, jobs=[job(max_workers=4, bandwidth=2)] * 3)
    # a whole ring has one GPU of server 0, and half a ring of two workers wants both
    found = [ring(cluster, 0, (1, 1, 0)), ring(cluster, 1, (2, 0, 0)), ring(cluster, 1, (0, 0, 2))]
    assert described(cluster, found, [1.0, 0.5, 0.5]) == ("workers", 0, 0, 0)
    # nobody is cut off by another job on one server
    lone = [ring(cluster, 0, (1, 0, 0)), *found[1:]]
    assert described(cluster, lone, [1.0, 0.5, 0.5]) is None


def test_what_has_been_granted_is_not_asked_again():
    cluster = star(2, 2, 2, bandwidth=9, jobs=[job(max_workers=4, bandwidth=2)] * 3)
    found = [ring(cluster, 0, (1, 1, 0)), ring(cluster, 1, (2, 0, 0)), ring(cluster, 1, (0, 0, 2))]
    box = SlotBox.whole(cluster, cluster.ring_limit())
    box.least_workers[0, 0] = 1
    assert described(cluster, found, [1.0, 0.5, 0.5], box) is None


def test_two_workers_on_a_node_are_asked_for_where_one_would_cut_nothing_off():
    cluster = star(3, 2, 2, bandwidth=9, jobs=[job(max_workers=4, bandwidth=2)] * 3)
    # beside one of three GPUs a ring of two still fits, beside two it does not
    found = [ring(cluster, 0, (2, 1, 0)), ring(cluster, 1, (2, 0, 0)), ring(cluster, 1, (0, 0, 2))]
    assert described(cluster, found, [1.0, 0.5, 0.5]) == ("workers", 0, 0, 1)
