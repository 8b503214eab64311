"""Bins and the items that go into them."""

from __future__ import annotations

from farkas.instances.base import Count, Index, Instance, Record, require, require_length


class Item(Record, frozen=True, kw_only=True):
    """An item."""

    #: Shape (dimensions,), whole units >= 0: whether items fit is never rounded.
    size: tuple[Index, ...]


class Packing(Instance, frozen=True, kw_only=True, tag="binpacking"):
    """Items in order of arrival, and the capacity of every bin."""

    capacity: tuple[Count, ...]  #: Shape (dimensions,), whole units > 0.
    items: tuple[Item, ...]  #: Each fits into an empty bin.

    def check(self):
        """Every item has all dimensions, and fits into an empty bin."""
        require(len(self.capacity) > 0, "capacity is empty; give one dimension at least")
        for index, item in enumerate(self.items):
            require_length(item.size, len(self.capacity), f"items[{index}].size", "dimension")
            fits = all(s <= c for s, c in zip(item.size, self.capacity, strict=True))
            require(fits, f"items[{index}] is larger than a bin")
