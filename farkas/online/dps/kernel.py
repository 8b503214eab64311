"""The simulation, compiled: one pass over all jobs.

The readable version is `farkas.online.dps.seller` with `farkas.online.dps.pricing`; both must make
the same decisions.  Departures wait in one list per arrival slot.  Records (server, workers,
parameter servers) of running jobs come from a pool whose size is a bound, and are reused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from numba import njit

from farkas.numbers import Array
from farkas.tolerances import TIE as TIE

FULL, DECLINED, SOLD, EXPLORED = 0, 1, 2, 3
PA, BEST_FIT, RANDOM = 0, 1, 2
PUBLISHED, TURNOVER, TOP = 0, 1, 2
BLOCK = 32
"""Arms of a block."""

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile on first use and keep the machine code on disk."""
    made: F = njit(cache=True)(function)
    return made


class Jobs(NamedTuple):
    """Jobs in order of arrival, shape (jobs,)."""

    event: Array  # number of the arrival slot
    worker_type: Array
    workers: Array
    ps_type: Array
    ps: Array
    leaves_colocated: Array  # first arrival slot number at which the job is over
    leaves_spread: Array


class Servers(NamedTuple):
    """Idle units and the jobs that hold the rest; changes while the simulation runs."""

    idle_workers: Array  # (types, servers)
    idle_ps: Array
    total_workers: Array  # (types,)
    total_ps: Array
    head: Array  # first job over at an arrival slot, -1 for none
    tail: Array
    after: Array  # next job in the same list
    record: Array  # first record of a job
    pool: Array  # (records, 4): server, workers, parameter servers, next record
    free: Array  # [first free record, next arrival slot to release]
    chosen: Array  # (servers,) scratch: order of filling
    taken: Array  # (servers,) scratch: already in the order
    log: Array  # (entries, 4): job, server, workers, parameter servers; empty to keep none
    logged: Array  # [entries used]


class Results(NamedTuple):
    """One entry per job."""

    outcome: Array
    colocated: Array
    worker_arm: Array
    ps_arm: Array


class Side(NamedTuple):
    """One side of the learning market: constants, then what is learned."""

    jobs: Array
    capacity: Array
    explore: Array
    eta: Array
    demand_range: Array
    time_range: Array
    first: Array
    price: Array
    seen: Array
    finished: Array
    unused: Array
    offers: Array
    sold: Array
    demand: Array  # optimistic demand of every arm
    supply: Array  # optimistic supply of every type, negative when it has to be found anew
    value: Array  # price x min(demand, supply) of every arm
    top: Array  # largest value of every block of arms
    first_block: Array  # first block of each type, and the number of all blocks
    peak: Array  # at least the largest demand of each type
    used: Array  # supply that the values of each type were computed with


@compiled
def release(
    servers: Servers,
    jobs: Jobs,
    slot_event: int,
    runtimes: Array,
    horizon: float,
    workers: Side,
    ps: Side,
    learns: bool,
) -> None:
    """Return units of every job that is over before arrival slot number ``slot_event``."""
    while servers.free[1] <= slot_event:
        event = servers.free[1]
        job = servers.head[event]
        while job >= 0:
            kind, other = jobs.worker_type[job], jobs.ps_type[job]
            servers.total_workers[kind] += jobs.workers[job]
            servers.total_ps[other] += jobs.ps[job]
            entry = servers.record[job]
            while entry >= 0:
                server = servers.pool[entry, 0]
                servers.idle_workers[kind, server] += servers.pool[entry, 1]
                servers.idle_ps[other, server] += servers.pool[entry, 2]
                following = servers.pool[entry, 3]
                servers.pool[entry, 3] = servers.free[0]
                servers.free[0] = entry
                entry = following
            if learns:
                unused = max(0.0, horizon - runtimes[job])
                workers.finished[kind] += 1
                workers.unused[kind] += unused
                ps.finished[other] += 1
                ps.unused[other] += unused
                workers.supply[kind] = -1.0
                ps.supply[other] = -1.0
            job = servers.after[job]
        servers.free[1] += 1


@compiled
def _hold(
    servers: Servers,
    job: int,
    before: int,
    server: int,
    workers: int,
    ps: int,
    idle_workers: Array,
    idle_ps: Array,
) -> int:
    """Take units from a server and record it in front of record ``before``; return the record."""
    idle_workers[server] -= workers
    idle_ps[server] -= ps
    entry: int = servers.free[0]
    servers.free[0] = servers.pool[entry, 3]
    servers.pool[entry, 0] = server
    servers.pool[entry, 1] = workers
    servers.pool[entry, 2] = ps
    servers.pool[entry, 3] = before
    if len(servers.log):
        place = servers.logged[0]
        servers.log[place, 0] = job
        servers.log[place, 1] = server
        servers.log[place, 2] = workers
        servers.log[place, 3] = ps
        servers.logged[0] = place + 1
    return entry


