"""Programs, bounds and printed runs of kind eris, as named quantities."""

from collections.abc import Iterator

from farkas.instances.eris import Auction
from farkas.models.eris.best_schedule import BestSchedule, PricedJobs
from farkas.models.eris.one_shot import OneShot, SlotTask
from farkas.models.eris.prices import Prices, posted_on_arrival
from farkas.online.eris.executable import executable
from farkas.online.eris.printed_run import printed_run
from farkas.online.eris.scheduler_printed import printed_schedule
from farkas.quantities.optimum import list_optima, optimum, optimum_if_any
from farkas.quantities.quantity import quantity
from farkas.relaxations.eris.columns import relaxation_by_columns
from farkas.relaxations.eris.job_slots import job_slots
from farkas.relaxations.eris.payoff_bound import payoff_bounds

list_optima("eris.offline", "eris.offline_total", "eris.schedule_ilp")


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


@quantity("eris.schedule_lp", "eris.dual")
def schedule_lp(instance: Auction) -> dict[str, float]:
    """Optima of the linear relaxation of (3), from below, and of its dual (4), from above."""
    last = relaxation_by_columns(instance)
    return {"eris.schedule_lp": last.value, "eris.dual": last.bound}


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
    return optimum_if_any(OneShot().form(task))


@quantity("eris.payoff_bound{room}[{i}]", room=("", "_full"), i=jobs)
def payoff_bound(instance: Auction, room: str, i: int) -> float:
    """Upper bound on that payoff, fresh data in every slot and no transfer row."""
    return float(payoff_bounds(instance, full=bool(room))[i])


@quantity("eris.algorithm2_payoff[{i}]", "eris.algorithm2_feasible[{i}]", i=jobs)
def algorithm_2(instance: Auction, i: int) -> dict[str, float | None]:
    """Payoff that Algorithm 2 claims for a job in the state, and whether its schedule can run."""
    job, prices = instance.jobs[i], posted_on_arrival(instance)
    found = printed_schedule(job_slots(instance, job, prices, instance.transferred, instance.used))
    feasible = None if found.finish < 0 else float(executable(job, found.workers, found.moved))
    return {
        f"eris.algorithm2_payoff[{i}]": found.payoff,
        f"eris.algorithm2_feasible[{i}]": feasible,
    }


@quantity("eris.lagrangian")
def lagrangian(instance: Auction) -> float:
    """Bound of (4) at the prices of the state."""
    return lagrangian_bound(instance, posted_on_arrival(instance))


@quantity("eris.eris_printed", "eris.eris_printed_revenue", "eris.eris_printed_infeasible_jobs")
def eris_printed(instance: Auction) -> dict[str, float]:
    """Algorithm 1 with Algorithms 2 and 3 as printed, from an empty system, as it books itself."""
    run = printed_run(instance)
    return {
        "eris.eris_printed": run.welfare,
        "eris.eris_printed_revenue": run.revenue,
        "eris.eris_printed_infeasible_jobs": float(run.infeasible_jobs),
    }


@quantity("eris.eris_printed_certificate")
def eris_printed_certificate(instance: Auction) -> float:
    """Bound of (4) at the prices after the printed run."""
    return lagrangian_bound(instance, printed_run(instance).ledger.prices)
