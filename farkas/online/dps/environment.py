"""Users arrive, decisions are audited, and one proved bound holds for every run."""

import contextlib
import functools
import heapq
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from farkas.certificates.dps import DpsPrices, Rewards
from farkas.errors import InvalidOption, NoAnswer
from farkas.instances.dps import Job, Market
from farkas.models.dps import windows
from farkas.models.dps.windows import MarketSide, ps_side, worker_side
from farkas.numbers import Bools, Floats, Ints
from farkas.online import driver
from farkas.online.dps.kernel import SOLD
from farkas.online.dps.offers import Decision, Known, Offer
from farkas.online.dps.sales import Sales
from farkas.online.driver import Demo, Outcome, environment
from farkas.online.run import Bound, Sense
from farkas.relaxations.dps.prices import lp_prices, subgradient_prices
from farkas.tolerances import allowed

# Sales of a whole market, added up and audited by columns; words for faults are made elsewhere.
#
# The readable version looks at one decision after the other, in `farkas.online.dps.environment`.


def numbers_of(market: Market, sales: Sales) -> dict[str, float]:
    """Count outcomes of a run, and add up the runtime of its jobs."""
    served, whole = sales.served, sales.colocated
    runtime = np.where(whole, market.colocated_runtime, market.spread_runtime)
    return {
        "offered": float((~np.isnan(sales.worker_price)).sum()),
        "sold": float((sales.outcome == SOLD).sum()),
        "explored": float(sales.exploring.sum()),
        "served": float(served.sum()),
        "colocated": float(whole.sum()),
        "total_runtime": sum(runtime[served].tolist(), 0.0),
    }


def keeps_all(market: Market, sales: Sales) -> bool:
    """Whether sales break nothing: payments, units of each job, and units in use."""
    most = market.budget
    if market.price_cap is not None:
        most = np.minimum(most, market.price_cap * (market.workers + market.ps))
    paid = sales.payment > 0
    within = ~(sales.payment > allowed(most)).any() and not (paid & ~sales.served).any()
    held = np.diff(sales.first) > 0
    if not within or (held != sales.served).any():
        return False
    job = np.repeat(np.arange(len(sales)), np.diff(sales.first))
    if len(job) and (min(sales.workers.min(), sales.ps.min()) < 0 or sales.servers.min() < 0):
        return False
    if (sales.servers >= market.num_servers).any():
        return False
    if (sales.workers + sales.ps == 0).any():
        return False
    ends = np.where(sales.colocated, market.colocated_end, market.spread_end)[job]
    return all(
        _whole(job, units, side.demand, held)
        and _idle(market, side, job, sales.servers, units, ends)
        for side, units in ((worker_side(market), sales.workers), (ps_side(market), sales.ps))
    )


def _whole(job: Ints, units: Ints, demand: Ints, served: Bools) -> bool:
    """Whether each job served has all its units."""
    total = np.bincount(job, units, len(demand))
    return bool((total[served] == demand[served]).all())


def _idle(
    market: Market, side: MarketSide, job: Ints, server: Ints, units: Ints, ends: Floats
) -> bool:
    """Whether no server ever lacks units of a type.

    Units are taken on arrival, after those of all jobs that are over by then were given back; in a
    slot usage only rises, so that it is largest after its last arrival.
    """
    cell = side.types[job] * market.num_servers + server
    closed = market.occupancy == "closed"
    # arrivals before which a job is over: those after its end, or from it on
    slots, arrival = np.unique(side.start, return_inverse=True)
    over = np.searchsorted(slots, ends, side="right" if closed else "left")
    moment = np.concatenate([2 * over, 2 * arrival[job] + 1])
    order = np.argsort(np.tile(cell, 2) * (2 * len(slots) + 2) + moment)
    used = np.cumsum(np.concatenate([-units, units])[order])
    # all that a cell lends comes back, so that sums begin again at 0 in the next one
    return bool((used <= side.installed.T.ravel()[np.tile(cell, 2)[order]]).all())


#: Entries of the interval program up to which a solver finds the prices.
LARGEST_PROGRAM = 2_000_000


