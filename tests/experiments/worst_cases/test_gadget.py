"""Workers on servers and bandwidth of links, by hand."""

from __future__ import annotations

from farkas.experiments.worst_cases.gadget import rings
from farkas.instances import library


def test_rings_hold_servers_and_links() -> None:
    cluster = library.load("gadget/tiny")
    hosts = [k for k, node in enumerate(cluster.nodes) if node.server]
    empty: list[list[object]] = [[] for _ in range(cluster.horizon)]
    ring = {"job": 0, "workers": [[hosts[0], 2]], "links": [[0, 3]]}
    layout = rings(cluster, [[[ring], *empty[1:]], empty])
    server, link = sorted(layout.sides[0].blocks, key=lambda block: block.lane)
    assert (server.lane, server.owner, server.start, server.end, server.amount) == (0, 0, 0, 1, 2)
    assert link.lane == len(hosts)
    assert link.amount == 3 * cluster.jobs[0].bandwidth
    assert layout.lanes[link.lane].startswith("link ")
    room = cluster.real_links[0].bandwidth
    assert layout.tops[link.lane] == max(room or 0.0, link.amount)
    assert layout.tops[0] == 2
    assert len(layout.lanes) == len(hosts) + 1, "links that no ring uses are left out"
    everybody = ", ".join(map(str, range(cluster.num_jobs)))
    assert layout.sides[1].remarks == [f"jobs {everybody}: never runs"] or cluster.num_jobs == 1
