"""Bounds, fixed prices and units of kind dps, as named quantities."""

import functools
import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np

from farkas.certificates.dps import certify_prices
from farkas.errors import NotApplicable
from farkas.instances.dps import Market
from farkas.models.dps.offline import Offline
from farkas.online import algorithms
from farkas.online.dps import fixed_prices
from farkas.online.dps.cluster import placed
from farkas.online.dps.seller import BestFit, FreeOfCharge, GivenPrice
from farkas.quantities.quantity import quantity
from farkas.relaxations.dps import interval as bounds
from farkas.relaxations.dps.prices import lp_prices
from farkas.solvers import solve

MOST_JOBS = 60
MOST_SERVERS = 12
MOST_FOR_BEST_PRICE = 12


def _at_most(count: int, most: int, what: str) -> None:
    if count > most:
        raise NotApplicable(f"defined for at most {most} {what}, this market has {count}")


@quantity("dps.runtimes")
def runtimes(instance: Market) -> dict[str, list[float]]:
    """Runtime of every job on one server and spread over servers, slots; τ¹ and τ⁰."""
    return {
        "colocated": instance.colocated_runtime.tolist(),
        "spread": instance.spread_runtime.tolist(),
    }


_PRICES = {"offline": "free", "offline_capped": "capped", "offline_forced": "forced"}


@quantity("dps.{offline}", offline=_PRICES)
def offline(instance: Market, offline: str) -> float:
    """Optimum of (2): highest payments when budgets are known and every job has its own price.

    Capped: payments stay below the price cap.  Forced: below it, and jobs that no price keeps out
    must be served.
    """
    _at_most(instance.num_jobs, MOST_JOBS, "jobs")
    program = Offline(prices=_PRICES[offline])
    form = program.form(instance)
    point = solve(form, gap=0.0).require_optimal().point
    served = form.values(point, "whole").sum(axis=1) + form.values(point, "spread") > 0.5
    return math.fsum(program.rewards(instance)[served].tolist())


@quantity("dps.certificate")
def certificate(instance: Market) -> float:
    """Bound that optimal prices of capacity prove in integer arithmetic."""
    return float(Fraction(certify_prices(instance, lp_prices(instance), "budget").bound))


@quantity("dps.placement")
def placement(instance: Market) -> list[float | None]:
    """Shortest runtime of every job on empty servers, slots; None where it cannot fit."""
    best = instance.least_runtime.tolist()
    return [t if fits else None for t, fits in zip(best, instance.fits, strict=True)]


@quantity("dps.{rule}_servers", rule=("min", "pa"))
def servers(instance: Market, rule: str) -> list[int | None]:
    """Empty servers by job: the fewest whose units suffice, or those that Algorithm 2 uses.

    None where the job does not fit.
    """
    _at_most(instance.num_servers, MOST_SERVERS, "servers")
    subsets = np.array([*itertools.product((0, 1), repeat=instance.num_servers)], np.int64)
    found: list[int | None] = []
    for job in instance.jobs:
        idle = instance.installed_workers[:, job.worker_type], instance.installed_ps[:, job.ps_type]
        if rule == "pa":
            units = placed("pa", *idle, job.workers, job.ps)
            found.append(None if units is None else int(np.count_nonzero(units[0] + units[1])))
            continue
        enough = (subsets @ idle[0] >= job.workers) & (subsets @ idle[1] >= job.ps)
        found.append(int(subsets[enough].sum(axis=1).min()) if enough.any() else None)
    return found


@quantity("dps.{placing}_sequence", placing=("pa", "best_fit"))
def sequence(instance: Market, placing: str) -> float | None:
    """Total runtime when Algorithm 2 or best fit places every job; None when one is dropped."""
    done = (FreeOfCharge() if placing == "pa" else BestFit()).simulate(instance)
    return float(done.runtime.sum()) if done.served.all() else None


@quantity("dps.fixed_price")
def fixed_price(instance: Market) -> dict[str, Any]:
    """Profit of the given fixed prices, and the jobs they serve."""
    done = GivenPrice().simulate(instance)
    return {"profit": done.profit, "served": np.flatnonzero(done.served).tolist()}


_BOUNDS = {
    "demand_bound": bounds.demand_bound,
    "bound_printed": bounds.printed_bound,
    "bound": bounds.corrected_bound,
}


@quantity("dps.fixed_price_{bound}", bound=_BOUNDS)
def fixed_price_bound(instance: Market, bound: str) -> float:
    """Bound on the profit of the given fixed prices: demand, or sales that units can make.

    Demand alone is the second term of (3); (3) as printed is no bound.
    """
    prices = instance.fixed_prices
    if prices is None:
        raise NotApplicable("this market has no fixed_prices")
    return _BOUNDS[bound](instance, np.array(prices.worker), np.array(prices.ps))


@quantity("dps.bfp_grid")
def bfp_grid(instance: Market) -> float | None:
    """Best fixed price on the given grid; None for too many combinations."""
    best = fixed_prices.best_on_grid(instance)
    return None if best is None else best.profit


_best_exactly = functools.lru_cache(maxsize=1)(fixed_prices.best_exactly)


@quantity("dps.bfp{what}", what=("", "_attained"))
def bfp(instance: Market, what: str) -> float | bool:
    """Supremum of the fixed-price profit, and whether prices attain it."""
    if not 1 <= instance.num_jobs <= MOST_FOR_BEST_PRICE:
        raise NotApplicable(f"defined for 1 to {MOST_FOR_BEST_PRICE} jobs")
    best = _best_exactly(instance)
    return best.attained if what else float(best.profit)


@quantity("dps.{seller}", seller=("dps", "simple", "top"))
def seller(instance: Market, seller: str) -> dict[str, float]:
    """Profit, arrivals explored, jobs served and their runtime under DPS, SIMPLE or TOP."""
    done = algorithms[f"dps.{seller}"].policy().simulate(instance, instance.seed or 0)
    return {
        "profit": done.profit,
        "explored": int(done.exploring.sum()),
        "served": int(done.served.sum()),
        "total_runtime": float(done.runtime.sum()),
    }
