"""Kernel: the one-slot problem (8) with its transfer row (7a), bounded for every workload.

The row gets a multiplier m >= 0.  At price α + m the program of `payoff_bound` is exact: its value
less m times the free transfer is a lower bound, and a cover that fits is feasible.  The cheapest
cover that does not fit and the best one that does span a line.  Where it meets the multiplier's
axis is the next multiplier, of the workload whose bounds are farthest apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from farkas.kernels import Floats1, Floats3, Ints1, Out, compiled
from farkas.relaxations.eris.payoff_bound import JobSlots, cover_slot
from farkas.tolerances import ROUNDING, SIMPLEX

#: State of a workload: bounds still apart; nothing to gain; no cover known to fit.
OPEN, DONE, UNFIT = 0, 1, 2


class Bounds(NamedTuple):
    """What is known about the cost of every workload, shape (workload + 1,)."""

    lower: Floats1
    upper: Floats1  #: infinite where no cover was found to fit
    multiplier: Floats1  #: of the cover behind `upper`
    fair_use: Floats1  #: MB of the cover behind `upper`
    dear_cost: Floats1  #: best cover that does not fit
    dear_use: Floats1  #: and the MB of it
    state: Ints1


@compiled
def new_bounds(workload: int) -> Bounds:
    """Make room for the bounds of 0, ..., ``workload`` chunks."""
    of = np.empty((6, workload + 1))
    state = np.empty(workload + 1, np.int64)
    return Bounds(of[0], of[1], of[2], of[3], of[4], of[5], state)


@compiled(
    steps=lambda job, t, data, rounds, first, total, *_: (
        (rounds + 3) * (len(data) + 1) * (total + 1) ** 2
    )
)
def bound_workloads(
    job: JobSlots,
    t: int,
    data: Ints1,
    rounds: int,
    first: int,
    total: int,
    tables: Out[Floats3],
    bounds: Out[Bounds],
) -> None:
    """Bound the cost of ``first`` >= 1 to ``total`` chunks in slot ``t`` with ``data`` in place.

    Tries ``rounds`` multipliers after the first two; ``tables`` as in `cover_slot`.
    """
    cover_slot(job, t, data, total, 1.0, 0.0, tables)
    highest = _bound_freely(job.most_transfer[t], first, total, tables, bounds)
    if highest < 0:
        return
    lower, upper, state = bounds.lower, bounds.upper, bounds.state
    m = (job.worth[0] + highest) * 1e3 / _unit(job)  # transfer weighs more than anything else
    worst = -1
    for step in range(rounds + 1):
        cover_slot(job, t, data, total, 1.0, m, tables)
        unfit = _learn(job, t, first, total, m, step == 0, worst, tables, bounds)
        if unfit:
            cover_slot(job, t, data, total, 0.0, 1.0, tables)
            _find_impossible(job.most_transfer[t], first, total, tables, bounds)
        worst, widest = -1, 0.0
        for d in range(first, total + 1):
            if state[d] == OPEN and upper[d] - lower[d] > widest:
                worst, widest = d, upper[d] - lower[d]
        if worst < 0:
            return
        # the line through the best cover that fits and the best that does not meets the axis here
        rise = upper[worst] - bounds.dear_cost[worst]
        fall = bounds.dear_use[worst] - bounds.fair_use[worst]
        m = max(0.0, rise) / fall


@compiled
def _unit(job: JobSlots) -> float:
    """Least MB by which two covers differ, nearly."""
    unit = job.chunk_size if job.chunk_size > 0 else job.parameter_size
    return min(unit, job.parameter_size) if job.parameter_size > 0 else unit


@compiled
def _bound_freely(
    most: float, first: int, total: int, tables: Floats3, bounds: Out[Bounds]
) -> float:
    """Learn from multiplier 0; returns the highest cost of covers that do not fit, -1 for none."""
    sites = tables.shape[1] - 1
    lower, upper, state = bounds.lower, bounds.upper, bounds.state
    multiplier, fair_use = bounds.multiplier, bounds.fair_use
    dear_cost, dear_use = bounds.dear_cost, bounds.dear_use
    highest = -1.0
    for d in range(total + 1):
        cost, use = tables[1, sites, d], tables[3, sites, d]
        lower[d], upper[d], state[d] = cost, np.inf, DONE
        multiplier[d] = fair_use[d] = 0.0
        dear_cost[d], dear_use[d] = cost, use
        if d >= first and cost < np.inf:
            if use <= most:
                upper[d] = cost
            else:
                state[d] = OPEN
                highest = max(highest, cost)
    lower[0] = upper[0] = 0.0  # nothing to do needs no server
    return highest


@compiled
def _slack(worth: float, cost: float) -> float:
    """Difference that counts as none of two bounds on a cost."""
    return ROUNDING * worth + SIMPLEX * abs(cost)


@compiled
def _learn(
    job: JobSlots,
    t: int,
    first: int,
    total: int,
    m: float,
    begins: bool,
    worst: int,
    tables: Floats3,
    bounds: Out[Bounds],
) -> bool:
    """Learn from the covers at multiplier ``m``; returns whether some did not even fit then.

    ``begins`` marks the huge multiplier, at which rounding could spoil lower bounds; ``worst`` is
    the workload that it was made for.
    """
    lower, upper, state = bounds.lower, bounds.upper, bounds.state
    multiplier, fair_use = bounds.multiplier, bounds.fair_use
    dear_cost, dear_use = bounds.dear_cost, bounds.dear_use
    worth, free, most = job.worth[0], job.free_transfer[t], job.most_transfer[t]
    costs, uses = tables[1, len(job.data)], tables[3, len(job.data)]
    unfit = False
    for d in range(first, total + 1):
        if state[d] != OPEN:
            continue
        use = uses[d]
        cost, bound = costs[d] - m * use, costs[d] - m * free
        progress = False
        if not begins and bound > lower[d] + _slack(worth, lower[d]):
            lower[d] = bound
            progress = True
        if use <= most:
            if cost < upper[d] - _slack(worth, cost):
                upper[d], multiplier[d], fair_use[d] = cost, m, use
                progress = True
        elif begins:
            state[d] = UNFIT
            unfit = True
        elif use < dear_use[d]:
            dear_cost[d], dear_use[d] = cost, use
            progress = True
        closed = upper[d] < np.inf and upper[d] - lower[d] <= _slack(worth, upper[d])
        if closed or (d == worst and not progress):
            state[d] = DONE
    return unfit


@compiled
def _find_impossible(
    most: float, first: int, total: int, tables: Floats3, bounds: Out[Bounds]
) -> None:
    """Make the lower bound infinite where even the least transfer does not fit."""
    sites, lower, state = tables.shape[1] - 1, bounds.lower, bounds.state
    for d in range(first, total + 1):
        if state[d] == UNFIT and tables[1, sites, d] > most:
            lower[d] = np.inf
