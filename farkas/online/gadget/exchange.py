"""Rings taken away, and others, of sizes that a knapsack chose, laid in the room they leave."""

from __future__ import annotations

import numpy as np

from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Bools, Floats, Ints
from farkas.relaxations.gadget.ring_pricing import RingPricing
from farkas.relaxations.gadget.ring_search import best_ring
from farkas.relaxations.gadget.ring_walks import RingTask
from farkas.relaxations.gadget.whole_sizes import WholeSizes, best_sizes, room_of
from farkas.tolerances import ROUNDING, TIE

#: How often sizes are chosen for the room that is left when some rings could not be laid.
CHOICES = 3

MOST_NEAR = 6  #: Rings near a server that are taken away at once, at most.

#: Share of the exchanges that take away every ring whose size is not the best on one server.
OFTEN = 0.8

#: Price of a worker where it is laid, at most; of a link it is the share that it takes of it.
SEAT = 0.3

FEW_LABELS = 1 << 12  #: Labels for one ring; where they do not suffice it is not laid.

MOST_EXCHANGES = 200  #: How often rings are exchanged in a slot, at most.

PATIENCE = 30  #: Exchanges without a gain after which no more are tried.


def exchanged(slot: SlotView, sizes: WholeSizes, rings: Rings, enough: float) -> Rings:
    """Rings at least as good, by exchanges until they are worth ``enough`` or none gains."""
    exchange = Exchange(slot, sizes, rings, np.random.default_rng(0))
    misses = 0
    for _ in range(MOST_EXCHANGES):
        value = exchange.value
        if value >= enough or misses == PATIENCE:
            break
        exchange.move()
        misses = 0 if exchange.value > value else misses + 1
    return exchange.rings


class Exchange:
    """Rings of a slot, made better by taking some away and laying others.

    Which jobs run with how many workers is chosen as if all servers were one, and the rings are
    then laid one after the other, those that need most of the links first.

    Parameters
    ----------
    slot
        The slot.
    sizes
        What rings of each size are worth.
    rings
        Rings that fit together.
    rng
        Draws what is taken away, and where equal rings are laid.
    """

    def __init__(
        self, slot: SlotView, sizes: WholeSizes, rings: Rings, rng: np.random.Generator
    ) -> None:
        self.slot, self.sizes, self.rng, self.rings = slot, sizes, rng, rings
        self.search = RingPricing(slot)
        knapsack = sizes.knapsack
        self.wanted = best_sizes(sizes.profit, knapsack.weight, knapsack.room)[1]

    @property
    def value(self) -> float:
        """Worth of the rings."""
        return self._worth(self.rings)

    def move(self) -> None:
        """Exchange some rings, unless those that could be laid instead are worth less."""
        kept = self.rings.take(self.kept())
        new = Rings.join([kept, self.laid(kept)], self.slot.cluster)
        value = self.value
        if self._worth(new) >= value - TIE * abs(value):
            self.rings = new

    def kept(self) -> Bools:
        """Draw which rings stay: not those near some server, nor most whose size is not wanted."""
        rings, rng = self.rings, self.rng
        away = np.zeros(len(rings), np.bool_)
        if rng.random() < OFTEN:
            away |= rings.size != self.wanted[self._place(rings)]
        far = self.search.hops(int(rng.integers(self.slot.cluster.num_nodes)))
        distance = np.where(rings.workers > 0, far, np.inf).min(axis=1, initial=np.inf)
        near = np.argsort(distance + rng.random(len(rings)))
        away[near[: rng.integers(1, MOST_NEAR + 1)]] = True
        return ~away

    def laid(self, kept: Rings) -> Rings:
        """Rings of other jobs, in the room that ``kept`` leave."""
        slot, cluster, knapsack = self.slot, self.slot.cluster, self.sizes.knapsack
        free = cluster.capacity - kept.node_load(cluster).sum(axis=0)
        left = cluster.link_bandwidth - kept.link_load(cluster).sum(axis=0)
        profit = self.sizes.profit.copy()
        profit[self._place(kept), 1:] = -np.inf
        found: list[tuple[int, Ints, Ints]] = []
        for _ in range(CHOICES):
            held = np.maximum(0.0, free[cluster.is_server, knapsack.resource])
            sizes = best_sizes(profit, knapsack.weight, room_of(held, knapsack.unit))[1]
            places = np.flatnonzero(sizes)
            if not len(places):
                break
            need = sizes[places] * cluster.bandwidth[slot.jobs[places]]
            need = need * (0.5 + 0.5 * self.rng.random(len(places)))
            for place in places[np.argsort(-need)].tolist():
                size, job = int(sizes[place]), int(slot.jobs[place])
                workers, flow = self.ring(place, size, free, left)
                if not workers.any():
                    profit[place, size:] = -np.inf  # no room for larger ones either
                    continue
                profit[place, 1:] = -np.inf
                free -= workers[:, None] * cluster.demand[job]
                left -= flow * cluster.bandwidth[job]
                found.append((job, workers, flow))
        return Rings.of(cluster, found)

    def ring(self, place: int, size: int, free: Floats, left: Floats) -> tuple[Ints, Ints]:
        """Workers and links of a ring in what is free of nodes and left of links; 0 if none fits.

        It takes small shares of links, and a drawn choice of servers.
        """
        cluster, job = self.slot.cluster, int(self.slot.jobs[place])
        cap = np.minimum(self.slot.cap[place], size)
        for r in np.flatnonzero(cluster.demand[job]).tolist():
            cap = np.minimum(cap, _times(free[:, r], float(cluster.demand[job, r]), size))
        need = float(cluster.bandwidth[job])
        uses = np.minimum(self.slot.uses[place], _times(left, need, size))
        none = np.zeros_like(cap), np.zeros_like(uses)
        if cap.sum() < size:
            return none
        share = np.full(len(left), ROUNDING)
        np.divide(need, left, out=share, where=(uses > 0) & np.isfinite(left) & (need > 0))
        worth = np.full(size + 1, -np.inf)
        worth[size] = 2.0 * size * (1 + len(left))  # more than the longest way round
        price = SEAT * self.rng.random(len(cap))
        task = RingTask(price, cap, share, uses, worth)
        _, _, workers, flow, _ = best_ring(self.search.network, task, 0.0, FEW_LABELS)
        return workers, flow

    def _place(self, rings: Rings) -> Ints:
        return self.slot.jobs.searchsorted(rings.job)

    def _worth(self, rings: Rings) -> float:
        return float(self.slot.gains[self._place(rings), rings.size - 1].sum())


def _times(room: Floats, need: float, most: int) -> Ints:
    """How often ``need`` fits into ``room``, at most ``most`` times."""
    if need <= 0:
        return np.full(len(room), most)
    with np.errstate(over="ignore"):  # a ratio beyond doubles does not limit anything
        fit = np.floor(np.maximum(0.0, room) / need + ROUNDING)
    return np.minimum(fit, most).astype(np.int64)
