"""Baseline mlbroker.central."""

import dataclasses

import numpy as np

from farkas.models.mlbroker.snapshot import Snapshot
from farkas.numbers import Floats, Ints
from farkas.online.driver import algorithm
from farkas.online.mlbroker.placing import Memory, Placing
from farkas.tolerances import TIE, allowed


@algorithm("mlbroker.central", source="mlBroker section 6.3, Central")
@dataclasses.dataclass(frozen=True)
class Central(Placing):
    """Every job moves all its data to the one site where that is cheapest for it alone."""

    def place(self, now: Snapshot, state: Memory) -> tuple[Ints, Ints]:
        """Place all workers and the server of each job at its site."""
        market = now.market
        costs = site_costs(now)
        cheap = costs <= allowed(costs.min(axis=1, keepdims=True), TIE)
        site = np.argmax(cheap, axis=1)  # the first of equally cheap ones
        workers = np.zeros((market.num_jobs, market.num_sites), np.int64)
        workers[np.arange(market.num_jobs), site] = market.workers_needed
        return workers, site


def site_costs(now: Snapshot) -> Floats:
    """Cost of each job if all of it is at one site, other jobs aside, shape (jobs, sites), USD."""
    market = now.market
    usage = market.workers_needed[:, None] * market.worker_demand + market.server_demand
    resources = market.resource_cost(usage[:, None, :]).sum(axis=2)
    entering = market.deploy_cost[:, None] * ~now.deployed
    costs: Floats = market.volume @ market.transfer + resources + entering
    return costs
