"""Jobs of kind gadget reply to prices of servers: worker-slots where these are cheapest.

A *row* is a resource of the servers of a class in a block: between two arrivals all slots are
alike, and so are servers with equal capacities.  Links have no prices.  A plan says how many
worker-slots a job has in each block on each class; it is worth what the job then earns beyond
never running.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import sparse

from farkas.certificates.gadget import PricedCluster
from farkas.certificates.priced_tree import Case, PricedTree
from farkas.decomposition.column_generation import MOST_ROUNDS, DualPoint, price_rows
from farkas.decomposition.master import Master, Pool
from farkas.decomposition.protocol import Plans, Pricing, Tree
from farkas.instances.gadget import Cluster
from farkas.kernels import Floats1, Floats2, Floats3, Ints1, Ints2, Out, compiled
from farkas.numbers import Floats, Ints
from farkas.relaxations.gadget.offline_bound import ServerClasses
from farkas.relaxations.gadget.timeline import Timeline
from farkas.tolerances import TIE, ULP

CLASS_ROUNDS = 30  #: Rounds in which prices of classes of servers leave those of all.


def priced_apart(cluster: Cluster) -> list[Ints]:
    """Group servers as far as it may prove more than one price of all.

    It does not where a worker takes one unit of the only resource and servers hold whole units:
    what servers hold of a job then follows from its largest ring and from their capacity.
    """
    servers = np.flatnonzero(cluster.is_server)
    capacity, demand = cluster.capacity[servers], cluster.demand[cluster.reachable_slots > 0]
    units = capacity.shape[1] == 1 and (demand == 1).all() and (capacity == np.rint(capacity)).all()
    return [servers] if units and len(servers) else ServerClasses.of(cluster).members


class Gains(NamedTuple):
    """What jobs earn beyond never running, by worker-slots from 0 on, one job after the other."""

    first: Ints1  #: Shape (jobs + 1,), where the gains of a job begin.
    gain: Floats1

    @classmethod
    def of(cls, cluster: Cluster) -> Gains:
        """Compute those of all worker-slots that a job can reach."""
        some = [cluster.reward(i, np.arange(n + 1)) for i, n in enumerate(cluster.reachable_slots)]
        first = np.cumsum([0, *map(len, some)])
        gain = np.concatenate([np.zeros(0), *(row - row[0] for row in some)])
        return cls(first, gain * (1.0 - 4.0 * ULP))  # below the values of `PricedCluster`


class Market(NamedTuple):
    """What jobs are offered, and what they ask for."""

    end: Ints1  #: Shape (blocks,), after its last slot.
    length: Ints1  #: Shape (blocks,).
    arrival: Ints1  #: Shape (jobs,).
    ring: Ints1  #: Shape (jobs,), largest ring.
    held: Ints2  #: Shape (jobs, classes), workers on a class in one slot.
    demand: Floats2  #: Shape (jobs, resources).


@compiled
def best_count(
    price: Floats1,
    room: Ints1,
    number: Out[Ints1],
    gain: Floats1,
    above: float,
) -> float:
    """Find the number of worker-slots that earns most, and where they are cheapest.

    ``price`` and ``room`` are of a place; ``number`` takes the worker-slots there.  ``gain`` is by
    the number of worker-slots, and has to exceed ``above``.  Returns what is earned, 0 where
    nothing is.
    """
    order = np.argsort(-room, kind="mergesort")  # of places that cost as much, the largest first
    order = order[np.argsort(price[order], kind="mergesort")]
    best, most, spent, total = 0.0, 0, 0.0, 0
    for at in order:
        for _ in range(min(room[at], len(gain) - 1 - total)):
            total += 1
            spent += price[at]
            if gain[total] > above and gain[total] - spent > best:
                best, most = gain[total] - spent, total
    for at in order:
        number[at] = min(room[at], most)
        most -= number[at]
    return best


@compiled(steps=lambda market, gains, prices, *_: market.arrival.size * prices.size + gains[1].size)
def replies(
    market: Market,
    gains: Gains,
    prices: Floats3,
    payoff: Out[Floats1],
    number: Out[Ints2],
) -> int:
    """Find the best reply of every job.

    Prices are of a unit in a slot, shape (blocks, classes, resources).  ``payoff``, shape (jobs,),
    takes what jobs earn, ``number`` worker-slots, shape (jobs, blocks x classes).
    """
    blocks, classes, width = prices.shape
    price, room = np.zeros(blocks * classes), np.zeros(blocks * classes, np.int64)
    unit = np.zeros(classes)
    for job in range(len(market.arrival)):
        opens = np.searchsorted(market.end, market.arrival[job], side="right")
        for q in range(opens, blocks):
            for c in range(classes):
                unit[c] = 0.0
                for r in range(width):
                    unit[c] += market.demand[job, r] * prices[q, c, r]
            left, slots = (
                market.ring[job],
                min(market.length[q], market.end[q] - market.arrival[job]),
            )
            for c in np.argsort(unit, kind="mergesort"):
                taken = min(left, market.held[job, c])
                price[q * classes + c], room[q * classes + c] = unit[c], taken * slots
                left -= taken
        begin, gain = opens * classes, gains.gain[gains.first[job] : gains.first[job + 1]]
        payoff[job] = best_count(price[begin:], room[begin:], number[job, begin:], gain, 0.0)
    return 0


class GadgetPricing(Pricing):
    """Rows and replies; with ``pooled`` all servers are one class, else `priced_apart`."""

    def __init__(self, cluster: Cluster, *, pooled: bool = False) -> None:
        self.cluster, self.owners = cluster, cluster.num_jobs
        self.timeline = timeline = Timeline.of(cluster)
        self.classes = priced_apart(cluster)
        if pooled and self.classes:
            self.classes = [np.flatnonzero(cluster.is_server)]
        self.program = PricedCluster(cluster, timeline.start, self.classes)
        self._shape = blocks, classes, width = self.program.shape
        some = [cluster.capacity[members].sum(axis=0) for members in self.classes]
        capacity: Floats = np.array(some, np.float64).reshape(classes, width)
        limited = np.isfinite(capacity)
        #: Row of each block, class and resource, -1 where it is unlimited.
        self.row = np.full(self._shape, -1, np.int64)
        self.row[:, limited] = np.arange(blocks * limited.sum()).reshape(blocks, -1)
        units: Floats = timeline.length[:, None, None] * capacity
        self.rows = units[self.row >= 0]
        self.gains = Gains.of(cluster)
        self.most = np.array([max(self.gain(job)) for job in range(self.owners)], float)
        self._market = Market(
            timeline.start + timeline.length,
            timeline.length,
            cluster.arrival,
            cluster.max_workers,
            self.program.held,
            cluster.demand,
        )

    def gain(self, job: int) -> Floats:
        """Return what worker-slots of a job earn beyond none, shape (worker-slots + 1,)."""
        found: Floats = self.gains.gain[self.gains.first[job] : self.gains.first[job + 1]]
        return found

    def priced(self, prices: Floats) -> Floats:
        """Return prices of rows as shape (blocks, classes, resources), 0 where unlimited."""
        return np.where(self.row >= 0, np.append(prices, 0.0)[self.row], 0.0)

    def replies(self, prices: Floats, case: Case) -> tuple[Floats, Plans]:
        """See `Pricing.replies`."""
        gains = self.gains
        if case:
            gains = gains._replace(gain=gains.gain.copy())
            for i, window in case.items():
                own = slice(*gains.first[i : i + 2])
                gains.gain[own] = window.worth(gains.gain[own])
        blocks, classes, width = self._shape
        payoff, number = np.zeros(self.owners), np.zeros((self.owners, blocks * classes), np.int64)
        replies(self._market, gains, self.priced(prices), payoff, number)
        job, place = np.nonzero(number)
        worker_slots = number.sum(axis=1)
        owner = np.flatnonzero(worker_slots)
        value = self.gains.gain[self.gains.first[owner] + worker_slots[owner]]
        row = self.row.reshape(blocks * classes, width)[place]
        use = number[job, place][:, None] * self.cluster.demand[job]
        line = np.broadcast_to(owner.searchsorted(job)[:, None], row.shape)
        taken = (row >= 0) & (use > 0)
        shape = len(owner), len(self.rows)
        matrix = sparse.coo_array((use[taken], (line[taken], row[taken])), shape=shape)
        return payoff, Plans(owner, value, matrix.tocsr())

    def fine(self, prices: Floats) -> Floats:
        """See `Pricing.fine`."""
        return self.priced(prices).ravel()


def horizon_certificate(cluster: Cluster) -> PricedTree:
    """Certificate at the best prices of servers by block and class, from prices of all servers."""

    def settled(problem: GadgetPricing, rounds: int, start: Floats | None = None) -> DualPoint:
        forever, master = (lambda: math.inf), Master(problem, Pool(problem))
        *_, last = price_rows(problem, master, gap=TIE, left=forever, rounds=rounds, start=start)
        return last

    pooled, by_class = GadgetPricing(cluster, pooled=True), GadgetPricing(cluster)
    found = settled(pooled, MOST_ROUNDS)
    if len(by_class.classes) <= 1:
        return pooled.certificate(Tree.of(found.prices))
    start = np.broadcast_to(pooled.priced(found.prices), by_class.row.shape)[by_class.row >= 0]
    return by_class.certificate(Tree.of(settled(by_class, CLASS_ROUNDS, start).prices))
