"""Every job stays where it first had most data."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import msgspec
import numpy as np

from farkas.models.mlbroker.data import Snapshot
from farkas.online.driver import algorithm
from farkas.online.mlbroker.environment import Knowledge, PlacedSlot
from farkas.online.policy import Policy

Home = dict[int, list[int]]


@algorithm("mlbroker.stay_home", source="not in the paper; an example")
@dataclasses.dataclass(frozen=True)
class StayHome(Policy):
    """Workers stay at the sites where the job had most data on arrival.

    ``spread``: over how many sites they are spread evenly; the server is at the first of them.
    """

    spread: Annotated[int, msgspec.Meta(ge=1)] = 1

    def start(self, known: Knowledge, seed: int) -> Home:
        """Nobody has a home yet; nothing is random, so the seed is not used."""
        return {}

    def step(self, state: Home, arrivals: Snapshot) -> tuple[Home, PlacedSlot]:
        """Give new jobs a home, keep the old ones there."""
        market = arrivals.market
        home = {}
        workers = np.zeros((len(arrivals.jobs), market.num_sites), dtype=np.int64)
        for i, job in enumerate(arrivals.jobs.tolist()):
            order = np.argsort(-market.volume[i], kind="stable").tolist()
            home[job] = state.get(job, order[: self.spread])
            needed = max(1, int(market.workers_needed[i]))
            for k in range(needed):
                workers[i, home[job][k % len(home[job])]] += 1
        server = np.array([sites[0] for sites in home.values()], dtype=np.int64)
        return home, PlacedSlot(arrivals.jobs, workers, server)
