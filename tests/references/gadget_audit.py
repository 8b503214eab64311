"""Which rules the rings of one slot break, ring by ring with lists; whole numbers only."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence

from farkas.instances.gadget import Cluster
from farkas.replay.gadget import Ring


def broken(cluster: Cluster, slot: int, rings: Sequence[Ring]) -> Counter[tuple[str, int]]:
    """Rules by name, with the job, node or link that breaks them, and how often."""
    said: Counter[tuple[str, int]] = Counter()
    for place, ring in enumerate(rings):
        job, size = cluster.jobs[ring.job], sum(count for _, count in ring.workers)
        hosts = {u for u, count in ring.workers if count}
        said["two rings", ring.job] += ring.job in [other.job for other in rings[:place]]
        said["early", ring.job] += job.arrival > slot
        said["size", ring.job] += size < 1 or size > job.max_workers
        said["switch", ring.job] += sum(not cluster.nodes[u].server for u in hosts)
        said["walk", ring.job] += len(hosts) > 1 and not walked(cluster, hosts, ring.links)
    for u, node in enumerate(cluster.nodes):
        for r, units in enumerate(node.capacity):
            used = sum(
                count * cluster.jobs[ring.job].demand[r]
                for ring in rings
                for at, count in ring.workers
                if at == u
            )
            said["node", u] += units is not None and used > units
    for e, link in enumerate(cluster.real_links):
        used = sum(
            times * cluster.jobs[ring.job].bandwidth
            for ring in rings
            for at, times in ring.links
            if at == e
        )
        said["link", e] += link.bandwidth is not None and used > link.bandwidth
    return +said


def walked(cluster: Cluster, hosts: set[int], links: Sequence[tuple[int, int]]) -> bool:
    """Whether somebody can walk every link as often as it is listed, past all hosts, and back."""
    uses: Counter[int] = Counter()
    for e, times in links:
        uses[e] += times
    ends = list(zip(cluster.link_source.tolist(), cluster.link_target.tolist(), strict=True))
    home = min(hosts)
    passed = {home}.union(*(ends[e] for e in uses if uses[e]))

    @functools.cache
    def onward(at: int, left: tuple[tuple[int, int], ...]) -> bool:
        if not left:
            return at == home
        return any(
            onward(ends[e][1], tuple((o, n - (o == e)) for o, n in left if n > (o == e)))
            for e, _ in left
            if ends[e][0] == at
        )

    return hosts <= passed and onward(home, tuple(sorted((+uses).items())))
