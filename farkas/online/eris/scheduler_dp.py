"""Scheduler "dp": Algorithms 2 and 3 repaired, for (5) and (7) with a bound on every payoff.

Slot by slot, (8) is bounded from both sides for every workload (`one_slot`).  A table of lower
bounds runs over the slots as if all data were in place, and bounds what any schedule could earn.
Three tables of covers make plans: as if all data were in place in every slot; as if half were; and
as if every chunk had to be moved, so that the plan can always run.  Whenever one promises a better
payoff its plan is replayed with the data that really remain, and only what the replay confirms is
proposed.  The last two are begun when a replay of the first falls short.

Among schedules of equal cost those with less transfer are preferred, then those with fewer units:
prices are raised by a share `TIE` of the job's worth, which the bound takes back.
"""

import numpy as np

from farkas.compiled import Floats1, Ints1, Ints2, Out, compiled
from farkas.instances.eris import Auction, Job
from farkas.online.eris.one_slot import (
    bound_workloads,
    cover_with_transfer,
    new_bounds,
    trace_cover,
)
from farkas.online.eris.proposal import (
    Proposal,
    SchedulePlan,
    floats,
    new_plan,
    nothing,
    without_data,
    zeros,
)
from farkas.relaxations.eris.job_slots import JobSlots, Slot, slot_of, workers_of
from farkas.relaxations.eris.payoff_bound import add_slot
from farkas.search_tolerances import SOLVER_GAP
from farkas.tolerances import ROUNDING

TIE = ROUNDING
"""Share of a job's worth that one slot's full use of everything costs on top."""
ROUNDS = 6
"""Multipliers tried per slot after the first two, and twice as many in a replay."""
MODES = 3
"""Tables of covers: as if all data were in place, half of them, none."""
FALLS_SHORT = SOLVER_GAP
"""Share of a job's worth by which a replay must miss its promise to ask for the other tables."""


def repaired_schedule(auction: Auction, job: Job, seen: JobSlots, rounds: int = ROUNDS) -> Proposal:
    """Best schedule found that can run, with a bound on the payoff of all that can.

    Parameters
    ----------
    auction, job
        For the sizes by which use is measured when costs are equal.
    seen
        What the job meets.
    rounds
        Effort where the transfer row binds.
    """
    if seen.chunks == 0:
        return without_data(seen)
    share = TIE * float(seen.worth[0])
    total = auction.capacity.sum(axis=0)
    some = total > 0  # of what there is none nothing is used
    per_unit = share / max(1, auction.num_resources)
    tie_worker = per_unit * float((np.array(job.worker_demand)[some] / total[some]).sum())
    tie_server = per_unit * float((np.array(job.server_demand)[some] / total[some]).sum())
    tie_transfer = share / auction.transfer_budget if auction.transfer_budget > 0 else 0.0
    raised = seen._replace(
        worker_price=seen.worker_price + tie_worker,
        server_price=seen.server_price + tie_server,
        transfer_price=seen.transfer_price + tie_transfer,
    )
    payoff, finish, cost, bound, plan = best_plan(seen, raised, rounds)
    # a slot that uses everything pays one share for transfer and one for units
    margin = 2.0 * share * seen.window + ROUNDING * abs(bound)
    if finish < 0:
        return nothing(seen.window, len(seen.data), bound + margin)
    return Proposal(payoff, finish, cost, *plan, bound + margin)


def steps(size: tuple[int, int, int], rounds: int = ROUNDS) -> int:
    """Estimate the kernel's steps: every mode covers every slot once for each multiplier."""
    window, sites, chunks = size
    return MODES * (rounds + 2) * window * sites * (chunks + 1) ** 2


