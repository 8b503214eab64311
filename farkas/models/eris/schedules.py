"""All schedules of a job, listed: the sets L_i of problem (3).  For tiny instances.

Schedules that another one of the same job beats, worth as much and using no more, are dropped.
"""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, Var, constraint, objective
from farkas.errors import NotApplicable
from farkas.instances.eris import Auction, hosted, left_over
from farkas.numbers import Array, Floats, Ints
from farkas.tolerances import allowed

#: Ways to spread a job's chunks over slots and sites beyond which none are listed.
LARGEST_LIST = 400_000

#: Schedules of a job beyond which comparing all pairs takes longer than keeping beaten ones.
COMPARED = 10_000


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Schedules:
    """Schedules, one per row."""

    job: Ints  #: Shape (schedules,).
    worth: Floats  #: Shape (schedules,), utility of the slot of completion.
    transfer: Floats  #: Shape (schedules, slots), MB; ψ.
    used: Floats  #: Shape (schedules, sites, resources, slots), units; φ.

    def __len__(self) -> int:
        return len(self.job)


def spreads(auction: Auction, job: int) -> int:
    """Count the ways to spread the chunks of ``job`` over slots and sites, site by site."""
    cells = auction.sites * (auction.slots - int(auction.arrival[job]))
    return math.prod(math.comb(int(d) + cells - 1, cells - 1) for d in auction.data[job])


def list_schedules(auction: Auction) -> Schedules:
    """List the schedules of all jobs that fit the empty system.

    Raises `NotApplicable`: a job has more than `LARGEST_LIST` spreads; names the job.
    """
    for job in range(auction.num_jobs):
        if (count := spreads(auction, job)) > LARGEST_LIST:
            raise NotApplicable(
                f"jobs[{job}] has {count:.3g} spreads of its data, more than {LARGEST_LIST:.0e}; "
                "use column generation (eris.schedule_lp by farkas show FILE eris.schedule_lp)"
            )
    parts = [_of_job(auction, job) for job in range(auction.num_jobs)]
    shape = (0, auction.sites, auction.num_resources, auction.slots)
    return Schedules(
        np.concatenate([p.job for p in parts] or [np.zeros(0, np.int64)]),
        np.concatenate([p.worth for p in parts] or [np.zeros(0)]),
        np.concatenate([p.transfer for p in parts] or [np.zeros((0, auction.slots))]),
        np.concatenate([p.used for p in parts] or [np.zeros(shape)]),
    )


def _of_job(auction: Auction, job: int) -> Schedules:
    first = int(auction.arrival[job])
    window = auction.slots - first
    record = auction.jobs[job]
    if auction.chunks[job] == 0:
        shape = (1, auction.sites, auction.num_resources, auction.slots)
        one = np.array([job])
        return Schedules(
            one, np.array([record.utility[0]]), np.zeros((1, auction.slots)), np.zeros(shape)
        )
    workers, moved = _placements(auction, job, window)
    workers, moved, server = _with_servers(auction, job, workers, moved)
    used = np.zeros((len(workers), auction.sites, auction.num_resources, auction.slots))
    used[..., first:] = (
        workers.transpose(0, 2, 1)[:, :, None] * auction.worker_demand[job][:, None]
        + server.transpose(0, 2, 1)[:, :, None] * auction.server_demand[job][:, None]
    )
    remote = (workers * (1 - server)).sum(axis=2)
    transfer = np.zeros((len(workers), auction.slots))
    transfer[:, first:] = auction.chunk_size * moved + record.parameter_size * remote
    active = workers.sum(axis=2) > 0
    last = window - 1 - np.argmax(active[:, ::-1], axis=1)
    worth = np.array(record.utility)[last]
    keep = unbeaten(
        np.hstack([transfer, used.reshape(len(used), math.prod(used.shape[1:])), -worth[:, None]])
    )
    return Schedules(np.full(len(keep), job), worth[keep], transfer[keep], used[keep])


