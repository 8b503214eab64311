"""Unit prices as arms of bandits: one set of arms for each type.  DPS (9)-(14).

The worker side and the server side of the market learn alike and apart from each other.  The same
constants drive the readable learner here and the compiled one.
"""

import dataclasses
import math
from collections.abc import Callable
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


#: What a learner has learned: arrivals and ends by type, offers and units sold by arm.
LEARNED = ("seen", "finished", "unused", "offers", "sold")


class Learner:
    """What one side has learned, in the words of the paper; the compiled one must agree.

    Parameters
    ----------
    rules
        Constants.
    horizon
        T.
    supply
        ``published``: C μ with μ the unused time T - τ; ``top``: C T / τ; ``turnover``: C T over
        the slots that a job occupies.
    closed
        Whether a job also occupies the slot in which it ends.
    """

    def __init__(self, rules: Rules, horizon: int, supply: Supply, closed: bool) -> None:
        self.rules = rules
        self.horizon = horizon
        self.supply_form = supply
        self.closed = closed
        self.seen = np.zeros(len(rules.jobs), np.int64)
        self.finished = np.zeros(len(rules.jobs), np.int64)
        self.unused = np.zeros(len(rules.jobs))
        self.offers = np.zeros(len(rules.price), np.int64)
        self.sold = np.zeros(len(rules.price))

    def explores(self, kind: int) -> bool:
        """Count an arrival and say whether it belongs to the exploration of its type."""
        self.seen[kind] += 1
        return bool(self.seen[kind] <= self.rules.explore[kind])

    def finish(self, kind: int, runtime: float) -> None:
        """Learn the runtime of a job that is over."""
        self.finished[kind] += 1
        self.unused[kind] += max(0.0, self.horizon - runtime)

    def answered(self, arm: int, units: int) -> None:
        """Learn how many units an offer sold, 0 if it was declined.

        Printed under "accept" only; (9) and (10) need both answers.
        """
        self.offers[arm] += 1
        self.sold[arm] += units

    def choose(self, kind: int) -> int:
        """Arm with the largest price x min(demand, supply); the highest price among equals."""
        arms = slice(self.rules.first[kind], self.rules.first[kind + 1])
        price = self.rules.price[arms]
        count = 1.0 + self.offers[arms]
        mean = np.divide(
            self.sold[arms], self.offers[arms], out=np.zeros(len(price)), where=count > 1
        )
        eta = self.rules.demand_range[kind] * self.rules.eta[kind]
        radius = eta / count + np.sqrt(eta * mean / count)
        demand = self.rules.jobs[kind] * (mean + radius)
        value = price * np.minimum(demand, self.supply(kind))
        chosen, best = 0, 0.0
        for arm, worth in enumerate(value.tolist()):
            if worth >= best - TIE * best:
                chosen, best = arm, max(best, worth)
        return int(self.rules.first[kind]) + chosen

    def supply(self, kind: int) -> float:
        """Units of a type that can still be sold over the horizon, optimistically."""
        capacity, count = float(self.rules.capacity[kind]), float(self.finished[kind])
        if count == 0.0:
            return capacity * self.horizon if self.supply_form == "published" else math.inf
        eta = float(self.rules.time_range[kind] * self.rules.eta[kind])
        unused = float(self.unused[kind]) / count
        if self.supply_form == "published":
            radius = eta / (1.0 + count) + math.sqrt(eta * unused / (1.0 + count))
            return capacity * (unused + radius)
        runtime = self.horizon - unused
        if self.supply_form == "turnover" and self.closed:
            runtime += 1.0
        runtime -= math.sqrt(eta * runtime / (1.0 + count)) + eta / (1.0 + count)
        return capacity * self.horizon / max(1.0, runtime)


# Where the units of an accepted job go.  DPS Algorithm 2 and its rivals.
#
# Every rule is a pure function of the idle units of the two requested types and returns how many
# units of the job each server gets, or None where all servers together have too few.


Placing = Literal["pa", "best_fit", "random"]
Units = tuple[Ints, Ints]
Rule = Callable[[Ints, Ints, int, int], Units | None]


def pa(idle_workers: Ints, idle_ps: Ints, workers: int, ps: int) -> Units | None:
    """Place greedily on the servers with most idle units.  DPS Algorithm 2.

    The first server, by idle workers, then idle parameter servers, then number, that can host the
    whole job does; without one, workers and then parameter servers fill the servers in that order.
    It minimises the runtime (15) of the job at hand, not the number of servers, and not the
    runtime of a sequence.

    Parameters
    ----------
    idle_workers, idle_ps
        Idle units of the requested types, shape (servers,); X and Z.
    workers, ps
        Units requested, >= 1.

    Returns
    -------
    Units per server, shapes (servers,).
    """
    order = _by_idle_units(idle_workers, idle_ps)
    hosts = (idle_workers >= workers) & (idle_ps >= ps)
    if hosts.any():
        return _on_one(order[hosts[order]][0], len(order), workers, ps)
    return fill(order, idle_workers, idle_ps, workers, ps)


def best_fit(idle_workers: Ints, idle_ps: Ints, workers: int, ps: int) -> Units | None:
    """Place on the server that the whole job fills best; without one, as `pa` does.

    Ties go to the lower number.  Parameters and result as for `pa`.
    """
    hosts = np.flatnonzero((idle_workers >= workers) & (idle_ps >= ps))
    if len(hosts):
        left = idle_workers[hosts] + idle_ps[hosts]
        return _on_one(hosts[np.argmin(left)], len(idle_workers), workers, ps)
    order = _by_idle_units(idle_workers, idle_ps)
    return fill(order, idle_workers, idle_ps, workers, ps)


def fill(order: Ints, idle_workers: Ints, idle_ps: Ints, workers: int, ps: int) -> Units | None:
    """Fill servers in ``order`` with workers, then from the start with parameter servers."""
    if idle_workers.sum() < workers or idle_ps.sum() < ps:
        return None
    return _taken(order, idle_workers, workers), _taken(order, idle_ps, ps)


def colocated(units: Units) -> bool:
    """Whether one server holds the whole job; q."""
    return int(np.count_nonzero((units[0] > 0) | (units[1] > 0))) == 1


RULES: dict[str, Rule] = {"pa": pa, "best_fit": best_fit}  #: Deterministic rules by name.


def _by_idle_units(idle_workers: Ints, idle_ps: Ints) -> Ints:
    return np.lexsort((np.arange(len(idle_workers)), -idle_ps, -idle_workers))


def _on_one(server: int, servers: int, workers: int, ps: int) -> Units:
    units = np.zeros(servers, np.int64), np.zeros(servers, np.int64)
    units[0][server], units[1][server] = workers, ps
    return units


def _taken(order: Ints, idle: Ints, needed: int) -> Ints:
    before = np.cumsum(idle[order]) - idle[order]
    taken = np.zeros(len(idle), np.int64)
    taken[order] = np.clip(needed - before, 0, idle[order])
    return taken
