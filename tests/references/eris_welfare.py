"""What jobs can be worth together, by when each completes: all ways, tried one by one."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np

from farkas.instances.eris import Auction
from farkas.models.eris.schedules import list_schedules

Finishes = tuple[int | None, ...]
"""Slots from the arrival to the completion, None for never, of every job."""


def ways(auction: Auction) -> set[Finishes]:
    """When jobs can complete together; data are few, and sums of them exact."""
    listed = list_schedules(auction)
    width = auction.sites * auction.num_resources * auction.slots
    uses = np.hstack([listed.transfer, listed.used.reshape(len(listed), width)])
    budget = np.full(auction.slots, auction.transfer_budget)
    room = np.concatenate([budget, np.repeat(auction.capacity, auction.slots)])
    choices = []
    for i, job in enumerate(auction.jobs):
        places = np.flatnonzero(listed.job == i)
        never = [(None, np.zeros(len(room)))]
        choices.append(
            never + [(job.utility.index(listed.worth[k]), uses[k]) for k in places.tolist()]
        )
    found: set[Finishes] = set()
    for chosen in itertools.product(*choices):
        finishes = tuple(finish for finish, _ in chosen)
        if finishes not in found:
            used = sum((use for _, use in chosen), np.zeros(len(room)))
            if (used <= room).all():
                found.add(finishes)
    return found


def welfare(auction: Auction, finishes: Finishes) -> Fraction:
    """What jobs are worth that complete then."""
    pairs = zip(auction.jobs, finishes, strict=True)
    return sum((Fraction(job.utility[d]) for job, d in pairs if d is not None), Fraction(0))
