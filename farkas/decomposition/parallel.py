"""Exact replies of owners as tasks of an executor: others prove them, the numbers are the same.

Replies in doubles are not: kinds compile them, and a round of all owners takes less than asking.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from farkas.certificates.priced_tree import Case, PricedProgram, Replies
from farkas.executor import Executor
from farkas.numbers import Floats

PARTS = 2  #: Of the owners for each worker; the more, the more calls of numpy.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Owners that ascend, and what they reply to, as `PricedProgram.replies` takes it."""

    prices: Floats
    case: Case
    owners: Sequence[int]


class OwnerReplies:
    """Replies of some owners; `farkas.executor.SpreadWork`."""

    kernels = ()

    def __init__(self, program: PricedProgram) -> None:
        self._program = program

    def __call__(self, task: Asked) -> Sequence[Fraction]:
        """Bound what they earn."""
        return self._program.replies(task.prices, task.case, task.owners)


def parallel_replies(program: PricedProgram, executor: Executor) -> Replies:
    """Let others prove a program's replies, where there are others."""

    def replies(prices: Floats, case: Case, owners: Sequence[int]) -> Sequence[Fraction]:
        if not executor.elsewhere:
            return program.replies(prices, case, owners)
        whole = np.array(owners, np.int64)
        parts = [part.tolist() for part in np.array_split(whole, PARTS * executor.width)]
        tasks = [
            Asked(prices, {i: case[i] for i in part if i in case}, part) for part in parts if part
        ]
        step = program.steps() / max(1, program.owners)
        steps = [step * len(task.owners) for task in tasks]
        found = executor.each(OwnerReplies(program), program, tasks, steps)
        return [earned for part in found for earned in part]

    return replies
