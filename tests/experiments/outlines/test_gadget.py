"""Servers and links of GADGET in a picture."""

from __future__ import annotations

import math

from msgspec.structs import replace

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


def test_what_is_limited_somewhere_is_shown_and_no_limit_is_no_zero():
    cluster = farkas.load("gadget/demo")
    link, *links = cluster.links
    place = next(k for k, node in enumerate(cluster.nodes) if node.server)
    nodes = list(cluster.nodes)
    nodes[place] = replace(nodes[place], capacity=(None, None))
    shown = made(cluster.replace(links=[replace(link, bandwidth=None), *links], nodes=nodes))
    assert shown.network.links[link.source, link.target] == math.inf
    (bars,) = shown.bars
    assert list(bars.amounts) == ["gpu"]
    servers = [node for node in nodes if node.server]
    assert bars.amounts["gpu"] == [node.capacity[0] for node in servers]
    assert bars.amounts["gpu"].count(None) == 1
