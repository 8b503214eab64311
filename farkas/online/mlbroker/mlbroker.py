"""Algorithm mlbroker.mlbroker."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.instances.mlbroker import Brokerage
from farkas.online.driver import algorithm
from farkas.online.mlbroker.environment import PlacedSlot
from farkas.online.mlbroker.fractional import FractionalSlot
from farkas.online.mlbroker.rounded import Rounded, clean
from farkas.rounding import draw_servers, round_workers
from farkas.rounding.workers import Combine


@algorithm("mlbroker.mlbroker", source="mlBroker Algorithms 1, 2 and 3")
@dataclasses.dataclass(frozen=True)
class MlBroker(Rounded):
    """Fractional decisions, rounded dependently so that all data are trained.

    Parameters
    ----------
    combine
        ``"max"`` is the paper's: the largest of a rounding per resource and one per job.
        ``"round2"`` takes the rounding per job alone, which is feasible already and cheaper.
    """

    combine: Combine = "max"

    def round(
        self, decision: FractionalSlot, market: Brokerage, rng: np.random.Generator
    ) -> PlacedSlot:
        """Round workers by Algorithm 3 and draw one server a job."""
        workers, server = clean(decision, market)
        placed = round_workers(workers, market.worker_demand, rng, combine=self.combine)
        return PlacedSlot(decision.jobs, placed, draw_servers(server, rng))
