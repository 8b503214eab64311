"""Scheduler "dp": Algorithms 2 and 3 repaired, for (5) and (7) with a bound on every payoff.

Slot by slot, (8) is bounded from both sides for every workload (`one_slot`).  Lower bounds with all
data in place bound what any schedule earns.  Three tables of covers make plans: with all data in
place, with half of them, and with none, so that the plan can always run.  A plan that promises more
is replayed with the data that really remain, and only what the replay confirms is proposed.  The
last two tables are begun when a replay of the first falls short.

Of equal schedules those with less transfer and fewer units are preferred: prices are raised by a
share `TIE` of the job's worth, which the bound takes back.
"""

import numpy as np

from farkas.instances.eris import Auction, Job
from farkas.kernels import Floats3, Ints1, Out, compiled
from farkas.online.eris.environment import (
    Proposal,
    nothing,
    without_data,
)
from farkas.online.eris.one_slot import Bounds, bound_workloads, new_bounds
from farkas.relaxations.eris.payoff_bound import (
    JobSlots,
    SchedulePlan,
    add_slot,
    chunks_that_fit,
    cover_slot,
    new_plan,
    trace_slot,
    workers_of,
)
from farkas.tolerances import ROUNDING, SOLVER_GAP

TIE = ROUNDING  #: Share of a job's worth that one slot's full use of everything costs on top.
ROUNDS = 6  #: Multipliers tried per slot after the first two, and twice as many in a replay.
MODES = 3  #: Tables of covers: as if all data were in place, half of them, none.
#: Share of a job's worth by which a replay must miss its promise to ask for the other tables.
FALLS_SHORT = SOLVER_GAP


def repaired_schedule(auction: Auction, job: Job, seen: JobSlots) -> Proposal:
    """Best schedule found that can run, with a bound on the payoff of all that can."""
    if seen.chunks == 0:
        return without_data(seen)
    share = TIE * float(seen.worth[0])
    total = auction.capacity.sum(axis=0)
    some = total > 0  # of what there is none nothing is used
    per_unit = share / max(1, auction.num_resources)
    tie_worker = per_unit * float((np.array(job.worker_demand)[some] / total[some]).sum())
    tie_server = per_unit * float((np.array(job.server_demand)[some] / total[some]).sum())
    tie_transfer = share / auction.transfer_budget if auction.transfer_budget > 0 else 0.0
    dearer = seen._replace(
        worker_price=seen.worker_price + tie_worker,
        server_price=seen.server_price + tie_server,
        transfer_price=seen.transfer_price + tie_transfer,
    )
    payoff, finish, cost, bound, plan = best_plan(seen, dearer, ROUNDS)
    # a slot that uses everything pays one share for transfer and one for units
    margin = 2.0 * share * seen.window + ROUNDING * abs(bound)
    if finish < 0:
        return nothing(seen.window, len(seen.data), bound + margin)
    return Proposal(payoff, finish, cost, *plan, bound + margin)


def steps(size: tuple[int, int, int], rounds: int = ROUNDS) -> int:
    """Estimate the kernel's steps: every mode covers every slot once for each multiplier."""
    window, sites, chunks = size
    return MODES * (rounds + 2) * window * sites * (chunks + 1) ** 2


