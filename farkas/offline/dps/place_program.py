"""The program that places some jobs anew, server by server, while all others stay."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import scipy.sparse as sp

from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_scipy
from farkas.numbers import Bools, Floats, Ints
from farkas.offline.dps.timeline import ServerTimeline
from farkas.solvers import solve
from farkas.tolerances import FINE_GAP
from farkas.tolerances import WHOLE as INTEGRAL

MOST_NODES = 200  #: Nodes of a program.
FEW_COLUMNS = 2_000  #: Programs with more columns are solved among those that matter.
NEAR = 0.005  #: Columns matter whose reduced cost is at most this share of what could be gained.
#: Columns: a job whole on a server, spread, and its units on a server.
WHOLE, SPREAD, WORKERS, PS = range(4)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PlaceColumns:
    """Columns of a program."""

    #: what, job, server: `WHOLE` and so on; the job; the server, or -1.
    what: Ints
    job: Ints
    server: Ints
    most: Floats  #: Upper bound.


def place_form(
    ways: PlaceColumns, jobs: Ints, timeline: ServerTimeline, payment: Floats
) -> LinearForm:
    """Say which jobs are placed where, within idle units; most payments.

    Parameters
    ----------
    ways
        Columns.
    jobs
        Ascending.
    timeline
        Where the others are.
    payment
        Of all jobs.
    """
    market, count = timeline.market, len(ways.job)
    row_of = np.searchsorted(jobs, ways.job)
    once = np.flatnonzero(ways.what <= SPREAD)
    parts = [(np.ones(len(once)), row_of[once], once)]
    lower, upper = [np.full(len(jobs), -np.inf)], [np.ones(len(jobs))]
    height = len(jobs)
    for units, unit in ((market.workers, WORKERS), (market.ps, PS)):
        piece = np.flatnonzero(ways.what == unit)
        spread = np.flatnonzero(ways.what == SPREAD)
        parts.append((np.ones(len(piece)), height + row_of[piece], piece))
        parts.append((-units[ways.job[spread]].astype(float), height + row_of[spread], spread))
        lower.append(np.zeros(len(jobs)))
        upper.append(np.zeros(len(jobs)))
        height += len(jobs)
    whole = ways.what == WHOLE
    first = timeline.first[ways.job]
    after = np.where(whole, timeline.after[1][ways.job], timeline.after[0][ways.job])
    for side, unit in ((0, WORKERS), (1, PS)):
        held = np.where(whole, (market.workers, market.ps)[side][ways.job], 1).astype(float)
        types = (market.worker_type, market.ps_type)[side][ways.job]
        users = np.flatnonzero(whole | (ways.what == unit))
        for server, other in sorted({(int(ways.server[u]), int(types[u])) for u in users}):
            here = users[(ways.server[users] == server) & (types[users] == other)]
            idle = timeline.idle_units(side, other)[server]
            height = _limits(parts, upper, height, here, held, ways.most, first, after, idle)
    values, at, columns = (np.concatenate(each) for each in zip(*parts, strict=True))
    lower.append(np.full(height - 3 * len(jobs), -np.inf))
    paid = np.where(ways.what <= SPREAD, payment[ways.job], 0.0)
    return LinearForm(
        name="some jobs placed anew",
        sense="max",
        cost=paid,
        matrix=rows_of_scipy(sp.csr_array((values, (at, columns)), shape=(height, count))),
        row_lower=np.concatenate(lower),
        row_upper=np.concatenate(upper),
        lower=np.zeros(count),
        upper=ways.most,
        integer=np.ones(count, np.bool_),
    )


def best_places(
    form: LinearForm, job: Ints, start: Floats, nodes: int = MOST_NODES, **options: Any
) -> tuple[Floats | None, float]:
    """Solve the program as far as nodes go, a large one among the columns that matter.

    Of a large program the linear relaxation comes first.  Where it earns no more than the start,
    nothing does; where it is whole, it is the best.  Else columns stay that it takes, those of the
    start, and of jobs that it places in parts those whose reduced cost is a small part of what
    could be gained: of equal servers it takes one, and the others, which are worth as much, cost
    cuts and nodes most of the time.

    Parameters
    ----------
    job
        Of each column, shape (columns,).
    start
        A point, shape (columns,).
    nodes
        Of the program, at the most.
    options
        Of the solver.

    Returns
    -------
    A point, which may be no better than the start, or None; and the work: simplex iterations times
    columns.
    """
    work = 0.0
    if form.num_columns > FEW_COLUMNS:
        relaxed = solve(form.replace(integer=np.zeros_like(form.integer)), **options)
        work = float(relaxed.iterations) * form.num_columns
        if relaxed.raw_point is None or relaxed.raw_row_duals is None:
            return None, work  # out of time
        parts = np.abs(relaxed.point - np.rint(relaxed.point)) > INTEGRAL
        if not parts.any():
            return relaxed.point, work
        gain = relaxed.objective - form.objective(start)
        if gain <= FINE_GAP * abs(relaxed.objective):
            return None, work
        matrix, duals = form.matrix, relaxed.row_duals
        reduced = form.cost.copy()
        np.subtract.at(reduced, matrix.columns, matrix.values * duals[matrix.rows])
        near = np.isin(job, job[parts]) & (np.abs(reduced) <= NEAR * gain)
        kept = near | (relaxed.point > 0) | (start > 0)
        form = form.replace(upper=np.where(kept, form.upper, 0.0))
    answer = solve(form, start=start, solver_options={"mip_max_nodes": nodes}, **options)
    return answer.raw_point, work + float(answer.iterations) * form.num_columns


def _limits(
    parts: list[tuple[Floats, Ints, Ints]], upper: list[Floats], height: int, users: Ints,
    held: Floats, most: Floats, first: Ints, after: Ints, idle: Ints,
) -> int:  # fmt: skip
    """Append the rows of a resource over the slots of its users; returns the height after them.

    Users change where one begins or ends; what is idle in between is the least there.
    """
    edges = np.unique(np.concatenate([first[users], after[users]]))
    least: list[int] = []
    if len(edges) > 1:
        least = np.minimum.reduceat(np.append(idle, idle[-1:]), edges)[:-1].tolist()
    previous: Bools | None = None
    rows: list[tuple[Bools, float]] = []
    for begin, fewest in zip(edges[:-1].tolist(), least, strict=True):
        here = (first[users] <= begin) & (after[users] > begin)
        if previous is not None and rows and rows[-1][1] >= fewest and not (previous & ~here).any():
            rows.pop()  # the same users and more, with no more room
        rows.append((here, float(fewest)))
        previous = here
    for here, room in rows:
        chosen = users[here]
        if (held * most)[chosen].sum() <= room:
            continue
        parts.append((held[chosen], np.full(len(chosen), height), chosen))
        upper.append(np.array([room]))
        height += 1
    return height
