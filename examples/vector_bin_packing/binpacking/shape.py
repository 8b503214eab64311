"""What ``farkas worst`` has to know of the kind: sizes, what to mend, what to leave out."""

from __future__ import annotations

from farkas.adversary.shape import KindShape, shapes, without


def mend(data):
    """Let every item fit into an empty bin."""
    for item in data["items"]:
        item["size"] = [min(s, c) for s, c in zip(item["size"], data["capacity"], strict=True)]


def smaller(data):
    """Leave out an item, or a dimension."""
    for item in range(len(data["items"]) if len(data["items"]) > 1 else 0):
        yield without(data, item, "items")
    for dimension in range(len(data["capacity"]) if len(data["capacity"]) > 1 else 0):
        yield without(data, dimension, "capacity", "items.*.size")


shapes.add(
    "binpacking",
    KindShape(
        # bins that can be full are where an order matters
        preset="cut",
        sizes={"items": "items", "dimensions": "dimensions", "capacity": "capacity"},
        smallest={"items": 6},
        mend=mend,
        smaller=smaller,
        records="items",
        witnesses=("binpacking.fewest",),
    ),
)