@environment("dps", demo=Demo("dps.dps", "dps.offline[capped]", "dps.interval_lp[capped]"))
class Environment(driver.Environment):
    """Jobs arrive one after the other, each with a budget of its own."""

    sense: Sense = "max"
    arrives = "an `Offer`: a job that asks for its price, and accepts or declines"
    decides = "a `Decision`: outcome, payment, prices, and the servers with their units"

    def known(self, instance: Market) -> Known:
        """Return horizon, capacities, numbers of jobs by type, and constants."""
        return Known.of(instance)

    def arrivals(self, instance: Market) -> Sequence[Offer]:
        """Return the jobs in order."""
        return [Offer.of(instance, job) for job in range(instance.num_jobs)]

    def steps(self, instance: Market) -> None:
        """Every job is a step."""

    def shown(self, instance: Market, step: int, numbers: Sequence[int]) -> Offer:
        """Return the only job."""
        return Offer.of(instance, 0, numbers[0])

    def stays(self, job: Job, step: int) -> bool:
        """No job comes twice."""
        return False

    def prolonged(self, job: Job, data: object) -> Job:
        """Refuse: runtimes follow from what jobs are."""
        raise InvalidOption("jobs of kind dps run as long as they say; none goes on")

    def so_far(self, instance: Market, steps: int) -> Market:
        """Return the same market: jobs hold units until its horizon."""
        return instance

    def undecided(self, instance: Market, steps: int) -> list[Decision]:
        """Nothing: there are no steps without jobs."""
        return []

    def unusable(self, instance: Market, decisions: Sequence[Decision]) -> list[str]:
        """Jobs that nothing was decided about."""
        count, jobs = len(decisions), instance.num_jobs
        return [] if count == jobs else [f"{count} decisions for {jobs} jobs"]

    def measure(self, instance: Market) -> str:
        """Say what a value is."""
        return "payments"

    def worth(self, instance: Market, decisions: Sequence[Decision]) -> Outcome:
        """Payments by slot."""
        if isinstance(decisions, Sales):
            paid, numbers = decisions.payment, numbers_of(instance, decisions)
        else:
            paid = np.array([decision.payment for decision in decisions], dtype=float)
            numbers = summary(instance, decisions)
        by_slot = np.bincount(instance.arrival, paid, instance.horizon)
        costs = [{"profit": value} for value in by_slot.tolist()]
        return Outcome(costs, value=float(paid.sum()), numbers=numbers)

    def broken(self, instance: Market, decisions: Sequence[Decision]) -> list[str]:
        """Faults of payments, against budgets and the price cap, and of placement."""
        if isinstance(decisions, Sales) and keeps_all(instance, decisions):
            return []
        return _payment_faults(instance, decisions) + _placement_faults(instance, decisions)

    def bound(self, instance: Market) -> Bound:
        """Prove a bound from prices of capacity, optimal ones where a solver can find them."""
        rewards: Rewards = "budget" if instance.price_cap is None else "capped"
        return run_bound(instance, rewards)


@functools.lru_cache(maxsize=8)
def run_bound(market: Market, rewards: Rewards) -> Bound:
    """Bound on the payments of every run; the same for all of them, so it is kept."""
    method = "optimal prices of the interval relaxation"
    prices = None
    if entries(market) <= LARGEST_PROGRAM:
        with contextlib.suppress(NoAnswer):
            prices = lp_prices(market, rewards)
    if prices is None:
        method = "subgradient prices of the interval relaxation"
        prices = subgradient_prices(market, rewards)
    certificate = DpsPrices.of(market, prices, rewards)
    return Bound.of(Fraction(certificate.bound), method, certificate.plain())


def entries(market: Market) -> int:
    """Count the entries of the interval program in its scarce rows."""
    total = 0
    sides = windows.worker_side(market), windows.ps_side(market)
    for side, rows in zip(sides, windows.scarce_rows(market), strict=True):
        low, high = windows.spans(rows, side, market.last_slot)
        total += int((high - low).sum())
    return total


def summary(market: Market, decisions: Sequence[Decision]) -> dict[str, float]:
    """Count outcomes of a run, and add up the runtime of its jobs."""
    served = [(job, d.colocated) for job, d in enumerate(decisions) if d.served]
    runtimes = (
        (market.colocated_runtime if whole else market.spread_runtime)[job] for job, whole in served
    )
    return {
        "offered": float(sum(d.worker_price is not None for d in decisions)),
        "sold": float(sum(d.outcome == "sold" for d in decisions)),
        "explored": float(sum(d.exploring for d in decisions)),
        "served": float(len(served)),
        "colocated": float(sum(whole for _, whole in served)),
        "total_runtime": sum(runtimes, 0.0),
    }


def _payment_faults(market: Market, decisions: Sequence[Decision]) -> list[str]:
    faults = []
    for job, decision in enumerate(decisions):
        data, payment = market.jobs[job], decision.payment
        if payment > 0 and not decision.served:
            faults.append(f"job {job} pays {payment:g} without being served")
        if payment > allowed(data.budget):
            faults.append(f"job {job} pays {payment:g} with a budget of {data.budget:g}")
        most = np.inf if market.price_cap is None else market.price_cap * (data.workers + data.ps)
        if payment > allowed(most):
            faults.append(f"job {job} pays {payment:g}, the price cap allows {most:g}")
    return faults


def _placement_faults(market: Market, decisions: Sequence[Decision]) -> list[str]:
    """Replay the placements and name units that are missing, or used by two jobs at once."""
    faults: list[str] = []
    idle = market.installed_workers.copy(), market.installed_ps.copy()
    running: list[tuple[float, int]] = []
    for job, decision in enumerate(decisions):
        data = market.jobs[job]
        while running and not market.still_held(running[0][0], data.arrival):
            _move(market, decisions, heapq.heappop(running)[1], idle, 1)
        if not decision.served:
            continue
        if sum(decision.workers) != data.workers or sum(decision.ps) != data.ps:
            faults.append(f"job {job} is served without all its units")
        if min((*decision.workers, *decision.ps)) < 0 or any(
            a + b == 0 for a, b in zip(decision.workers, decision.ps, strict=True)
        ):
            faults.append(f"job {job} holds a server without units there")
        _move(market, decisions, job, idle, -1)
        if idle[0][:, data.worker_type].min() < 0 or idle[1][:, data.ps_type].min() < 0:
            faults.append(f"job {job} takes units that are not idle")
        ends = market.colocated_end if decision.colocated else market.spread_end
        heapq.heappush(running, (float(ends[job]), job))
    return faults


def _move(
    market: Market, decisions: Sequence[Decision], job: int, idle: tuple[Ints, Ints], sign: int
) -> None:
    decision, data = decisions[job], market.jobs[job]
    servers = list(decision.servers)
    np.add.at(idle[0][:, data.worker_type], servers, sign * np.array(decision.workers))
    np.add.at(idle[1][:, data.ps_type], servers, sign * np.array(decision.ps))
