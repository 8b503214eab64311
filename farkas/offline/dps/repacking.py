"""Some jobs placed anew by an integer program, server by server, while all others stay.

A column places a job whole on a server; or it spreads a job, whose units are columns by server.
Ways that cost more at the prices of the bound than may be lost in all are left out.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

import numpy as np
from scipy import sparse

from farkas.decomposition.protocol import Fit
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_scipy
from farkas.numbers import Bools, Floats, Ints
from farkas.relaxations.dps.pricing import SPREAD, WHOLE, Placed, ServerPricing
from farkas.solvers import solve
from farkas.tolerances import FINE_GAP
from farkas.tolerances import WHOLE as INTEGRAL

MOST_NODES = 200  #: Nodes of a program.
FEW_COLUMNS = 2_000  #: Programs with more columns are solved among those that matter.
MOST_COLUMNS = 40_000  #: Programs with more are left out.
NEAR = 0.005  #: Columns matter whose reduced cost is at most this share of what could be gained.
JOB, WORKERS, PS = -1, 0, 1  #: What a column places: a job, or units of one that is spread.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Columns of a program."""

    job: Ints
    unit: Ints  #: `JOB`, `WORKERS` or `PS`.
    server: Ints  #: -1 where a job is spread, as a whole.
    most: Floats  #: Upper bound.
    before: Floats  #: Where the jobs were.


def columns_of(
    problem: ServerPricing, kept: Mapping[int, Fit | None], used: Floats, prices: Floats,
    room: float,
) -> Columns:  # fmt: skip
    """List where jobs may be: as they were, or where they lose ``room`` at most."""
    charges, of = problem.charges(prices), problem.pools.of
    #: Job, unit, and arrays of servers, upper bounds and where the job was.
    found: list[tuple[int, int, Ints, Ints, Floats]] = []
    for job, fit in kept.items():
        asked = [int(side.units[job]) for side in problem.sides]
        idle, worth = problem.idle(job, used), problem.most[job]
        whole, spread = worth - charges.whole[job], worth - charges.spread[job]
        least = max(0.0, float(whole.max(initial=-np.inf)), float(spread)) - room
        was = np.zeros((2, len(of)))
        if fit is not None:
            for units, (servers, many) in zip(was, fit.what, strict=True):
                units[servers] = many
        alone = fit is not None and np.count_nonzero(was.any(axis=0)) == 1
        able = (idle[0][WHOLE] >= asked[0]) & (idle[1][WHOLE] >= asked[1])
        own: Bools = (was > 0).any(axis=0) & np.full(len(of), alone)
        at = np.flatnonzero(able & ((whole[of] >= least) | own))
        found.append((job, JOB, at, np.ones(len(at), np.int64), own[at].astype(float)))
        several = fit is not None and not alone
        if spread < least and not several:
            continue
        one = np.ones(1, np.int64)
        found.append((job, JOB, -one, one, np.array([float(several)])))
        for unit in (WORKERS, PS):
            price, held = charges.unit[unit][job], charges.taken[unit][job]
            dearest = float(price[held > 0].max(initial=0.0))
            near = (price[of] <= dearest + room) | (was[unit] > 0)
            free = idle[unit][SPREAD]
            at = np.flatnonzero((free > 0) & near)
            before = was[unit][at] if several else np.zeros(len(at))
            found.append((job, unit, at, np.minimum(asked[unit], free[at]), before))
    job_of, unit_of, places, upper, start = zip(*found, strict=True)
    counts = [len(each) for each in places]
    return Columns(
        np.repeat(job_of, counts), np.repeat(unit_of, counts), np.concatenate(places),
        np.concatenate(upper).astype(float), np.concatenate(start),
    )  # fmt: skip


