"""Small markets: integer programs of the whole market, solved and proved by branch and bound."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np

from farkas.algebra.formulation import programs
from farkas.errors import NoAnswer
from farkas.forms import LinearForm
from farkas.instances.dps import Market
from farkas.numbers import Floats
from farkas.offline.dps.repacking import best_prices, decisions_of
from farkas.offline.dps.timeline import Placed, ServerTimeline
from farkas.offline.ladder import Ascent, Rung, integer_program
from farkas.online.dps.offers import Decision
from farkas.solvers import solve

MOST_CELLS = 300  #: Jobs times servers beyond which dps.offline is too large to be proved soon.
MOST_ENTRIES = 3_000  #: Coefficients of so many cells.
#: Coefficients of a program that counts servers of a type as one, and its share of the time.
MOST_POOLED, POOLED_SHARE = 10_000, 0.3
#: Jobs times servers beyond which dps.offline is not even solved, nor that program proved.
MOST_PLACED = 3_000
CROWDED = 10  #: Jobs per server from which a market of few servers is crowded.
MOST_NODES = 200  #: Nodes of a solve that is not proved.


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