@compiled(steps=lambda job, raised, rounds: steps(job.size, rounds))
def best_plan(
    job: JobSlots, raised: JobSlots, rounds: int
) -> tuple[float, int, float, float, SchedulePlan]:
    """Best payoff, its slot of completion and cost, a bound on every payoff, and the schedule.

    Schedules are sought at the ``raised`` prices and paid at the posted ones.
    """
    window, sites = job.worker_price.shape
    total = 0
    for r in range(sites):
        total += job.data[r]
    # chunks thought to be in place in every slot, by mode
    in_place, done = zeros(1, MODES, sites)[0], zeros(1, 1, MODES)[0, 0]  # slots in the tables
    for r in range(sites):
        in_place[0, r] = job.data[r]
        in_place[1, r] = (job.data[r] + 1) // 2
    tables, bounds = floats(4, sites + 1, total + 1), new_bounds(total)
    least = floats(1, window + 1, total + 1)[0]  # cost of n chunks up to a slot, from below
    reached = floats(MODES, window + 1, total + 1)  # by covers that fit
    choice = zeros(MODES, window, total + 1)  # workload of the slot in `reached`
    for n in range(total + 1):
        least[0, n] = 0.0 if n == 0 else np.inf
        for mode in range(MODES):
            reached[mode, 0, n] = least[0, n]
    wanted = 1  # modes in use
    best, finish, paid, bound = 0.0, -1, 0.0, 0.0
    found = new_plan(window, sites)
    for t in range(window):
        if job.worth[t] <= best:  # costs are not negative and worth never rises
            break
        mode = 0
        while mode < wanted:
            first = done[mode]
            for v in range(first, t + 1):
                slot = slot_of(raised, v, in_place[mode])
                bound_workloads(slot, rounds, -1, tables, bounds)
                _choose(reached[mode, v], bounds.upper, reached[mode, v + 1], choice[mode, v])
                if mode == 0:
                    add_slot(least[v], bounds.lower, least[v + 1])
                    bound = max(bound, job.worth[v] - least[v + 1, total])
            done[mode] = t + 1
            promise = job.worth[t] - reached[mode, t + 1, total]
            # a plan that rests in this slot was replayed before it, when it was worth no less
            if promise > best and (choice[mode, t, total] > 0 or first < t):
                cost, trial = _replay(job, raised, rounds, _workloads(choice[mode], t, total))
                if job.worth[t] - cost > best:
                    best, finish, paid, found = job.worth[t] - cost, t, cost, trial
                if job.worth[t] - cost < promise - FALLS_SHORT * job.worth[0]:
                    wanted = MODES
            mode += 1
    return best, finish, paid, max(best, bound), found


@compiled
def _choose(before: Floats1, costs: Floats1, after: Out[Floats1], choice: Out[Ints1]) -> None:
    """As `add_slot`, and remember the workload of the slot; prefer small ones."""
    total = len(before) - 1
    for n in range(total + 1):
        after[n] = before[n]
        choice[n] = 0
    for d in range(1, total + 1):
        if costs[d] < np.inf:
            for n in range(d, total + 1):
                better = before[n - d] + costs[d] < after[n]
                after[n] = before[n - d] + costs[d] if better else after[n]
                choice[n] = d if better else choice[n]


@compiled
def _workloads(choice: Ints2, last: int, total: int) -> Ints1:
    """Chunks of every slot up to ``last``, read off a table of choices."""
    workloads: Ints1 = zeros(1, 1, last + 1)[0, 0]
    left = total
    for t in range(last, -1, -1):
        workloads[t] = choice[t, left]
        left -= workloads[t]
    return workloads


@compiled
def _replay(
    job: JobSlots, raised: JobSlots, rounds: int, workloads: Ints1
) -> tuple[float, SchedulePlan]:
    """Run a plan with the data that remain; posted cost, infinite when a slot does not fit."""
    window, sites = job.worker_price.shape
    done, of_sites = new_plan(window, sites), zeros(1, 2, sites)[0]
    remaining, processed = of_sites[0], of_sites[1]
    for r in range(sites):
        remaining[r] = job.data[r]
    paid = 0.0
    for t in range(len(workloads)):
        d = workloads[t]
        if d == 0:
            continue
        slot = slot_of(raised, t, remaining)
        tables, bounds = floats(4, sites + 1, d + 1), new_bounds(d)
        bound_workloads(slot, 2 * rounds, d, tables, bounds)
        if bounds.upper[d] == np.inf:
            return np.inf, done
        cover_with_transfer(slot, 1.0, bounds.multiplier[d], tables)
        done.server[t] = trace_cover(slot, bounds.multiplier[d], tables, d, processed)
        paid = _book(slot_of(job, t, remaining), t, processed, done, paid)
    return paid, done


@compiled
def _book(slot: Out[Slot], t: int, processed: Ints1, done: Out[SchedulePlan], paid: float) -> float:
    """Write down what one slot runs, take its chunks away, and add its posted cost to ``paid``."""
    remaining, worker_price = slot.data, slot.worker_price
    workers, moved, server = done.workers, 0, done.server[t]
    remote = 0
    for r in range(len(remaining)):
        count = workers_of(processed[r], slot.epochs, slot.worker_rate)
        workers[t, r] = count
        paid += count * worker_price[r]
        if r != server:
            remote += count
        moved += max(0, processed[r] - remaining[r])
        remaining[r] = max(0, remaining[r] - processed[r])
    done.moved[t] = moved
    paid += slot.server_price[server]
    paid += slot.transfer_price * (slot.chunk_size * moved + slot.parameter_size * remote)
    for _ in range(moved):  # moved chunks come from the first site with most left
        most = 0
        for r in range(len(remaining)):
            if remaining[r] > remaining[most]:
                most = r
        remaining[most] -= 1
    return paid
