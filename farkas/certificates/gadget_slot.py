"""Slots of kind gadget at prices of nodes and links, with exact searches for the best rings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from farkas.certificates.doubles import double
from farkas.certificates.gadget import (
    PricedCluster,
    dearest,
    grid_exponent,
    grid_of,
    rent_of,
    rounded_down,
    shortened,
    worth_of,
)
from farkas.certificates.priced_tree import Case, Layout, PricedProgram, priced_programs
from farkas.certificates.ring_profits import Effort, PricedRings, link_uses, ring_terms
from farkas.certificates.sums import LONGEST_SEARCH, affordable, finite, scaled
from farkas.errors import NotACertificate
from farkas.instances.gadget import Cluster
from farkas.numbers import Floats, Ints

ENCLOSED = 200  #: Steps of a search for rings that enclosing a reward takes as long as.


class PricedSlot(PricedProgram):
    """Jobs of one slot as owners; rows are resources of all nodes, then links.

    A plan is a ring, worth what it adds to the reward of its job, which has received so many
    worker-slots before.  The program ``name`` is ``gadget.gvne``, or ``gadget.offline`` where all
    jobs come in this slot, the last one: then schedules earn what jobs are worth that receive
    nothing, and what rings of the slot add.  Raises `NotACertificate`: the instance has no such
    slot, or it is not the only one with jobs.
    """

    name = "gadget.gvne"
    forgiven = PricedCluster.forgiven

    def __init__(self, cluster: Cluster, slot: int, received: Ints, name: str = name) -> None:
        if not 0 <= slot < cluster.horizon:
            raise NotACertificate(f"the instance has no slot {slot}")
        if len(received) != cluster.num_jobs or received.min(initial=0) < 0:
            raise NotACertificate("progress needs one count >= 0 for each job")
        if name != type(self).name:
            if (cluster.arrival < slot).any() or slot + 1 < cluster.horizon:
                raise NotACertificate(
                    f"a job comes before the last slot, or {slot} is not the last"
                )
            if received.any():
                raise NotACertificate("a job has received something before the last slot")
        self.instance, self.owners, self.name = cluster, cluster.num_jobs, name
        self.slot, self.received = slot, received
        self._nodes = cluster.num_nodes * cluster.num_resources
        self.width = self._nodes + cluster.num_links
        active = cluster.active(slot, received)
        #: Workers of the largest ring of each job, shape (jobs,).
        self.most_workers: Ints = np.where(active, cluster.ring_limit(received), 0)
        self._effort = Effort()  # of one check
        self._effort.spend(ENCLOSED * int(self.most_workers.sum()))
        self._gains: dict[int, list[Fraction]] = {}

    @property
    def layout(self) -> Layout:
        """Slot and progress."""
        return {"slot": ((self.slot,),), "received": (tuple(self.received.tolist()),)}

    @classmethod
    def laid_out(cls, instance: Cluster, name: str, layout: Layout) -> PricedSlot:
        """State the program of the slot that a file names."""
        if layout.keys() != {"slot", "received"} or [*map(len, layout.values())] != [1, 1]:
            raise NotACertificate(f"{name} in one slot is laid out by slot and received")
        slot, received = layout["slot"][0], layout["received"][0]
        if len(slot) != 1:
            raise NotACertificate(f"{name} is laid out by one slot")
        return cls(instance, slot[0], np.array(received, np.int64), name)

    @property
    def about(self) -> str:
        """Name the slot and what was received, unless they are the instance's own."""
        own = self.name != "gadget.gvne" or self.slot == self.instance.at_slot
        if own and not self.received.any():
            return self.name
        given = int(self.received.sum())
        received = f" after {given} worker-slots" if given else ""
        return f"{self.name} in slot {self.slot}{received}"

    def split(self, prices: Floats) -> tuple[Floats, Floats]:
        """Return prices of nodes, shape (nodes, resources), and of links, shape (links,)."""
        shape = self.instance.num_nodes, self.instance.num_resources
        return prices[: self._nodes].reshape(shape), prices[self._nodes :]

    def gains(self, job: int) -> list[Fraction]:
        """Bound what rings of 0, 1, ... workers add to the reward of a job from above."""
        if job not in self._gains:
            cluster, received = self.instance, int(self.received[job])
            before = worth_of(cluster, job, received)[0]
            sizes = range(1, int(self.most_workers[job]) + 1)
            more = (worth_of(cluster, job, received + k)[1] - before for k in sizes)
            self._gains[job] = [Fraction(0), *more]
        return self._gains[job]

    def values(self, owner: int) -> Floats:
        """Values of rings of 0, 1, ... workers, rounded up; shape (sizes + 1,)."""
        found = np.array([double(gain, up=True) for gain in self.gains(owner)], np.float64)
        return finite(found, "values of a job")

    def steps(self) -> float:
        """Count nodes for all sizes of rings."""
        sizes = self.most_workers.astype(float)
        return float(self.owners + self.width + self.instance.num_nodes * (sizes**2).sum())

    def rent(self, prices: Floats) -> Fraction:
        """Return the worth of all servers and links, and what jobs earn that never run."""
        cluster = self.instance
        node, link = self.split(prices)
        rent = rent_of(cluster.link_bandwidth, link)
        for u in np.flatnonzero(cluster.is_server).tolist():
            rent += rent_of(cluster.capacity[u], node[u])
        if self.name != type(self).name:
            idle = (worth_of(cluster, job, 0)[1] for job in range(self.owners))
            rent += sum(idle, Fraction(0))
        return shortened(rent)

    def replies(self, prices: Floats, case: Case, owners: Sequence[int]) -> Sequence[Fraction]:
        """Bound what the best ring of each of some jobs earns after paying."""
        cluster = self.instance
        node, link = self.split(prices)
        some = np.array([job for job in owners if self.most_workers[job]], np.int64)
        size = int(self.most_workers[some].max(initial=0))
        affordable(len(some) * cluster.num_nodes * size**2, "sizes of rings", LONGEST_SEARCH)
        demand, reserved = cluster.demand[some], cluster.bandwidth[some]
        top = max(
            dearest(node.max(axis=0), demand),
            dearest(link.max(initial=0.0, keepdims=True), reserved[:, None]),
        )
        grid = grid_exponent(top, ring_terms(cluster, size))
        worker = rounded_down(demand[:, None, :], node[None], grid)
        edge = rounded_down(reserved[:, None, None], link[None, :, None], grid)
        found = dict.fromkeys(owners, Fraction(0))
        for place, job in enumerate(some.tolist()):
            gains = self.gains(job)
            if job in case:
                worth = finite(case[job].worth(self.values(job)), "values of a job")
                gains = [*map(Fraction, worth.tolist())]
            found[job] = self._best(job, gains, worker[place], edge[place], grid)
        return [found[job] for job in owners]

    def _best(
        self, job: int, gains: list[Fraction], worker: Ints, edge: Ints, grid: int
    ) -> Fraction:
        """Profit of the best ring of a job, at least 0, rounded up.

        ``gains`` are of 0, 1, ... workers, at least the exact ones; ``worker`` and ``edge`` are
        prices in units of ``2**-grid``.  Gains are rounded up, and prices down, to the grid
        of the largest.  Who pays more than that for one worker or link loses anyway.
        """
        top = max(gains[1:], default=Fraction(0))
        if top <= 0:
            return Fraction(0)
        digits = grid_of(top)
        units = [math.ceil(gain * scaled(1, digits)) for gain in gains]
        most = max(units) + 1

        def lowered(prices: Ints) -> list[int]:
            return [min(most, math.floor(scaled(each, digits - grid))) for each in prices.tolist()]

        cluster, size = self.instance, len(gains) - 1
        ends = cluster.link_source.tolist(), cluster.link_target.tolist()
        uses = link_uses(cluster, job, size)
        rings = PricedRings(
            gain=[0, *units[1:]],
            price=lowered(worker),
            cap=np.minimum(cluster.host_cap[job], size).tolist(),
            links=list(zip(*ends, lowered(edge), uses, strict=True)),
        )
        return scaled(rings.best(effort=self._effort), -digits)


priced_programs.add(PricedSlot.name, PricedSlot)
