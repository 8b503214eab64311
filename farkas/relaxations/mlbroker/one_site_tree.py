"""All jobs of a slot placed together where one site a job is best: a tree over the discounts.

In a node every cell, a site and a resource each, has a linear price: that of the chord, the list
price, or the discounted one with its surcharge.  At these prices jobs do not meet, and
`farkas.relaxations.mlbroker.one_site` bounds what each costs.  What its best sites really cost is
more where a cell on the chord is used in part; the cell where this is most is branched on.
"""

from __future__ import annotations

import heapq
import itertools

import numpy as np

from farkas.models.mlbroker.snapshot import Snapshot
from farkas.numbers import Floats, Ints
from farkas.relaxations.mlbroker.one_site import SingleSites
from farkas.tolerances import TIE

FREE, LIST, REDUCED = 0, 1, 2  #: Price of a cell: the chord's slope, a, or b with the surcharge.
MOST_NODES = 200


def best_sites_together(now: Snapshot) -> Ints | None:
    """Find the cheapest sites of all jobs.

    Returns
    -------
    Shape (jobs,); None where some jobs may be better at several sites each.
    """
    jobs, chord = SingleSites(now), now.market.chord_slope("strict")[0]
    tickets = itertools.count()
    best, sites = np.inf, np.zeros(now.market.num_jobs, np.int64)
    waiting: list[tuple[float, int, Ints, Floats]] = []

    def grow(state: Ints) -> None:
        nonlocal best, sites
        bound, cost, at, excess = _node(jobs, chord, state)
        if cost < best:
            best, sites = cost, at
        heapq.heappush(waiting, (bound, next(tickets), state, excess))

    grow(np.zeros(chord.shape, np.int64))
    while waiting[0][0] < best - TIE * best:
        _, number, state, excess = heapq.heappop(waiting)
        if number >= MOST_NODES or not excess.max() > TIE * best:
            return None
        for price in (LIST, REDUCED):
            branch = state.copy()
            branch.flat[excess.argmax()] = price
            grow(branch)
    return sites


def _node(jobs: SingleSites, chord: Floats, state: Ints) -> tuple[float, float, Ints, Floats]:
    """Bound and cost, USD, the sites that cost it, and by how much cells on the chord cost more."""
    market = jobs.market
    slope = np.where(state == LIST, market.list_price, chord)
    slope = np.where(state == REDUCED, market.reduced_price, slope)
    whole, below = jobs.place(slope)
    sites = whole.argmin(axis=1)
    usage = jobs.usage(sites)
    paid = market.resource_cost(usage)
    bound = below.min(axis=1).sum() + market.surcharge[state == REDUCED].sum()
    cost = jobs.apart[np.arange(len(sites)), sites].sum() + paid.sum()
    return float(bound), float(cost), sites, np.where(state == FREE, paid - slope * usage, 0.0)
