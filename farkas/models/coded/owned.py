"""Instances whose workers are given away."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.instances.coded import CodedComputing
from farkas.numbers import Ints


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Owned:
    """An instance whose workers are given away."""

    data: CodedComputing  #: The instance.
    owner: Ints  #: Shape (workers,), master of each worker, −1 where idle; Ω.

    @classmethod
    def of(cls, data: Owned | CodedComputing) -> Owned:
        """Return ``data``, or an instance whose workers are split in contiguous blocks."""
        return data if isinstance(data, Owned) else cls(data, blocks_owner(data))


def blocks_owner(data: CodedComputing) -> Ints:
    """Contiguous blocks: owner of each worker, shape (workers,)."""
    sizes = [len(block) for block in data.blocks]
    return np.repeat(np.arange(data.num_masters), sizes)
