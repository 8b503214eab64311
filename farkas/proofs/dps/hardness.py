"""Hardness of (2): a knapsack is a market of one server in one slot."""

import itertools
from collections.abc import Iterator

import numpy as np

from farkas.forms import LinearForm
from farkas.instances.dps import Job, Market
from farkas.models.dps.offline import Offline
from farkas.numbers import Bools, Floats
from farkas.proofs.claim import Verdict, claim
from farkas.proofs.knapsack import Knapsack, embedded, knapsacks, most_worth
from farkas.proofs.said import Stated
from farkas.proofs.trials import Trials, optimum, require_zero, sp
from farkas.tolerances import SOLVER_GAP


def knapsack_market(knapsack: Knapsack) -> Market:
    """Market whose highest payments are the greatest worth that fits.

    One server with ``room`` workers; thing j is a job of the first slot that needs as many workers
    as j weighs, for that slot, and has j's worth as its budget.
    """
    things = tuple(zip(knapsack.weights, knapsack.worths, strict=True))
    return Market(
        horizon=2,
        occupancy="half_open",
        server_workers=((knapsack.room,),),
        server_ps=((len(things),),),
        worker_bandwidth=(None,),
        ps_bandwidth=(None,),
        jobs=tuple(
            Job(
                arrival=0, worker_type=0, workers=weight, ps_type=0, ps=1, model_size=0.0,
                epochs=1.0, epoch_compute=1.0, budget=float(worth),
            )
            for weight, worth in things
        ),
    )  # fmt: skip


def added_up(form: LinearForm) -> Floats:
    """Multipliers of the capacity of workers, and of the placement of each thing."""
    derivation = np.zeros(form.num_rows)
    derivation[form.row_block("enough_workers").where] = 1.0
    derivation[form.row_block("all_workers_placed").where] = -1.0
    return derivation


def taking(form: LinearForm, things: int) -> tuple[Floats, Bools]:
    """Points that accept one job, whole; and the columns that accept it."""
    alone, each = np.zeros((things, form.num_columns)), np.arange(form.num_columns)
    alone[range(things), each[form.column_block("whole").where]] = 1.0
    taken = np.zeros(alone.shape, np.bool_)
    for name in ("whole", "spread"):
        taken[range(things), each[form.column_block(name).where]] = True
    return alone, taken


@claim("dps.np_hard", source="DPS section I, hardness")
def payments_contain_knapsacks() -> Verdict:
    """(2) is NP-hard; the paper gives no proof.

    A knapsack is a market of one server and one slot, of the same size.  Things that fit are jobs
    that run on it together and pay their budgets.  Conversely an accepted job is there whole (u) or
    with all workers of a spread one (x = w h), and these fit into the server: the weights of the
    accepted jobs are at most the room.  Both ways are executed on knapsacks and on sums of weights,
    row by row in exact numbers; dynamic programming finds the same optimum.
    """
    weight, whole, spread = sp.symbols("w u h", nonnegative=True)
    placed = weight * spread  # x
    require_zero(
        accepted_jobs_need_their_weight=weight * whole + placed - weight * (whole + spread)
    )
    trials = Trials()
    for knapsack in knapsacks(12):
        form = Offline().form(knapsack_market(knapsack))
        alone, taken = taking(form, len(knapsack.weights))
        trials.add(
            knapsack._asdict(),
            *embedded(form, knapsack, alone, taken, added_up(form)),
            Stated(optimum(form), "==", float(most_worth(knapsack)), SOLVER_GAP),
        )
    return trials.proved("things that fit are jobs that are served, row by row")


#: End, job, workers and parameter servers by server.
Held = tuple[float, int, tuple[int, ...], tuple[int, ...]]


def best_by_search(market: Market, rewards: Floats, forced: Bools | None = None) -> float:
    """Highest total reward over all ways to accept and place jobs, one job after the other.

    Parameters
    ----------
    market
        A handful of jobs and servers; the work grows exponentially with both.
    rewards
        What an accepted job pays, shape (jobs,).
    forced
        Jobs that must be accepted whenever they fit, shape (jobs,).
    """
    return _search(market, rewards, forced, 0, [])


def _search(
    market: Market, rewards: Floats, forced: Bools | None, job: int, held: list[Held]
) -> float:
    if job == market.num_jobs:
        return 0.0
    data = market.jobs[job]
    held = [entry for entry in held if market.still_held(entry[0], data.arrival)]
    workers, ps = _idle(market, job, held)
    fits = sum(workers) >= data.workers and sum(ps) >= data.ps
    best = -np.inf
    if not (fits and forced is not None and forced[job]):
        best = _search(market, rewards, forced, job + 1, held)
    if not fits:
        return best
    for chosen in itertools.product(_taken(data.workers, workers), _taken(data.ps, ps)):
        used = sum(1 for units in zip(*chosen, strict=True) if any(units))
        ends = market.colocated_end if used == 1 else market.spread_end
        after = [*held, (float(ends[job]), job, *chosen)]
        best = max(best, float(rewards[job]) + _search(market, rewards, forced, job + 1, after))
    return best


def _idle(market: Market, job: int, held: list[Held]) -> tuple[list[int], list[int]]:
    data = market.jobs[job]
    workers = market.installed_workers[:, data.worker_type].tolist()
    ps = market.installed_ps[:, data.ps_type].tolist()
    for _, other, some, more in held:
        if market.jobs[other].worker_type == data.worker_type:
            workers = [a - b for a, b in zip(workers, some, strict=True)]
        if market.jobs[other].ps_type == data.ps_type:
            ps = [a - b for a, b in zip(ps, more, strict=True)]
    return workers, ps


def _taken(total: int, idle: list[int]) -> Iterator[tuple[int, ...]]:
    """Every way to take ``total`` units from servers with ``idle`` units."""
    for units in itertools.product(*(range(min(total, most) + 1) for most in idle)):
        if sum(units) == total:
            yield units
