"""Names of rows and columns, kept per family instead of per row."""

import dataclasses
import math

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
