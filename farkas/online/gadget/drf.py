"""Dominant resource fairness by progressive filling."""

import dataclasses
import heapq

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.numbers import Floats
from farkas.online.driver import algorithm
from farkas.online.gadget.placement import PlacedRing, Room
from farkas.online.gadget.seen import Baseline, Seen


@algorithm("gadget.drf", source="GADGET VI, baseline DRF")
@dataclasses.dataclass(frozen=True)
class DominantResourceFairness(Baseline):
    """The job with the least dominant share gets one more worker, until nobody can grow.

    A growing ring is released and placed anew; if that fails it keeps its place and is done.
    """

    def fill(self, seen: Seen) -> dict[int, PlacedRing]:
        """Give one worker after the other."""
        cluster = seen.cluster
        room = Room(cluster)
        total = finite_totals(cluster)
        left = np.minimum(cluster.max_workers, cluster.most_slots - seen.received)
        placed: dict[int, PlacedRing] = {}
        active = np.flatnonzero(cluster.active(seen.slot, seen.received)).tolist()
        queue = [(0.0, int(cluster.arrival[i]), i) for i in active]
        heapq.heapify(queue)
        while queue:
            _, arrival, job = heapq.heappop(queue)
            size = int(placed[job].workers.sum()) + 1 if job in placed else 1
            if size > left[job]:
                continue
            free, residual = room.free.copy(), room.residual.copy()
            if job in placed:
                room.release(job, placed[job])
            ring = room.place(job, size)
            if ring is None:
                room.free, room.residual = free, residual
                continue
            placed[job] = ring
            heapq.heappush(queue, (dominant_share(size, cluster.demand[job], total), arrival, job))
        return placed


def finite_totals(cluster: Cluster) -> Floats:
    """Units of all servers, shape (resources,), infinite where that is no share of anything."""
    total = cluster.capacity[cluster.is_server].sum(axis=0)
    return np.where(total > 0, total, np.inf)


def dominant_share(size: int, demand: Floats, total: Floats) -> float:
    """Largest share of a resource that ``size`` workers hold, 0 if none has a finite total."""
    return float((size * demand / total).max(initial=0.0))
