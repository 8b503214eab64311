"""Algorithms 1 to 3 as printed, booked as printed: schedules that cannot run count."""

import dataclasses

from farkas.instances.eris import Auction
from farkas.online.eris.executable import executable
from farkas.online.eris.ledger import Ledger
from farkas.online.eris.scheduler_printed import printed_schedule


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PrintedRun:
    """What the printed algorithms say they achieve."""

    welfare: float  #: Sum of the booked worth of all accepted jobs.
    revenue: float  #: Sum of what they pay.
    accepted: tuple[int, ...]  #: Accepted jobs, ascending.
    infeasible_jobs: int  #: How many of these cannot process all their data.
    ledger: Ledger  #: State and prices after the last job.


def printed_run(auction: Auction) -> PrintedRun:
    """Run on an empty system, job after job in file order."""
    ledger = Ledger(auction)
    welfare = revenue = 0.0
    accepted: list[int] = []
    infeasible = 0
    for index, job in enumerate(auction.jobs):
        seen = ledger.meet(job)
        found = printed_schedule(seen)
        if not found.pays:
            continue
        ledger.book(job, seen, found)
        accepted.append(index)
        welfare += float(seen.worth[found.finish])
        revenue += found.cost
        infeasible += not executable(job, found.workers, found.moved)
    return PrintedRun(welfare, revenue, tuple(accepted), infeasible, ledger)
