"""Figures of mlBroker: ratios, costs by algorithm, and three clusters."""

import numpy as np

from farkas.experiments.figures.exhibit import Paper
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.recourse import PlacedWorkers
from farkas.numbers import Floats
from farkas.online import Run
from farkas.online.mlbroker.environment import PlacedSlot, by_pair

MLBROKER: Paper[Brokerage] = Paper("mlbroker", "mlBroker")


def usage_of(instance: Brokerage, run: Run) -> Floats:
    """Units that a run uses, shape (slots, sites, resources)."""
    decisions = [
        PlacedSlot(
            np.array(one["jobs"], np.int64),
            np.array(one["workers"], np.int64),
            np.array(one["server"], np.int64),
        )
        for one in run.decisions
    ]
    return PlacedWorkers.of(instance, *by_pair(instance, decisions)).usage()
