"""A schedule of the whole horizon that knows all jobs: one slot after the other, made better."""

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import SlotView, snapshot
from farkas.numbers import Floats
from farkas.online.gadget.columns import column_rings, worth
from farkas.tolerances import ROUNDING

Schedule = list[Rings]
"""Rings of every slot."""

MOST_PASSES = 5
"""Passes over the horizon; fewer if one makes no slot better."""


def improved_schedule(cluster: Cluster, gap: float = 1e-3) -> Schedule:
    """Schedule made better slot by slot until no slot becomes better, or for `MOST_PASSES`.

    Slots are solved to ``gap`` where `column_rings` reaches it.
    Begins with slots of largest gains on concave envelopes, in the order of time, and then solves
    every slot again for the marginal rewards that the other slots leave, earlier and later ones.
    No pass loses anything.
    """
    schedule: Schedule = []
    total = np.zeros(cluster.num_jobs)
    for slot in range(cluster.horizon):
        rings = _best(snapshot(cluster, slot, total, "envelope"), gap, Rings.none(cluster))
        np.add.at(total, rings.job, rings.size)
        schedule.append(rings)
    for _ in range(MOST_PASSES):
        if not improve(cluster, schedule, total, gap):
            break
    return schedule


def reward_of(cluster: Cluster, schedule: Schedule) -> float:
    """Return the total reward of a schedule."""
    total = np.zeros(cluster.num_jobs)
    for rings in schedule:
        np.add.at(total, rings.job, rings.size)
    return float(cluster.total_reward(total))


def improve(cluster: Cluster, schedule: Schedule, total: Floats, gap: float) -> bool:
    """Solve every slot again; says whether any became better."""
    better = False
    for slot, rings in enumerate(schedule):
        np.subtract.at(total, rings.job, rings.size)
        view = snapshot(cluster, slot, total)
        now, new = worth(view, rings), _best(view, gap, rings)
        gained = worth(view, new) - now
        if gained > ROUNDING * np.abs(view.pair_gains).max(initial=0.0):
            schedule[slot], better = new, True
        np.add.at(total, schedule[slot].job, schedule[slot].size)
    return better


def _best(view: SlotView, gap: float, known: Rings) -> Rings:
    return column_rings(view, gap, known)[0]
