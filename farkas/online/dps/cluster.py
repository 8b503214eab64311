"""Servers with idle units, and the jobs that hold the rest: arrays, and kernels that change them.

`place` is Algorithm 2 of DPS and its rivals.  Every seller calls these kernels, from a kernel of
its own or from Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from farkas.instances.dps import Market
from farkas.kernels import Bools1, Floats1, Ints1, Ints2, Out, compiled
from farkas.numbers import Ints
from farkas.tolerances import allowed

PlacementRule = Literal["pa", "best_fit", "random"]

FULL, DECLINED, SOLD, EXPLORED = 0, 1, 2, 3
PA, BEST_FIT, RANDOM = 0, 1, 2
RULES = {"pa": PA, "best_fit": BEST_FIT, "random": RANDOM}

#: Columns of `Cluster.running`.
FREE, WORKER_TYPE, WORKERS, PS_TYPE, PS, FIRST, LAST = range(7)
#: Places in `Cluster.counts`.
LOGGED, RUNNING, OVER, NEXT, PLACED = range(5)
NEVER = 2**62
#: More than the units of a type that a server can have: two such numbers fit into one.
MOST_IDLE = 2**31
STEPS_A_JOB = 10  #: What a job costs beside the search for its servers, in looks at a server.


class Jobs(NamedTuple):
    """Jobs in order of arrival, shape (jobs,)."""

    slot: Ints1  #: arrival
    worker_type: Ints1
    workers: Ints1
    ps_type: Ints1
    ps: Ints1
    limit: Floats1  #: what each user pays at most
    colocated_runtime: Floats1
    spread_runtime: Floats1
    free_colocated: Ints1  #: first slot in which the units are idle again
    free_spread: Ints1

    @classmethod
    def of(cls, market: Market) -> Jobs:
        """All jobs of a market."""
        columns: Any = (
            market.arrival,
            market.worker_type,
            market.workers,
            market.ps_type,
            market.ps,
            allowed(market.budget),
            market.colocated_runtime,
            market.spread_runtime,
            market.last_held(market.colocated_end) + 1,
            market.last_held(market.spread_end) + 1,
        )
        return cls(*map(np.array, columns))  # a market's own are read-only, which kernels copy

    def some(self, chosen: Any) -> Jobs:
        """Those of an index or a slice."""
        return Jobs(*(column[chosen] for column in self))


class Cluster(NamedTuple):
    """Idle units, running jobs, and a log of all placements."""

    idle_workers: Ints2  #: (types, servers)
    idle_ps: Ints2
    total_workers: Ints1  #: (types,)
    total_ps: Ints1
    order: Ints1  #: (servers,) scratch: order of filling
    rank: Ints1  #: (servers,) scratch: who comes first in the order, -1 for those already in it
    log: Ints2  #: (entries, 4): job, server, workers, parameter servers
    running: Ints2  #: (rows, 7): columns as named above
    runtime: Floats1  #: (rows,) slots that the job of a row runs
    active: Ints1  #: (rows,) rows of running jobs in order of arrival, then the others
    ended: Ints1  #: (rows,) rows of the jobs that the last `release` took away
    counts: Ints1  #: log entries, running jobs, jobs in `ended`, next slot to release, jobs placed

    @classmethod
    def empty(cls, workers: Ints, ps: Ints) -> Cluster:
        """All units are idle; shapes (servers, worker types), (servers, server types)."""
        servers = len(workers)
        return cls(
            np.array(workers.T, np.int64, order="C"),
            np.array(ps.T, np.int64, order="C"),
            workers.sum(axis=0, dtype=np.int64),
            ps.sum(axis=0, dtype=np.int64),
            np.zeros(servers, np.int64),
            np.zeros(servers, np.int64),
            np.zeros((0, 4), np.int64),
            np.zeros((0, 7), np.int64),
            np.zeros(0),
            np.zeros(0, np.int64),
            np.zeros(0, np.int64),
            np.array([0, 0, 0, NEVER, 0], np.int64),
        )

    def with_room(self, jobs: Jobs) -> Cluster:
        """Return arrays that are long enough when all of ``jobs`` are placed."""
        entries = int(np.minimum(len(self.order), jobs.workers + jobs.ps).sum())
        rows = int(self.counts[RUNNING]) + len(jobs.slot)
        return self._replace(
            log=_longer(self.log, int(self.counts[LOGGED]) + entries),
            running=_longer(self.running, rows),
            runtime=_longer(self.runtime, rows),
            active=_longer(self.active, rows, count=True),
            ended=_longer(self.ended, rows),
        )


def _longer(array: Any, least: int, *, count: bool = False) -> Any:
    if len(array) >= least:
        return array
    # memory of zeros is not touched before it is used
    longer = np.zeros((max(least, 2 * len(array)), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    if count:
        longer[len(array) :] = np.arange(len(array), len(longer))
    return longer


class ServerChoice(NamedTuple):
    """Which servers a job gets."""

    rule: int  #: PA, BEST_FIT or RANDOM
    orders: Ints2  #: (jobs, servers): order for each job placed, if random


def filling(placing: PlacementRule, orders: Sequence[Ints] = (), servers: int = 0) -> ServerChoice:
    """Return a rule of placement, with a permutation of the servers for each job placed."""
    return ServerChoice(RULES[placing], np.array(orders, np.int64).reshape(len(orders), servers))


class Results(NamedTuple):
    """One entry per job; NaN where no price was posted."""

    outcome: Ints1  #: FULL, DECLINED, SOLD or EXPLORED
    worker_price: Floats1
    ps_price: Floats1
    payment: Floats1
    exploring: Bools1

    @classmethod
    def empty(cls, jobs: int) -> Results:
        """Nothing is decided."""
        worker, ps = np.full((2, jobs), np.nan)
        paid, exploring = np.zeros(jobs), np.zeros(jobs, np.bool_)
        return cls(np.zeros(jobs, np.int64), worker, ps, paid, exploring)


def steps(cluster: Cluster, jobs: Jobs, *rest: object) -> int:
    """Count the steps of a simulation: every job looks at every server."""
    return len(jobs.slot) * (STEPS_A_JOB + len(cluster.order))


@compiled(steps=lambda cluster, slot: len(cluster.active))
def release(cluster: Out[Cluster], slot: int) -> None:
    """Take back the units of every job that is over; ``ended`` lists their rows by arrival."""
    cluster.counts[OVER] = 0
    if slot < cluster.counts[NEXT]:
        return
    kept, over, soonest = 0, 0, NEVER
    for place in range(cluster.counts[RUNNING]):
        row = cluster.active[place]
        free = cluster.running[row, FREE]
        if free > slot:
            cluster.active[kept] = row
            kept += 1
            soonest = min(soonest, free)
            continue
        cluster.ended[over] = row
        over += 1
        kind, other = cluster.running[row, WORKER_TYPE], cluster.running[row, PS_TYPE]
        cluster.total_workers[kind] += cluster.running[row, WORKERS]
        cluster.total_ps[other] += cluster.running[row, PS]
        for entry in range(cluster.running[row, FIRST], cluster.running[row, LAST]):
            server = cluster.log[entry, 1]
            cluster.idle_workers[kind, server] += cluster.log[entry, 2]
            cluster.idle_ps[other, server] += cluster.log[entry, 3]
    for place in range(over):
        cluster.active[kept + place] = cluster.ended[place]
    cluster.counts[RUNNING] = kept
    cluster.counts[OVER] = over
    cluster.counts[NEXT] = soonest


@compiled
def fits(cluster: Cluster, jobs: Jobs, job: int) -> bool:
    """Whether all servers together have enough idle units."""
    enough: bool = cluster.total_workers[jobs.worker_type[job]] >= jobs.workers[job]
    return enough and cluster.total_ps[jobs.ps_type[job]] >= jobs.ps[job]


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
def _hold(
    cluster: Out[Cluster], job: int, kind: int, other: int, server: int, workers: int, ps: int
) -> None:
    """Take units from a server."""
    cluster.idle_workers[kind, server] -= workers
    cluster.idle_ps[other, server] -= ps
    entry = cluster.counts[LOGGED]
    cluster.log[entry, 0] = job
    cluster.log[entry, 1] = server
    cluster.log[entry, 2] = workers
    cluster.log[entry, 3] = ps
    cluster.counts[LOGGED] = entry + 1


@compiled
def _spread(cluster: Out[Cluster], jobs: Jobs, job: int, given: bool, order: Out[Ints1]) -> None:
    """Fill servers with workers, and from the start of the order with parameter servers.

    The order is found one server at a time, unless it is given.
    """
    kind, other = jobs.worker_type[job], jobs.ps_type[job]
    idle_workers, idle_ps = cluster.idle_workers[kind], cluster.idle_ps[other]
    need_workers, need_ps = jobs.workers[job], jobs.ps[job]
    if not given:
        _rank(cluster.rank, idle_workers, idle_ps)
    place = 0
    while need_workers > 0 or need_ps > 0:
        if not given:
            order[place] = _next_best(cluster.rank)
        server = order[place]
        place += 1
        some, more = min(need_workers, idle_workers[server]), min(need_ps, idle_ps[server])
        if some > 0 or more > 0:
            need_workers -= some
            need_ps -= more
            _hold(cluster, job, kind, other, server, some, more)


@compiled
def _run(cluster: Out[Cluster], jobs: Jobs, job: int, first: int) -> bool:
    """Let a job run that is logged from ``first`` on; return whether one server holds it."""
    kind, other = jobs.worker_type[job], jobs.ps_type[job]
    workers, ps = jobs.workers[job], jobs.ps[job]
    cluster.total_workers[kind] -= workers
    cluster.total_ps[other] -= ps
    whole: bool = cluster.counts[LOGGED] == first + 1
    row = cluster.active[cluster.counts[RUNNING]]
    free = jobs.free_colocated[job] if whole else jobs.free_spread[job]
    cluster.running[row, FREE] = free
    cluster.running[row, WORKER_TYPE] = kind
    cluster.running[row, WORKERS] = workers
    cluster.running[row, PS_TYPE] = other
    cluster.running[row, PS] = ps
    cluster.running[row, FIRST] = first
    cluster.running[row, LAST] = cluster.counts[LOGGED]
    cluster.runtime[row] = jobs.colocated_runtime[job] if whole else jobs.spread_runtime[job]
    cluster.counts[RUNNING] += 1
    cluster.counts[NEXT] = min(cluster.counts[NEXT], free)
    cluster.counts[PLACED] += 1
    return whole


@compiled(steps=steps)
def place(cluster: Out[Cluster], jobs: Jobs, job: int, filling: ServerChoice) -> bool:
    """Place a job that fits; return whether one server holds it.  DPS Algorithm 2.

    The first server, by idle workers, then idle parameter servers, then number, that can host the
    whole job does (best fit: the one that it fills best).  Without one, workers and parameter
    servers fill the servers in that order.  A random order is filled without a look for one server.
    It minimises the runtime (15) of the job at hand, not the number of servers, and not the
    runtime of a sequence.
    """
    kind, other = jobs.worker_type[job], jobs.ps_type[job]
    workers, ps = jobs.workers[job], jobs.ps[job]
    first = cluster.counts[LOGGED]
    server = -1
    if filling.rule != RANDOM:
        server = _single(
            filling.rule, cluster.idle_workers[kind], cluster.idle_ps[other], workers, ps
        )
    if server >= 0:
        _hold(cluster, job, kind, other, server, workers, ps)
    elif filling.rule == RANDOM:
        _spread(cluster, jobs, job, True, filling.orders[cluster.counts[PLACED]])
    else:
        _spread(cluster, jobs, job, False, cluster.order)
    return _run(cluster, jobs, job, first)


def hold(cluster: Cluster, jobs: Jobs, job: int, workers: Ints, ps: Ints) -> None:
    """Place a job as given, by server."""
    kind, other, first = jobs.worker_type[job], jobs.ps_type[job], cluster.counts[LOGGED]
    for server in np.flatnonzero(workers + ps).tolist():
        _hold.function(cluster, job, kind, other, server, workers[server], ps[server])
    _run.function(cluster, jobs, job, first)


def placed(
    placing: PlacementRule, idle_workers: Ints, idle_ps: Ints, workers: int, ps: int
) -> tuple[Ints, Ints] | None:
    """Place one job on idle units: workers and parameter servers by server, None if too few."""
    cluster = Cluster.empty(np.column_stack([idle_workers]), np.column_stack([idle_ps]))
    whole, none = np.zeros(1, np.int64), np.zeros(1)
    job = Jobs(
        whole, whole, np.array([workers]), whole, np.array([ps]), none, none, none, whole, whole
    )
    cluster = cluster.with_room(job)
    if not fits.function(cluster, job, 0):
        return None
    place.interpret(cluster, job, 0, filling(placing))
    units = np.zeros((2, len(idle_workers)), np.int64)
    entries = cluster.log[: cluster.counts[LOGGED]]
    units[:, entries[:, 1]] = entries[:, 2:].T
    return units[0], units[1]