def form_of(problem: ServerPricing, columns: Columns, used: Floats) -> LinearForm:
    """Place each job once at most, within idle units; the most payments."""
    many = len(columns.job)
    jobs, number = np.unique(columns.job, return_inverse=True)
    decides = columns.unit == JOB
    spread = np.flatnonzero(decides & (columns.server < 0))
    whole = np.flatnonzero(decides & (columns.server >= 0))
    entries = [(np.ones(np.count_nonzero(decides)), number[decides], np.flatnonzero(decides))]
    held: list[tuple[Floats, Ints, Ints]] = []
    for unit, side in enumerate(problem.sides):
        piece = np.flatnonzero(columns.unit == unit)
        tie = (1 + unit) * len(jobs)
        entries.append((np.ones(len(piece)), tie + number[piece], piece))
        entries.append(
            (-side.units[columns.job[spread]].astype(float), tie + number[spread], spread)
        )
        for some, way in ((whole, WHOLE), (piece, SPREAD)):
            job = columns.job[some]
            at, limit = side.entries(job, columns.server[some], np.full(len(some), way), hard=True)
            amount = side.units[job[at]] if way == WHOLE else np.ones(len(at), np.int64)
            held.append((amount.astype(float), limit, some[at]))
    values, limit, column = (np.concatenate(each) for each in zip(*held, strict=True))
    limits, row = np.unique(limit, return_inverse=True)
    use = sparse.csr_array((values, (row, column)), shape=(len(limits), many))
    free = np.maximum(problem.hard[limits] - used[limits], 0.0)
    # rows that all columns together keep say nothing, and of equal ones the least room does
    weight = np.random.default_rng(0).random(many)
    order = np.lexsort((free, use @ weight))
    kept = order[np.flatnonzero(np.diff((use @ weight)[order], prepend=-1.0))]
    kept = np.sort(kept[(use @ columns.most)[kept] > free[kept]])
    values, row, column = (np.concatenate(each) for each in zip(*entries, strict=True))
    height = (1 + len(problem.sides)) * len(jobs)
    ties = sparse.csr_array((values, (row, column)), shape=(height, many))
    once, equal = np.ones(len(jobs)), np.zeros(height - len(jobs))
    paid = np.where(decides, problem.most[columns.job], 0.0)
    return LinearForm(
        name="some jobs placed anew",
        sense="max",
        cost=paid,
        matrix=rows_of_scipy(sparse.vstack([ties, use[kept]]).tocsr()),
        row_lower=np.concatenate([-np.inf * once, equal, np.full(len(kept), -np.inf)]),
        row_upper=np.concatenate([once, equal, free[kept]]),
        lower=np.zeros(many),
        upper=columns.most,
        integer=np.ones(many, np.bool_),
    )


def best_places(
    form: LinearForm, job: Ints, start: Floats, gap: float, seconds: float
) -> Floats | None:
    """Solve the program as far as nodes go; None or a point, which may be no better than ``start``.

    Of a large program columns stay that its linear relaxation takes, those of the start, and of
    jobs in parts those whose reduced cost is a small part of what could be gained: servers that are
    worth as much cost cuts and nodes.
    """
    if form.num_columns > FEW_COLUMNS:
        relaxed = solve(
            form.replace(integer=np.zeros_like(form.integer)), threads=1, time_limit=seconds
        )
        if relaxed.raw_point is None or relaxed.raw_row_duals is None:
            return None  # out of time
        parts = np.abs(relaxed.point - np.rint(relaxed.point)) > INTEGRAL
        if not parts.any():
            return relaxed.point
        gain = relaxed.objective - form.objective(start)
        if gain <= FINE_GAP * abs(relaxed.objective):
            return None
        matrix, reduced = form.matrix, form.cost.copy()
        np.subtract.at(reduced, matrix.columns, matrix.values * relaxed.row_duals[matrix.rows])
        near = np.isin(job, job[parts]) & (np.abs(reduced) <= NEAR * gain)
        kept = near | (relaxed.point > 0) | (start > 0)
        form = form.replace(upper=np.where(kept, form.upper, 0.0))
    answer = solve(
        form, start=start, gap=gap, threads=1, time_limit=seconds,
        solver_options={"mip_max_nodes": MOST_NODES},
    )  # fmt: skip
    return answer.raw_point


def placed_anew(
    problem: ServerPricing, kept: Mapping[int, Fit | None], used: Floats, prices: Floats,
    room: float, gap: float, seconds: float,
) -> Mapping[int, Fit]:  # fmt: skip
    """Return plans of some jobs that are worth no less than those they ``kept``.

    ``used``: hard limits that others use.  ``room``: the most that a job may lose at prices.
    """
    had = {job: fit for job, fit in kept.items() if fit is not None}
    columns = columns_of(problem, kept, used, prices, room)
    if not 0 < len(columns.job) <= MOST_COLUMNS:
        return had
    form = form_of(problem, columns, used)
    point = best_places(form, columns.job, columns.before, gap, seconds)
    if point is None:
        return had
    found = followed(problem, columns, np.rint(point).astype(np.int64))
    now, before = (math.fsum(fit.value for fit in plans.values()) for plans in (found, had))
    return found if now >= before * (1 - FINE_GAP) and len(found) else had


def followed(problem: ServerPricing, columns: Columns, point: Ints) -> dict[int, Fit]:
    """Place jobs as a point says."""
    found, taken = dict[int, Fit](), np.flatnonzero(point > 0)
    for job in np.unique(columns.job[taken]).tolist():
        mine = taken[columns.job[taken] == job]
        whole = mine[(columns.unit[mine] == JOB) & (columns.server[mine] >= 0)]
        placed: Placed
        if len(whole):
            server = columns.server[whole[:1]]
            placed = [(server, side.units[job : job + 1]) for side in problem.sides]
        else:
            sides = [mine[columns.unit[mine] == unit] for unit in (WORKERS, PS)]
            placed = [(columns.server[at], point[at]) for at in sides]
            if not all(len(at) for at in sides):
                continue
        servers = {*placed[0][0].tolist(), *placed[1][0].tolist()}
        found[job] = problem.fit(job, placed, WHOLE if len(servers) == 1 else SPREAD)
    return found
