"""Random items."""

from __future__ import annotations

import numpy as np

from farkas.instances.base import Count, Index
from farkas.instances.options import Settings


class Published(Settings, frozen=True, kw_only=True):
    """Numbers of items and dimensions, and the units that a bin holds of each.

    Items are drawn one by one, up to a whole bin; with ``pieces`` full bins are cut into so many.
    """

    items: Count = 20
    dimensions: Count = 2
    capacity: Count = 20
    pieces: Index = 0


PRESETS = {"small": {"items": 6}, "cut": {"items": 6, "pieces": 3}}


def draw(settings, rng):
    """Draw every size by itself, or cut full bins."""
    shape = settings.items, settings.dimensions
    if settings.pieces:
        bins = -(-settings.items // settings.pieces)
        cuts = (bins, settings.dimensions, settings.pieces - 1)
        ends = np.sort(rng.integers(0, settings.capacity + 1, cuts), axis=2)
        parts = np.diff(ends, axis=2, prepend=0, append=settings.capacity)
        sizes = rng.permutation(parts.swapaxes(1, 2).reshape(-1, settings.dimensions))[: shape[0]]
    else:
        sizes = rng.integers(0, settings.capacity + 1, shape)
    items = [{"size": row} for row in sizes.tolist()]
    return {"capacity": [settings.capacity] * settings.dimensions, "items": items}
