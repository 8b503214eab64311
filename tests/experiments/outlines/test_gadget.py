"""Servers and links of GADGET in a picture."""

from __future__ import annotations

import math

import farkas
from farkas.experiments.outlines import outlines


def made(instance):
    return outlines[instance.kind].made(instance)


def test_a_cluster_of_gadget_shows_its_links_and_what_is_limited():
    cluster = farkas.load("gadget/demo")
    shown = made(cluster)
    assert set(shown.network.links) == {(link.source, link.target) for link in cluster.links}
    for link in cluster.links:
        bandwidth = math.inf if link.bandwidth is None else link.bandwidth
        assert shown.network.links[link.source, link.target] == bandwidth
    (bars,) = shown.bars
    assert list(bars.amounts) == ["gpu"]  # nothing limits iterations
    assert [start for start, _ in shown.spans] == [job.arrival for job in cluster.jobs]
