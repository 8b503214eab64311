"""The worst items for first fit decreasing: sizes and both packings in one integer program."""

from __future__ import annotations

import numpy as np

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective

UNITS = 20  #: Sizes are multiples of this share of a bin: what does not fit misses by one of them.


class WorstDecreasing(Program):
    """Sizes for which first fit by falling sums opens most bins, and a third as many bins suffice.

    Of the instance it takes the number of items, n, and of dimensions; n/3 bins hold all items.
    Sizes times choices are variables that are nothing where the choice is not taken.  First fit
    needs no large constants: where an item goes into a later bin, it and what came before it are
    more than the bin's capacity in some dimension.
    """

    name = "binpacking.worst_first_fit_decreasing"
    kind = "binpacking"
    sense = "max"

    def declare(self, m, data):
        """Sets, parameters and variables."""
        count = len(data.items)
        m.pieces = Set(range(count), label="item")
        m.falling = Set(range(count - 1), label="item")
        m.bins = Set(range(max(count // 3, 1)), label="bin")
        m.places = Set(range(count), label="place")
        m.dimensions = Set(range(len(data.capacity)), label="dimension")
        m.next = Param(m.falling, m.pieces, values=np.eye(count)[:-1] - np.eye(count, k=1)[:-1])
        m.earlier = Param(m.pieces, m.pieces, values=np.tri(count, k=-1).T)
        m.later = Param(m.places, m.places, values=np.tri(count, k=-1))
        size = (m.pieces, m.dimensions)
        m.size = Var(*size, integer=True, upper=float(UNITS), doc="Size in units of a bin; s.")
        m.inside = Var(m.pieces, m.bins, integer=True, upper=1.0, doc="Item i is in bin k; o.")
        m.share = Var(m.pieces, m.bins, m.dimensions, upper=float(UNITS), doc="s o.")
        m.put = Var(m.pieces, m.places, integer=True, upper=1.0, doc="First fit puts i into b; y.")
        m.held = Var(m.pieces, m.places, m.dimensions, upper=float(UNITS), doc="s y.")
        m.over = Var(
            m.pieces, m.places, m.dimensions, integer=True, upper=1.0,
            doc="Item i does not fit into b because of dimension d; z.",
        )  # fmt: skip
        m.open = Var(m.places, integer=True, upper=1.0, doc="First fit opens bin b; u.")

    @constraint("1", "falling")
    def sums_fall(m, i):
        """Items come by falling sums of their sizes."""
        return Sum(m.next[i, j] * m.size[j, d] for j in m.pieces for d in m.dimensions) >= 0

    @constraint("2", "pieces")
    def each_is_in_a_bin(m, i):
        """The better packing holds all items."""
        return Sum(m.inside[i, k] for k in m.bins) == 1

    @constraint("3", "pieces", "dimensions")
    def shares_add_up(m, i, d):
        """An item is nowhere else than where it is."""
        return Sum(m.share[i, k, d] for k in m.bins) == m.size[i, d]

    @constraint("4", "pieces", "bins", "dimensions")
    def shares_are_inside(m, i, k, d):
        """A bin holds what is in it."""
        return m.share[i, k, d] <= UNITS * m.inside[i, k]

    @constraint("5", "bins", "dimensions")
    def bins_hold_them(m, k, d):
        """The better packing fits."""
        return Sum(m.share[i, k, d] for i in m.pieces) <= UNITS

    @constraint("6", "pieces")
    def each_is_put_somewhere(m, i):
        """First fit packs all items."""
        return Sum(m.put[i, b] for b in m.places) == 1

    @constraint("7", "pieces", "dimensions")
    def held_adds_up(m, i, d):
        """An item is held where it was put only."""
        return Sum(m.held[i, b, d] for b in m.places) == m.size[i, d]

    @constraint("8", "pieces", "places", "dimensions")
    def held_where_put(m, i, b, d):
        """A bin holds what was put into it."""
        return m.held[i, b, d] <= UNITS * m.put[i, b]

    @constraint("9", "places", "dimensions")
    def places_hold_them(m, b, d):
        """First fit keeps capacities."""
        return Sum(m.held[i, b, d] for i in m.pieces) <= UNITS

    @constraint("10", "pieces", "places")
    def earlier_bins_were_too_full(m, i, b):
        """Where an item goes into a later bin, this one has no room for it."""
        later = Sum(m.later[c, b] * m.put[i, c] for c in m.places)
        return Sum(m.over[i, b, d] for d in m.dimensions) >= later

    @constraint("11", "pieces", "places", "dimensions")
    def no_room_means_too_much(m, i, b, d):
        """Without room the item and earlier ones are more than the capacity."""
        before = Sum(m.earlier[j, i] * m.held[j, b, d] for j in m.pieces)
        return before + m.size[i, d] >= (UNITS + 1) * m.over[i, b, d]

    @constraint("12", "places")
    def open_bins_hold_something(m, b):
        """A bin counts when an item was put into it."""
        return m.open[b] <= Sum(m.put[i, b] for i in m.pieces)

    @objective
    def opened(m):
        """Bins that first fit opens."""
        return Sum(m.open[b] for b in m.places)
