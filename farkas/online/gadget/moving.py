"""Rings of one slot moved to others where there is room, so that no job loses anything."""

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings
from farkas.numbers import Bools, Floats, Ints


class SpareRoom:
    """What a schedule leaves idle, slot by slot.

    Parameters
    ----------
    cluster
        The instance.
    schedule
        Rings of every slot; changed in place.
    """

    def __init__(self, cluster: Cluster, schedule: list[Rings]) -> None:
        self.cluster, self.schedule = cluster, schedule
        slots = range(cluster.horizon)
        self.node = np.stack([self._left(slot)[0] for slot in slots])
        self.link = np.stack([self._left(slot)[1] for slot in slots])
        self.busy = np.zeros((cluster.horizon, cluster.num_jobs), np.bool_)
        for slot, rings in enumerate(schedule):
            self.busy[slot, rings.job] = True

    def replace(self, slot: int, rings: Rings) -> None:
        """Run other rings in a slot."""
        self.schedule[slot] = rings
        self.node[slot], self.link[slot] = self._left(slot)
        self.busy[slot] = False
        self.busy[slot, rings.job] = True

    def empty(self, slot: int) -> bool:
        """Move rings of a slot, small ones first, to where there is room; says whether any moved.

        A ring moves as it is, or all its workers to one host.  Of several slots it takes the one
        with most idle units of what it needs most of.
        """
        rings, kept = self.schedule[slot], []
        for place in np.argsort(rings.size, kind="stable").tolist():
            one = rings.take([place])
            found = self._elsewhere(one, slot)
            if found is None:
                kept.append(place)
            else:
                self.replace(
                    found[0], Rings.join([self.schedule[found[0]], found[1]], self.cluster)
                )
        if len(kept) == len(rings):
            return False
        self.replace(slot, rings.take(np.sort(kept).astype(np.int64)))
        return True

    def _left(self, slot: int) -> tuple[Floats, Floats]:
        cluster, rings = self.cluster, self.schedule[slot]
        node: Floats = cluster.capacity - rings.node_load(cluster).sum(axis=0)
        link: Floats = cluster.link_bandwidth - rings.link_load(cluster).sum(axis=0)
        return node, link

    def _elsewhere(self, one: Rings, slot: int) -> tuple[int, Rings] | None:
        """Another slot with room for a ring, and the ring there."""
        cluster, job = self.cluster, int(one.job[0])
        demand, workers = cluster.demand[job], one.workers[0]
        load, flow = one.node_load(cluster)[0], one.link_load(cluster)[0]
        open_: Bools = ~self.busy[:, job] & (np.arange(cluster.horizon) >= cluster.arrival[job])
        open_[slot] = False
        slots: Ints = np.flatnonzero(open_)
        if not len(slots):
            return None
        main = int(np.argmax(demand))
        idle = self.node[slots][:, :, main].sum(axis=1)
        order = slots[np.argsort(-idle, kind="stable")]
        as_it_is = ((self.node[order] >= load) | (load == 0.0)).all(axis=(1, 2))
        as_it_is &= ((self.link[order] >= flow) | (flow == 0.0)).all(axis=1)
        if as_it_is.any():
            return int(order[as_it_is.argmax()]), one
        size = int(workers.sum())
        fits: Bools = (self.node[order] >= size * demand).all(axis=2)
        fits &= cluster.host_cap[job] >= size
        if not fits.any():
            return None
        at = int(fits.any(axis=1).argmax())
        counts = np.zeros((1, cluster.num_nodes), np.int64)
        counts[0, fits[at].argmax()] = size
        return int(order[at]), Rings(one.job, one.size, counts, np.zeros_like(one.flow))
