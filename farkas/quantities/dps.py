"""Programs, bounds, fixed prices and runs of kind dps, as named quantities."""

import itertools
import math
from typing import Any

import numpy as np

from farkas.certificates.dps import prices_bound
from farkas.certificates.dps_fixed import DpsFixedPrices
from farkas.errors import NotApplicable
from farkas.instances.dps import Market
from farkas.models.dps.offline import Offline
from farkas.numbers import Ints
from farkas.quantities.optimum import list_optima, list_optimum
from farkas.quantities.quantity import quantity
from farkas.relaxations.dps import fixed_price as bounds
from farkas.relaxations.dps.fixed_cells import prove_fixed_prices
from farkas.relaxations.dps.pooled import best_served
from farkas.relaxations.dps.prices import lp_prices

MOST_JOBS = 60
MOST_IN_SEQUENCE = 40
MOST_SERVERS = 12
MOST_FOR_BEST_PRICE = 12


def offline_optimum(market: Market, prices: str) -> float:
    """Optimum of (2), the rewards of the jobs that `best_served` finds."""
    rewards = Offline(prices=prices).rewards(market)
    return math.fsum(rewards[best_served(market, prices)].tolist())


def _at_most(count: int, most: int, what: str) -> None:
    if count > most:
        raise NotApplicable(f"defined for at most {most} {what}, this market has {count}")


def _few_jobs(market: Market, most: int = MOST_JOBS) -> Market:
    """Return the market unless it has more jobs than are solved exactly."""
    _at_most(market.num_jobs, most, "jobs")
    return market


list_optima("dps.interval_ip", "dps.interval_lp")
list_optimum(
    "dps.interval_lp_capped",
    "dps.interval_lp[capped]",
    lambda market: market,
    "Optimum of the linear interval relaxation with payments below the price cap.",
)
list_optimum(
    "dps.offline_lp", "dps.offline_lp", _few_jobs, "Optimum of the linear relaxation of (2)."
)
list_optimum(
    "dps.placement_sequence",
    "dps.placement_sequence",
    lambda market: _few_jobs(market, MOST_IN_SEQUENCE),
    "Shortest total runtime of all jobs together, slots; None when they cannot all be served.",
)


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
    return offline_optimum(_few_jobs(instance), _PRICES[offline])


@quantity("dps.certificate")
def certificate(instance: Market) -> float:
    """Bound that optimal prices of capacity prove in integer arithmetic."""
    return float(prices_bound(instance, lp_prices(instance)))


@quantity("dps.placement")
def placement(instance: Market) -> list[float | None]:
    """Shortest runtime of every job on empty servers, slots; None where it cannot fit."""
    best = instance.least_runtime.tolist()
    return [t if fits else None for t, fits in zip(best, instance.fits, strict=True)]


@quantity("dps.min_servers")
def min_servers(instance: Market) -> list[int | None]:
    """Fewest empty servers whose units suffice, by job; None where all are too few."""
    _at_most(instance.num_servers, MOST_SERVERS, "servers")
    chosen = _subsets(instance.num_servers)
    size = chosen.sum(axis=1)
    workers, ps = chosen @ instance.installed_workers, chosen @ instance.installed_ps
    found: list[int | None] = []
    for job in instance.jobs:
        enough = (workers[:, job.worker_type] >= job.workers) & (ps[:, job.ps_type] >= job.ps)
        found.append(int(size[enough].min()) if enough.any() else None)
    return found


def _subsets(count: int) -> Ints:
    rows = list(itertools.product((0, 1), repeat=count))
    return np.array(rows, np.int64).reshape(len(rows), count)


@quantity("dps.pa_servers")
def pa_servers(instance: Market) -> list[int | None]:
    """Empty servers that Algorithm 2 uses, by job; None where the job does not fit."""
    from farkas.online.dps.placing import pa

    _at_most(instance.num_servers, MOST_SERVERS, "servers")
    found: list[int | None] = []
    for job in instance.jobs:
        idle = instance.installed_workers[:, job.worker_type], instance.installed_ps[:, job.ps_type]
        units = pa(*idle, job.workers, job.ps)
        found.append(None if units is None else int(np.count_nonzero(units[0] + units[1])))
    return found


