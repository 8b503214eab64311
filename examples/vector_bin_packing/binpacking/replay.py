"""Packings replayed in exact arithmetic: what ``farkas check`` believes."""

from __future__ import annotations

from farkas.errors import NotACertificate
from farkas.replay.base import Replay, Requirements, replays


@replays.register("binpacking")
def replay(instance, run):
    """Count the bins in use; none may hold more than its capacity."""
    places = run.decisions
    if len(places) != len(instance.items):
        raise NotACertificate(f"{len(places)} items are packed of {len(instance.items)}")
    if any(type(place) is not int or place < 0 for place in places):
        raise NotACertificate("a bin is no number from 0 on")
    kept, held = Requirements(), {}
    for place, item in zip(places, instance.items, strict=True):
        before = held.setdefault(place, [0] * len(item.size))
        held[place] = [used + more for used, more in zip(before, item.size, strict=True)]
    for place, used in sorted(held.items()):
        for dimension, (amount, limit) in enumerate(zip(used, instance.capacity, strict=True)):
            if amount > limit:
                kept.broken.append(f"bin {place} is too full in dimension {dimension}")
    return Replay.of(len(held), kept)
