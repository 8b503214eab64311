"""Random small markets with every edge case."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from farkas.instances import library
from farkas.instances.dps import Market
from farkas.tolerances import allowed


def random_market(
    seed: int, *, jobs: int = 6, servers: int | None = None, types: int = 2
) -> Market:
    """Ties, zero capacity, free bandwidth, both occupancies and roundings, sometimes no cap."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 4)) if servers is None else servers
    kinds, others = int(rng.integers(1, types + 1)), int(rng.integers(1, types + 1))
    horizon = int(rng.integers(3, 14))

    def job(arrival: int) -> dict:
        workers, ps = (int(x) for x in rng.integers(1, 4, 2))
        price = float(rng.choice([0.3, 0.5, 0.9, 1.0, 1.4]))
        return {
            "arrival": int(arrival),
            "worker_type": int(rng.integers(kinds)),
            "workers": workers,
            "ps_type": int(rng.integers(others)),
            "ps": ps,
            "model_size": float(rng.choice([0, 30, 90])),
            "epochs": float(rng.integers(1, 4)),
            "epoch_compute": float(rng.choice([0.25, 0.5, 1.0, 1.3])),
            "budget": 0.0 if rng.random() < 0.1 else round(price * (workers + ps), 2),
        }

    arrivals = np.sort(rng.integers(0, horizon, jobs))
    return Market.build(
        horizon=horizon,
        occupancy=str(rng.choice(["closed", "half_open"])),
        runtime_rounding=str(rng.choice(["ceil", "none"])),
        slot_seconds=60.0,
        price_cap=None if rng.random() < 0.2 else 1.0,
        server_workers=rng.integers(0, 5, (count, kinds)).tolist(),
        server_ps=rng.integers(0, 5, (count, others)).tolist(),
        worker_bandwidth=[None if rng.random() < 0.3 else 1.0 for _ in range(kinds)],
        ps_bandwidth=[None if rng.random() < 0.3 else 4.0 for _ in range(others)],
        jobs=[job(a) for a in arrivals],
        dps={"delta": 0.2, "explore_cap": 0.2},
    )


def market_in(market: Market, currency: float, data: float = 1.0) -> Market:
    """Money times ``currency``; what is sent, and what links send, times ``data``."""
    jobs: list[dict[str, Any]] = msgspec.to_builtins(market.jobs)
    for job in jobs:
        job["budget"] *= currency
        job["model_size"] *= data
    changes: dict[str, Any] = {"jobs": jobs}
    for side in ("worker_bandwidth", "ps_bandwidth"):
        changes[side] = [each and each * data for each in getattr(market, side)]
    if market.price_cap is not None:
        changes["price_cap"] = currency * market.price_cap
    if market.price_grid is not None:
        changes["price_grid"] = [currency * price for price in market.price_grid]
    return market.replace(**changes)


def learning_market(seed: int, jobs: int = 40) -> Market:
    """A random market in which much is learned: every other one roomy, in money of any unit."""
    market = random_market(seed, jobs=jobs, servers=1 if seed % 5 == 4 else None)
    if seed % 2:
        market = market.replace(
            server_workers=(4 * market.installed_workers).tolist(),
            server_ps=(4 * market.installed_ps).tolist(),
        )
    if market.price_cap is not None:
        market = market_in(market, 2.0 ** (-40, 0, 40)[seed % 3])
    knobs = (
        {"delta": 0.2, "explore_cap": 0.1},
        {"explore_cap": 0.2, "eta_scale": 0.1},
        {"theta_scale": 0.02, "delta_max": 0.3},
        {"delta": 1.0, "eta_scale": 0.0, "theta_scale": 0.0},
    )
    return market.replace(dps=knobs[seed // 2 % 4])


def forced_jobs(market: Market) -> np.ndarray:
    """Jobs that no admissible price keeps out."""
    assert market.price_cap is not None
    return allowed(market.budget) >= market.price_cap * (market.workers + market.ps)


def empty_market() -> Market:
    """A market that nobody visits."""
    return random_market(0).replace(jobs=[])


def posted(*jobs: tuple[int, float, int, float], units: int = 1, **changes: object) -> Market:
    """One server, one type of ``units`` on each side; jobs (arrival, runtime, asked, budget).

    Half open: a job that runs one slot holds its units in its slot of arrival only.
    """
    fields = {
        "horizon": 9,
        "occupancy": "half_open",
        "runtime_rounding": "ceil",
        "slot_seconds": 60.0,
        "price_cap": 1.0,
        "server_workers": [[units]],
        "server_ps": [[units]],
        "worker_bandwidth": [None],
        "ps_bandwidth": [None],
        "jobs": [
            {
                "arrival": arrival,
                "worker_type": 0,
                "workers": asked,
                "ps_type": 0,
                "ps": asked,
                "model_size": 0.0,
                "epochs": 1.0,
                "epoch_compute": runtime,
                "budget": budget,
            }
            for arrival, runtime, asked, budget in jobs
        ],
    }
    return Market.build(**(fields | changes))


def uniform_users(jobs: int, seed: int) -> Market:
    """One unit of each, budgets uniform in [0, 2], capacity for everyone: best profit 1/2 a job."""
    rng = np.random.default_rng(seed)
    one: dict[str, Any] = {"worker_type": 0, "workers": 1, "ps_type": 0, "ps": 1,
                           "model_size": 0, "epochs": 1, "epoch_compute": 0.5}  # fmt: skip
    market = library.load("dps/one_server_half_open")
    assert isinstance(market, Market)
    return market.replace(
        horizon=jobs,
        jobs=[{**one, "arrival": i, "budget": float(b)} for i, b in
              enumerate(rng.uniform(0, 2, jobs))],
    )  # fmt: skip
