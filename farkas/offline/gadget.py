"""The greatest reward of kind gadget when all arrivals are known."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from farkas.errors import NoAnswer
from farkas.instances.gadget import Cluster
from farkas.models.gadget.slot import snapshot
from farkas.offline.methods import Candidate, OfflineSearch, SearchState, searches
from farkas.offline.price_search import price_search
from farkas.offline.search import policies
from farkas.online.gadget.columns import SlotPlans, column_rings
from farkas.online.gadget.environment import SchedulerState, received, totals
from farkas.online.gadget.plans import GadgetPlans
from farkas.tolerances import ROUNDING


def one_slot(instance: Cluster) -> SlotPlans:
    """Look at the last slot, with prices of links too, where all jobs come in it."""
    if (instance.arrival < instance.horizon - 1).any():
        raise NoAnswer("jobs come before the last slot")
    return SlotPlans(instance)


def pooled(instance: Cluster) -> GadgetPlans:
    """Take all servers for one: fewer rows, and often as good a bound."""
    return GadgetPlans(instance, pooled=True)


def slots_again(instance: Cluster, state: SearchState) -> Iterator[Candidate]:
    """Solve slots again, the last first, for what each adds to all others.

    Plans at prices know of no links, and policies of no later slot.  Ends when no slot gains.
    """
    slots = [*(state.decisions or ())]
    given, everybody = received(instance, slots)[-1], np.arange(instance.num_jobs)
    gained = True
    while gained:
        gained = False
        for slot in reversed(range(len(slots))):
            if state.over():
                return
            rest = given - received(instance, [slots[slot]])[-1]
            view = snapshot(instance, slot, rest)
            rings, _ = column_rings(view, float(state.gap))
            after, decided = SchedulerState(instance, everybody, rest, slot).run(rings)
            before, now = totals(instance, np.array([given, after.received]))
            if now > before + ROUNDING * abs(before):
                slots[slot], given, gained = decided, after.received, True
        if gained:
            yield Candidate("slots solved again for what they add to all others", [*slots])


searches.add(
    "gadget.optimum",
    OfflineSearch(
        "gadget.optimum",
        methods=(
            price_search(pooled, "prices that are the same on all servers"),
            policies("gadget.fifo", "gadget.las"),
            price_search(GadgetPlans, "prices of merged slots and servers"),
            price_search(one_slot, "prices of servers and links in the only slot"),
            policies("gadget.columns"),
            slots_again,
        ),
    ),
)