def _placements(auction: Auction, job: int, window: int) -> tuple[Ints, Ints]:
    """Workers, shape (n, window, sites), and chunks moved, shape (n, window), of all spreads."""
    sites = auction.sites
    record = auction.jobs[job]
    most = np.tile(auction.most_workers[job], window)
    states = np.zeros((1, window * sites + window), np.int64)  # chunks by cell, then moved by slot
    cell_slot, cell_site = np.divmod(np.arange(window * sites), sites)
    for origin, count in enumerate(auction.data[job]):
        spread = compositions(int(count), window * sites)
        away = spread * (cell_site != origin)
        moved = np.stack([away[:, cell_slot == t].sum(axis=1) for t in range(window)], axis=1)
        sums = (states[:, None] + np.hstack([spread, moved])).reshape(-1, states.shape[1])
        fits = (-(-record.epochs * sums[:, : len(most)] // record.worker_rate) <= most).all(axis=1)
        sent = auction.chunk_size * sums[:, len(most) :]
        fits &= (sent <= allowed(auction.transfer_budget)).all(axis=1)
        states = np.unique(sums[fits], axis=0)
    workers = -(-record.epochs * states[:, : window * sites] // record.worker_rate)
    found = np.unique(np.hstack([workers, states[:, window * sites :]]), axis=0)
    found = found[unbeaten(found)]
    return found[:, :-window].reshape(-1, window, sites), found[:, -window:]


def _with_servers(
    auction: Auction, job: int, workers: Ints, moved: Ints
) -> tuple[Ints, Ints, Ints]:
    """Every choice of the server's site in every slot with workers that fits the system."""
    record = auction.jobs[job]
    server = np.zeros_like(workers)
    candidates = np.flatnonzero(auction.server_fits[job])
    for t in range(workers.shape[1]):
        idle = ~workers[:, t].any(axis=1)
        parts = [np.flatnonzero(idle)]
        choice = [np.full(idle.sum(), -1)]
        for site in candidates:
            busy = np.flatnonzero(~idle)
            here = workers[busy, t, site]
            # counted as replays and the dynamic program do: demands far below a capacity's rounding
            beside = left_over(auction.capacity[site], auction.server_demand[job])
            fits = here <= hosted(beside, auction.worker_demand[job], here)
            remote = record.parameter_size * (workers[busy, t].sum(axis=1) - here)
            amount = auction.chunk_size * moved[busy, t] + remote
            fits &= amount <= allowed(auction.transfer_budget)
            parts.append(busy[fits])
            choice.append(np.full(fits.sum(), site))
        rows, sites = np.concatenate(parts), np.concatenate(choice)
        workers, moved, server = workers[rows], moved[rows], server[rows]
        placed = np.flatnonzero(sites >= 0)
        server[placed, t, sites[placed]] = 1
    return workers, moved, server


def compositions(total: int, cells: int) -> Ints:
    """All ways to write ``total`` as an ordered sum of ``cells`` numbers >= 0, shape (n, cells).

    >>> compositions(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    chosen = list(itertools.combinations(range(total + cells - 1), cells - 1))
    bars = np.array(chosen, dtype=np.int64).reshape(len(chosen), cells - 1)
    ends = np.full((len(bars), 1), total + cells - 1)
    return np.diff(np.hstack([np.full((len(bars), 1), -1), bars, ends]), axis=1) - 1


def unbeaten(rows: Array) -> Ints:
    """Return the rows that no other row beats, that is, is at most as large everywhere.

    Of equal rows the first stays.  Beyond `COMPARED` rows only repeated ones are dropped.
    """
    if len(rows) > COMPARED:
        return np.sort(np.unique(rows, axis=0, return_index=True)[1])
    # a row that beats another comes before it here; sums would add megabytes to units
    order = np.lexsort((np.arange(len(rows)), *rows.T[::-1]))
    kept, found = np.empty_like(rows), list[int]()
    for at in order.tolist():
        if not (kept[: len(found)] <= rows[at]).all(axis=1).any():
            kept[len(found)] = rows[at]
            found.append(at)
    return np.array(sorted(found), np.int64)


class ScheduleIlp(Program):
    """Greatest welfare over listed schedules.  Eris (3).

    A schedule is listed when it obeys (2a) per site, (2b), (2c), (2f), (2g), and fits the empty
    system by itself.  The published definition of the list leaves the latter out.
    """

    name = "eris.schedule_ilp"
    kind = "eris"
    sense = "max"
    integral = True

    def declare(self, m, data: Auction) -> None:
        """List the schedules of every job; refuses instances with too many."""
        listed = list_schedules(data)
        count = range(len(listed))
        m.schedules = Set(count, label="schedule")
        m.jobs = Set(np.unique(listed.job), label="job")
        m.schedules_of = IndexedSet(
            m.jobs, [np.flatnonzero(listed.job == i) for i in m.jobs.members()], label="schedule"
        )
        # a row without any schedule would say nothing
        m.used_slots = Set(np.flatnonzero(listed.transfer.any(axis=0)), label="slot")
        m.used_cells = Set(
            np.argwhere(listed.used.any(axis=0)).reshape(-1, 3), label=("site", "resource", "slot")
        )
        cells = np.array(m.used_cells.members(), dtype=np.int64).reshape(-1, 3).T
        slots = np.array(m.used_slots.members(), dtype=np.int64)
        m.worth = Param(m.schedules, values=listed.worth)
        m.transfer = Param(m.schedules, m.used_slots, values=listed.transfer[:, slots])
        m.used = Param(
            m.schedules, m.used_cells, values=listed.used[:, cells[0], cells[1], cells[2]]
        )
        m.budget = Param(values=data.transfer_budget)
        m.capacity = Param(m.used_cells, values=data.capacity[cells[0], cells[1]])
        if self.integral:
            m.chosen = Var(m.schedules, binary=True, doc="whether the job runs so; x")
        else:
            m.chosen = Var(
                m.schedules, implied_upper=1.0, reason="by (3c)", doc="share of the job; x"
            )

    @constraint("3a", "used_slots")
    def transfer_of_slot(m, t):
        """Transfer of the chosen schedules fits in the budget of a slot."""
        return Sum(m.transfer[n, t] * m.chosen[n] for n in m.schedules) <= m.budget

    @constraint("3b", "used_cells")
    def capacity_of_site(m, r, k, t):
        """Workers and servers of the chosen schedules fit in a site."""
        return Sum(m.used[n, r, k, t] * m.chosen[n] for n in m.schedules) <= m.capacity[r, k, t]

    @constraint("3c", "jobs")
    def one_schedule(m, i):
        """A job runs by at most one schedule."""
        return Sum(m.chosen[n] for n in m.schedules_of[i]) <= 1

    @objective
    def welfare(m):
        """Worth of the chosen schedules; (3)."""
        return Sum(m.worth[n] * m.chosen[n] for n in m.schedules)


class ScheduleLp(ScheduleIlp):
    """Linear relaxation of (3); its dual is (4).

    At least as tight as the linear relaxation of (2).  Instances with too many schedules to list
    are solved by column generation, see farkas.relaxations.eris.welfare_bound.
    """

    name = "eris.schedule_lp"
    integral = False
