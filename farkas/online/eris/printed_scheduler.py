"""Scheduler "printed": Algorithms 2 and 3 to the letter, with (9) and (10), slot by slot.

What the text leaves open, or says twice, is read so.

Algorithm 2 begins with cost 0 for no chunks and an infinite one for any other number; its inner
function returns the best cost; all completion slots share one table; a workload of 0 places
nothing; a cost that is less by rounding only is no better.  Algorithm 3 sees all data of the job in
every slot, because the recursion of Algorithm 2 hands it no history.

Pairs of sites are ordered ones, since (9) is.  Equal metrics go by index, and so do equal prices
and equal numbers of workers.  A pair that line 8 excludes is in no sum of (10); one that was
looked at before counts each time its destination occurs.  Without chunk size any number fits.
P/E times workers is not rounded, so that (10) may move a part of a chunk; the schedule then moves
the whole of it, see (2h).  Room for the server is left at every site, as section IV-D says.

Schedules found this way may be impossible: data can be used twice, Σ⌈E q/P⌉ may need more workers
than ⌈E Σq/P⌉, and moves may be more than fit.  The replay of a run tells.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from farkas.kernels import Floats1, Ints1, Ints2, Out, compiled
from farkas.numbers import Ints
from farkas.online.eris.environment import (
    Proposal,
    coarse,
    nothing,
    without_data,
)
from farkas.relaxations.eris.payoff_bound import JobSlots, SchedulePlan, new_plan, workers_of
from farkas.tolerances import ROUNDING


def printed_schedule(job: JobSlots) -> Proposal:
    """Best schedule by Algorithms 2 and 3."""
    if job.chunks == 0:
        return without_data(job)
    payoff, finish, cost, plan = printed_plan(_with_room(job))
    if finish < 0:
        return nothing(job.window, len(job.data))
    return Proposal(payoff, finish, cost, *plan)


def printed_slot(job: JobSlots, slot: int, workload: int) -> tuple[float, int, Fraction, Ints]:
    """Algorithm 3 alone: cost (infinite if it finds none), server, chunks moved, workers by site.

    ``slot`` counts from the arrival; ``workload`` >= 1.
    """
    cost, server, moved, workers = deploy(_with_room(job), slot, workload)
    return cost, server, Fraction(int(moved), job.epochs), workers


def _with_room(job: JobSlots) -> JobSlots:
    """Say how many workers fit beside a server; none where it does not fit."""
    return job._replace(beside_server=np.maximum(job.beside_server, 0))


class Ranking(NamedTuple):
    """In which order Algorithm 3 goes through a slot."""

    origin: Ints1  #: pairs (from, to) of sites with negative metric (9), best first
    target: Ints1
    cheap: Ints1  #: sites by price of a worker


@compiled
def _ranking(job: JobSlots, t: int) -> Ranking:
    """Order pairs by (9) and sites by price."""
    sites = len(job.data)
    per_chunk = job.chunk_size * job.transfer_price[t]
    passes = job.epochs / job.worker_rate
    metric, size = np.empty(sites * sites), np.empty(sites * sites)
    origin = np.empty(sites * sites, np.int64)
    target = np.empty(sites * sites, np.int64)
    count = 0
    for r in range(sites):
        for o in range(sites):
            omega = per_chunk - passes * (job.worker_price[t, r] - job.worker_price[t, o])
            saved = passes * job.worker_price[t, r]
            if r != o and omega < -ROUNDING * saved:
                metric[count], size[count] = omega, saved
                origin[count], target[count] = r, o
                count += 1
    # a stable sort keeps equal metrics in the order of the sites
    order = np.argsort(coarse(metric[:count], size[:count]), kind="mergesort")
    first, second = np.empty(count, np.int64), np.empty(count, np.int64)
    for k in range(count):
        first[k], second[k] = origin[order[k]], target[order[k]]
    return Ranking(
        first,
        second,
        np.argsort(coarse(job.worker_price[t], job.worker_price[t]), kind="mergesort"),
    )


@compiled
def _algorithm_3(
    job: JobSlots, t: int, workload: int, ranking: Ranking, scratch: Out[Ints2], workers: Out[Ints1]
) -> tuple[float, int, int]:
    """Cost, server and E times the chunks moved for ``workload`` >= 1; fills ``workers``."""
    room, need = job.beside_server[t], workers_of(workload, job.epochs, job.worker_rate)
    scratch[:] = 0
    moved = _move(job, t, workload, ranking, scratch)
    come = scratch[1]
    placed = 0
    for j in range(len(ranking.cheap)):
        r = ranking.cheap[j]
        wanted = -(-(job.epochs * job.data[r] + come[r]) // job.worker_rate)
        workers[r] = max(0, min(min(wanted, room[r]), need - placed))
        placed += workers[r]
    server = 0
    for r in range(len(workers)):
        if workers[r] > workers[server]:
            server = r
    volume = job.chunk_size * (moved / job.epochs)
    volume += job.parameter_size * (placed - workers[server])
    if placed < need or volume > job.most_transfer[t]:
        return np.inf, server, moved
    cost = job.transfer_price[t] * volume + job.server_price[t, server]
    for r in range(len(workers)):
        cost += job.worker_price[t, r] * workers[r]
    return cost, server, moved


@compiled
def _move(job: JobSlots, t: int, workload: int, ranking: Ranking, scratch: Out[Ints2]) -> int:
    """Move chunks between pairs of sites by (10), best metric first; returns how many.

    Chunks are in units of 1/E, of which every term of (10) is a whole number; ``scratch`` is 0.
    """
    # chunks gone and come by site, sites that take part no more, how often each was a destination
    gone, come, barred, seen = scratch[0], scratch[1], scratch[2], scratch[3]
    epochs, wanted = job.epochs, job.epochs * workload
    affordable = wanted
    if job.chunk_size > 0 and job.free_transfer[t] < job.chunk_size * workload:
        affordable = epochs * int(np.floor(job.free_transfer[t] / job.chunk_size + ROUNDING))
    moved = 0
    covered = 0  # chunks at the destinations so far
    for j in range(len(ranking.origin)):
        if covered >= wanted:
            break  # (10) is at most 0 from here on
        r, o = ranking.origin[j], ranking.target[j]
        if barred[r] == 1 or barred[o] == 1:
            continue
        there = epochs * job.data[o] + come[o]
        still = job.worker_rate * job.beside_server[t, o] - there
        h = min(min(epochs * job.data[r] - gone[r], affordable), min(wanted - covered, still))
        if h < 0:
            h = 0
            barred[o] = 1
        gone[r] += h
        come[o] += h
        moved += h
        covered += seen[o] * h + there + h
        seen[o] += 1
    return moved


@compiled(steps=lambda job, t, workload: len(job.data) * (len(job.data) + 2))
def deploy(job: JobSlots, t: int, workload: int) -> tuple[float, int, int, Ints1]:
    """Algorithm 3 in slot ``t``: cost, server, E times the chunks moved, workers by site."""
    sites = len(job.data)
    workers = np.zeros(sites, np.int64)
    scratch = np.zeros((4, sites), np.int64)
    cost, server, moved = _algorithm_3(job, t, workload, _ranking(job, t), scratch, workers)
    return cost, server, moved, workers


def steps(size: tuple[int, int, int]) -> int:
    """Estimate the kernel's steps."""
    window, sites, chunks = size
    return window * (chunks + 1) * (sites * (sites + 2) + chunks)


