"""Names of rows and columns, kept per family instead of per row."""

import bisect
import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from farkas.numbers import Ints


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """One index set of a family.

    Parameters
    ----------
    labels
        One word per component of a member, for example ``("job", "slot")``.
    members
        Shape (size, len(labels)), integers; the order is that of rows or columns.
    """

    labels: tuple[str, ...]
    members: Ints

    @property
    def size(self) -> int:
        return len(self.members)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The consecutive rows (or columns) of one family, ordered like nested loops over its axes.

    Parameters
    ----------
    name
        Family or variable name, for example ``enough_workers``.
    label
        Equation label of the source, for example ``8a``; empty when it has none.
    start
        First row or column.
    axes
        Index sets, outermost first; none for a single row.
    doc
        One sentence in words.
    """

    name: str
    label: str
    start: int
    axes: tuple[Axis, ...] = ()
    doc: str = ""

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(axis.size for axis in self.axes)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def stop(self) -> int:
        return self.start + self.size

    @property
    def where(self) -> slice:
        return slice(self.start, self.stop)

    def index(self, position: int) -> tuple[int, ...]:
        """Member of the index sets at row or column ``position`` (absolute)."""
        if not self.start <= position < self.stop:
            raise IndexError(f"{position} is outside {self.name} ({self.start}..{self.stop - 1})")
        flat = np.unravel_index(position - self.start, self.shape) if self.axes else ()
        return tuple(
            int(component)
            for axis, place in zip(self.axes, flat, strict=True)
            for component in axis.members[place]
        )

    def short(self, position: int) -> str:
        """``enough_workers[3,7,2]``."""
        index = self.index(position)
        return f"{self.name}[{','.join(map(str, index))}]" if index else self.name

    def describe(self, position: int) -> str:
        """``enough_workers[job=3, slot=7, site=2]  (8a)``."""
        words = [label for axis in self.axes for label in axis.labels]
        parts = [f"{w}={i}" for w, i in zip(words, self.index(position), strict=True)]
        name = f"{self.name}[{', '.join(parts)}]" if parts else self.name
        return f"{name}  ({self.label})" if self.label else name


def find_block(blocks: Sequence[Block], position: int) -> Block:
    """Block that holds the row or column ``position``."""
    at = bisect.bisect_right(blocks, position, key=lambda block: block.stop)
    if at == len(blocks) or not blocks[at].start <= position < blocks[at].stop:
        raise IndexError(f"no family holds position {position}")
    return blocks[at]
