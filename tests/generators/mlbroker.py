"""Random and extreme brokerages."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from farkas.instances import library
from farkas.instances.generate import generate
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.models.mlbroker.data import Constants, SlotProblem, Snapshot, snapshot


def random_brokerage(
    seed: int, sites: int = 2, slots: int = 3, jobs: int = 2, resources: int = 1, most: int = 2
) -> Brokerage:
    """Few sites, slots and workers; some zero data, zero prices and missing discounts."""
    rng = np.random.default_rng(seed)
    transfer = rng.uniform(0, 0.3, (sites, sites)) * (rng.random((sites, sites)) < 0.8)
    np.fill_diagonal(transfer, 0)
    base = rng.uniform(0.5, 3, (sites, resources))
    discount: Any = (base * rng.uniform(0.3, 1, base.shape)).tolist()
    discount[0][0] = None if rng.random() < 0.3 else discount[0][0]
    return Brokerage.build(
        name=f"random_{seed}",
        num_sites=sites,
        num_slots=slots,
        num_resources=resources,
        transfer_price=transfer,
        base_price=base,
        discount_price=discount,
        discount_threshold=rng.uniform(0, 4, base.shape),
        epsilon=float(rng.choice([0.01, 1.0, 10.0])),
        jobs=[_job(rng, sites, slots, resources, most) for _ in range(jobs)],
    )


def _job(rng: Any, sites: int, slots: int, resources: int, most: int) -> dict[str, Any]:
    arrival = int(rng.integers(slots))
    departure = int(rng.integers(arrival, slots))
    shape = (departure - arrival + 1, sites)
    data = rng.uniform(0, 10 * most / sites, shape) * (rng.random(shape) < 0.75)
    return {
        "arrival": arrival,
        "departure": departure,
        "worker_capacity": 10.0,
        "worker_demand": rng.integers(0, 3, resources).astype(float),
        "server_demand": rng.integers(0, 2, resources).astype(float),
        "sync_volume": float(rng.uniform(0, 5)),
        "deploy_cost": float(rng.uniform(0, 2)),
        "data": data,
    }


def without_discounts(broker: Brokerage) -> Brokerage:
    """Same broker at list prices."""
    return broker.replace(discount_price=None, discount_threshold=None)


def single(data: Any, **changes: Any) -> Brokerage:
    """One job that is always there, dear to move, on as many sites as its data have."""
    sites = len(data[0])
    job = {
        "arrival": 0,
        "departure": len(data) - 1,
        "worker_capacity": 10.0,
        "worker_demand": [1.0],
        "server_demand": [1.0],
        "sync_volume": 2.0,
        "deploy_cost": 1.0,
        "data": data,
    }
    job |= {key: changes.pop(key) for key in list(changes) if key in job}
    fields: dict[str, Any] = {
        "num_sites": sites,
        "num_slots": len(data),
        "num_resources": 1,
        "transfer_price": np.ones((sites, sites)) - np.eye(sites),
        "base_price": np.ones((sites, 1)),
        "epsilon": 1.0,
        "jobs": [job],
    }
    return Brokerage.build(**{**fields, **changes})


def edge_cases() -> dict[str, Brokerage]:
    """Instances at the borders of the definition."""
    two = single([[5.0, 5.0]])
    return {
        "no jobs": two.replace(jobs=[]),
        "one site": single([[25.0], [0.0], [7.0]]),
        "no data at all": single([[0.0, 0.0], [0.0, 0.0]]),
        "everything free": single(
            [[5.0, 5.0]], transfer_price=np.zeros((2, 2)), base_price=np.zeros((2, 1))
        ),
        "no demand": single([[5.0, 5.0]], worker_demand=[0.0], server_demand=[0.0]),
        "zero threshold": single(
            [[5.0, 15.0]], discount_price=[[0.5], [0.7]], discount_threshold=[[0.0], [0.0]]
        ),
        "threshold out of reach": single(
            [[5.0, 15.0]], discount_price=[[0.5], [0.7]], discount_threshold=[[99.0], [99.0]]
        ),
        "ties": single([[10.0, 10.0], [10.0, 10.0]]),
        # 2 workers train 20 GB; the count of needed workers forgives the rest
        "a hair above two workers": single([[20.0 * (1 + 4e-10)]], base_price=[[7.0]]),
        "a hair above nothing": single([[1e-9, 0.0]]),
        "large constant": single(
            [[5.0, 15.0]],
            discount_price=[[0.5], [0.7]],
            discount_threshold=[[2.0], [1.0]],
            big_m=50.0,
        ),
    }


def discounted() -> Brokerage:
    """One job in two slots, 30 GB at site 0, then 12 GB at site 1: 3 workers, then 2.

    A worker is one unit, the server two: 5 units at most, then 4.  A unit costs 1 USD up to the
    first, 0.5 beyond, so that M = 0.5 (5 - 1) = 2 and the chords cost 3/5 and 2.5/4 a unit.
    """
    return single(
        [[30.0, 0.0], [0.0, 12.0]],
        server_demand=[2.0],
        discount_price=[[0.5], [0.5]],
        discount_threshold=[[1.0], [1.0]],
    )


def tight_brokerage(seed: int, short: float) -> Brokerage:
    """Data that fill the needed workers up to a few units in the last place."""
    rng = np.random.default_rng(seed)
    sites, slots, resources = int(rng.integers(1, 4)), 2, 2
    base = rng.uniform(0.1, 3, (sites, resources))
    jobs = []
    for _ in range(int(rng.integers(1, 4))):
        capacity = rng.uniform(0.1, 50)
        needed = rng.integers(1, 40, slots)
        shares = rng.dirichlet(np.ones(sites), slots)
        jobs.append(
            {
                "arrival": 0,
                "departure": slots - 1,
                "worker_capacity": capacity,
                "worker_demand": rng.uniform(0, 2, resources),
                "server_demand": rng.uniform(0, 2, resources),
                "sync_volume": 1.0,
                "deploy_cost": 1.0,
                "data": shares * (capacity * needed * (1 + short))[:, None],
            }
        )
    return Brokerage.build(
        num_sites=sites,
        num_slots=slots,
        num_resources=resources,
        transfer_price=0.1 * (1 - np.eye(sites)),
        base_price=base,
        discount_price=base * 0.7,
        discount_threshold=rng.uniform(0, 20, base.shape),
        epsilon=1.0,
        jobs=jobs,
    )


def seen(broker: Brokerage, slot: int, deployed: Any) -> Snapshot:
    """Slot whose jobs were at some sites one slot before."""
    return dataclasses.replace(snapshot(broker, slot), deployed=np.array(deployed, bool))


def slots(semantics: Semantics) -> Iterator[SlotProblem]:
    """Slots of small brokers, with nothing and with something deployed before."""
    rng = np.random.default_rng(7)
    brokers = [library.load(f"mlbroker/{name}") for name in ("tiny", "quiet_slot", "set_cover")]
    brokers += [generate("mlbroker", "small", seed=4, transfer_scale=30.0)]
    for broker in brokers:
        constants = Constants.of(broker, semantics)
        for slot in range(broker.num_slots):
            market = snapshot(broker, slot).market
            shape = (market.num_jobs, market.num_sites)
            if market.num_jobs:
                for before in (np.zeros(shape), rng.uniform(0, 0.6, shape)):
                    yield SlotProblem(market=market, before=before, constants=constants)


def dual_cases() -> dict[str, Brokerage]:
    """Edge cases, random and shipped instances on which duals are compared."""
    names = ("tiny", "return_trip", "quiet_slot")
    return {
        **edge_cases(),
        **{f"random {n}": random_brokerage(n, sites=3, jobs=4, resources=2) for n in range(4)},
        **{name: library.load(f"mlbroker/{name}") for name in names},
    }


def leaf_states(nodes: Iterator[int], sites: int, resources: int) -> list[Any]:
    """Which price each cell has in the leaves of a tree in preorder, (sites, resources) each."""

    def below(state: Any) -> list[Any]:
        cell = next(nodes)
        if cell == 0:
            return [state]
        found = []
        for price in (1, 2):
            branch = state.copy()
            branch.flat[cell - 1] = price
            found += below(branch)
        return found

    return below(np.zeros((sites, resources), np.int64))


def even_brokerage(
    seed: int, sites: int = 0, slots: int = 2, jobs: int = 2, lasting: bool = False
) -> Brokerage:
    """Small whole numbers, so that much is tied; some sites, data, demands and prices are nothing.

    One to three sites where none is given; data, money and capacity in units of 2^-40, 1 or 2^40.
    Jobs that last are there in every slot.
    """
    rng = np.random.default_rng(seed)
    sites = sites or 1 + seed % 3
    data, money, units = 2.0 ** rng.choice([-40, 0, 40], 3)
    base = rng.integers(0, 4, (sites, 2)).astype(float)
    transfer = rng.integers(0, 3, (sites, sites)).astype(float)
    np.fill_diagonal(transfer, 0)
    made = []
    for _ in range(jobs):
        first = 0 if lasting else int(rng.integers(slots))
        last = slots - 1 if lasting else int(rng.integers(first, slots))
        made.append(
            {
                "arrival": first,
                "departure": last,
                "worker_capacity": 2.0 * data,
                "worker_demand": rng.integers(0, 3, 2) * units,
                "server_demand": rng.integers(0, 2, 2) * units,
                "sync_volume": float(rng.integers(0, 3)) * data,
                "deploy_cost": float(rng.integers(0, 4)) * money,
                "data": rng.integers(0, 3, (last - first + 1, sites)) * data,
            }
        )
    return Brokerage.build(
        name=f"even_{seed}",
        num_sites=sites,
        num_slots=slots,
        num_resources=2,
        transfer_price=transfer * money / data,
        base_price=base * money / units,
        discount_price=base * rng.choice([0.25, 0.5, 1.0], base.shape) * money / units,
        discount_threshold=rng.integers(0, 3, (sites, 2)) * units,
        epsilon=float(rng.choice([0.01, 1.0, 10.0])),
        jobs=made,
    )
