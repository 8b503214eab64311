"""Best ring of one job at prices by an integer program: for where labels are too many."""

import math

import numpy as np

from farkas.models.gadget.circulation import Circulation, connected_part
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Floats, Ints
from farkas.solvers import solve
from farkas.tolerances import SOLVER_GAP

PATIENCE = 20.0  #: Seconds for one job. Whoever runs out of them has the bound of the labels.


def program_ring(
    slot: SlotView, place: int, worker: Floats, length: Floats
) -> tuple[float, float, Ints, Ints]:
    """Best ring of one job by ``gadget.circulation``, the rent of the ring in its objective.

    Parameters
    ----------
    place
        Which participant.
    worker
        Shape (nodes,), price of a worker.
    length
        Shape (links,), price of one use.

    Returns
    -------
    What the ring is worth, at least 0; the most that any ring is worth, infinite if unknown; and
    workers per node and uses per link of the ring, all 0 if there is none.
    """
    one = slot.keep(np.array([place]))
    form = Circulation().form(one)
    cost = form.cost.copy()
    cost[form.column_block("workers").where] -= worker
    cost[form.column_block("uses").where] -= length
    answer = solve(
        form.replace(cost=cost), gap=SOLVER_GAP, time_limit=PATIENCE
    ).unless_interrupted()
    workers, uses = np.zeros_like(one.cap[0]), np.zeros(len(length), np.int64)
    if answer.unless_interrupted().raw_point is None:
        return 0.0, answer.bound_or(math.inf), workers, uses
    found = np.rint(form.values(answer.point, "workers")[0]).astype(np.int64)
    if not found.any():
        return 0.0, max(0.0, answer.bound_or(math.inf)), found, uses
    uses = np.rint(form.values(answer.point, "uses")[0]).astype(np.int64)
    uses = connected_part(slot.cluster, found, uses)
    worth = (
        float(slot.gains[place, found.sum() - 1])
        - float((worker * found).sum())
        - float((length * uses).sum())
    )
    return worth, max(worth, answer.bound_or(math.inf)), found, uses
