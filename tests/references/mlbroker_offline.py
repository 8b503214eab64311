"""The optimum of mlBroker (8) on two sites, by enumeration."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from farkas.instances.mlbroker import Brokerage


def enumerated(data: Brokerage, semantics: str) -> float:
    """Optimum of (8) on two sites by trying all workers and servers.

    With (y, s) given and two sites every cost has a closed form.  Strict: a deployment is paid
    at each entry and every worker connects to the server.  Printed: a site is paid once per life,
    and the Y cheapest connections suffice, since other workers connect to their own site.
    """
    assert data.num_sites <= 2
    most = data.most_workers("strict" if semantics == "strict" else "printed")
    choices = [
        [
            (y, p)
            for y in itertools.product(range(most[pair] + 1), repeat=data.num_sites)
            for p in range(data.num_sites)
            if sum(y) >= data.workers_needed[pair]
        ]
        for pair in range(data.num_pairs)
    ]
    return min(
        (_cost(data, plan, semantics) for plan in itertools.product(*choices)), default=math.inf
    )


def _cost(data: Brokerage, plan: Any, semantics: str) -> float:
    total = 0.0
    usage = np.zeros((data.num_slots, data.num_sites, data.num_resources))
    for pair, (y, p) in enumerate(plan):
        job = data.pair_job[pair]
        usage[data.pair_slot[pair]] += np.outer(y, data.worker_demand[job])
        usage[data.pair_slot[pair], p] += data.server_demand[job]
        total += _moving(data, pair, y) + _connecting(data, pair, y, p, semantics)
        total += data.deploy_cost[job] * len(_paid_sites(data, pair, plan, semantics))
    return total + float(data.resource_cost(usage).sum())


def _moving(data: Brokerage, pair: int, y: tuple[int, ...]) -> float:
    capacity = data.worker_capacity[data.pair_job[pair]] * np.array(y)
    excess = np.maximum(data.volume[pair] - capacity, 0)
    # what exceeds one site's workers goes to the other site
    return float(
        sum(
            excess[r] * data.transfer[r, 1 - r]
            for r in range(data.num_sites)
            if r < 2 and data.num_sites == 2
        )
    )


def _connecting(data: Brokerage, pair: int, y: Any, p: int, semantics: str) -> float:
    price = data.transfer[:, p] * data.sync_volume[data.pair_job[pair]]
    each = sorted(itertools.chain.from_iterable([price[r]] * n for r, n in enumerate(y)))
    return float(sum(each if semantics == "strict" else each[: data.workers_needed[pair]]))


def _paid_sites(data: Brokerage, pair: int, plan: Any, semantics: str) -> set[int]:
    def present(number: int) -> set[int]:
        y, p = plan[number]
        return {r for r in range(data.num_sites) if y[r] > 0 or r == p}

    first = int(data.pair_start[data.pair_job[pair]])
    earlier = range(first, pair) if semantics == "printed" else range(max(first, pair - 1), pair)
    return present(pair) - set().union(*(present(n) for n in earlier))
