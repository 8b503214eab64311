"""The fewest bins, as an integer program, and its relaxation, which bounds every packing."""

from __future__ import annotations

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective


class Assignment(Program):
    """Every item goes into one bin, and bins that hold something count.  Martello, Toth (1990).

    As many bins as items are there.
    """

    name = "binpacking.assignment"
    kind = "binpacking"
    sense = "min"
    whole = True

    def declare(self, m, data):
        """Sets, parameters and variables."""
        m.pieces = Set(range(len(data.items)), label="item")
        m.bins = Set(range(len(data.items)), label="bin")
        m.dimensions = Set(range(len(data.capacity)), label="dimension")
        sizes = [list(item.size) for item in data.items]
        m.size = Param(m.pieces, m.dimensions, values=sizes)
        m.capacity = Param(m.dimensions, values=list(data.capacity))
        m.inside = Var(
            m.pieces, m.bins, integer=self.whole, upper=1.0, doc="Item i is in bin b; x."
        )
        m.used = Var(m.bins, integer=self.whole, upper=1.0, doc="Bin b holds something; y.")

    @constraint("1", "pieces")
    def every_item_is_somewhere(m, i):
        """An item goes into one bin."""
        return Sum(m.inside[i, b] for b in m.bins) == 1

    @constraint("2", "bins", "dimensions")
    def bins_are_large_enough(m, b, d):
        """What is in a bin fits, and a bin that holds something is used."""
        return Sum(m.size[i, d] * m.inside[i, b] for i in m.pieces) <= m.capacity[d] * m.used[b]

    @objective
    def bins_in_use(m):
        """Bins that hold something."""
        return Sum(m.used[b] for b in m.bins)


class Shares(Assignment):
    """Items may be split: as many bins as the fullest dimension fills."""

    name = "binpacking.shares"
    whole = False
