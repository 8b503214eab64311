"""Algorithms 2 and 3 repaired: schedules that can run, with an upper bound on every payoff.

Slot by slot, (8) is bounded from both sides for every workload (`one_slot`).  A table of lower
bounds runs over the slots as if all data were in place, and bounds what any schedule could earn.
Three tables of covers make plans: as if all data were in place in every slot; as if half were; and
as if every chunk had to be moved, so that the plan can always run.  Whenever one promises a better
payoff its plan is replayed with the data that really remain, and only what the replay confirms is
proposed.  The last two are begun when a replay of the first falls short.

Among schedules of equal cost those with less transfer are preferred, then those with fewer units:
prices are raised by a share `TIE` of the job's worth, which the bound takes back.
"""

from __future__ import annotations

import numpy as np

from farkas.compiled import compiled, compiled_if_long
from farkas.instances.eris import Auction, Job
from farkas.numbers import Floats, Ints
from farkas.online.eris.one_slot import bound_workloads, cover_with_transfer, trace_cover
from farkas.online.eris.schedule import Proposal, nothing, without_data
from farkas.relaxations.eris.site_dp import add_slot
from farkas.relaxations.eris.slots import JobSlots
from farkas.tolerances import ROUNDING

TIE = ROUNDING
"""Share of a job's worth that one slot's full use of everything costs on top."""
ROUNDS = 6
"""Multipliers tried per slot after the first two, and twice as many in a replay."""


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
    total = np.maximum(auction.capacity.sum(axis=0), 1e-300)
    per_unit = share / max(1, auction.num_resources)
    tie_worker = per_unit * float((np.array(job.worker_demand) / total).sum())
    tie_server = per_unit * float((np.array(job.server_demand) / total).sum())
    tie_transfer = share / auction.transfer_budget if auction.transfer_budget > 0 else 0.0
    workers = np.zeros((seen.window, len(seen.data)), np.int64)
    server = np.full(seen.window, -1)
    moved = np.zeros(seen.window, np.int64)
    # every mode covers every slot once for each multiplier
    steps = 3 * (rounds + 2) * seen.window * len(seen.data) * (seen.chunks + 1) ** 2
    with compiled_if_long(steps):
        payoff, finish, cost, bound = _best(
            seen.worker_price,
            seen.server_price,
            seen.alone,
            seen.beside_server,
            seen.transfer_price,
            np.maximum(seen.free_transfer, 0.0),
            seen.data,
            seen.worth,
            seen.chunk_size,
            seen.parameter_size,
            seen.epochs,
            seen.worker_rate,
            tie_worker,
            tie_server,
            tie_transfer,
            rounds,
            workers,
            server,
            moved,
        )
    # a slot that uses everything pays one share for transfer and one for units
    margin = 2.0 * share * seen.window + 1e-9 * abs(bound)
    if finish < 0:
        return nothing(seen.window, len(seen.data), bound + margin)
    return Proposal(payoff, finish, cost, workers, server, moved, bound + margin)


