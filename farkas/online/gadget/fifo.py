"""First in, first out."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings
from farkas.online.driver import algorithm
from farkas.online.gadget.environment import Arrival, Decision
from farkas.online.gadget.placement import PlacedRing, Room, as_rings
from farkas.online.gadget.seen import Seen


def fixed_size(seen: Seen, job: int) -> int:
    """Ring size of FIFO and LAS: the job's own, within its largest ring and budget."""
    cluster = seen.cluster
    left = cluster.most_slots[job] - seen.received[job]
    return int(min(cluster.fixed_workers[job], cluster.max_workers[job], left))


def fits_alone(cluster: Cluster, job: int, size: int) -> bool:
    """Whether the heuristic places the ring on an idle cluster.

    FIFO and LAS pass over jobs for which it does not, even if a fuller cluster would steer the
    heuristic to a place that works.
    """
    return Room(cluster).place(job, size) is not None


@algorithm("gadget.fifo", source="GADGET VI, baseline FIFO")
@dataclasses.dataclass(frozen=True)
class Fifo:
    """Fixed rings in order of arrival; the first that does not fit ends the slot.

    A job that would not fit on an idle cluster is passed over.
    """

    def start(self, known: Cluster, seed: int) -> Seen:
        """Know nobody."""
        return Seen.start(known, seed)

    def step(self, state: Seen, arrivals: tuple[Arrival, ...]) -> tuple[Seen, Decision]:
        """Fill the slot."""
        seen = state.meet(arrivals)
        return seen.run(self._fill(seen))

    def _fill(self, seen: Seen) -> Rings:
        cluster = seen.cluster
        room = Room(cluster)
        placed: dict[int, PlacedRing] = {}
        active = np.flatnonzero(cluster.active(seen.slot, seen.received))
        for job in active[np.argsort(cluster.arrival[active], kind="stable")].tolist():
            size = fixed_size(seen, job)
            if not fits_alone(cluster, job, size):
                continue
            ring = room.place(job, size)
            if ring is None:
                break
            placed[job] = ring
        return as_rings(cluster, placed)
