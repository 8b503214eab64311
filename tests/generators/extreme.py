"""Tiny instances of every kind in extreme units, some of whose numbers are subnormal.

Money, data, time, resources and progress are multiplied by a power of two each, so that what is
multiplied and divided on the way overflows and underflows while costs and rewards stay what they
are, as far as doubles hold them.
"""

from __future__ import annotations

import collections
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from farkas.instances import Instance
from farkas.instances.coded import CodedComputing
from farkas.instances.dps import Market
from farkas.instances.eris import Auction
from farkas.instances.gadget import Cluster
from farkas.instances.mlbroker import Brokerage
from farkas.numbers import Floats

POWERS = (-1072, -1072, -1072, -1060, -1040, -520, 0, 0, 0, 520, 1000)
ODD = (0.0, 5e-324, 2.6e-314, 2.0**-1022, 1e-290, 1e300)
"""Numbers that take the place of some others."""
LEAST, LARGEST = 5e-324, 1.7e308


class Units:
    """Draws numbers; each group of them has a unit of its own, a power of two.

    Parameters
    ----------
    odd
        How many are replaced by one of `ODD`.
    """

    def __init__(self, rng: np.random.Generator, odd: float = 0.08) -> None:
        self.rng, self.odd = rng, odd
        self.power = collections.defaultdict[str, int](lambda: int(rng.choice(POWERS)))

    def pick(self, values: Sequence[Any]) -> Any:
        return values[int(self.rng.integers(len(values)))]

    def __call__(self, *values: float, **groups: int) -> float:
        """One of the values, in units of the groups: ``money=1, data=-1`` is money per data."""
        if self.rng.random() < self.odd:
            return float(self.pick(ODD))
        power = sum(self.power[group] * times for group, times in groups.items())
        return raised(self.pick(values), power)

    def positive(self, *values: float, **groups: int) -> float:
        return max(self(*values, **groups), LEAST)

    def prices(self, shape: tuple[int, ...], **groups: int) -> Floats:
        """Multipliers, half of them 0."""
        drawn = [
            self(0.1, 0.3, 0.5, 1.0, **groups) if self.rng.random() < 0.5 else 0.0
            for _ in range(math.prod(shape))
        ]
        return np.array(drawn).reshape(shape)

    def match(self, **sizes: float) -> None:
        """Take the units of groups from numbers in them."""
        self.power.update({group: int(np.frexp(size)[1]) for group, size in sizes.items()})


def raised(value: float, power: int) -> float:
    """Return ``value * 2**power`` as the nearest double, no more than `LARGEST`."""
    return float(min(Fraction(value) * Fraction(2) ** power, Fraction(LARGEST)))


def brokerage(rng: np.random.Generator) -> Instance:
    one, sites, slots = Units(rng), range(2), int(rng.integers(1, 3))
    rate = one.positive(1.0, 3.0, 0.1, 2.0**33, data=1)
    base = [[one(0.0, 1.0, 0.5, money=1, units=-1)] for _ in sites]
    to, back = (one(0.0, 1.0, 0.1, 3.0, money=1, data=-1) for _ in sites)
    job = {
        "arrival": 0,
        "departure": slots - 1,
        "worker_capacity": rate,
        "worker_demand": [one(0.0, 1.0, 0.3, units=1)],
        "server_demand": [one(0.0, 1.0, 2.0, units=1)],
        "sync_volume": one(0.0, 1.0, data=1),
        "deploy_cost": one(0.0, 1.0, 0.1, money=1),
        "data": [
            [one.pick((0.0, 1.0, 0.5, 1e-12)) * min(rate, 1e300) for _ in sites]
            for _ in range(slots)
        ],
    }
    return Brokerage.build(
        num_sites=2,
        num_slots=slots,
        num_resources=1,
        transfer_price=[[0.0, to], [back, 0.0]],
        base_price=base,
        discount_price=[[price * one.pick((0.0, 0.5, 1.0))] for (price,) in base],
        discount_threshold=[[one(1.0, 2.0, 0.3, units=1)] for _ in sites],
        epsilon=1.0,
        jobs=[job],
    )


def grains(rng: np.random.Generator) -> Instance:
    """Next to no data that are dear to move: a worker could train 2^1070 times as much."""
    one = Units(rng)
    rate, price = one.pick((1.0, 1.5)) * 2.0 ** one.pick((0, 10, 33)), one.pick((0.0, 2.0**-15))
    grain = raised(rate * rng.random() * one.pick((1, 2, 8)), -1074)
    dear = one.pick((2.0**1000, 2.0**1020)) * rng.random() / rate
    job = {
        "arrival": 0,
        "departure": 0,
        "worker_capacity": rate,
        "worker_demand": [1.0],
        "server_demand": [0.0],
        "sync_volume": 1.0,
        "deploy_cost": 0.0,
        "data": [[one.pick((0.5, 1.0)) * rate, grain]],
    }
    return Brokerage.build(
        num_sites=2,
        num_slots=1,
        num_resources=1,
        transfer_price=[[0.0, 2.0**-15], [dear, 0.0]],
        base_price=[[one.pick((0.0, 2.0**-25))], [price + one.pick((0.0, 2.0**-15))]],
        epsilon=1.0,
        jobs=[job],
    )


