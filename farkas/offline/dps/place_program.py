"""The program that places some jobs anew, server by server, while all others stay."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from farkas.algebra.formulation import programs
from farkas.errors import NoAnswer
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_scipy
from farkas.instances.dps import Market
from farkas.numbers import Bools, Floats, Ints
from farkas.offline.dps.repacking import best_prices, decisions_of
from farkas.offline.dps.timeline import Placed, ServerTimeline
from farkas.offline.ladder import Ascent, Rung, integer_program
from farkas.online.dps.offers import Decision
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


MOST_CELLS = 300  #: Jobs times servers beyond which dps.offline is too large to be proved soon.
MOST_ENTRIES = 3_000  #: Coefficients of so many cells.
#: Coefficients of a program that counts servers of a type as one, and its share of the time.
MOST_POOLED, POOLED_SHARE = 10_000, 0.3
#: Jobs times servers beyond which dps.offline is not even solved, nor that program proved.
MOST_PLACED = 3_000
CROWDED = 10  #: Jobs per server from which a market of few servers is crowded.


def decisions_at(market: Market, form: LinearForm, point: Floats) -> list[Decision]:
    """Read placements off a point of dps.offline whose columns are whole.

    A spread job whose units are all on one server runs no longer than the program says.
    """
    timeline = ServerTimeline(market)
    whole, workers, ps = (
        form.values(point, name) for name in ("whole", "spread_workers", "spread_ps")
    )
    spread = form.values(point, "spread")
    for job in range(market.num_jobs):
        here = np.flatnonzero(whole[job] > 0)
        if len(here):
            units = market.workers[job : job + 1], market.ps[job : job + 1]
            timeline.put(job, Placed(here[:1], *units))
        elif spread[job] > 0:
            held = workers[job].astype(np.int64), ps[job].astype(np.int64)
            used = np.flatnonzero(held[0] + held[1])
            timeline.put(job, Placed(used, held[0][used], held[1][used]))
    return decisions_of(market, best_prices(market), timeline)


_PROVED = {
    capped: integer_program(f"dps.offline[{variant}]", decisions_at, MOST_ENTRIES)
    for capped, variant in ((False, "free"), (True, "capped"))
}
_POOLED = {
    capped: integer_program(f"dps.interval_ip[{variant}]", None, MOST_POOLED, POOLED_SHARE)
    for capped, variant in ((False, "budget"), (True, "capped"))
}


def small(instance: Market, ascent: Ascent) -> Iterator[Rung]:
    """Solve and prove dps.offline where that is small."""
    cells = instance.num_jobs * instance.num_servers
    if cells > MOST_CELLS:
        raise NoAnswer(f"dps.offline has {cells} cells of job and server, more than {MOST_CELLS}")
    yield from _PROVED[instance.price_cap is not None](instance, ascent)


def crowded(instance: Market) -> bool:
    """Whether few servers meet many jobs each, which large parts of servers keep waiting."""
    return instance.num_jobs >= CROWDED * instance.num_servers


def few_servers(instance: Market, ascent: Ascent) -> Iterator[Rung]:
    """Solve dps.offline where it is not large, and prove it with all servers of a type as one.

    Where jobs take much of a server, whole jobs on all servers as one bound them closely, and
    parts of jobs do not, whatever the classes.
    """
    cells = instance.num_jobs * instance.num_servers
    if not MOST_CELLS < cells <= MOST_PLACED:
        return
    with contextlib.suppress(NoAnswer):  # too many entries
        yield from _POOLED[instance.price_cap is not None](instance, ascent)
    if not ascent.over():
        yield from placed(instance, ascent)


def placed(instance: Market, ascent: Ascent) -> Iterator[Rung]:
    """Solve dps.offline, as far as nodes go, for its placements."""
    program = programs.build(f"dps.offline[{'free' if instance.price_cap is None else 'capped'}]")
    form = program.form(instance)
    answer = solve(
        form,
        time_limit=ascent.deadline.left,
        gap=float(ascent.gap) / 2,
        solver_options={"mip_max_nodes": MOST_NODES},
    )
    if answer.has_point:
        point = np.where(form.integer, np.rint(answer.point), answer.point)
        yield Rung(f"{answer.solver} on {program.full_name}", decisions_at(instance, form, point))
