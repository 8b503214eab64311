"""Which jobs compete for units of a type in which slot.

A job holds its units from its arrival to its last slot, which is that of its runtime as a double:
`farkas.certificates.dps` charges for the same slots and `farkas.replay.dps` wants them kept.

Usage of a type rises at arrivals of jobs of that type only, so capacity is stated there; and only
at those after which some job leaves before the next arrival, since every other row is part of the
next one (maximal cliques).
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, constraint
from farkas.instances.base import frozen
from farkas.instances.dps import Market, Side
from farkas.numbers import Ints, distinct


def clique_rows(side: Side, lasts: Sequence[Ints]) -> Ints:
    """Rows (type, slot) at which capacity has to be stated, shape (rows, 2), sorted.

    ``lasts``: last slots held, shape (jobs,), of each way to place a job.
    """
    base = _base(lasts)
    keys = distinct(side.types * base + side.arrival)
    final = [np.searchsorted(keys, side.types * base + last, side="right") - 1 for last in lasts]
    kept = keys[distinct(np.concatenate(final))] if len(keys) else keys
    return np.column_stack([kept // base, kept % base])


@functools.lru_cache(maxsize=4)
def scarce_rows(data: Market) -> tuple[Ints, Ints]:
    """Clique rows, of workers and of parameter servers, that not all jobs can keep at once.

    Those are the only ones that bind: elsewhere the jobs that all servers together can host, for as
    long as they run at the least, ask for no more units together than there are.
    """
    workers, ps = (_scarce(data, side) for side in data.sides)
    return workers, ps


def _scarce(data: Market, side: Side) -> Ints:
    rows = clique_rows(side, [data.last_slot])
    low, high = spans(rows, side, data.last_slot)
    change = np.zeros(len(rows) + 1, np.int64)
    units = np.where(data.fits, side.units, 0)
    np.add.at(change, low, units)
    np.add.at(change, high, -units)
    return frozen(rows[np.cumsum(change)[:-1] > side.capacity[rows[:, 0]]], np.int64)


def jobs_at(rows: Ints, side: Side, last: Ints) -> list[Ints]:
    """Jobs that hold units of the row's type in the row's slot, ascending, one list per row."""
    low, high = spans(rows, side, last)
    counts = high - low
    jobs = np.repeat(np.arange(len(last)), counts)
    first = np.repeat(low - (np.cumsum(counts) - counts), counts)
    place = first + np.arange(len(jobs))
    order = np.argsort(place, kind="stable")
    edges = np.cumsum(np.bincount(place, minlength=len(rows)))[:-1]
    return np.split(jobs[order], edges) if len(rows) else []


def earlier(side: Side, last: Ints, jobs: npt.ArrayLike) -> list[Ints]:
    """Jobs before each of ``jobs`` that still hold units of its type when it arrives."""
    return [
        np.flatnonzero((side.types[:i] == side.types[i]) & (last[:i] >= side.arrival[i]))
        for i in np.asarray(jobs, dtype=int)
    ]


def in_the_way(side: Side, jobs: Ints) -> Ints:
    """Units in use from which on a job no longer fits, shape (jobs,)."""
    kinds = side.types[jobs]
    return side.capacity[kinds] - side.units[jobs] + 1


def declare_rows(m: Any, name: str, side: Side, rows: Ints | None = None, **lasts: Ints) -> None:
    """Declare the rows of a side as ``name``, and by row who holds units there, way by way.

    ``rows``: by default the maximal cliques.  ``lasts``: last slots held, by the name that the jobs
    of a row get.
    """
    if rows is None:
        rows = clique_rows(side, list(lasts.values()))
    setattr(m, name, Set(rows, label=("type", "slot")))
    for group, last in lasts.items():
        setattr(m, group, IndexedSet(getattr(m, name), jobs_at(rows, side, last), label="job"))


def declare_demand(m: Any, data: Market) -> None:
    """Declare jobs, what they ask for, and what there is of every type on all servers."""
    m.jobs = Set(range(data.num_jobs), label="job")
    m.workers = Param(m.jobs, values=data.workers)
    m.ps = Param(m.jobs, values=data.ps)
    m.worker_types = Set(range(data.num_worker_types), label="type")
    m.ps_types = Set(range(data.num_ps_types), label="type")
    m.worker_capacity = Param(m.worker_types, values=data.worker_capacity)
    m.ps_capacity = Param(m.ps_types, values=data.ps_capacity)


class TypeCapacity(Program):
    """Jobs that share the units of a type on all servers; subclasses decide who is ``accepted``.

    A job holds its units for the shortest time any placement allows.
    """

    kind = "dps"

    def declare_jobs(self, m: Any, data: Market, scarce: bool = False) -> None:
        """Declare jobs, what they ask for, what there is, and rows, all or the scarce ones."""
        declare_demand(m, data)
        workers, ps = data.sides
        rows, last = scarce_rows(data) if scarce else (None, None), data.last_slot
        declare_rows(m, "worker_rows", workers, rows[0], jobs_with_workers=last)
        declare_rows(m, "ps_rows", ps, rows[1], jobs_with_ps=last)

    @constraint("2c", "worker_rows")
    def enough_workers(m, k, t):
        """Jobs that hold workers of a type use no more than all servers have."""
        held = Sum(m.workers[i] * m.accepted[i] for i in m.jobs_with_workers[k, t])
        return held <= m.worker_capacity[k]

    @constraint("2b", "ps_rows")
    def enough_ps(m, k, t):
        """Jobs that hold parameter servers of a type use no more than all servers have."""
        held = Sum(m.ps[i] * m.accepted[i] for i in m.jobs_with_ps[k, t])
        return held <= m.ps_capacity[k]


def spans(rows: Ints, side: Side, last: Ints) -> tuple[Ints, Ints]:
    """First row in which each job holds units, and first after it in which it does not."""
    base = _base([last, rows[:, 1]])
    keys = rows[:, 0] * base + rows[:, 1]
    low = np.searchsorted(keys, side.types * base + side.arrival, side="left")
    return low, np.searchsorted(keys, side.types * base + last, side="right")


def _base(lasts: Sequence[Ints]) -> int:
    """Return a number above every slot, so that (type, slot) sorts as one integer."""
    return 2 + max((int(last.max(initial=0)) for last in lasts), default=0)