@compiled(steps=lambda job: steps(job.size))
def printed_plan(job: JobSlots) -> tuple[float, int, float, SchedulePlan]:
    """Best payoff, its slot of completion and cost, and the schedule."""
    window, sites = job.worker_price.shape
    total = job.data.sum()
    choice = np.zeros((window, total + 1), np.int64)
    least = np.empty((window + 1, total + 1))
    least[:, :] = np.inf
    least[0, 0] = 0.0
    costs = np.zeros(total + 1)
    scratch = np.zeros((4, sites), np.int64)
    counts = np.zeros(sites, np.int64)
    best, finish, paid = 0.0, -1, 0.0
    for t in range(window):
        if job.worth[t] <= best:  # costs are not negative and worth never rises
            break
        ranking = _ranking(job, t)
        for d in range(1, total + 1):
            costs[d] = _algorithm_3(job, t, d, ranking, scratch, counts)[0]
        _share_out(least[t], costs, least[t + 1], choice[t])
        payoff = job.worth[t] - least[t + 1, total]
        if payoff > best + ROUNDING * job.worth[t]:
            best, finish, paid = payoff, t, least[t + 1, total]
    found = new_plan(window, sites)
    left = total
    for t in range(finish, -1, -1):
        d = choice[t, left]
        left -= d
        if d > 0:
            _, found.server[t], moved, workers = deploy(job, t, d)
            found.moved[t] = -(-moved // job.epochs)
            for r in range(sites):
                found.workers[t, r] = workers[r]
    return best, finish, paid, found


@compiled
def _share_out(before: Floats1, costs: Floats1, after: Out[Floats1], choice: Out[Ints1]) -> None:
    """Least cost of n chunks up to a slot, and the workload of the slot itself."""
    for d in range(len(before)):
        if costs[d] < np.inf:
            for n in range(d, len(before)):
                value = costs[d] + before[n - d]
                if value + ROUNDING * value < after[n]:
                    after[n] = value
                    choice[n] = d
