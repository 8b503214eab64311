"""What rings break, by the replay of runs of kind gadget, and certificates of any slot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace

import msgspec
import numpy.typing as npt

from farkas.certificates.gadget import PricedCluster
from farkas.certificates.priced_tree import PricedTree
from farkas.decomposition.search import Search
from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import snapshot
from farkas.numbers import Floats, Ints
from farkas.online.gadget.plans import decisions_of
from farkas.relaxations.gadget.slot_pricing import MOST_LABELS, SlotPricing
from farkas.replay.gadget import Ring, replay
from farkas.tolerances import SOLVER_GAP


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


def certify_horizon(
    cluster: Cluster, starts: Ints, classes: Sequence[Ints], prices: Floats
) -> PricedTree:
    """Certificate at prices of blocks and classes, shape (blocks, classes, resources)."""
    return PricedTree.of(PricedCluster(cluster, starts, classes), prices.ravel())


def is_walk(cluster: Cluster, workers: Sequence[int], flow: Sequence[int]) -> bool:
    """Whether the links of a ring are a closed walk through its hosts."""
    hosts = tuple((u, int(count)) for u, count in enumerate(workers) if count)
    links = tuple((e, int(times)) for e, times in enumerate(flow) if times)
    said = broken(cluster, cluster.horizon - 1, [Ring(job=0, workers=hosts, links=links)])
    return not any("no closed walk" in words for words in said)


def slot_certificate(
    cluster: Cluster, slot: int | None = None, progress: npt.ArrayLike | None = None
) -> PricedTree:
    """Certificate of one slot, from a search to the solver's gap."""
    problem = SlotPricing(snapshot(cluster, slot, progress), labels=MOST_LABELS)
    search = Search(problem, SOLVER_GAP, lambda: math.inf)
    trees = [found.tree for found in search.run() if found.tree is not None]
    return problem.certificate(trees[-1])
