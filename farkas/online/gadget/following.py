"""Schedules that follow a plan with the nearest rings, without a program of any slot."""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings
from farkas.numbers import Floats, Ints
from farkas.online.gadget.fixed_rings import dominant_share, finite_totals
from farkas.online.gadget.placement import PlacedRing, Room, as_rings
from farkas.tolerances import ROUNDING


class Following:
    """Rooms of all slots, and the rings in them.

    Parameters
    ----------
    cluster
        The instance.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.rooms = [Room(cluster) for _ in range(cluster.horizon)]
        self.placed: list[dict[int, PlacedRing]] = [{} for _ in self.rooms]
        self.total = np.zeros(cluster.num_jobs, np.int64)
        self._idle = np.stack([self._left(slot) for slot in range(cluster.horizon)])

    def schedule(self) -> list[Rings]:
        """Return the rings of every slot."""
        return [as_rings(self.cluster, rings) for rings in self.placed]

    def follow(self, slot: int, wanted: Ints) -> None:
        """Place rings of the wanted sizes, shape (jobs,), what fits on no single server first.

        Then by decreasing share of what all servers have, so that small rings fill what large ones
        leave.  What does not fit is left out.
        """
        cluster, all_units = self.cluster, finite_totals(self.cluster)
        jobs = np.flatnonzero(wanted).tolist()
        alone = cluster.host_cap.max(axis=1, initial=0)
        share = [dominant_share(int(wanted[i]), cluster.demand[i], all_units) for i in jobs]
        order = sorted(zip(jobs, share, strict=True), key=lambda each: (-each[1], each[0]))
        order.sort(key=lambda each: bool(wanted[each[0]] <= alone[each[0]]))
        for job, _ in order:
            self.set_size(slot, job, int(wanted[job]))

    def set_size(self, slot: int, job: int, size: int) -> bool:
        """Place a job's ring of a slot anew; says whether it fits, and changes nothing if not."""
        room, rings = self.rooms[slot], self.placed[slot]
        free, residual, now = room.free.copy(), room.residual.copy(), rings.get(job)
        if now is not None:
            room.release(job, now)
        ring = room.place(job, size)
        if ring is None:
            room.free, room.residual = free, residual
            return False
        self.total[job] += size - (0 if now is None else int(now.workers.sum()))
        rings[job] = ring
        self._idle[slot] = self._left(slot)
        return True

    def fill(self, check: Callable[[], None]) -> None:
        """Give idle units to the job to which one more worker-slot is worth most, again and again.

        Slots with most idle units come first.  A job for which no slot has room is done.
        """
        cluster, left = self.cluster, self.cluster.reachable_slots - self.total
        queue = [(-self._gain(job), job) for job in np.flatnonzero(left > 0).tolist()]
        heapq.heapify(queue)
        while queue:
            gain, job = heapq.heappop(queue)
            if gain >= 0:
                return
            check()
            if self._grown(job) and self.total[job] < cluster.reachable_slots[job]:
                heapq.heappush(queue, (-self._gain(job), job))

    def _grown(self, job: int) -> bool:
        """Whether a slot has room for one more worker of a job, which runs there then."""
        cluster, demand = self.cluster, self.cluster.demand[job]
        begin = int(cluster.arrival[job])
        open_ = (self._idle[begin:] >= demand * (1 - ROUNDING)).all(axis=1)
        slots = begin + np.flatnonzero(open_)
        idle = self._idle[slots][:, int(np.argmax(demand))]
        for slot in slots[np.argsort(-idle, kind="stable")].tolist():
            now = self.placed[slot].get(job)
            size = 1 if now is None else int(now.workers.sum()) + 1
            if size <= cluster.max_workers[job] and self.set_size(slot, job, size):
                return True
        return False

    def _gain(self, job: int) -> float:
        before, after = self.cluster.reward(job, self.total[job] + np.arange(2)).tolist()
        return float(after) - float(before)

    def _left(self, slot: int) -> Floats:
        """Idle units of a slot, shape (resources,)."""
        left: Floats = self.rooms[slot].free[self.cluster.is_server].sum(axis=0)
        return left


def followed(cluster: Cluster, plan: Ints, check: Callable[[], None] = lambda: None) -> list[Rings]:
    """Rings of a plan as far as they are found one by one, and others in what is left idle.

    A ring lies on the server that it fills most, or on those with most room, joined by shortest
    paths; no linear program is solved.  Where links do not bind and servers are filled by
    what is small, everything planned fits.

    Parameters
    ----------
    plan
        Worker-slots, shape (slots, jobs), that need not fit; a job's sum is within its budget.
    check
        Called before every slot and step; raises what ends the work.
    """
    following = Following(cluster)
    for slot, wanted in enumerate(plan):
        check()
        following.follow(slot, wanted)
    following.fill(check)
    return following.schedule()
