"""Names of rows and columns, kept per family instead of per row."""

import dataclasses
import math

from farkas.numbers import Ints


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """One index set of a family."""

    labels: tuple[str, ...]  #: One word per component of a member, for example ``("job", "slot")``.
    members: Ints  #: Shape (size, len(labels)), integers; the order is that of rows or columns.

    @property
    def size(self) -> int:
        return len(self.members)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The consecutive rows (or columns) of one family, ordered like nested loops over its axes."""

    name: str  #: Family or variable name, for example ``enough_workers``.
    label: str  #: Equation label of the source, for example ``8a``; empty when it has none.
    start: int  #: First row or column.
    axes: tuple[Axis, ...] = ()  #: Index sets, outermost first; none for a single row.
    doc: str = ""  #: One sentence in words.

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
