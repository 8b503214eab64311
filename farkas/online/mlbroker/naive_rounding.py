"""Baselines mlbroker.ir and mlbroker.gr: rounding every number by itself."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.instances.mlbroker import Brokerage
from farkas.online.driver import algorithm
from farkas.online.mlbroker.environment import PlacedSlot
from farkas.online.mlbroker.fractional import FractionalSlot
from farkas.online.mlbroker.rounded import Rounded, clean
from farkas.rounding import add_missing_workers, draw_servers


@algorithm("mlbroker.ir", source="mlBroker section 6.2, IR")
@dataclasses.dataclass(frozen=True)
class IndependentRounding(Rounded):
    """Workers rounded to the nearest integer, server drawn by its shares; too few are added to.

    The paper does not say what happens to a job left with too few workers.  Here the decision
    counts such jobs and repairs them where most data are untrained.
    """

    def round(
        self, decision: FractionalSlot, market: Brokerage, rng: np.random.Generator
    ) -> PlacedSlot:
        """Round to the nearest, then repair."""
        workers, server = clean(decision, market)
        nearest = np.floor(workers + 0.5).astype(np.int64)
        short = nearest.sum(axis=1) < market.workers_needed
        for job in np.flatnonzero(short):
            nearest[job] = add_missing_workers(
                nearest[job],
                int(market.workers_needed[job]),
                market.volume[job],
                float(market.worker_capacity[job]),
            )
        return PlacedSlot(decision.jobs, nearest, draw_servers(server, rng), int(short.sum()))


@algorithm("mlbroker.gr", source="mlBroker section 6.2, GR")
@dataclasses.dataclass(frozen=True)
class GreedyRounding(Rounded):
    """Workers rounded up, server where its share is largest, the first such site on ties."""

    def round(
        self, decision: FractionalSlot, market: Brokerage, rng: np.random.Generator
    ) -> PlacedSlot:
        """Round up."""
        workers, server = clean(decision, market)
        return PlacedSlot(
            decision.jobs, np.ceil(workers).astype(np.int64), np.argmax(server, axis=1)
        )