@compiled
def _best(
    worker_price: Floats,
    server_price: Floats,
    alone: Ints,
    beside_server: Ints,
    transfer_price: Floats,
    free_transfer: Floats,
    data: Ints,
    worth: Floats,
    chunk_size: float,
    parameter_size: float,
    epochs: int,
    worker_rate: int,
    tie_worker: float,
    tie_server: float,
    tie_transfer: float,
    rounds: int,
    workers: Ints,
    server: Ints,
    moved: Ints,
) -> tuple[float, int, float, float]:
    window, sites = worker_price.shape
    total = data.sum()
    # chunks thought to be in place in every slot, by mode
    in_place = (data, (data + 1) // 2, np.zeros_like(data))
    tables = np.empty((4, sites + 1, total + 1))
    lower, upper, multiplier = np.empty(total + 1), np.empty(total + 1), np.empty(total + 1)
    least = np.full(total + 1, np.inf)
    least[0] = 0.0
    modes = len(in_place)
    reached = np.full((modes, window + 1, total + 1), np.inf)
    reached[:, 0, 0] = 0.0
    choice = np.zeros((modes, window, total + 1), np.int64)
    done = np.zeros(modes, np.int64)  # slots in the table
    wanted = 1  # modes in use
    best, finish, paid, bound = 0.0, -1, 0.0, 0.0
    plan = np.zeros(window, np.int64)
    trial_workers = np.zeros((window, sites), np.int64)
    trial_server = np.full(window, -1)
    trial_moved = np.zeros(window, np.int64)
    for t in range(window):
        if worth[t] <= best:  # costs are not negative and worth never rises
            break
        bound_workloads(
            worker_price[t] + tie_worker, server_price[t] + tie_server, alone[t],
            beside_server[t], data, transfer_price[t] + tie_transfer, free_transfer[t],
            chunk_size, parameter_size, epochs, worker_rate, rounds, -1, tables, lower, upper,
            multiplier,
        )  # fmt: skip
        after = np.empty(total + 1)
        add_slot(least, lower, after)
        least = after
        _choose(reached[0, t], upper, reached[0, t + 1], choice[0, t])
        bound = max(bound, worth[t] - least[total])
        done[0] = t + 1
        mode = 0
        while mode < wanted:
            for v in range(done[mode], t + 1):
                bound_workloads(
                    worker_price[v] + tie_worker, server_price[v] + tie_server, alone[v],
                    beside_server[v], in_place[mode], transfer_price[v] + tie_transfer,
                    free_transfer[v], chunk_size, parameter_size, epochs, worker_rate, rounds,
                    -1, tables, lower, upper, multiplier,
                )  # fmt: skip
                _choose(reached[mode, v], upper, reached[mode, v + 1], choice[mode, v])
            done[mode] = t + 1
            mine = mode
            mode += 1
            promise = worth[t] - reached[mine, t + 1, total]
            if promise <= best:
                continue
            left = total
            for v in range(t, -1, -1):
                plan[v] = choice[mine, v, left]
                left -= plan[v]
            cost = _replay(
                worker_price, server_price, alone, beside_server, transfer_price, free_transfer,
                data, chunk_size, parameter_size, epochs, worker_rate, tie_worker, tie_server,
                tie_transfer, rounds, plan, t, trial_workers, trial_server, trial_moved,
            )  # fmt: skip
            if worth[t] - cost > best:
                best, finish, paid = worth[t] - cost, t, cost
                workers[:], server[:], moved[:] = trial_workers, trial_server, trial_moved
            if worth[t] - cost < promise - 1e-6 * worth[0]:
                wanted = modes
    return best, finish, paid, max(best, bound)


@compiled
def _choose(before: Floats, costs: Floats, after: Floats, choice: Ints) -> None:
    """As `add_slot`, and remember the workload of the slot; prefer small ones."""
    total = len(before) - 1
    after[:] = before
    choice[:] = 0
    for d in range(1, total + 1):
        if costs[d] < np.inf:
            for n in range(d, total + 1):
                better = before[n - d] + costs[d] < after[n]
                after[n] = before[n - d] + costs[d] if better else after[n]
                choice[n] = d if better else choice[n]


@compiled
def _replay(
    worker_price: Floats,
    server_price: Floats,
    alone: Ints,
    beside_server: Ints,
    transfer_price: Floats,
    free_transfer: Floats,
    data: Ints,
    chunk_size: float,
    parameter_size: float,
    epochs: int,
    worker_rate: int,
    tie_worker: float,
    tie_server: float,
    tie_transfer: float,
    rounds: int,
    plan: Ints,
    last: int,
    workers: Ints,
    server: Ints,
    moved: Ints,
) -> float:
    """Run ``plan`` with the data that remain; posted cost, infinite when a slot does not fit."""
    sites = len(data)
    remaining = data.copy()
    processed = np.zeros(sites, np.int64)
    workers[:] = 0
    server[:] = -1
    moved[:] = 0
    paid = 0.0
    for t in range(last + 1):
        d = plan[t]
        if d == 0:
            continue
        tables = np.empty((4, sites + 1, d + 1))
        lower, upper, multiplier = np.empty(d + 1), np.empty(d + 1), np.empty(d + 1)
        per_worker, per_server = worker_price[t] + tie_worker, server_price[t] + tie_server
        price = transfer_price[t] + tie_transfer
        bound_workloads(
            per_worker, per_server, alone[t], beside_server[t], remaining, price,
            free_transfer[t], chunk_size, parameter_size, epochs, worker_rate, 2 * rounds, d,
            tables, lower, upper, multiplier,
        )  # fmt: skip
        if upper[d] == np.inf:
            return np.inf
        cover_with_transfer(
            per_worker, per_server, alone[t], beside_server[t], remaining,
            price + multiplier[d], chunk_size, parameter_size, epochs, worker_rate,
            tables[0], tables[1], tables[2], tables[3],
        )  # fmt: skip
        server[t] = trace_cover(
            per_worker, per_server, alone[t], beside_server[t], remaining,
            price + multiplier[d], chunk_size, parameter_size, epochs, worker_rate,
            tables[0], tables[1], tables[2], tables[3], d, processed,
        )  # fmt: skip
        remote = 0
        for r in range(sites):
            workers[t, r] = (epochs * processed[r] + worker_rate - 1) // worker_rate
            paid += workers[t, r] * worker_price[t, r]
            if r != server[t]:
                remote += workers[t, r]
            moved[t] += max(0, processed[r] - remaining[r])
            remaining[r] = max(0, remaining[r] - processed[r])
        paid += server_price[t, server[t]]
        paid += transfer_price[t] * (chunk_size * moved[t] + parameter_size * remote)
        for _ in range(moved[t]):
            remaining[np.argmax(remaining)] -= 1
    return paid