@compiled(steps=lambda job, sought, rounds: steps(job.size, rounds))
def best_plan(
    job: JobSlots, sought: JobSlots, rounds: int
) -> tuple[float, int, float, float, SchedulePlan]:
    """Search at the prices ``sought`` for the schedule of best payoff at those of ``job``.

    Returns its payoff, its slot of completion (-1 where nothing pays), its cost, a bound on every
    payoff, and the schedule.
    """
    window, sites = job.worker_price.shape
    total = job.data.sum()
    tables, bounds = np.empty((4, sites + 1, total + 1)), new_bounds(total)
    # cost of n chunks up to a slot, from below, and by covers that fit; workloads of slots, those
    # of the first table last
    least = np.empty((window + 1, total + 1))
    reached = np.empty((MODES, window + 1, total + 1))
    choice = np.empty((MODES + 1, window, total + 1), np.int64)
    in_place = np.empty((MODES, sites), np.int64)  # chunks thought to be there in every slot
    done = np.zeros(MODES, np.int64)  # slots in the tables
    workloads = np.empty(window, np.int64)
    plan, tried = new_plan(window, sites), new_plan(window, sites)
    for r in range(sites):
        in_place[0, r] = job.data[r]
        in_place[1, r] = (job.data[r] + 1) // 2
        in_place[2, r] = 0
    for n in range(total + 1):
        least[0, n] = 0.0 if n == 0 else np.inf
        for mode in range(MODES):
            reached[mode, 0, n] = least[0, n]
    wanted = 1  # modes in use
    best, finish, paid, bound = 0.0, -1, 0.0, 0.0
    for t in range(window):
        if job.worth[t] <= best:  # costs are not negative and worth never rises
            break
        mode = 0
        while mode < wanted:
            first = done[mode]
            for v in range(first, t + 1):
                most = chunks_that_fit(sought, v, in_place[mode], total, tables)
                bound_workloads(sought, v, in_place[mode], rounds, 1, most, tables, bounds)
                upper, lower = bounds.upper[: most + 1], bounds.lower[: most + 1]
                add_slot(reached[mode, v], upper, reached[mode, v + 1], choice[mode, v])
                if mode == 0:
                    add_slot(least[v], lower, least[v + 1], choice[MODES, v])
                    bound = max(bound, job.worth[v] - least[v + 1, total])
            done[mode] = t + 1
            promise = job.worth[t] - reached[mode, t + 1, total]
            # a plan that rests in this slot was replayed before it, when it was worth no less
            if promise > best and (choice[mode, t, total] > 0 or first < t):
                left = total
                for v in range(t, -1, -1):
                    workloads[v] = choice[mode, v, left]
                    left -= choice[mode, v, left]
                cost = _replay(job, sought, rounds, workloads[: t + 1], tables, bounds, tried)
                if job.worth[t] - cost > best:
                    best, finish, paid = job.worth[t] - cost, t, cost
                    plan, tried = tried, plan
                if job.worth[t] - cost < promise - FALLS_SHORT * job.worth[0]:
                    wanted = MODES
            mode += 1
    return best, finish, paid, max(best, bound), plan


@compiled
def _replay(
    job: JobSlots,
    sought: JobSlots,
    rounds: int,
    workloads: Ints1,
    tables: Out[Floats3],
    bounds: Out[Bounds],
    plan: Out[SchedulePlan],
) -> float:
    """Run the workloads of slots with the data that remain; return the posted cost.

    It is infinite when a slot does not fit.
    """
    remaining, processed = job.data.copy(), np.zeros(len(job.data), np.int64)
    plan.workers[:, :] = 0
    plan.server[:] = -1
    plan.moved[:] = 0
    paid = 0.0
    for t, d in enumerate(workloads):
        if d == 0:
            continue
        bound_workloads(sought, t, remaining, 2 * rounds, d, d, tables, bounds)
        if bounds.upper[d] == np.inf:
            return np.inf
        multiplier = bounds.multiplier[d]
        cover_slot(sought, t, remaining, d, 1.0, multiplier, tables)
        server = trace_slot(sought, t, remaining, multiplier, tables, d, processed)
        paid = book_slot(job, t, remaining, server, processed, plan, paid)
    return paid


@compiled
def book_slot(
    job: JobSlots,
    t: int,
    remaining: Out[Ints1],
    server: int,
    processed: Ints1,
    plan: Out[SchedulePlan],
    paid: float,
) -> float:
    """Write down what one slot runs, take its chunks away, and add its posted cost to ``paid``."""
    moved, remote = 0, 0
    for r in range(len(remaining)):
        count = workers_of(processed[r], job.epochs, job.worker_rate)
        plan.workers[t, r] = count
        paid += count * job.worker_price[t, r]
        if r != server:
            remote += count
        moved += max(0, processed[r] - remaining[r])
        remaining[r] = max(0, remaining[r] - processed[r])
    plan.server[t], plan.moved[t] = server, moved
    paid += job.server_price[t, server]
    paid += job.transfer_price[t] * (job.chunk_size * moved + job.parameter_size * remote)
    for _ in range(moved):  # moved chunks come from the first site with most left
        most = 0
        for r in range(len(remaining)):
            if remaining[r] > remaining[most]:
                most = r
        remaining[most] -= 1
    return paid
