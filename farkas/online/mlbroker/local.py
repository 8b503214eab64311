"""Baseline mlbroker.local."""

import dataclasses
import itertools
from collections.abc import Sequence

import numpy as np

from farkas.errors import NotApplicable
from farkas.instances.mlbroker import Brokerage
from farkas.instances.rounded import guarded_ceil
from farkas.models.mlbroker.one_shot import Snapshot
from farkas.models.mlbroker.recourse import PlacedWorkers
from farkas.numbers import Floats, Ints
from farkas.online.driver import algorithm
from farkas.online.mlbroker.environment import PlacedSlot
from farkas.online.mlbroker.recourse import recourse_costs
from farkas.online.mlbroker.rounded import Memory, Placing
from farkas.rounding import add_missing_workers
from farkas.tolerances import TIE, allowed

MOST_CHOICES = 5000  #: Most choices of server sites over which the expectation is taken.


def local_workers(market: Brokerage) -> Ints:
    """Workers where the data are, shape (pairs, sites); ⌈D/P⌉, forgiving rounding errors."""
    capacity = market.worker_capacity[market.pair_job]
    workers = guarded_ceil(market.volume / capacity[:, None]).astype(np.int64)
    # Errors forgiven at many sites may add up to a worker.
    for pair in np.flatnonzero(workers.sum(axis=1) < market.workers_needed):
        workers[pair] = add_missing_workers(
            workers[pair], int(market.workers_needed[pair]), market.volume[pair], capacity[pair]
        )
    return workers


@algorithm("mlbroker.local", source="mlBroker section 6.3, LocalWorkers")
@dataclasses.dataclass(frozen=True)
class LocalWorkers(Placing):
    """Data are trained where they are collected; no data move.

    The paper leaves the server open; here every job draws one site on arrival and keeps it.
    """

    def step(self, state: Memory, arrivals: Snapshot) -> tuple[Memory, PlacedSlot]:
        """Place workers with the data; ``before`` holds each job's server site."""
        market = arrivals.market
        after = {}
        for job in arrivals.jobs.tolist():
            known = state.before.get(job)
            drawn = np.zeros(market.num_sites, bool)
            if known is None:
                drawn[state.rng.integers(market.num_sites)] = True
            after[job] = drawn if known is None else known
        servers = np.array([np.argmax(site) for site in after.values()], dtype=np.int64)
        decision = PlacedSlot(arrivals.jobs, local_workers(market), servers)
        return dataclasses.replace(state, before=after), decision


def local_total(instance: Brokerage, sites: Sequence[int]) -> float:
    """Cost of local with given server sites, one a job, every re-entry paid, USD."""
    server = np.asarray(sites, dtype=np.int64)[instance.pair_job]
    return recourse_costs(PlacedWorkers.of(instance, local_workers(instance), server)).total


def local_expected(instance: Brokerage) -> float:
    """Mean cost of local over all choices of one server site a job, USD.

    Raises
    ------
    NotApplicable
        More than `MOST_CHOICES` choices.
    """
    count = instance.num_sites**instance.num_jobs
    if count > MOST_CHOICES:
        raise NotApplicable(f"{count} choices of server sites are more than {MOST_CHOICES}")
    choices = itertools.product(range(instance.num_sites), repeat=instance.num_jobs)
    return float(np.mean([local_total(instance, sites) for sites in choices]))


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
