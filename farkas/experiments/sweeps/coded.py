"""Guarantees of the assignment of workers to masters."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from farkas.experiments.sweeps.guarantee import guarantee
from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs

DEDICATED = ("coded.brute_force", "coded.iterated_greedy", "coded.round_lp", "coded.uniform")
"""Plans that give every worker to one master, as (P5) does."""


def _equal_masters(instance: CodedComputing) -> bool:
    speed = Pairs.of(instance).speed
    return bool(np.array_equal(speed, np.broadcast_to(speed[:1], speed.shape)))


@guarantee("coded.simple_greedy", "printed", source="Coded section III, remark on Algorithm 2",
           witnesses=DEDICATED, claim="coded.largest_first")  # fmt: skip
def as_printed(instance: CodedComputing, options: Mapping[str, Any]) -> float | None:
    """4/3 for masters that see every worker alike, over the optimum of (P5)."""
    return 4 / 3 if _equal_masters(instance) else None


@guarantee("coded.simple_greedy", "repaired", source="largest-first scheduling, maximising the "
           "least load", witnesses=DEDICATED, claim="coded.largest_first")  # fmt: skip
def sharper(instance: CodedComputing, options: Mapping[str, Any]) -> float | None:
    """(4 M − 2) / (3 M − 1) for masters that see every worker alike; tight for M = 2."""
    masters = Pairs.of(instance).speed.shape[0]
    return (4 * masters - 2) / (3 * masters - 1) if _equal_masters(instance) else None
