"""All jobs of a slot placed together where one site a job is best: a tree over the discounts.

In a node every cell, a site and a resource each, has a linear price: that of the chord, the list
price, or the discounted one with its surcharge.  At these prices jobs do not meet, and what each
costs has a bound of its own.  What its best sites really cost is more where a cell on the chord is
used in part; the cell where this is most is branched on.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools

import msgspec
import numpy as np

from farkas.models.mlbroker.data import Snapshot
from farkas.models.mlbroker.one_shot import OneShot, first_busy_slot
from farkas.numbers import Bools, Floats, Ints
from farkas.solvers.subproblem import (
    Subproblem,
    SubproblemAnswer,
    own_solver,
    solve_subproblem,
)
from farkas.tolerances import TIE

# Jobs of a slot for which one site is best at given prices of resources, in closed form.
#
# With the server at p, workers y_r at sites r, u_r the price of a worker's resources and of its
# traffic to p, Y the workers needed, and c_r what it costs that the job was not at r before, a job
# with workers elsewhere than at p costs at least the larger of
#
#     server and c_p + Σ_o A_o min_r (m_or + u_r + c_r / Y) + (Y - Σ A) min_r (u_r + c_r / Y)
#     server and c_p + Σ_o A_o min_r (m_or + u_r) + (Y - Σ A) min_r u_r + min_{r ≠ p} c_r
#
# (at p itself without the second c_p): no site has more than Y workers that count, each load A_o
# moves to a worker, Y - Σ A workers are left, and a site beside p is entered.  Where all at one
# site costs no more than the least of this over p, it is best.


class SingleSites:
    """Jobs of a slot with all of each at one site.

    Attributes
    ----------
    apart
        Shape (jobs, sites), USD: what a site costs a job besides resources.
    """

    def __init__(self, now: Snapshot) -> None:
        market = self.market = now.market
        self._needed = market.workers_needed.astype(float)[:, None]
        self._entering = market.deploy_cost[:, None] * ~now.deployed
        self._load = market.trained_volume / market.worker_capacity[:, None]
        self._idle = np.maximum(self._needed - self._load.sum(axis=1, keepdims=True), 0.0)
        self._move = market.worker_capacity[:, None, None] * market.transfer
        self._wire = market.sync_volume[:, None, None] * market.transfer
        self.apart = self._entering + (self._load[:, :, None] * self._move).sum(axis=1)
        every = np.arange(market.num_sites)
        elsewhere = np.repeat(self._entering[:, None, :], len(every), axis=1)
        elsewhere[:, every, every] = np.inf
        self._beside = elsewhere.min(axis=2)

    def place(self, price: Floats) -> tuple[Floats, Floats]:
        """Price jobs at linear prices of resources.

        ``price``: shape (sites, resources), USD a unit.

        Returns
        -------
        Shape (jobs, sites) each, USD: all at the site; a bound on all placements with the server
        there.
        """
        worker = (self.market.worker_demand[:, None] * price).sum(axis=2)
        server = (self.market.server_demand[:, None] * price).sum(axis=2)
        whole = server + self._needed * worker + self.apart
        shared = self._below(worker, self._entering / np.maximum(self._needed, 1.0))
        beside = self._below(worker, np.zeros_like(worker)) + self._beside
        split = server + self._entering + np.maximum(shared, beside)
        return whole, np.minimum(whole, split)

    def _below(self, worker: Floats, more: Floats) -> Floats:
        """Bound what workers and moves cost, by site of the server; ``more`` a worker elsewhere."""
        every = np.arange(worker.shape[1])
        unit = (worker + more)[:, :, None] + self._wire
        unit[:, every, every] = worker
        below: Floats = self._idle * unit.min(axis=1)
        for origin in every:
            priced = self._move[:, origin, :, None] + unit
            below += self._load[:, origin, None] * priced.min(axis=1)
        return below

    def usage(self, site: Ints) -> Floats:
        """Units that jobs use at their sites, shape (sites, resources)."""
        used = np.zeros(self.market.list_price.shape)
        demand = self._needed * self.market.worker_demand + self.market.server_demand
        np.add.at(used, site, demand)
        return used


@own_solver("mlbroker.one_shot", "one_site")
def one_site(asked: Subproblem) -> SubproblemAnswer:
    """Place jobs at one site each where that is best, and ask HiGHS otherwise.

    At list prices jobs do not meet, and HiGHS is asked for each of the others by itself.
    """
    program, now = asked.formulation, asked.data
    assert isinstance(program, OneShot)
    if not isinstance(now, Snapshot):
        now = first_busy_slot(now)
    others = dataclasses.replace(asked, fastest="highs")
    if program.prices != "list":
        found = best_sites_together(now)
        if found is None:
            return solve_subproblem(dataclasses.replace(others, data=now))
        server, value, dual = found
        return SubproblemAnswer((_at_one(now, server), server), value, dual)
    server, cost, bound, best = best_single_sites(now)
    workers = _at_one(now, server)
    for job in np.flatnonzero(~best).tolist():
        here = slice(job, job + 1)
        answer = solve_subproblem(dataclasses.replace(others, data=_alone(now, here)))
        workers[here], server[here] = answer.decisions
        cost[job], bound[job] = answer.value, answer.dual
    return SubproblemAnswer((workers, server), float(cost.sum()), float(bound.sum()))


def _at_one(now: Snapshot, site: Ints) -> Ints:
    """Workers of jobs that are at one site each, shape (jobs, sites)."""
    workers = np.zeros(now.deployed.shape, np.int64)
    workers[np.arange(len(workers)), site] = now.market.workers_needed
    return workers


def _alone(now: Snapshot, here: slice) -> Snapshot:
    market = msgspec.structs.replace(now.market, jobs=now.market.jobs[here])
    return Snapshot(now.slot, now.jobs[here], market, now.deployed[here])


def best_single_sites(now: Snapshot) -> tuple[Ints, Floats, Floats, Bools]:
    """Find the cheapest site for all of each job at list prices, and whether nothing is cheaper.

    Returns
    -------
    Shape (jobs,) each: the first of equally cheap sites, cost and bound, USD, and whether.
    """
    whole, below = SingleSites(now).place(now.market.list_price)
    least, bound = whole.min(axis=1), below.min(axis=1)
    return whole.argmin(axis=1), least, bound, bound >= least - TIE * least


FREE, LIST, REDUCED = 0, 1, 2  #: Price of a cell: the chord's slope, a, or b with the surcharge.
MOST_NODES = 200


def best_sites_together(now: Snapshot) -> tuple[Ints, float, float] | None:
    """Find the cheapest sites of all jobs.

    Returns
    -------
    Shape (jobs,), with cost and bound, USD; None where some jobs may be better at several sites
    each.
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
    return sites, best, min(best, waiting[0][0])


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
