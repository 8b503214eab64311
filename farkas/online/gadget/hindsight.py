"""Schedules of the whole horizon that know all jobs: slots made better, or a plan followed."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import Gains, SlotView, snapshot
from farkas.numbers import Floats, Ints
from farkas.online.gadget.columns import column_rings, worth
from farkas.online.gadget.environment import Decision, PlacedRing, Room, Seen, as_rings
from farkas.online.gadget.exchange import SpareRoom
from farkas.online.gadget.fixed_rings import dominant_share, finite_totals
from farkas.tolerances import ROUNDING

Schedule = list[Rings]  #: Rings of every slot.

MOST_PASSES = 5  #: Passes over the horizon; fewer if one makes no slot better.


def improved_schedule(cluster: Cluster, gap: float = 1e-3) -> Schedule:
    """Schedule made better slot by slot until no slot becomes better, or for `MOST_PASSES`.

    The last of :func:`schedules`.
    """
    *_, last = schedules(cluster, gap)
    return last


def schedules(
    cluster: Cluster,
    gap: float = 1e-3,
    check: Callable[[], None] = lambda: None,
    *,
    backwards: bool = False,
    plan: Ints | None = None,
) -> Iterator[Schedule]:
    """Yield schedules of the whole horizon, each better than the one before.

    Slots are solved to ``gap`` where `column_rings` reaches it.
    Begins with slots of largest gains on concave envelopes, one after the other, or, where there is
    a plan, of largest marginal rewards beside what slots to come are planned to give.  Then solves
    every slot again for the marginal rewards that the other slots leave, earlier and later ones.
    No pass loses anything.

    Parameters
    ----------
    check
        Called before every slot; raises what ends the work.
    backwards
        Whether the last slot comes first: then jobs that came late do not meet those that could
        have run before.
    plan
        Worker-slots, shape (slots, jobs), that need not fit; a job's sum is within its budget.
    """
    schedule = [Rings.none(cluster)] * cluster.horizon
    planned = np.zeros((cluster.horizon, cluster.num_jobs)) if plan is None else plan.astype(float)
    gains: Gains = "envelope" if plan is None else "printed"
    total = planned.sum(axis=0)
    slots = range(cluster.horizon)
    for slot in reversed(slots) if backwards else slots:
        check()
        total -= planned[slot]
        rings = _best(snapshot(cluster, slot, total, gains), gap, schedule[slot])
        np.add.at(total, rings.job, rings.size)
        schedule[slot] = rings
    yield list(schedule)
    for _ in range(MOST_PASSES):
        if not improve(cluster, schedule, total, gap, check):
            break
        yield list(schedule)


def decisions_of(cluster: Cluster, schedule: Schedule) -> list[Decision]:
    """Return the schedule slot by slot, as the environment evaluates it."""
    everybody, nothing = np.arange(cluster.num_jobs), np.zeros(cluster.num_jobs)
    seen, found = Seen(cluster, everybody, nothing, 0), []
    for rings in schedule:
        seen, decision = seen.run(rings)
        found.append(decision)
    return found


def reward_of(cluster: Cluster, schedule: Schedule) -> float:
    """Return the total reward of a schedule."""
    total = np.zeros(cluster.num_jobs)
    for rings in schedule:
        np.add.at(total, rings.job, rings.size)
    return float(cluster.total_reward(total))


def improve(
    cluster: Cluster,
    schedule: Schedule,
    total: Floats,
    gap: float,
    check: Callable[[], None] = lambda: None,
) -> bool:
    """Solve every slot again; says whether any became better.  ``check`` as in `schedules`.

    What can run in another slot as well goes there first, where a job of the slot could win by it.
    """
    better, room = False, SpareRoom(cluster, schedule)
    for slot in range(len(schedule)):
        check()
        if _could_win(cluster, slot, schedule[slot], total):
            room.empty(slot)
        rings = schedule[slot]
        np.subtract.at(total, rings.job, rings.size)
        view = snapshot(cluster, slot, total)
        now, new = worth(view, rings), _best(view, gap, rings)
        gained = worth(view, new) - now
        if gained > ROUNDING * np.abs(view.pair_gains).max(initial=0.0):
            room.replace(slot, new)
            better = True
        np.add.at(total, schedule[slot].job, schedule[slot].size)
    return better


def _could_win(cluster: Cluster, slot: int, rings: Rings, total: Floats) -> bool:
    """Whether some job that runs in a slot with less than it could, or not at all, would gain."""
    others = total.copy()
    np.subtract.at(others, rings.job, rings.size)
    view = snapshot(cluster, slot, others)
    if not len(view.jobs):
        return False
    most = np.where(view.allowed, view.gains, 0.0).max(axis=1, initial=0.0)
    return float(most.sum()) > worth(view, rings) * (1 + ROUNDING)


def _best(view: SlotView, gap: float, known: Rings) -> Rings:
    return column_rings(view, gap, known)[0]


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
