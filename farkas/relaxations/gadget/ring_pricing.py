"""Best rings at prices on any network, job by job."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np

from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Floats, floats
from farkas.relaxations.gadget.ring_search import Arcs, RingTask, best_ring, best_rings
from farkas.tolerances import ROUNDING

#: Labels for one job, 48 bytes each; where they do not suffice the bound is above the best ring.
MOST_LABELS = 1 << 19

#: As `MOST_LABELS`, where a bound that is somewhat above the best ring does no harm.
LOOSE_LABELS = 1 << 15


class LabelBudget:
    """How many labels searches for rings may still follow together."""

    def __init__(self, left: int) -> None:
        self.left = left


@dataclasses.dataclass(frozen=True, eq=False)
class RingPricing:
    """Pricing of the jobs of a slot, whatever the network."""

    slot: SlotView  #: Whose jobs and sizes.
    alone: int  #: Labels of one search; with 0 labels walks remember nothing.
    labels: LabelBudget  #: Of all searches together.

    @cached_property
    def network(self) -> Arcs:
        """The network as the search reads it: links sorted by their ends."""
        cluster = self.slot.cluster
        source, target = cluster.link_source, cluster.link_target
        leaving, entering = np.argsort(source, kind="stable"), np.argsort(target, kind="stable")
        every = np.arange(cluster.num_nodes + 1)
        return Arcs(
            source,
            target,
            leaving,
            np.searchsorted(source[leaving], every),
            entering,
            np.searchsorted(target[entering], every),
        )

    @cached_property
    def worth(self) -> Floats:
        """Gain of 0, 1, ... workers, shape (participants, sizes + 1), -inf where not allowed."""
        slot = self.slot
        worth = np.full((len(slot.jobs), slot.gains.shape[1] + 1), -np.inf)
        worth[:, 1:][slot.allowed] = slot.gains[slot.allowed]
        return worth

    def replies(
        self, node_price: Floats, link_price: Floats, floor: Floats, worth: Floats
    ) -> tuple[Floats, Rings]:
        """Best ring of each job, where it is worth more than ``floor``.

        Parameters
        ----------
        node_price
            Shape (nodes, resources), per unit; λ >= 0.
        link_price
            Shape (links,), per Gbps; ν >= 0.
        floor
            Shape (participants,).
        worth
            Of sizes, as `worth`.

        Returns
        -------
        The most that any ring of the job is worth, or the floor if that is more, shape
        (participants,); and the rings.
        """
        slot, cluster = self.slot, self.slot.cluster
        worker = (cluster.demand[slot.jobs][:, None] * node_price).sum(axis=2)
        length = cluster.bandwidth[slot.jobs][:, None] * link_price
        least = floor + noise(slot, floor)
        best, most, on_nodes, on_links, _ = best_rings(
            self.network, worker, slot.cap, length, slot.uses, worth, slot.largest, least, 0
        )
        found = [
            (int(slot.jobs[place]), on_nodes[place], on_links[place])
            for place in np.flatnonzero(on_nodes.any(axis=1)).tolist()
        ]
        # no need to search on before what was found has changed the prices
        unsure = np.flatnonzero(best != most) if not found else np.zeros(0, np.int64)
        for place in unsure[np.argsort(least[unsure] - most[unsure], kind="stable")].tolist():
            labels = min(self.alone, self.labels.left)
            if not labels:
                break
            task = RingTask(
                worker[place],
                slot.cap[place],
                length[place],
                slot.uses[place],
                worth[place, : int(slot.largest[place]) + 1],
            )
            best[place], most[place], workers, flow, followed = best_ring(
                self.network, task, float(least[place]), labels
            )
            self.labels.left = max(0, self.labels.left - followed)
            if workers.any():
                found.append((int(slot.jobs[place]), workers, flow))
        return most, Rings.of(cluster, found)


def noise(slot: SlotView, floor: Floats) -> Floats:
    """Excess over ``floor`` that is none, shape (participants,)."""
    return floats(ROUNDING * np.maximum(np.abs(floor), slot.gains.max(axis=1, initial=0.0)))
