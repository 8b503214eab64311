"""Baseline mlbroker.local."""

import dataclasses
import itertools
from collections.abc import Sequence

import numpy as np

from farkas.errors import NotApplicable
from farkas.instances.mlbroker import Brokerage
from farkas.instances.rounded import guarded_ceil
from farkas.models.mlbroker.recourse import PlacedWorkers
from farkas.models.mlbroker.snapshot import Snapshot
from farkas.numbers import Ints
from farkas.online.driver import algorithm
from farkas.online.mlbroker.environment import PlacedSlot
from farkas.online.mlbroker.placing import Memory, Placing
from farkas.online.mlbroker.recourse import recourse_costs
from farkas.rounding import add_missing_workers

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
