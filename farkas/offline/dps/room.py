"""Room for jobs that a plan by classes serves and that find no server with enough idle units.

What classes of servers can hold together, their servers can hold nearly always, but not where jobs
lie that were placed one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from farkas.numbers import Floats, Ints
from farkas.offline.dps.reassigning import MOST_IDLE, Reassigning
from farkas.offline.dps.repacking import FAIR_SHARE
from farkas.tolerances import FINE_GAP

#: Jobs beside one that has no room: at first, how many times as many when nothing is gained any
#: more, and the most.
BESIDE, MORE_BESIDE, MOST_BESIDE = 60, 2, 120
MOST_NODES = 50  #: Nodes of a program.


def make_room(anew: Reassigning, plan: Floats, left: Callable[[], float]) -> Iterator[bool]:
    """Place planned jobs that wait, the dearest first; yields whether payments have risen.

    Jobs beside one of them may change servers, or leave, but none that is whole is spread or the
    other way round: with so few columns most programs take 0.02 to 0.1 seconds.  Ends when
    many in a row gain nothing, as where the plan is far from what can be placed.

    Parameters
    ----------
    anew
        Where jobs are; changed.
    plan
        Share of each job that is whole, and spread; shape (jobs, 2).
    left
        Seconds left.
    """
    packing, beside = anew.packing, BESIDE
    planned = np.flatnonzero((plan > FAIR_SHARE).any(axis=1) & packing.paying)
    modes = np.argmax(plan, axis=1)
    while beside <= MOST_BESIDE:
        waiting = planned[~packing.served[planned]]
        moved, idle = False, 0
        for job in waiting[np.argsort(-packing.payment[waiting], kind="stable")].tolist():
            if idle >= MOST_IDLE or not left():
                return
            if packing.served[job]:
                continue  # others made room
            mode = int(modes[job])
            gained = anew.place(
                _beside(anew, job, mode, beside),
                math.inf,
                modes={job: mode},
                nodes=MOST_NODES,
                time_limit=left(),
                gap=FINE_GAP,
            )
            moved, idle = moved or gained, 0 if gained else idle + 1
            yield gained
        if not moved:
            beside *= MORE_BESIDE


def _beside(anew: Reassigning, job: int, mode: int, count: int) -> Ints:
    """Find who is served in a job's group while it would run; the nearest and the job, sorted."""
    timeline, packing = anew.timeline, anew.packing
    first, after = timeline.first, timeline.after
    same = np.flatnonzero(packing.served & (anew.group_of == anew.group_of[job]))
    whole = np.array([timeline.placed[other].whole for other in same.tolist()], np.bool_)
    ends = np.where(whole, after[1][same], after[0][same])
    near = same[(first[same] < after[1 - mode][job]) & (ends > first[job])]
    away = np.abs(anew.market.arrival[near] - anew.market.arrival[job])
    return np.sort(np.append(near[np.argsort(away, kind="stable")[:count]], job))
