"""Bandits of pairs of types on a whole market at once."""

from collections.abc import Callable

import numpy as np

from farkas.instances.dps import Market
from farkas.numbers import Floats
from farkas.online.dps.offers import Known
from farkas.online.dps.pair_kernel import Asking, PairArms, UnitSlots, run_knapsacks, run_pairs
from farkas.online.dps.placing import Placing
from farkas.online.dps.simulation import Prepared, Simulation, simulation_of
from farkas.tolerances import allowed


def pair_arms(
    market: Market, prices: Callable[[int], Floats], eta: Callable[[int, int], float]
) -> PairArms:
    """Arms of all pairs of types that jobs ask for, nothing learned.

    Parameters
    ----------
    prices
        Unit prices of the arms by worker type, shape (arms, 2).
    eta
        Confidence constant by worker type and server type.
    """
    types = market.num_ps_types
    keys, pair = np.unique(market.worker_type * types + market.ps_type, return_inverse=True)
    both = [(int(key) // types, int(key) % types) for key in keys]
    grids = [prices(kind) for kind, _ in both]
    every = np.concatenate([*grids, np.zeros((0, 2))])
    return PairArms(
        pair=pair.astype(np.int64),
        first=np.cumsum([0, *map(len, grids)]).astype(np.int64),
        worker_price=every[:, 0].copy(),
        ps_price=every[:, 1].copy(),
        eta=np.array([eta(*key) for key in both], dtype=float),
        **{name: np.zeros(len(every)) for name in ("offers", "sales", "paid", "high", "low")},
    )


def simulate_pairs(
    market: Market, arms: PairArms, placing: Placing = "pa", seed: int = 0, *, log: bool = False
) -> Simulation:
    """Sell at the arm of the pair with the highest upper confidence bound."""
    run = Prepared.of(market)
    results, servers = run.results(), run.servers(log=log)
    asking = Asking(allowed(market.budget), Known.of(market).price_cap)
    run_pairs(servers, run.jobs, arms, asking, run.filling(placing, seed), results)
    return simulation_of(market, results, servers, arms.worker_price, arms.ps_price, log)


def simulate_knapsacks(
    market: Market,
    arms: PairArms,
    rounds: int,
    growth: float,
    placing: Placing = "pa",
    seed: int = 0,
    *,
    log: bool = False,
) -> Simulation:
    """Sell at the arm of the pair with the best ratio of payment to weighted resources."""
    run = Prepared.of(market)
    results, servers = run.results(), run.servers(log=log)
    kinds, others = market.num_worker_types, market.num_ps_types
    sack = UnitSlots(
        worker_budget=market.worker_capacity.astype(float) * market.horizon,
        ps_budget=market.ps_capacity.astype(float) * market.horizon,
        rounds=float(rounds),
        growth=growth,
        closed=1.0 if market.occupancy == "closed" else 0.0,
        colocated_runtime=market.colocated_runtime.copy(),
        spread_runtime=market.spread_runtime.copy(),
        slots=np.zeros((kinds, others)),
        over=np.zeros((kinds, others)),
        log_weight=np.zeros(kinds + others + 1),
        weight=np.zeros(kinds + others + 1),
    )
    asking = Asking(allowed(market.budget), Known.of(market).price_cap)
    value, filling = np.zeros(len(arms.high)), run.filling(placing, seed)
    run_knapsacks(servers, run.jobs, arms, asking, sack, value, filling, results)
    return simulation_of(market, results, servers, arms.worker_price, arms.ps_price, log)
