"""Least attained service, as in Tiresias."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.online.driver import algorithm
from farkas.online.gadget.environment import Arrival, Decision
from farkas.online.gadget.fifo import fits_alone, fixed_size
from farkas.online.gadget.placement import PlacedRing, Room, as_rings
from farkas.online.gadget.seen import Seen


@algorithm("gadget.las", source="GADGET VI, baseline LAS (Tiresias)")
@dataclasses.dataclass(frozen=True)
class LeastAttainedService:
    """Fixed rings, jobs with least of the first resource x slots first; misfits are skipped."""

    def start(self, known: Cluster, seed: int) -> Seen:
        """Know nobody."""
        return Seen.start(known, seed)

    def step(self, state: Seen, arrivals: tuple[Arrival, ...]) -> tuple[Seen, Decision]:
        """Fill the slot."""
        seen = state.meet(arrivals)
        cluster = seen.cluster
        room = Room(cluster)
        placed: dict[int, PlacedRing] = {}
        active = np.flatnonzero(cluster.active(seen.slot, seen.received))
        attained = seen.received[active] * cluster.demand[active, 0]
        for job in active[np.lexsort((active, cluster.arrival[active], attained))].tolist():
            size = fixed_size(seen, job)
            ring = room.place(job, size) if fits_alone(cluster, job, size) else None
            if ring is not None:
                placed[job] = ring
        return seen.run(as_rings(cluster, placed))
