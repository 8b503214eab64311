"""Programs, bounds, fixed prices and runs of kind dps, as named quantities."""

import itertools
import math
from typing import Any

import numpy as np

from farkas.certificates.dps import prices_bound
from farkas.errors import NotApplicable
from farkas.instances.dps import Market
from farkas.models.dps.offline import Offline
from farkas.numbers import Ints
from farkas.quantities.optimum import list_optima, program_optimum
from farkas.quantities.quantity import quantity
from farkas.relaxations.dps import fixed_price as bounds
from farkas.relaxations.dps.pooled import best_served
from farkas.relaxations.dps.prices import lp_prices

MOST_JOBS = 60
MOST_IN_SEQUENCE = 40
MOST_SERVERS = 12
MOST_FOR_BEST_PRICE = 12


list_optima("dps.interval_ip", "dps.interval_lp")


def offline_optimum(market: Market, prices: str) -> float:
    """Optimum of (2), the rewards of the jobs that `best_served` finds."""
    rewards = Offline(prices=prices).rewards(market)
    return math.fsum(rewards[best_served(market, prices)].tolist())


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


@quantity("dps.offline")
def offline(instance: Market) -> float:
    """Optimum of (2): highest payments when budgets are known and every job has its own price."""
    _at_most(instance.num_jobs, MOST_JOBS, "jobs")
    return offline_optimum(instance, "free")


@quantity("dps.offline_lp")
def offline_lp(instance: Market) -> float | None:
    """Optimum of the linear relaxation of (2)."""
    _at_most(instance.num_jobs, MOST_JOBS, "jobs")
    return program_optimum("dps.offline_lp", instance)


@quantity("dps.offline_capped")
def offline_capped(instance: Market) -> float:
    """Optimum of (2) with payments below the price cap."""
    _at_most(instance.num_jobs, MOST_JOBS, "jobs")
    return offline_optimum(instance, "capped")


@quantity("dps.offline_forced")
def offline_forced(instance: Market) -> float:
    """Optimum of (2) below the price cap, where jobs that no price keeps out must be served."""
    _at_most(instance.num_jobs, MOST_JOBS, "jobs")
    return offline_optimum(instance, "forced")


@quantity("dps.interval_lp_capped")
def interval_lp_capped(instance: Market) -> float | None:
    """Optimum of the linear interval relaxation with payments below the price cap."""
    return program_optimum("dps.interval_lp[capped]", instance)


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


@quantity("dps.placement_sequence")
def placement_sequence(instance: Market) -> float | None:
    """Shortest total runtime of all jobs together, slots; None when they cannot all be served."""
    _at_most(instance.num_jobs, MOST_IN_SEQUENCE, "jobs")
    return program_optimum("dps.placement_sequence", instance)


@quantity("dps.pa_sequence")
def pa_sequence(instance: Market) -> float | None:
    """Total runtime when Algorithm 2 places every job; None when it has to drop one."""
    return _gifts(instance, "pa")


@quantity("dps.best_fit_sequence")
def best_fit_sequence(instance: Market) -> float | None:
    """Total runtime when best fit places every job; None when it has to drop one."""
    return _gifts(instance, "best_fit")


def _gifts(instance: Market, placing: Any) -> float | None:
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


@quantity("dps.dps")
def dps(instance: Market) -> dict[str, float]:
    """Algorithm 1: profit, arrivals explored, jobs served and their total runtime."""
    found: dict[str, float] = _simulated(instance, "dps").summary()
    return found


@quantity("dps.simple")
def simple(instance: Market) -> dict[str, float]:
    """Algorithm 1 without exploration, numbers as for dps.dps."""
    found: dict[str, float] = _simulated(instance, "simple").summary()
    return found


@quantity("dps.top")
def top(instance: Market) -> dict[str, float]:
    """Reconstructed rival TOP, numbers as for dps.dps."""
    found: dict[str, float] = _simulated(instance, "top").summary()
    return found


@quantity("dps.random")
def random(instance: Market) -> float:
    """Profit of random prices, seed of the instance or 0."""
    return float(_simulated(instance, "random").profit)


@quantity("dps.dps_random_placement")
def dps_random_placement(instance: Market) -> float:
    """Profit of DPS with random placement, seed of the instance or 0."""
    return float(_simulated(instance, "dps_random_placement").profit)


def _simulated(instance: Market, name: str) -> Any:
    from farkas.online import algorithms

    return algorithms[f"dps.{name}"].policy().simulate(instance, instance.seed or 0)
