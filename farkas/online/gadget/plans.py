"""Plans at prices carried out: slots, servers and links of their rings.

Prices are of servers, so that a plan says how many worker-slots a job has on each class of servers
in each block of equal slots.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy import sparse

from farkas.decomposition.protocol import Demand, Fit
from farkas.instances.gadget import Cluster
from farkas.kernels import Floats1, Floats2, Floats3, Ints1, Ints2, Out, compiled
from farkas.models.gadget.rings import Rings
from farkas.numbers import Floats, Ints
from farkas.online.gadget.environment import Decision, PlacedRing, Room, SchedulerState, as_rings
from farkas.relaxations.gadget.pricing import GadgetPricing, best_count
from farkas.tolerances import ROUNDING


@compiled(steps=lambda free, *_: 4 * free.size)
def place_workers(
    free: Floats3,
    demand: Floats1,
    cap: Ints1,
    class_of: Ints1,
    ring: int,
    price: Floats2,
    factor: Floats2,
    planned: Ints2,
    block_of: Ints1,
    gain: Floats1,
    above: float,
    workers: Out[Ints2],
) -> int:
    """Find the workers of a job on every server in every slot from its arrival on; return how many.

    ``free`` are units, shape (slots, servers, resources); a worker takes ``demand``, an empty
    server holds ``cap`` workers, and a ring has ``ring`` at most.  ``price`` of a worker has shape
    (slots, classes); servers are chosen by what they hold times ``factor``, shape (slots, servers).
    ``planned`` are worker-slots, shape (blocks, classes), within which to stay; empty for the best
    at prices.  ``gain`` is by worker-slots and has to exceed ``above``; ``workers``, shape (slots,
    servers), is 0 at first.
    """
    slots, servers, width = free.shape
    classes = price.shape[1]
    held, room = np.zeros((slots, servers), np.int64), np.zeros((slots, classes), np.int64)
    for t in range(slots):
        for u in range(servers):
            most = float(cap[u])
            for r in range(width):
                if demand[r] > 0.0 and free[t, u, r] < math.inf:
                    most = min(most, free[t, u, r] / demand[r] + ROUNDING)
            held[t, u] = max(math.floor(most), 0)
            room[t, class_of[u]] += held[t, u]
    number = np.zeros((slots, classes), np.int64)
    if planned.size:
        spread(planned, block_of, room, ring, number)
    else:
        for t in range(slots):
            left = ring
            for c in np.argsort(price[t], kind="mergesort"):
                room[t, c] = min(room[t, c], left)
                left -= room[t, c]
        best_count(price.ravel(), room.ravel(), number.reshape(-1), gain, above)
    total = 0
    for t in range(slots):
        for c in range(classes):
            total += number[t, c]
            fill_servers(number[t, c], c, class_of, held[t], factor[t], workers[t])
    return total


@compiled
def spread(planned: Ints2, block_of: Ints1, room: Ints2, ring: int, number: Out[Ints2]) -> None:
    """Spread worker-slots of blocks evenly over their slots, those with most room first."""
    slots, classes = room.shape
    size = np.zeros(slots, np.int64)
    for c in range(classes):
        for q in range(len(planned)):
            for _ in range(planned[q, c]):
                best = -1
                for t in range(slots):
                    left = room[t, c] - number[t, c]
                    if block_of[t] == q and left > 0 and size[t] < ring:
                        less = best < 0 or size[t] < size[best]
                        if less or (
                            size[t] == size[best] and left > room[best, c] - number[best, c]
                        ):
                            best = t
                if best < 0:
                    break
                number[best, c] += 1
                size[best] += 1


@compiled
def fill_servers(
    size: int, kind: int, class_of: Ints1, held: Ints1, factor: Floats1, workers: Out[Ints1]
) -> None:
    """Place workers on the fullest server of a class that holds all, else on those with room."""
    best = -1
    for u in range(len(held)):
        fuller = best < 0 or held[u] * factor[u] < held[best] * factor[best]
        if class_of[u] == kind and held[u] >= size and fuller:
            best = u
    if best >= 0:
        workers[best] += size
        return
    for u in np.argsort(-held * factor, kind="mergesort"):
        if class_of[u] == kind:
            taken = min(size, held[u])
            workers[u] += taken
            size -= taken


class GadgetPlans(GadgetPricing):
    """Rings in the room that others leave; parameters as of `GadgetPricing`."""

    def __init__(self, cluster: Cluster, *, pooled: bool = False) -> None:
        super().__init__(cluster, pooled=pooled)
        self.offset = float(cluster.idle_reward.sum())
        self._servers = np.flatnonzero(cluster.is_server)
        class_of = np.zeros(cluster.num_nodes, np.int64)
        for number, members in enumerate(self.classes):
            class_of[members] = number
        self._class_of = class_of[self._servers]
        slots = np.arange(cluster.horizon)
        self._block_of = np.searchsorted(self.timeline.start, slots, side="right") - 1
        capacity = cluster.capacity[self._servers]
        units = np.broadcast_to(capacity, (cluster.horizon, *capacity.shape))
        links = np.broadcast_to(cluster.link_bandwidth, (cluster.horizon, cluster.num_links))
        #: Number of the limit of each slot, server and resource, and of each slot and link.
        self._limit, first = _numbered(units, 0)
        self._link, last = _numbered(links, first)
        self.hard = np.concatenate([units[self._limit >= 0], links[self._link >= 0]])
        row = self.row[self._block_of][:, self._class_of]
        self.row_of = np.append(row[self._limit >= 0], np.full(last - first, -1))
        #: Servers of slots are places; links of a slot are those of its first server.
        places = cluster.horizon * len(capacity)
        self._place = np.arange(places).reshape(cluster.horizon, len(capacity))
        at = np.broadcast_to(self._place[:, :, None], units.shape)[self._limit >= 0]
        self.place_of = np.append(at, np.nonzero(self._link >= 0)[0] * len(capacity))
        self._room = Room(cluster)

    def fits(self, owner: int, asked: Demand) -> Sequence[Fit]:
        """See `Pricing.fits`; one plan at most."""
        cluster, first = self.cluster, int(self.cluster.arrival[owner])
        if not cluster.reachable_slots[owner]:
            return []
        demand, gain = cluster.demand[owner], self.gain(owner)
        left = np.append(self.hard - asked.used, np.inf)
        workers = np.zeros((cluster.horizon - first, len(self._servers)), np.int64)
        unit = (self.priced(asked.prices) @ demand)[self._block_of[first:]]
        factor = np.append(asked.noise, np.zeros(self._place.size))[self._place[first:]]
        mean = factor.mean(axis=1, keepdims=True)
        place_workers(
            left[self._limit[first:]],
            demand,
            cluster.host_cap[owner, self._servers],
            self._class_of,
            int(cluster.max_workers[owner]),
            unit * mean,
            np.where(mean > 0, factor / np.where(mean > 0, mean, 1.0), 1.0),
            np.zeros((0, 0), np.int64) if asked.like is None else self._planned(asked.like, demand),
            self._block_of[first:],
            gain,
            asked.above,
            workers,
        )
        rings, limits, amounts = [], [np.zeros(0, np.int64)], [np.zeros(0)]
        for t in np.flatnonzero(workers.any(axis=1)).tolist():
            hosts = np.flatnonzero(workers[t])
            counts, walk = workers[t, hosts], list[int]()
            if len(hosts) > 1:
                self._room.residual = left[self._link[first + t]].tolist()
                found = self._room.join(owner, self._servers[hosts].tolist())
                if found is None:  # on one server what it holds
                    most = hosts[[counts.argmax()]]
                    workers[t, np.setdiff1d(hosts, most)] = 0
                    hosts, counts = most, workers[t, most]
                else:
                    walk = found
            rings.append((first + t, self._servers[hosts], counts, walk))
            limits.append(self._limit[first + t, hosts].ravel())
            amounts.append((counts[:, None] * demand).ravel())
            if walk:
                links, times = np.unique(walk, return_counts=True)
                limits.append(self._link[first + t, links])
                amounts.append(times * cluster.bandwidth[owner])
        total = min(int(workers.sum()), len(gain) - 1)
        if not total or gain[total] <= asked.above:
            return []
        limit, amount = np.concatenate(limits), np.concatenate(amounts)
        taken = (limit >= 0) & (amount > 0)
        return [Fit(float(gain[total]), limit[taken], amount[taken], rings)]

    def _planned(self, like: sparse.csr_array, demand: Floats) -> Ints:
        """Worker-slots of a plan, shape (blocks, classes)."""
        use = np.append(like.toarray(), 0.0)[self.row]
        asked = (self.row >= 0) & (demand > 0)
        share = np.where(asked, use / np.where(demand > 0, demand, 1.0), 0.0)
        planned: Ints = np.rint(share.max(axis=2)).astype(np.int64)
        return planned

    def decisions(self, plans: Mapping[int, Fit]) -> Sequence[Decision]:
        """See `Pricing.decisions`."""
        placed: list[dict[int, PlacedRing]] = [{} for _ in range(self.cluster.horizon)]
        for job, fit in plans.items():
            for slot, hosts, counts, walk in fit.what:
                workers = np.zeros(self.cluster.num_nodes, np.int64)
                workers[hosts] = counts
                placed[slot][job] = PlacedRing(workers, walk)
        return decisions_of(self.cluster, [as_rings(self.cluster, rings) for rings in placed])


def _numbered(limits: Floats, first: int) -> tuple[Ints, int]:
    """Return numbers of finite limits, -1 for the others, and the next number."""
    found = np.full(limits.shape, -1, np.int64)
    finite = np.isfinite(limits)
    last = first + int(np.count_nonzero(finite))
    found[finite] = np.arange(first, last)
    return found, last


def decisions_of(cluster: Cluster, schedule: Sequence[Rings]) -> list[Decision]:
    """Return rings slot by slot, as the environment evaluates them."""
    everybody, nothing = np.arange(cluster.num_jobs), np.zeros(cluster.num_jobs)
    seen, found = SchedulerState(cluster, everybody, nothing, 0), []
    for rings in schedule:
        seen, decision = seen.run(rings)
        found.append(decision)
    return found
