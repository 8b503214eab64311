"""Random markets with the published sizes of DPS.

Draw order: server workers, server parameter servers, worker bandwidths, server bandwidths, arrivals
(sorted), worker types, server types, workers, servers, model sizes, epochs, computation per epoch,
worker prices, server prices, budget noise.
"""

from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from farkas.instances.base import Count, Nonnegative, Positive
from farkas.instances.dps import Learning
from farkas.instances.options import (
    CountRange,
    NonnegativeRange,
    PositiveRange,
    Settings,
    Share,
    UnitRange,
)
from farkas.instances.variates import normal
from farkas.numbers import Ints
from farkas.portable_functions import exp, turn, uniform


class Published(Settings, frozen=True, kw_only=True):
    """Published sizes; demands, runtimes and budgets, from ``workers`` on, are choices."""

    #: horizon, slot_seconds: slots and their length; T.
    horizon: Count = 10_000
    slot_seconds: Positive = 300.0
    #: num_servers, num_worker_types, num_ps_types, num_jobs: S, K, M and N.
    num_servers: Count = 50
    num_worker_types: Count = 15
    num_ps_types: Count = 10
    num_jobs: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 10_000
    #: worker_bandwidth, ps_bandwidth: Gbit/s; h and H.
    worker_bandwidth: PositiveRange = (0.1, 5.0)
    ps_bandwidth: PositiveRange = (5.0, 20.0)
    #: installed_workers, installed_ps: units of each type per server, integers.
    installed_workers: UnitRange = (0, 30)
    installed_ps: UnitRange = (0, 18)
    price_cap: Positive | None = 1.0  #: P̄; null for none.
    #: workers, ps: demands, integers.
    workers: CountRange = (1, 60)
    ps: CountRange = (1, 20)
    model_size: NonnegativeRange = (0.1, 2.0)  #: Gbit; w.
    #: epochs_median, epochs_spread: epochs are lognormal with this median and this deviation of the
    #: logarithm, at least 1; α.
    epochs_median: Positive = 4000.0
    epochs_spread: Nonnegative = 0.6
    #: Computation per epoch, seconds; β times the slot length.
    epoch_seconds: PositiveRange = (2.0, 15.0)
    price: NonnegativeRange = (0.1, 0.8)  #: Base price of a unit of each type.
    #: A budget is the base price of the demand times a lognormal factor with this deviation.
    budget_spread: Nonnegative = 0.5
    #: diurnal, period: arrivals have the rate 1 + ``diurnal`` sin(2π t / period).
    diurnal: Share = 0.0
    period: Positive = 288.0
    #: Base prices grow linearly by this share of themselves over the horizon.
    drift: Nonnegative = 0.0
    dps: Learning | None = None  #: As in the instance.
    occupancy: Literal["closed", "half_open"] = "closed"  #: As in the instance.
    runtime_rounding: Literal["ceil", "none"] = "ceil"  #: As in the instance.


PRESETS: dict[str, dict[str, Any]] = {
    # Five times the load of the published size.
    "heavy": {"epochs_median": 20_000.0},
    # Demand and prices that move: the setting in which a dynamic price can win.
    "moving": {"diurnal": 0.8, "drift": 1.0},
    # Small enough for an exact integer optimum.
    "small": {
        "horizon": 100,
        "num_servers": 3,
        "num_worker_types": 2,
        "num_ps_types": 1,
        "num_jobs": 40,
        "installed_workers": [1, 4],
        "installed_ps": [1, 3],
        "workers": [1, 4],
        "ps": [1, 3],
        "model_size": [20.0, 120.0],
        "epochs_median": 4.0,
        "epoch_seconds": [150.0, 900.0],
        "dps": {"delta": 0.25, "explore_cap": 0.1},
    },
}


def draw(settings: Published, rng: np.random.Generator) -> dict[str, Any]:
    """Return the fields of a market, drawn in the order given at the top of the module."""
    servers, workers, ps = settings.num_servers, settings.num_worker_types, settings.num_ps_types
    return {
        "horizon": settings.horizon,
        "occupancy": settings.occupancy,
        "runtime_rounding": settings.runtime_rounding,
        "slot_seconds": settings.slot_seconds,
        "price_cap": settings.price_cap,
        "dps": settings.dps,
        "server_workers": _whole(rng, settings.installed_workers, (servers, workers)),
        "server_ps": _whole(rng, settings.installed_ps, (servers, ps)),
        "worker_bandwidth": uniform(rng, *settings.worker_bandwidth, workers),
        "ps_bandwidth": uniform(rng, *settings.ps_bandwidth, ps),
        "jobs": _jobs(settings, rng),
    }


def _whole(rng: np.random.Generator, ends: tuple[int, int], shape: int | tuple[int, ...]) -> Ints:
    return rng.integers(*ends, shape, endpoint=True)


def _jobs(settings: Published, rng: np.random.Generator) -> list[dict[str, Any]]:
    count = settings.num_jobs
    arrival = _arrivals(settings, rng)
    worker_type = rng.integers(settings.num_worker_types, size=count)
    ps_type = rng.integers(settings.num_ps_types, size=count)
    workers, ps = _whole(rng, settings.workers, count), _whole(rng, settings.ps, count)
    size = uniform(rng, *settings.model_size, count)
    epochs = settings.epochs_median * exp(settings.epochs_spread * normal(rng, count))
    compute = uniform(rng, *settings.epoch_seconds, count) / settings.slot_seconds
    worker_price = uniform(rng, *settings.price, settings.num_worker_types)
    ps_price = uniform(rng, *settings.price, settings.num_ps_types)
    noise = exp(settings.budget_spread * normal(rng, count))
    growth = 1.0 + settings.drift * arrival / settings.horizon
    budget = (worker_price[worker_type] * workers + ps_price[ps_type] * ps) * growth * noise
    columns = (
        arrival, worker_type, workers, ps_type, ps, size, np.maximum(1.0, epochs), compute, budget
    )  # fmt: skip
    return [
        {
            "arrival": when, "worker_type": k, "workers": d_k, "ps_type": m, "ps": d_m,
            "model_size": gbit, "epochs": alpha, "epoch_compute": beta, "budget": most,
        }
        for when, k, d_k, m, d_m, gbit, alpha, beta, most
        in zip(*(column.tolist() for column in columns), strict=True)
    ]  # fmt: skip


def _arrivals(settings: Published, rng: np.random.Generator) -> Ints:
    """Sorted slots: uniform draws sent through the inverse of the cumulated rate."""
    position = np.sort(rng.random(settings.num_jobs))
    if settings.diurnal == 0.0:
        return np.floor(position * settings.horizon).astype(np.int64)
    angle = 2.0 * np.arange(settings.horizon) / settings.period
    cumulated = np.cumsum(1.0 + settings.diurnal * turn(angle)[0])
    slots = np.searchsorted(cumulated / cumulated[-1], position, side="right")
    return np.minimum(slots, settings.horizon - 1).astype(np.int64)