@compiled
def _single(rule: int, idle_workers: Array, idle_ps: Array, workers: int, ps: int) -> int:
    """Server that hosts the whole job, -1 for none."""
    found = -1
    for server in range(len(idle_workers)):
        if idle_workers[server] < workers or idle_ps[server] < ps:
            continue
        if found < 0:
            found = server
        elif rule == PA:
            if idle_workers[server] > idle_workers[found] or (
                idle_workers[server] == idle_workers[found] and idle_ps[server] > idle_ps[found]
            ):
                found = server
        elif idle_workers[server] + idle_ps[server] < idle_workers[found] + idle_ps[found]:
            found = server
    return found


@compiled
def _next_best(taken: Array, idle_workers: Array, idle_ps: Array) -> int:
    """Next server in the order of Algorithm 2."""
    found = -1
    for server in range(len(idle_workers)):
        if taken[server]:
            continue
        if (
            found < 0
            or idle_workers[server] > idle_workers[found]
            or (idle_workers[server] == idle_workers[found] and idle_ps[server] > idle_ps[found])
        ):
            found = server
    return found


@compiled
def _spread(
    servers: Servers,
    job: int,
    idle_workers: Array,
    idle_ps: Array,
    workers: int,
    ps: int,
    order: Array,
    given: bool,
) -> tuple[int, int]:
    """Fill servers in order; return the first record and the number of servers used.

    The order is found one server at a time, unless it is given.  A server's workers and parameter
    servers become one record.
    """
    count = 0
    need_workers, need_ps = workers, ps
    if not given:
        servers.taken[:] = False
    while need_workers > 0 or need_ps > 0:
        if not given:
            order[count] = _next_best(servers.taken, idle_workers, idle_ps)
            servers.taken[order[count]] = True
        server = order[count]
        count += 1
        need_workers -= min(need_workers, idle_workers[server])
        need_ps -= min(need_ps, idle_ps[server])
    entry, used = -1, 0
    need_workers, need_ps = workers, ps
    for place in range(count):
        server = order[place]
        some, other = min(need_workers, idle_workers[server]), min(need_ps, idle_ps[server])
        if some > 0 or other > 0:
            need_workers -= some
            need_ps -= other
            entry = _hold(servers, job, entry, server, some, other, idle_workers, idle_ps)
            used += 1
    return entry, used


@compiled
def place(servers: Servers, jobs: Jobs, job: int, rule: int, orders: Array, placed: int) -> bool:
    """Place a job that fits; return whether one server holds it."""
    kind, other = jobs.worker_type[job], jobs.ps_type[job]
    workers, ps = jobs.workers[job], jobs.ps[job]
    idle_workers, idle_ps = servers.idle_workers[kind], servers.idle_ps[other]
    servers.total_workers[kind] -= workers
    servers.total_ps[other] -= ps
    server = -1 if rule == RANDOM else _single(rule, idle_workers, idle_ps, workers, ps)
    if server >= 0:
        entry = _hold(servers, job, -1, server, workers, ps, idle_workers, idle_ps)
        whole = True
    else:
        order = orders[placed] if rule == RANDOM else servers.chosen
        entry, used = _spread(
            servers, job, idle_workers, idle_ps, workers, ps, order, rule == RANDOM
        )
        whole = used == 1
    servers.record[job] = entry
    event = jobs.leaves_colocated[job] if whole else jobs.leaves_spread[job]
    servers.after[job] = -1
    if event < len(servers.head):
        if servers.head[event] < 0:
            servers.head[event] = job
        else:
            servers.after[servers.tail[event]] = job
        servers.tail[event] = job
    return whole


@compiled
def run_posted(
    servers: Servers,
    jobs: Jobs,
    accepts: Array,
    rule: int,
    orders: Array,
    results: Results,
    side: Side,
    runtimes: Array,
) -> None:
    """Serve every job that accepts its price and fits; prices do not depend on the past."""
    placed = 0
    for job in range(len(jobs.event)):
        release(servers, jobs, jobs.event[job], runtimes, 0.0, side, side, False)
        kind, other = jobs.worker_type[job], jobs.ps_type[job]
        if (
            servers.total_workers[kind] < jobs.workers[job]
            or servers.total_ps[other] < jobs.ps[job]
        ):
            results.outcome[job] = FULL
        elif accepts[job]:
            results.outcome[job] = SOLD
            results.colocated[job] = place(servers, jobs, job, rule, orders, placed)
            placed += 1
        else:
            results.outcome[job] = DECLINED
