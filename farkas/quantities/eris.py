"""Payoffs, bounds and printed runs of kind eris, as named quantities."""

import functools
from collections.abc import Iterator

from farkas.instances.eris import Auction
from farkas.models.eris.best_schedule import BestSchedule, PricedJobs
from farkas.models.eris.one_shot import SlotTask
from farkas.models.eris.prices import Prices, posted_on_arrival
from farkas.online.eris.environment import Ledger, can_run
from farkas.online.eris.eris import accepted
from farkas.online.eris.printed_scheduler import printed_schedule
from farkas.quantities.names import optimum, program_optimum
from farkas.quantities.quantity import quantity
from farkas.relaxations.eris.payoff_bound import job_slots, payoff_bounds
from farkas.relaxations.eris.welfare_bound import relaxation_by_columns


def jobs(instance: Auction) -> range:
    """Every job."""
    return range(instance.num_jobs)


def workloads(instance: Auction) -> Iterator[tuple[int, int, int]]:
    """Job, its first slot, and one chunk, half of its chunks, all of them; none without data."""
    for job in jobs(instance):
        total = int(instance.chunks[job])
        for workload in sorted({1, (total + 1) // 2, total}) if total else ():
            yield job, int(instance.arrival[job]), workload


def best_payoff(instance: Auction, job: int, prices: Prices, capacity: str) -> float:
    """Best payoff of one job, >= 0."""
    form = BestSchedule(capacity=capacity).form(PricedJobs(instance, (job,), prices))
    return max(0.0, optimum(form))


def lagrangian_bound(instance: Auction, prices: Prices) -> float:
    """Exact payoffs on the whole empty system, and the price of all capacity; §3.7."""
    payoffs = [best_payoff(instance, job, prices, "full") for job in jobs(instance)]
    return sum(payoffs, 0.0) + prices.rent(instance)


_relaxed = functools.lru_cache(maxsize=1)(relaxation_by_columns)


@quantity("eris.{side}", side=("schedule_lp", "dual"))
def schedule_lp(instance: Auction, side: str) -> float:
    """Optima of the linear relaxation of (3), from below, and of its dual (4), from above."""
    last = _relaxed(instance)
    return last.bound if side == "dual" else last.value


@quantity("eris.best_schedule{room}[{i}]", room=("", "_full"), i=jobs)
def best_schedule(instance: Auction, room: str, i: int) -> float:
    """Best payoff of a job by (7) at the prices of the state, in what the state leaves.

    Full: on the whole empty system.
    """
    return best_payoff(instance, i, posted_on_arrival(instance), "full" if room else "residual")


@quantity("eris.one_shot[{i},{t},{d}]", i__t__d=workloads)
def one_shot(instance: Auction, i: int, t: int, d: int) -> float | None:
    """Least cost of processing d chunks of job i in slot t by (8); None when impossible."""
    task = SlotTask(instance, posted_on_arrival(instance), i, t, d, instance.data[i])
    return program_optimum("eris.one_shot", task)


@quantity("eris.payoff_bound{room}[{i}]", room=("", "_full"), i=jobs)
def payoff_bound(instance: Auction, room: str, i: int) -> float:
    """Upper bound on that payoff, fresh data in every slot and no transfer row."""
    return float(payoff_bounds(instance, full=bool(room))[i])


@quantity("eris.algorithm2_{what}[{i}]", what=("payoff", "feasible"), i=jobs)
def algorithm_2(instance: Auction, what: str, i: int) -> float | None:
    """Payoff that Algorithm 2 claims for a job in the state, and whether its schedule can run."""
    job, prices = instance.jobs[i], posted_on_arrival(instance)
    found = printed_schedule(job_slots(instance, job, prices, instance.transferred, instance.used))
    if what == "payoff":
        return found.payoff
    return None if found.finish < 0 else float(can_run(job, found))


@quantity("eris.lagrangian")
def lagrangian(instance: Auction) -> float:
    """Bound of (4) at the prices of the state."""
    return lagrangian_bound(instance, posted_on_arrival(instance))


@quantity("eris.eris_printed{part}", part=("", "_revenue", "_infeasible_jobs", "_certificate"))
def eris_printed(instance: Auction, part: str) -> float:
    """Algorithm 1 with Algorithms 2 and 3 as printed, from an empty system, as it books itself.

    The certificate is the bound of (4) at the prices after the run.
    """
    ledger = Ledger(instance)
    run = [(job, found) for _, job, found in accepted(ledger, "printed")]
    if part == "_certificate":
        return lagrangian_bound(instance, ledger.prices)
    if part == "_revenue":
        return sum((found.cost for _, found in run), 0.0)
    if part == "_infeasible_jobs":
        return float(sum(not can_run(*each) for each in run))
    return sum((job.utility[found.finish] for job, found in run), 0.0)
