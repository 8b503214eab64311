"""Traces on which the fractional algorithm of mlBroker pays most: searched for in closed form.

A trace says at which site a job's data lie in every slot, and what it costs to have all of them
moved from there to each site: nothing, anything up to a deployment, or too much.  Nothing else
costs anything but deploying.  Slots are solved by `filled`, a few microseconds each instead of
milliseconds, so that annealing over tolls and slots sees a hundred thousand traces a minute.  What
the algorithm pays is compared with staying at the best single site, which is a whole placement;
that the ratio of the best trace is as high is proved afterwards, on its instance, by replaying the
algorithm's own run.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Generic, TypeVar

import numpy as np

from farkas.adversary.moves import descent
from farkas.errors import InvalidOption
from farkas.instances.mlbroker import Brokerage

FORBIDDEN = 2.0  #: Toll of sites that no data are moved to: beyond 1, a deployment, nothing new is.
#: Workers that the job's data need. Printed, (8g) lets a server of theirs be anywhere.
WORKERS = 1000
WARM = 0.03  #: First temperature: a factor of 1.03 in the ratio is given up once in e times.
MOVES = 1600  #: Moves of one descent in temperature, by site.
LOST = 0.0005  #: Share of the ratio that simplifying a trace may lose.
CHEAP = 0.02  #: Least toll that is drawn, in deployments.
SCALED = 0.7  #: Tolls are scaled by a factor whose logarithm is no larger.

#: Called with the traces tried and the best ratio, whenever that has grown.
Progress = Callable[[int, float], None]


@dataclasses.dataclass(frozen=True, slots=True)
class Wandering:
    """A job's data, and what moving them costs."""

    #: Cost of having all data of site o moved to site r, shape (sites, sites), in units of the
    #: deployment cost, >= 0, zero diagonal.
    tolls: tuple[tuple[float, ...], ...]
    origins: tuple[int, ...]  #: Site of the data, by slot.

    def cost(self, epsilon: float) -> float:
        """Cost of the fractional algorithm, tight, in units of the deployment cost."""
        return _Played(self, epsilon).cost

    def ratio(self, epsilon: float) -> float:
        """Cost of the fractional algorithm over that of the best single site."""
        return self.cost(epsilon) / self.staying[1]

    @property
    def staying(self) -> tuple[int, float]:
        """The best single site, and what deploying there and moving all data to it costs."""
        costs = [1.0] * len(self.tolls)
        for origin in self.origins:
            costs = [cost + toll for cost, toll in zip(costs, self.tolls[origin], strict=True)]
        least = min(range(len(costs)), key=costs.__getitem__)
        return least, costs[least]

    def instance(self, epsilon: float, workers: int = WORKERS) -> Brokerage:
        """Write the trace as an instance, in which a deployment costs 1 USD.

        N ``workers`` are needed in every slot, and each trains 1 GB.  In the tight relaxation the
        run costs what `cost` says whatever N is; printed, 1/(N+1) of a deployment belongs to the
        server, which may be anywhere.
        """
        sites = len(self.tolls)
        data = [[float(workers) * (r == origin) for r in range(sites)] for origin in self.origins]
        job = {
            "name": "wanderer", "arrival": 0, "departure": len(data) - 1, "worker_capacity": 1.0,
            "worker_demand": [0.0], "server_demand": [0.0], "sync_volume": 0.0,
            "deploy_cost": 1.0, "data": data,
        }  # fmt: skip
        return Brokerage.build(
            name=f"wandering-{sites}",
            num_sites=sites,
            num_slots=len(data),
            num_resources=1,
            transfer_price=[[toll / workers for toll in row] for row in self.tolls],
            base_price=[[1.0]] * sites,
            discount_price=None,
            discount_threshold=None,
            epsilon=epsilon,
            jobs=[job],
        )


@dataclasses.dataclass(frozen=True, slots=True)
class FoundWandering:
    """Where a search ended."""

    #: trace, ratio: the best trace, and its ratio in doubles.
    trace: Wandering
    ratio: float
    tried: int  #: Traces played.
    interrupted: bool  #: Whether Ctrl-C ended it.


class _Played:
    """A trace with the algorithm's state before every slot, to go on from where another differs."""

    __slots__ = ("cost", "height", "orders", "ratio", "states", "trace", "weights")
    trace: Wandering
    weights: list[list[float]]
    orders: list[list[int]]
    states: list[tuple[list[float], float]]
    cost: float
    ratio: float
    height: float

    def __init__(self, trace: Wandering, epsilon: float, known: _Played | None = None) -> None:
        sigma = math.log1p(1 / epsilon)
        sites, rows, same = len(trace.tolls), trace.tolls, 0
        weights: list[list[float]] = []
        orders: list[list[int]] = []
        states: list[tuple[list[float], float]] = [([0.0] * sites, 0.0)]
        for origin, row in enumerate(rows):
            if known is not None and known.trace.tolls[origin] is row:
                weights.append(known.weights[origin])
                orders.append(known.orders[origin])
            else:
                weights.append([math.exp(-sigma * toll) if toll < 1 else 0.0 for toll in row])
                orders.append(sorted(range(sites), key=row.__getitem__))
        if known is not None:
            for old, new in zip(known.trace.origins, trace.origins, strict=False):
                if old != new or known.trace.tolls[old] is not rows[new]:
                    break
                same += 1
            states = known.states[: same + 1]
        for origin in trace.origins[same:]:
            before, cost = states[-1]
            slot = filled(before, rows[origin], weights[origin], orders[origin], epsilon)
            states.append((slot.deployed, cost + slot.static + slot.moving))
        self.trace, self.weights, self.orders, self.states = trace, weights, orders, states
        self.cost = states[-1][1]
        self.ratio = self.cost / trace.staying[1]
        self.height = math.log(self.ratio)


