"""Schedules of the whole horizon: every slot solved again for what it adds to all others."""

from __future__ import annotations

from collections.abc import Iterator

from farkas.instances.gadget import Cluster
from farkas.offline.ladder import Ascent, Rung
from farkas.online.gadget.hindsight import decisions_of, schedules


def slots_again(instance: Cluster, ascent: Ascent) -> Iterator[Rung]:
    """Yield schedules that begin with the last slot, each better than the last; then the others."""
    for backwards in (True, False):
        words = f"slots on concave envelopes, {'last' if backwards else 'first'} one first"
        found = schedules(instance, float(ascent.gap), ascent.deadline.check, backwards=backwards)
        for schedule in found:
            yield Rung(words, decisions_of(instance, schedule))
            words = "slots solved again, for what they add to all others"
