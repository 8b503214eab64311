"""Leases replayed in exact arithmetic: what ``farkas check`` believes."""

from collections import Counter

from farkas.errors import NotACertificate
from farkas.replay.base import Replay, Requirements, replays


@replays.register("lease")
def replay(instance, run):
    """Add up what is served; no machine may hold more than its capacity in any slot."""
    places = run.decisions
    if len(places) != len(instance.requests):
        raise NotACertificate(f"{len(places)} decisions on {len(instance.requests)} requests")
    if any(type(at) is not int or not -1 <= at < instance.machines for at in places):
        raise NotACertificate("a machine is no number from 0 on, or -1 for none")
    kept = Requirements()
    kept.broken = too_full(instance, places)
    return Replay.of(sum(earned(instance, places)), kept)


def earned(instance, places):
    """What each request earns."""
    each = zip(places, instance.requests, strict=True)
    return [one.worth if at >= 0 else 0 for at, one in each]


def too_full(instance, places):
    """Say where machines hold more than they can."""
    held = Counter()
    for at, one in zip(places, instance.requests, strict=True):
        for slot in range(one.arrival, one.arrival + one.slots if at >= 0 else 0):
            held[at, slot] += one.units
    over = sorted(where for where, units in held.items() if units > instance.capacity)
    return [f"machine {at} is too full in slot {slot}" for at, slot in over]
