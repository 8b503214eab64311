"""A schedule of the whole horizon that knows all jobs: one slot after the other, made better."""

from collections.abc import Callable, Iterator

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import Gains, SlotView, snapshot
from farkas.numbers import Floats, Ints
from farkas.online.gadget.columns import column_rings, worth
from farkas.online.gadget.environment import Decision
from farkas.online.gadget.exchange import SpareRoom
from farkas.online.gadget.seen import Seen
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
