"""Unit prices as arms of bandits: one set of arms for each type.  DPS (9)-(14).

The worker side and the server side of the market learn alike and apart from each other.
"""

import dataclasses
import math
from typing import Literal

import numpy as np

from farkas.errors import InvalidOption
from farkas.instances.dps import Learning
from farkas.numbers import Floats, Ints
from farkas.online.dps.offers import Known
from farkas.tolerances import TIE

Supply = Literal["published", "turnover", "top"]
Radii = Literal["unit", "range"]
Grid = Literal["geometric", "uniform"]

MOST_ARMS = 1_000_000  #: Prices per type; a finer grid is refused before it fills the memory.


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rules:
    """Constants of one side of the market, one entry per type."""

    jobs: Ints  #: Jobs that will ask for the type; n.
    capacity: Ints  #: Units installed; C.
    explore: Floats  #: Arrivals to explore, not rounded; θ n.
    eta: Floats  #: Confidence constant; η.
    #: demand_range, time_range: what demands and unused time are scaled by in the radii; 1 as
    #: printed.
    demand_range: Floats
    time_range: Floats
    #: First arm of each type, and behind them the number of all arms; shape (types + 1,).
    first: Ints
    price: Floats  #: Price of every arm, ascending within a type.


def both_sides(
    known: Known, *, explore: bool = True, radii: Radii = "unit", grid: Grid = "geometric"
) -> tuple[Rules, Rules]:
    """Constants of workers and of parameter servers.

    Parameters
    ----------
    known
        The market, and the changes to the published constants.
    explore
        Whether to explore at all.
    radii
        ``unit``: as printed, for variables in [0, 1]; ``range``: for demands up to their largest
        and times up to the horizon, with η = 3 ln n.
    grid
        ``geometric``: δ (1 + δ)^z; ``uniform``: z / G with G = ⌈1 / δ⌉; times the price cap.
    """
    workers = known.worker_jobs, known.installed_workers.sum(axis=0), known.most_workers
    ps = known.ps_jobs, known.installed_ps.sum(axis=0), known.most_ps
    one, other = (
        _rules(known, *side, explore=explore, radii=radii, grid=grid) for side in (workers, ps)
    )
    return one, other


def _rules(
    known: Known, jobs: Ints, capacity: Ints, most: Ints, *, explore: bool, radii: Radii, grid: Grid
) -> Rules:
    knobs = known.learning
    logs = np.log(np.maximum(jobs, 2))
    volume = known.horizon * np.maximum(capacity, 1).astype(float)
    steps = grid_steps(knobs, volume, logs)
    arms = [
        _prices(step, grid) * known.price_cap if count else np.zeros(0)
        for step, count in zip(steps, jobs, strict=True)
    ]
    wide = radii == "range"
    ones = np.ones(len(jobs))
    return Rules(
        jobs=jobs,
        capacity=capacity,
        explore=explored(knobs, volume, logs, jobs) if explore else np.zeros(len(jobs)),
        eta=knobs.eta_scale * (3.0 if wide else 1.0) * logs,
        demand_range=np.maximum(most, 1).astype(float) if wide else ones,
        time_range=ones * known.horizon if wide else ones,
        first=np.concatenate([[0], np.cumsum([len(a) for a in arms])]).astype(np.int64),
        price=np.concatenate([*arms, np.zeros(0)]),
    )


def grid_steps(knobs: Learning, volume: Floats, logs: Floats) -> Floats:
    """Grid step of each type; δ = (T C)^(-1/3) (ln n)^(2/3), at most ``delta_max``."""
    if knobs.delta is not None:
        return np.full(len(logs), knobs.delta)
    steps: Floats = knobs.delta_scale * np.power(volume, -1.0 / 3.0) * np.power(logs, 2.0 / 3.0)
    return np.minimum(knobs.delta_max, steps)


def explored(knobs: Learning, volume: Floats, logs: Floats, jobs: Ints) -> Floats:
    """Arrivals to explore for each type; θ n = (T C ln n)^(2/3), at most ``explore_cap`` n."""
    wanted: Floats = knobs.theta_scale * np.power(volume * logs, 2.0 / 3.0)
    return wanted if knobs.explore_cap is None else np.minimum(wanted, knobs.explore_cap * jobs)


def geometric_grid(step: float) -> Floats:
    """Prices δ (1 + δ)^z up to 1, z = 0, 1, ...

    Parameters
    ----------
    step
        δ in (0, 1].
    """
    most = int(math.log(1.0 / step) / math.log1p(step)) + 2
    _check_size(most, step)
    prices: Floats = step * np.power(1.0 + step, np.arange(most))
    return prices[prices <= 1.0 + TIE]


def uniform_grid(step: float) -> Floats:
    """Prices z / G, z = 1, ..., G = ⌈1 / δ⌉."""
    count = max(1, math.ceil(1.0 / step))
    _check_size(count, step)
    return np.arange(1, count + 1) / count


def _prices(step: float, grid: Grid) -> Floats:
    return geometric_grid(step) if grid == "geometric" else uniform_grid(step)


def _check_size(count: int, step: float) -> None:
    if count > MOST_ARMS:
        raise InvalidOption(
            f"grid step {step:g} makes {count} prices, at most {MOST_ARMS} are kept; "
            "give a larger delta or delta_scale"
        )