def worst_trace(
    sites: int,
    epsilon: float,
    *,
    slots: int | None = None,
    tried: int = 20_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> FoundWandering:
    """Search for the trace of the largest ratio, as `farkas.verbs.worst.worst_trace` is asked to.

    Raises
    ------
    InvalidOption
        A number is out of its range.
    """
    most = 2 * sites if slots is None else slots
    for name, value in (("sites", sites), ("slots", most), ("tried", tried)):
        if value < 1:
            raise InvalidOption(f"{name} = {value}; give at least 1")
    if not 0 < epsilon < float("inf"):
        raise InvalidOption(f"epsilon = {epsilon:g}; give a finite number above 0")
    draws = _Draws(seed)
    best, count, interrupted = _Played(_drawn(sites, most, draws), epsilon), 1, False

    def neighbour(current: _Played) -> _Played:
        return _Played(_moved(current.trace, most, draws), epsilon, current)

    try:
        while count < tried:
            start = _Played(_drawn(sites, most, draws), epsilon)
            moves = min(MOVES * sites, tried - count)
            cooling = functools.partial(_temperature, moves)
            for other in descent(start, neighbour, cooling, moves, draws.share):
                count += 1
                if other is not None and other.ratio > best.ratio:
                    best = other
                    if progress is not None:
                        progress(count, best.ratio)
    except KeyboardInterrupt:
        interrupted = True
    simple = _simplified(best, epsilon)
    return FoundWandering(simple.trace, simple.ratio, count, interrupted)


def _temperature(moves: int, move: int) -> float:
    """Fall to 0 at the last move: ratios are about 1 to 10, and never far from each other."""
    return WARM * (1 - move / moves) ** 2


class _Draws:
    """Uniform draws, made in blocks."""

    BLOCK = 4096

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._ready: list[float] = []

    def share(self) -> float:
        """In [0, 1)."""
        if not self._ready:
            self._ready = self._rng.random(self.BLOCK).tolist()
        return self._ready.pop()

    def below(self, count: int) -> int:
        """One of 0, ..., count − 1."""
        return int(self.share() * count)


def _drawn(sites: int, slots: int, draws: _Draws) -> Wandering:
    tolls = tuple(
        tuple(0.0 if r == o else _toll(draws) for r in range(sites)) for o in range(sites)
    )
    return Wandering(tolls, tuple(draws.below(sites) for _ in range(slots)))


def _toll(draws: _Draws) -> float:
    """Nothing, too much, or something in between."""
    kind = draws.share()
    if kind < 0.4:
        return 0.0
    return FORBIDDEN if kind < 0.8 else math.exp(math.log(CHEAP) * draws.share())


def _moved(trace: Wandering, most: int, draws: _Draws) -> Wandering:
    """Change a toll, a row of tolls, or the order of slots; now and then twice."""
    for _ in range(2 if draws.share() < 0.3 else 1):
        trace = _retolled(trace, draws) if draws.share() < 0.65 else _reordered(trace, most, draws)
    return trace


def _retolled(trace: Wandering, draws: _Draws) -> Wandering:
    sites = len(trace.tolls)
    origin, site = draws.below(sites), draws.below(sites)
    row = list(trace.tolls[origin])
    if draws.share() < 0.15:
        row = list(trace.tolls[site])
    elif 0 < row[site] < FORBIDDEN and draws.share() < 0.5:
        row[site] = min(row[site] * math.exp(SCALED * (2 * draws.share() - 1)), FORBIDDEN)
    else:
        row[site] = _toll(draws)
    row[origin] = 0.0
    return _with_row(trace, origin, row)


def _reordered(trace: Wandering, most: int, draws: _Draws) -> Wandering:
    """Give a slot another site, double a slot, leave one out, or move one."""
    origins, what = list(trace.origins), draws.below(4)
    here, there = draws.below(len(origins)), draws.below(len(origins))
    if what == 0:
        origins[here] = draws.below(len(trace.tolls))
    elif what == 1 and len(origins) < most:
        origins.insert(here, origins[there])
    elif what == 2 and len(origins) > 1:
        del origins[here]
    else:
        origins.insert(there, origins.pop(here))
    return Wandering(trace.tolls, tuple(origins))


def _simplified(played: _Played, epsilon: float) -> _Played:
    """Leave out slots and round tolls while the ratio keeps within `LOST`."""
    least = played.ratio * (1 - LOST)
    for simpler, places in (
        (_without_slot, len(played.trace.origins)),
        (_without_toll, len(played.trace.tolls) ** 2),
        (_rounded, len(played.trace.tolls) ** 2),
    ):
        changed = True
        while changed:
            changed = False
            for place in range(places):
                tried = (_Played(trace, epsilon, played) for trace in simpler(played.trace, place))
                found = next((other for other in tried if other.ratio >= least), None)
                if found is not None:
                    played, changed = found, True
    return played


def _without_slot(trace: Wandering, place: int) -> Iterator[Wandering]:
    """Leave out a slot, the last first."""
    here = len(trace.origins) - 1 - place
    if here >= 0 and len(trace.origins) > 1:
        yield Wandering(trace.tolls, (*trace.origins[:here], *trace.origins[here + 1 :]))


def _without_toll(trace: Wandering, place: int) -> Iterator[Wandering]:
    """Make a toll nothing, or else too much."""
    origin, site = divmod(place, len(trace.tolls))
    toll = trace.tolls[origin][site]
    for other in (0.0, FORBIDDEN) if toll < FORBIDDEN else (0.0,):
        if toll:
            yield _with_toll(trace, origin, site, other)


def _rounded(trace: Wandering, place: int) -> Iterator[Wandering]:
    """Give a toll one digit, or else two."""
    origin, site = divmod(place, len(trace.tolls))
    toll = trace.tolls[origin][site]
    for near in (float(f"{toll:.0e}"), float(f"{toll:.1e}")):
        if near == toll:
            return
        yield _with_toll(trace, origin, site, near)


def _with_toll(trace: Wandering, origin: int, site: int, toll: float) -> Wandering:
    row = list(trace.tolls[origin])
    row[site] = toll
    return _with_row(trace, origin, row)


def _with_row(trace: Wandering, origin: int, row: list[float]) -> Wandering:
    return Wandering((*trace.tolls[:origin], tuple(row), *trace.tolls[origin + 1 :]), trace.origins)


# The regularised slot (10) of mlBroker in closed form: one job whose data lie at one site.
#
# Where only moving data and deploying the job cost anything, shares y of its workers decide a slot
# of the tight relaxation: servers follow the workers, as nothing keeps them elsewhere, and (8g)
# asks for v >= y.  Left is
#
#     min Σ a y + (c/σ) Σ [(v+ε) ln((v+ε)/(p+ε)) − v + p],   v = max(p, y),  Σ y = 1,  y >= 0
#
# with a what it costs to have all data at a site, and p the deployment one slot before.  At a
# multiplier λ of Σ y = 1 a site that costs more than λ gets nothing; one that costs λ takes up to
# p, which is deployed already; and one that costs less rises to y + ε = (p+ε) exp(σ (λ−a)/c), the
# derivative of the entropy term being (c/σ) ln((v+ε)/(p+ε)).  So sites fill in the order of their
# costs, and e^(σλ/c) is a quotient: beside the weights e^(−σa/c), which a trace has once and for
# all, nothing but sums, products and quotients is needed.
#
# λ never exceeds c, as the data's own site costs nothing and (p+ε) (1+1/ε) >= 1 + ε there: a site
# that costs c or more gets nothing new, whatever it costs.


Number = TypeVar("Number", float, Fraction)


@dataclasses.dataclass(frozen=True, slots=True)
class Filled(Generic[Number]):
    """A slot's decision, in units of the deployment cost c."""

    deployed: list[Number]  #: By site, v in [0, 1].
    static: Number  #: Σ a y.
    moving: Number  #: Σ (v − p).


def filled(
    before: Sequence[Number],
    tolls: Sequence[Number],
    weights: Sequence[Number],
    order: Sequence[int],
    epsilon: Number,
) -> Filled[Number]:
    """Solve a slot: fill sites in the order of their tolls until the shares add up to 1.

    Doubles in, doubles out; with fractions the solution is exact.  By site: ``before`` is v(t−1) in
    [0, 1], p; ``tolls`` are >= 0 in units of c, a / c, one of them 0; ``weights`` are e^(−σ a / c),
    0 where nothing may run; ``order`` goes by growing toll.
    """
    total, count, last = epsilon * 0, 0, -1
    part = total
    for site in order:
        weight = weights[site]
        if not weight:
            break
        # what sites so far take once the multiplier has reached this one's toll
        missing = 1 - (total / weight - count * epsilon)
        if missing <= 0:
            break
        if before[site] >= missing:
            last, part = site, missing
            break
        total += (before[site] + epsilon) * weight
        count += 1
    level = 1 / weights[last] if last >= 0 else (1 + count * epsilon) / total
    deployed, static, moving = list(before), tolls[last] * part, total * 0
    for site in order[:count]:
        share = (before[site] + epsilon) * weights[site] * level - epsilon
        static += tolls[site] * share
        if share > before[site]:
            moving += share - before[site]
            deployed[site] = share
    return Filled(deployed, static, moving)
