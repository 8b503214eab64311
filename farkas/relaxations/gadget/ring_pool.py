"""Rings that any job may take over: found for one, priced for all by array operations."""

from __future__ import annotations

import numpy as np

from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Floats, Ints, floats
from farkas.relaxations.gadget.ring_pricing import noise


class Uses:
    """What rings use of nodes or links, without the zeros."""

    def __init__(self) -> None:
        nothing = np.zeros(0, np.int64)
        self.rings, self._ring, self._item, self._count = 0, nothing, nothing, nothing

    def add(self, counts: Ints) -> None:
        """Add rings, shape (rings, items)."""
        ring, item = np.nonzero(counts)
        self._ring = np.append(self._ring, self.rings + ring)
        self._item = np.append(self._item, item)
        self._count = np.append(self._count, counts[ring, item])
        self.rings += len(counts)

    def worth(self, price: Floats) -> Floats:
        """Sum of the prices of what each ring uses, shape (rings,)."""
        return floats(np.bincount(self._ring, self._count * price[self._item], self.rings))


class RingPool:
    """Workers and links of rings, whoever they were found for.

    Parameters
    ----------
    slot
        Whose jobs may take them.
    """

    def __init__(self, slot: SlotView) -> None:
        self.slot = slot
        self.rings = Rings.none(slot.cluster)
        self._known: set[bytes] = set()
        self._gains = np.zeros((len(slot.jobs), 0))
        self._on_nodes, self._on_links = Uses(), Uses()

    def add(self, rings: Rings) -> None:
        """Take in what is not there yet."""
        fresh = []
        for place in range(len(rings)):
            key = rings.workers[place].tobytes() + rings.flow[place].tobytes()
            if key not in self._known:
                self._known.add(key)
                fresh.append(place)
        if fresh:
            new = rings.take(fresh)
            self.rings = Rings.join([self.rings, new], self.slot.cluster)
            self._on_nodes.add(new.workers)
            self._on_links.add(new.flow)
            self._gains = np.concatenate([self._gains, self._worth(new)], axis=1)

    def most(self, node_price: Floats, link_price: Floats) -> Floats:
        """Return the profit of the best ring here of every job.

        Parameters
        ----------
        node_price
            Shape (nodes, resources), per unit; λ >= 0.
        link_price
            Shape (links,), per Gbps; ν >= 0.

        Returns
        -------
        Shape (participants,), -inf for jobs that can take none.
        """
        return floats(self._profit(node_price, link_price).max(axis=1, initial=-np.inf))

    def better(self, node_price: Floats, link_price: Floats, floor: Floats) -> Rings:
        """Return the best rings here of every job, where these are worth more than ``floor``.

        Of rings that are worth the same all are returned: servers that are alike make many of
        them, and a master that is given one at a time is solved again for each.

        Parameters
        ----------
        node_price, link_price
            As in `most`.
        floor
            Shape (participants,).
        """
        slot = self.slot
        profit = self._profit(node_price, link_price)
        best, none = profit.max(axis=1, initial=-np.inf), noise(slot, floor)
        good = profit >= np.where(best > floor + none, best - none, np.inf)[:, None]
        place, ring = np.nonzero(good)
        found = self.rings.take(ring)
        return Rings(slot.jobs[place], found.size, found.workers, found.flow)

    def _profit(self, node_price: Floats, link_price: Floats) -> Floats:
        """Gain less price of every job with every ring, -inf where it does not fit."""
        slot, cluster = self.slot, self.slot.cluster
        hosted = np.column_stack([self._on_nodes.worth(price) for price in node_price.T])
        profit = self._gains - cluster.demand[slot.jobs] @ hosted.T
        profit -= cluster.bandwidth[slot.jobs][:, None] * self._on_links.worth(link_price)
        return floats(profit)

    def _worth(self, rings: Rings) -> Floats:
        """Gain of every job with every ring, -inf where it does not fit; shape (jobs, rings)."""
        slot = self.slot
        worth = np.full((len(slot.jobs), len(rings)), -np.inf)
        some = np.flatnonzero(rings.size <= slot.gains.shape[1])
        new = rings.take(some)
        for place in range(len(slot.jobs)):
            fits = slot.allowed[place, new.size - 1]
            fits &= (new.workers <= slot.cap[place]).all(axis=1)
            fits &= (new.flow <= slot.uses[place]).all(axis=1)
            worth[place, some[fits]] = slot.gains[place, new.size[fits] - 1]
        return worth
