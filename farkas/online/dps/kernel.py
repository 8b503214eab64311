"""The simulation as a kernel: one pass over all jobs.

The readable version is `farkas.online.dps.seller` with `farkas.online.dps.pricing`; both must make
the same decisions.  Departures wait in one list per arrival slot.  Records (server, workers,
parameter servers) of running jobs come from a pool whose size is a bound, and are reused.
"""

from typing import NamedTuple

from farkas.kernels import Bools1, Ints1, Ints2, Out, compiled

FULL, DECLINED, SOLD, EXPLORED = 0, 1, 2, 3
PA, BEST_FIT, RANDOM = 0, 1, 2
#: More than the units of a type that a server can have: two such numbers fit into one.
MOST_IDLE = 2**31
STEPS_A_JOB = 10  #: What a job costs beside the search for its servers, in looks at a server.


class Jobs(NamedTuple):
    """Jobs in order of arrival, shape (jobs,)."""

    event: Ints1  #: number of the arrival slot
    worker_type: Ints1
    workers: Ints1
    ps_type: Ints1
    ps: Ints1
    leaves_colocated: Ints1  #: first arrival slot number at which the job is over
    leaves_spread: Ints1


class Servers(NamedTuple):
    """Idle units and the jobs that hold the rest; changes while the simulation runs."""

    idle_workers: Ints2  #: (types, servers)
    idle_ps: Ints2
    total_workers: Ints1  #: (types,)
    total_ps: Ints1
    head: Ints1  #: first job over at an arrival slot, -1 for none
    tail: Ints1
    after: Ints1  #: next job in the same list
    record: Ints1  #: first record of a job
    pool: Ints2  #: (records, 4): server, workers, parameter servers, next record
    free: Ints1  #: [first free record, next arrival slot to release]
    chosen: Ints1  #: (servers,) scratch: order of filling
    rank: Ints1  #: (servers,) scratch: who comes first in the order, -1 for those already in it
    log: Ints2  #: (entries, 4): job, server, workers, parameter servers; empty to keep none
    logged: Ints1  #: [entries used]


class Filling(NamedTuple):
    """Which servers a job gets."""

    rule: int  #: PA, BEST_FIT or RANDOM
    orders: Ints2  #: (jobs, servers): order for each job placed, if random


class Results(NamedTuple):
    """One entry per job."""

    outcome: Ints1  #: FULL, DECLINED, SOLD or EXPLORED
    colocated: Bools1
    worker_arm: Ints1
    ps_arm: Ints1


@compiled
def release(servers: Out[Servers], jobs: Jobs, slot_event: int) -> None:
    """Return units of every job that is over before arrival slot number ``slot_event``."""
    while servers.free[1] <= slot_event:
        job = servers.head[servers.free[1]]
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
            job = servers.after[job]
        servers.free[1] += 1


@compiled
def _hold(
    servers: Out[Servers],
    job: int,
    before: int,
    server: int,
    workers: int,
    ps: int,
    idle_workers: Out[Ints1],
    idle_ps: Out[Ints1],
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
def _single(rule: int, idle_workers: Ints1, idle_ps: Ints1, workers: int, ps: int) -> int:
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
def _rank(rank: Out[Ints1], idle_workers: Ints1, idle_ps: Ints1) -> None:
    """Numbers that order servers as Algorithm 2 does, more idle workers, then more idle servers."""
    for server in range(len(rank)):
        rank[server] = idle_workers[server] * MOST_IDLE + idle_ps[server]


@compiled
def _next_best(rank: Out[Ints1]) -> int:
    """Next server in the order of Algorithm 2, the first of equals, which leaves the ranks."""
    found = 0
    for server in range(1, len(rank)):
        if rank[server] > rank[found]:
            found = server
    rank[found] = -1
    return found


@compiled
def _spread(
    servers: Out[Servers],
    job: int,
    idle_workers: Out[Ints1],
    idle_ps: Out[Ints1],
    workers: int,
    ps: int,
    order: Out[Ints1],
    given: bool,
) -> tuple[int, int]:
    """Fill servers in order; return the first record and the number of servers used.

    The order is found one server at a time, unless it is given.  A server's workers and parameter
    servers become one record.
    """
    count = 0
    need_workers, need_ps = workers, ps
    if not given:
        _rank(servers.rank, idle_workers, idle_ps)
    while need_workers > 0 or need_ps > 0:
        if not given:
            order[count] = _next_best(servers.rank)
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
def place(servers: Out[Servers], jobs: Jobs, job: int, filling: Filling, placed: int) -> bool:
    """Place a job that fits, after ``placed`` others; return whether one server holds it."""
    kind, other = jobs.worker_type[job], jobs.ps_type[job]
    workers, ps = jobs.workers[job], jobs.ps[job]
    idle_workers, idle_ps = servers.idle_workers[kind], servers.idle_ps[other]
    servers.total_workers[kind] -= workers
    servers.total_ps[other] -= ps
    random = filling.rule == RANDOM
    server = -1 if random else _single(filling.rule, idle_workers, idle_ps, workers, ps)
    if server >= 0:
        entry = _hold(servers, job, -1, server, workers, ps, idle_workers, idle_ps)
        whole = True
    else:
        order = filling.orders[placed] if random else servers.chosen
        entry, used = _spread(servers, job, idle_workers, idle_ps, workers, ps, order, random)
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


def steps(jobs: int, servers: int) -> int:
    """Count the steps of a simulation: every job looks at every server."""
    return jobs * (STEPS_A_JOB + servers)


@compiled(steps=lambda servers, jobs, *rest: steps(len(jobs.event), len(servers.chosen)))
def run_posted(
    servers: Out[Servers], jobs: Jobs, accepts: Bools1, filling: Filling, results: Out[Results]
) -> None:
    """Serve every job that accepts its price and fits; prices do not depend on the past."""
    placed = 0
    for job in range(len(jobs.event)):
        release(servers, jobs, jobs.event[job])
        kind, other = jobs.worker_type[job], jobs.ps_type[job]
        if (
            servers.total_workers[kind] < jobs.workers[job]
            or servers.total_ps[other] < jobs.ps[job]
        ):
            results.outcome[job] = FULL
        elif accepts[job]:
            results.outcome[job] = SOLD
            results.colocated[job] = place(servers, jobs, job, filling, placed)
            placed += 1
        else:
            results.outcome[job] = DECLINED