def auction(rng: np.random.Generator) -> Instance:
    one, slots = Units(rng), int(rng.integers(1, 3))
    jobs = [
        {
            "arrival": 0,
            "utility": sorted(one(0.0, 1.0, 0.3, 0.7, money=1) for _ in range(slots))[::-1],
            "data": one.pick(((1, 0), (0, 1), (1, 1), (0, 2))),
            "epochs": int(rng.integers(1, 3)),
            "worker_rate": int(rng.integers(1, 3)),
            "worker_demand": [one(1.0, 0.1, 0.3, 0.7, units=1)],
            "server_demand": [one(0.0, 1.0, 0.1, units=1)],
            "parameter_size": one(0.0, 1.0, 0.1, data=1),
        }
        for _ in range(int(rng.integers(1, 3)))
    ]
    return Auction.build(
        slots=slots,
        sites=2,
        resource_names=["cpu"],
        site_capacity=[[one(1.0, 2.0, 0.3, 0.7, units=1)] for _ in range(2)],
        transfer_budget=one(0.0, 1.0, 2.0, data=1),
        chunk_size=one(0.0, 1.0, 0.1, data=1),
        price_base_transfer=2.0,
        price_base_resource=[2.0],
        jobs=jobs,
    )


def market(rng: np.random.Generator) -> Instance:
    one, horizon = Units(rng), 3
    jobs = [
        {
            "arrival": arrival,
            "worker_type": 0,
            "ps_type": 0,
            "workers": int(rng.integers(1, 3)),
            "ps": 1,
            "model_size": one(0.0, 1.0, 60.0, data=1),
            "epochs": 1.0,
            "epoch_compute": one.positive(1.0, 0.5, 1.5),
            "budget": one(1.0, 0.3, 0.7, money=1),
        }
        for arrival in sorted(rng.integers(0, horizon, 3).tolist())
    ]
    return Market.build(
        horizon=horizon,
        occupancy=one.pick(("closed", "half_open")),
        slot_seconds=one.positive(1.0, time=1),
        price_cap=one.pick((None, one.positive(0.3, 1.0, money=1))),
        server_workers=[[1], [2]],
        server_ps=[[1], [1]],
        worker_bandwidth=[one.positive(1.0, data=1, time=-1)],
        ps_bandwidth=[one.pick((None, one.positive(6.0, data=1, time=-1)))],
        jobs=jobs,
    )


def cluster(rng: np.random.Generator) -> Instance:
    one, slots = Units(rng), int(rng.integers(1, 3))
    values = one.pick(((0.0, 1.0, 2.0), (0.0, 0.0, 1.0), (0.0, 0.6, 1.0)))
    curves = (
        lambda: {"kind": "linear", "slope": one(1.0, 0.3, money=1, progress=-1)},
        lambda: {
            "kind": "table",
            "step": one.positive(1.0, progress=1),
            "values": [one(value, money=1) for value in values],
        },
    )
    jobs = [
        {
            "arrival": 0,
            "demand": [one(1.0, 0.1, 0.3, 0.7, units=1)],
            "budget": [one.pick((None, one(1.0, 2.0, units=1)))],
            "max_workers": int(rng.integers(1, 4)),
            "bandwidth": one(0.0, 1.0, 0.3, rate=1),
            "efficiency": one.positive(1.0, 0.5, progress=1),
            "utility": one.pick(curves)(),
        }
        for _ in range(int(rng.integers(1, 3)))
    ]
    return Cluster.build(
        horizon=slots,
        resources=["gpu"],
        nodes=[{"capacity": [one(1.0, 0.3, 0.7, units=1)]} for _ in range(2)],
        links=[{"from": u, "to": 1 - u, "bandwidth": one(1.0, 0.3, rate=1)} for u in range(2)],
        jobs=jobs,
    )


def computing(rng: np.random.Generator) -> Instance:
    one, masters, workers = Units(rng, odd=0.0), range(int(rng.integers(1, 3))), range(2)
    rate = [[one.positive(1.0, 2.0, 0.3, time=-1) for _ in workers] for _ in masters]
    work = one.pick(((0,), (0, -990, -960, -300, 990)))
    shift = [
        [max(raised(one.pick((1.0, 0.2)) / max(u, 1e-307), one.pick(work)), LEAST) for u in row]
        for row in rate
    ]
    return CodedComputing.build(
        success_probability=one.pick((0.5, 0.9, 1e-3, 1e-300, LEAST, 1 - 2.0**-53)),
        masters=[{"rows": one.pick((1, 1, 3))} for _ in masters],
        workers=2,
        rate=rate,
        shift=shift,
    )


EXTREME: dict[str, Callable[[np.random.Generator], Instance]] = {
    "brokerage": brokerage,
    "grains": grains,
    "auction": auction,
    "market": market,
    "cluster": cluster,
    "computing": computing,
}
"""What draws them, by name; drawing may be refused."""
