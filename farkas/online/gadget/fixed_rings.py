"""Baselines whose jobs ask for rings of one size: first in, first out, and Tiresias."""

import dataclasses
import heapq

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.numbers import Floats, Ints
from farkas.online.driver import algorithm
from farkas.online.gadget.environment import Baseline, PlacedRing, Room, SchedulerState


def fixed_size(seen: SchedulerState, job: int) -> int:
    """Ring size of FIFO and LAS: the job's own, within its largest ring and budget."""
    cluster = seen.cluster
    left = cluster.most_slots[job] - seen.received[job]
    return int(min(cluster.fixed_workers[job], cluster.max_workers[job], left))


def fits_alone(room: Room, job: int, size: int) -> bool:
    """Whether the heuristic places the ring on the cluster of ``room`` when it is idle.

    FIFO and LAS pass over jobs for which it does not, even if a fuller cluster would steer the
    heuristic to a place that works.
    """
    room.clear()
    return room.place(job, size) is not None


class FixedRings(Baseline):
    """Base of both: a subclass orders the jobs and says whether a misfit ends the slot."""

    stops: bool

    def order(self, seen: SchedulerState, active: Ints) -> Ints:
        """Active jobs in order of preference."""
        raise NotImplementedError

    def fill(self, seen: SchedulerState) -> dict[int, PlacedRing]:
        """Place one job after the other."""
        room, idle = Room(seen.cluster), Room(seen.cluster)
        placed: dict[int, PlacedRing] = {}
        active = np.flatnonzero(seen.cluster.active(seen.slot, seen.received))
        for job in self.order(seen, active).tolist():
            size = fixed_size(seen, job)
            if not fits_alone(idle, job, size):
                continue
            ring = room.place(job, size)
            if ring is not None:
                placed[job] = ring
            elif self.stops:
                break
        return placed


@algorithm("gadget.fifo", source="GADGET VI, baseline FIFO")
@dataclasses.dataclass(frozen=True)
class Fifo(FixedRings):
    """Fixed rings in order of arrival; the first that does not fit ends the slot.

    A job that would not fit on an idle cluster is passed over.
    """

    stops = True

    def order(self, seen: SchedulerState, active: Ints) -> Ints:
        """Order of arrival, then of the instance."""
        return active[np.argsort(seen.cluster.arrival[active], kind="stable")]


@algorithm("gadget.las", source="GADGET VI, baseline LAS (Tiresias)")
@dataclasses.dataclass(frozen=True)
class LeastAttainedService(FixedRings):
    """Fixed rings, jobs with least of the first resource x slots first; misfits are skipped."""

    stops = False

    def order(self, seen: SchedulerState, active: Ints) -> Ints:
        """Order of service, then of arrival, then of the instance."""
        attained = seen.received[active] * seen.cluster.demand[active, 0]
        return active[np.lexsort((active, seen.cluster.arrival[active], attained))]


@algorithm("gadget.drf", source="GADGET VI, baseline DRF")
@dataclasses.dataclass(frozen=True)
class DominantResourceFairness(Baseline):
    """The job with the least dominant share gets one more worker, until nobody can grow.

    A growing ring is released and placed anew; if that fails it keeps its place and is done.
    """

    def fill(self, seen: SchedulerState) -> dict[int, PlacedRing]:
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
