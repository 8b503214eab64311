"""What rings break, by the replay of runs of kind gadget."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import msgspec

from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings
from farkas.online.gadget.plans import decisions_of
from farkas.replay.gadget import Ring, replay


def broken(cluster: Cluster, slot: int, rings: Sequence[Ring]) -> list[str]:
    """Say what the rings of one slot break, if nothing runs in others."""
    decisions: list[Sequence[Ring]] = [[] for _ in range(cluster.horizon)]
    decisions[slot] = rings
    found = replay(cluster, SimpleNamespace(decisions=msgspec.to_builtins(decisions)))
    return list(found.broken)


def schedule_broken(cluster: Cluster, schedule: Sequence[Rings]) -> list[str]:
    """Say what the rings of every slot break; slots that are left out run nothing."""
    left = [Rings.none(cluster)] * (cluster.horizon - len(schedule))
    decisions = msgspec.to_builtins(decisions_of(cluster, [*schedule, *left]))
    return list(replay(cluster, SimpleNamespace(decisions=decisions)).broken)


def is_walk(cluster: Cluster, workers: Sequence[int], flow: Sequence[int]) -> bool:
    """Whether the links of a ring are a closed walk through its hosts."""
    hosts = tuple((u, int(count)) for u, count in enumerate(workers) if count)
    links = tuple((e, int(times)) for e, times in enumerate(flow) if times)
    said = broken(cluster, cluster.horizon - 1, [Ring(job=0, workers=hosts, links=links)])
    return not any("no closed walk" in words for words in said)
