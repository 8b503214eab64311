"""Benchmarks 1 and 2: contiguous blocks of workers, uncoded and coded."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from farkas.errors import NotApplicable
from farkas.instances.coded import CodedComputing
from farkas.models.coded.owned import blocks_owner
from farkas.models.coded.plans import Allocation, dedicated_plan
from farkas.models.coded.uncoded import even_loads, uncoded_mean, uncoded_quantile
from farkas.online.coded.environment import Environment
from farkas.online.coded.owners import Planner
from farkas.online.driver import Outcome, algorithm


@algorithm("coded.uncoded", source="Coded section V, benchmark 1")
@dataclasses.dataclass(frozen=True)
class Uncoded(Planner):
    """Contiguous blocks, the rows split evenly and uncoded: every worker is needed.

    It sends exactly as many rows as are needed, so that the *expected* number never suffices: the
    surrogate has no value for it, which the run reports as broken requirements.  Mean and quantile
    of the last worker, which do exist, are among its numbers.
    """

    def plan(self, data: CodedComputing, seed: int) -> Allocation:
        """Split workers and rows; draws nothing."""
        loads = even_loads(data)
        if loads is None:
            raise NotApplicable("uncoded: a block is empty or holds a forbidden pair")
        return Allocation((loads > 0).astype(float), loads)

    def evaluate(self, instance: CodedComputing, decisions: Sequence[Allocation]) -> Outcome:
        """Add mean and quantile of the last worker."""
        found = Environment().evaluate(instance, decisions)
        loads = np.asarray(decisions[0].loads)
        mean = uncoded_mean(instance, loads)
        quantile = uncoded_quantile(instance, loads, instance.success_probability)
        more = {"mean_of_last": mean, "quantile_of_last": quantile}
        return dataclasses.replace(found, numbers={**found.numbers, **more})


@algorithm("coded.uniform", source="Coded section V, benchmark 2")
@dataclasses.dataclass(frozen=True)
class Uniform(Planner):
    """Contiguous blocks of equal size, the first N mod M one larger, with Theorem 1's loads."""

    def plan(self, data: CodedComputing, seed: int) -> Allocation:
        """Split the workers; draws nothing."""
        return dedicated_plan(data, blocks_owner(data))
