"""Users arrive, and one proved bound holds for every run."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from farkas.errors import InvalidOption, NoAnswer
from farkas.instances.dps import Job, Market
from farkas.online import driver
from farkas.online.dps.offers import Decision, Known, Offer
from farkas.online.dps.sales import Sales
from farkas.online.driver import Demo, Outcome, Solved, environment
from farkas.online.run import Bound, Sense

if TYPE_CHECKING:
    from farkas.certificates.dps import Rewards

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
        return Offer.all_of(instance)

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
        """Payments by slot; counts of outcomes, and the runtime of all jobs served."""
        if isinstance(decisions, Sales):
            paid, offered = decisions.payment, ~np.isnan(decisions.worker_price)
            sold, exploring = decisions.sold, decisions.exploring
            servers = np.diff(decisions.first)
        else:
            paid = np.array([decision.payment for decision in decisions], dtype=float)
            offered = np.array([d.worker_price is not None for d in decisions])
            sold = np.array([d.outcome == "sold" for d in decisions])
            exploring = np.array([d.exploring for d in decisions])
            servers = np.array([len(d.servers) for d in decisions])
        whole, served = servers == 1, servers > 0
        runtime = np.where(whole, instance.colocated_runtime, instance.spread_runtime)
        by_slot = np.bincount(instance.arrival, paid, instance.horizon)
        costs = [{"profit": value} for value in by_slot.tolist()]
        counts = {
            "offered": offered, "sold": sold, "explored": exploring,
            "served": served, "colocated": whole,
        }  # fmt: skip
        numbers = {name: float(np.sum(of)) for name, of in counts.items()}
        numbers["total_runtime"] = sum(runtime[served].tolist(), 0.0)
        return Outcome(costs, value=float(paid.sum()), numbers=numbers)

    def bound(self, instance: Market) -> Bound:
        """Prove a bound from prices of capacity, optimal ones where a solver can find them."""
        rewards: Rewards = "budget" if instance.price_cap is None else "capped"
        return run_bound(instance, rewards)

    def bounds_so_far(self, instance: Market, bound: Bound) -> list[Fraction] | None:
        """Return what prices by type and slot prove of the jobs that have arrived."""
        made = bound.certificate
        if made is None or made["certificate"] != "priced_tree":
            return None
        from farkas.certificates.dps_servers import certified_to_date
        from farkas.certificates.priced_tree import PricedTree

        return certified_to_date(instance, msgspec.convert(made, PricedTree))

    def by_slot(self, instance: Market, steps: Sequence[Any]) -> Sequence[Any]:
        """Return the programs of the jobs of each slot, their values and duals added up."""
        found = [Solved()] * (instance.horizon if steps else 0)
        for slot, step in zip(instance.arrival.tolist(), steps, strict=False):
            if step.answers:
                value, dual, answers = found[slot]
                if answers:
                    step = Solved(value + step.value, dual + step.dual, [*answers, *step.answers])
                found[slot] = step
        return found


@functools.lru_cache(maxsize=8)
def run_bound(market: Market, rewards: Rewards) -> Bound:
    """Bound on the payments of every run; the same for all of them, so it is kept."""
    from farkas.certificates.dps_servers import certify_prices
    from farkas.relaxations.dps.prices import lp_prices, subgradient_prices

    method = "optimal prices of the interval relaxation"
    prices = None
    if entries(market) <= LARGEST_PROGRAM:
        with contextlib.suppress(NoAnswer):
            prices = lp_prices(market, rewards)
    if prices is None:
        method = "subgradient prices of the interval relaxation"
        prices = subgradient_prices(market, rewards)
    certificate = certify_prices(market, prices, rewards)
    return Bound.of(Fraction(certificate.bound), method, certificate.plain())


def entries(market: Market) -> int:
    """Count the entries of the interval program in its scarce rows."""
    from farkas.models.dps import windows

    total = 0
    sides = windows.worker_side(market), windows.ps_side(market)
    for side, rows in zip(sides, windows.scarce_rows(market), strict=True):
        low, high = windows.spans(rows, side, market.last_slot)
        total += int((high - low).sum())
    return total