@quantity("dps.{placing}_sequence", placing=("pa", "best_fit"))
def sequence(instance: Market, placing: Any) -> float | None:
    """Total runtime when Algorithm 2 or best fit places every job; None when one is dropped."""
    from farkas.online.dps.simulation import simulate_gifts

    done = simulate_gifts(instance, placing)
    return float(done.runtime.sum()) if done.served.all() else None


@quantity("dps.fixed_price")
def fixed_price(instance: Market) -> dict[str, Any]:
    """Profit of the given fixed prices, and the jobs they serve."""
    from farkas.online.dps.posted import given_price

    done = given_price(instance).simulate(instance)
    return {"profit": done.profit, "served": np.flatnonzero(done.served).tolist()}


def _given(instance: Market) -> tuple[Any, Any]:
    if instance.fixed_prices is None:
        raise NotApplicable("this market has no fixed_prices")
    return np.array(instance.fixed_prices.worker), np.array(instance.fixed_prices.ps)


@quantity("dps.fixed_price_demand_bound")
def fixed_price_demand_bound(instance: Market) -> float:
    """Payments of all jobs that can afford the fixed prices; second term of (3)."""
    return bounds.demand_bound(instance, *_given(instance))


@quantity("dps.fixed_price_bound_printed")
def fixed_price_bound_printed(instance: Market) -> float:
    """Right-hand side of (3) as printed, which is no bound."""
    return bounds.printed_bound(instance, *_given(instance))


@quantity("dps.fixed_price_bound")
def fixed_price_bound(instance: Market) -> float:
    """Bound on the profit of the fixed prices: demand, or sales that units can make."""
    return bounds.corrected_bound(instance, *_given(instance))


@quantity("dps.bfp_grid")
def bfp_grid(instance: Market) -> float | None:
    """Best fixed price on the given grid; None for too many combinations."""
    from farkas.online.dps.best_fixed import best_on_grid

    best = best_on_grid(instance)
    return None if best is None else best.profit


@quantity("dps.bfp", "dps.bfp_attained")
def bfp(instance: Market) -> dict[str, float | bool]:
    """Supremum of the fixed-price profit, and whether prices attain it."""
    from farkas.online.dps.best_fixed import best_exactly

    if not 1 <= instance.num_jobs <= MOST_FOR_BEST_PRICE:
        raise NotApplicable(f"defined for 1 to {MOST_FOR_BEST_PRICE} jobs")
    best = best_exactly(instance)
    return {"dps.bfp": float(best.profit), "dps.bfp_attained": best.attained}


@quantity("dps.bfp_bound")
def bfp_bound(instance: Market) -> DpsFixedPrices:
    """Proved bound on the profit of all fixed prices, for any number of types.

    From 25 cells of prices, or for many jobs from one that is looked at in finer parts.
    """
    if instance.num_jobs > MOST_JOBS:
        return prove_fixed_prices(instance, cells=1, parts=64)
    return prove_fixed_prices(instance, cells=25, parts=4)


@quantity("dps.{seller}", seller=("dps", "simple", "top"))
def seller(instance: Market, seller: str) -> dict[str, float]:
    """Algorithm 1, without exploration (simple), or the reconstructed rival TOP.

    Profit, arrivals explored, jobs served and their total runtime.
    """
    found: dict[str, float] = _simulated(instance, seller).summary()
    return found


@quantity("dps.{drawn}", drawn=("random", "dps_random_placement"))
def seller_at_random(instance: Market, drawn: str) -> float:
    """Profit of random prices, or of DPS with random placement; seed of the instance or 0."""
    return float(_simulated(instance, drawn).profit)


def _simulated(instance: Market, name: str) -> Any:
    from farkas.online import algorithms

    return algorithms[f"dps.{name}"].policy().simulate(instance, instance.seed or 0)
