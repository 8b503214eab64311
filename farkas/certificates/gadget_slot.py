"""Certificates of single slots of kind gadget: prices of nodes and links, and exact searches."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from typing import Annotated

import msgspec
import numpy as np

from farkas.certificates.files import certificate_type
from farkas.certificates.gadget import (
    FORBIDDEN,
    MORE_DIGITS,
    ClusterCertificate,
    PriceRow,
    claimed,
    dearest,
    grid_exponent,
    nested,
    price_array,
    rent_of,
    rounded_down,
    shortened,
    worth_of,
)
from farkas.certificates.ring_profits import (
    MOST_STEPS,
    Effort,
    PricedRings,
    link_uses,
    ring_costs,
    ring_terms,
    rooted,
)
from farkas.certificates.sums import LONGEST_SEARCH, affordable, scaled
from farkas.errors import NotACertificate
from farkas.instances.gadget import Cluster
from farkas.numbers import Floats, Ints
from farkas.tolerances import FLOORS, ROUNDING

WorkerSlots = Annotated[int, msgspec.Meta(ge=0, le=2**53)]  #: Counted in doubles too.


FEW_STEPS = 1_000  #: Labels that are followed for one size of one job, of which a slot has many.

MOST_UNITS = 1 << 14  #: Units of a resource that are looked at one by one.


class SharedServers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One resource of all servers together, which whole sizes have to fit into.

    A worker of need d counts ⌊d (1 + ε)/u⌋ units, ε = `ROUNDING` granting the rounding of decimals.
    Workers on a server of capacity c, which they may overfill by a share δ = `FLOORS`, count
    c (1 + δ)(1 + ε)/u together at most, and a whole number of units: the server counts as that
    rounded down.
    """

    resource: Annotated[int, msgspec.Meta(ge=0)]
    unit: Annotated[float, msgspec.Meta(gt=0.0)]  #: Amount that counts as one unit.

    def units(self, cluster: Cluster, jobs: Ints) -> tuple[list[int], int]:
        """Units of a worker of each job, and of all servers."""
        if self.resource >= cluster.num_resources:
            raise NotACertificate(f"the instance has no resource {self.resource}")
        held = cluster.capacity[cluster.is_server, self.resource]
        if not (np.isfinite(held).all() and np.isfinite(self.unit)):
            raise NotACertificate("an unlimited resource is no limit of all servers together")
        unit, more, over = Fraction(self.unit), 1 + Fraction(ROUNDING), 1 + Fraction(FLOORS)
        need = cluster.demand[jobs, self.resource].tolist()
        weight = [math.floor(Fraction(each) * more / unit) for each in need]
        room = sum(math.floor(Fraction(each) * over * more / unit) for each in held.tolist())
        if room > MOST_UNITS:
            raise NotACertificate(f"all servers hold more than {MOST_UNITS} units")
        return weight, room

    def most(self, cluster: Cluster, jobs: Ints, profits: list[list[Fraction]]) -> Fraction:
        """Largest profit of one size a job, 0 among them, that fit together; rounded up.

        ``profits``: of sizes 0, 1, ... of each of ``jobs``, >= 0.
        """
        weight, room = self.units(cluster, jobs)
        affordable(sum(map(len, profits)) * (room + 1), "sizes of rings", LONGEST_SEARCH)
        top = max((max(row) for row in profits), default=Fraction(0))
        if top <= 0:
            return Fraction(0)
        digits = MORE_DIGITS - top.numerator.bit_length() + top.denominator.bit_length()
        best = [0] * (room + 1)
        for need, row in zip(weight, profits, strict=True):
            before = best.copy()
            for k, profit in enumerate(row):
                worth = math.ceil(profit * scaled(1, digits))
                for left in range(k * need, room + 1 if worth else 0):
                    best[left] = max(best[left], before[left - k * need] + worth)
        return scaled(best[room], -digits)


class SlotBound(ClusterCertificate, frozen=True, kw_only=True):
    """What certificates of one slot share."""

    subject = "gadget.gvne"
    slot: int  #: t in the paper.
    progress: tuple[WorkerSlots, ...]  #: Shape (jobs,), worker-slots received before; z.

    def says(self, cluster: Cluster, /) -> str:
        """Name the slot and what was received, unless they are the instance's own."""
        if self.slot == cluster.at_slot and not any(self.progress):
            return self.program
        received = f" after {sum(self.progress)} worker-slots" if any(self.progress) else ""
        return f"{self.program} in slot {self.slot}{received}"

    def received(self, cluster: Cluster) -> Ints:
        """Worker-slots received before, shape (jobs,), of a slot of the instance."""
        if not 0 <= self.slot < cluster.horizon:
            raise NotACertificate(f"the instance has no slot {self.slot}")
        if len(self.progress) != cluster.num_jobs or min(self.progress, default=0) < 0:
            raise NotACertificate("progress needs one count >= 0 for each job")
        return np.array(self.progress, np.int64)

    def most_workers(self, cluster: Cluster) -> Ints:
        """Workers of the largest ring of each job in the slot, shape (jobs,)."""
        received = self.received(cluster)
        return np.where(cluster.active(self.slot, received), cluster.ring_limit(received), 0)

    def gains(self, cluster: Cluster, job: int, most: int) -> list[Fraction]:
        """Marginal rewards of 0, 1, ... workers, at least the exact ones."""
        received = self.progress[job]
        before = worth_of(cluster, job, received)[0]
        return [worth_of(cluster, job, received + k)[1] - before for k in range(most + 1)]


@certificate_type
class SlotCertificate(SlotBound, frozen=True, kw_only=True, tag="gadget.slot"):
    """Bound on the marginal reward of every set of rings in one slot."""

    node_prices: tuple[PriceRow, ...]  #: Shape (nodes, resources), reward per unit; λ.
    link_prices: PriceRow  #: Shape (links,), reward per Gbps; ν.
    #: What whole sizes share besides; without it every job runs its best ring at the prices.
    shared: SharedServers | None = None

    def read_prices(self, cluster: Cluster) -> tuple[Floats, Floats]:
        """Return prices of nodes and links, shapes (nodes, resources) and (links,)."""
        shape = cluster.num_nodes, cluster.num_resources
        return (
            price_array(self.node_prices, shape),
            price_array(self.link_prices, (cluster.num_links,)),
        )

    def prove_bound(self, cluster: Cluster, /) -> Fraction:
        """Rent of the cluster plus the best ring of each job, by exact searches."""
        rent, jobs, profits = self.priced(cluster)
        if self.shared is not None:
            return rent + self.shared.most(cluster, jobs, profits)
        return rent + sum((max(row) for row in profits), Fraction(0))

    def priced(self, cluster: Cluster) -> tuple[Fraction, Ints, list[list[Fraction]]]:
        """Return the rent, the jobs that may run, and most that rings of each are worth.

        Of sizes 0, 1, ... where sizes are shared or costs known, else of all sizes together.
        """
        node, link = self.read_prices(cluster)
        limit = self.most_workers(cluster)
        jobs = np.flatnonzero(limit)
        rent = whole_rent(cluster, node, link)
        if not len(jobs):
            return rent, jobs, []
        size, tree = int(limit.max()), rooted(cluster)
        alone = tree is None and self.shared is not None  # each size is searched by itself
        steps = len(jobs) * cluster.num_nodes * size ** (3 if alone else 2)
        affordable(steps, "sizes of rings", LONGEST_SEARCH)
        prices = GridPrices.of(cluster, jobs, size, node, link, Effort())
        gains = [self.gains(cluster, job, int(limit[job])) for job in jobs.tolist()]
        if tree is not None:
            costs = ring_costs(cluster, tree, jobs, size, prices.worker, prices.edge)
            profits = [_of_sizes(*row, prices.grid) for row in zip(gains, costs, strict=True)]
        elif self.shared is not None:
            profits = [prices.each_size(place, row) for place, row in enumerate(gains)]
        else:
            profits = [[prices.best(place, row)] for place, row in enumerate(gains)]
        return rent, jobs, profits


def whole_rent(cluster: Cluster, node: Floats, link: Floats) -> Fraction:
    """Worth of all servers and links at prices, shapes (nodes, resources) and (links,)."""
    servers = np.flatnonzero(cluster.is_server).tolist()
    nodes = sum((rent_of(cluster.capacity[u], node[u]) for u in servers), Fraction(0))
    return nodes + rent_of(cluster.link_bandwidth, link)


@dataclasses.dataclass(frozen=True, eq=False)
class GridPrices:
    """Prices of workers and of uses of links in whole units of ``2**-grid``, rounded down."""

    #: cluster, jobs: the instance, and the jobs that pay, shape (payers,).
    cluster: Cluster
    jobs: Ints
    #: worker, edge: shapes (payers, nodes) and (payers, links).
    worker: Ints
    edge: Ints
    grid: int  #: Such that rings up to the largest size add up in 64 bits.
    effort: Effort  #: What all searches of one check may take together.

    @classmethod
    def of(
        cls, cluster: Cluster, jobs: Ints, size: int, node: Floats, link: Floats, effort: Effort
    ) -> GridPrices:
        """Round prices of shapes (nodes, resources) and (links,), for rings up to ``size``."""
        demand, reserved = cluster.demand[jobs], cluster.bandwidth[jobs]
        top = max(
            dearest(node.max(axis=0), demand),
            dearest(link.max(initial=0.0, keepdims=True), reserved[:, None]),
        )
        grid = grid_exponent(top, ring_terms(cluster, size))
        worker = rounded_down(demand[:, None, :], node[None], grid)
        edge = rounded_down(reserved[:, None, None], link[None, :, None], grid)
        return cls(cluster, jobs, worker, edge, grid, effort)

    def best(
        self,
        place: int,
        gains: list[Fraction],
        steps: int = MOST_STEPS,
        limits: tuple[list[int], list[int]] | None = None,
    ) -> Fraction:
        """Profit of the best ring of a payer on any network, at least 0, rounded up.

        Gains are rounded up, and prices down, to units of which the largest gain has `MORE_DIGITS`
        digits.  Who pays more than that for one worker or link loses anyway.

        Parameters
        ----------
        gains
            Of 0, 1, ... workers, at least the exact ones.
        limits
            Workers on each node and uses of each link, at most; by default what fits of a ring
            alone.
        """
        top = max(gains[1:], default=Fraction(0))
        if top <= 0:
            return Fraction(0)
        digits = MORE_DIGITS - top.numerator.bit_length() + top.denominator.bit_length()
        units = [math.ceil(gain * scaled(1, digits)) for gain in gains]
        most = max(units) + 1

        def lowered(prices: Ints) -> list[int]:
            return [
                min(most, math.floor(scaled(each, digits - self.grid))) for each in prices.tolist()
            ]

        cluster = self.cluster
        ends = cluster.link_source.tolist(), cluster.link_target.tolist()
        cap, uses = limits or ring_limits(cluster, int(self.jobs[place]), len(gains) - 1)
        rings = PricedRings(
            gain=[0, *units[1:]],
            price=lowered(self.worker[place]),
            cap=cap,
            links=list(zip(*ends, lowered(self.edge[place]), uses, strict=True)),
        )
        return scaled(rings.best(steps, self.effort), -digits)

    def each_size(self, place: int, gains: list[Fraction]) -> list[Fraction]:
        """Profit of sizes 0, 1, ...; where nothing has a price no ring is searched."""
        none = Fraction(0)
        if not (self.worker[place].any() or self.edge[place].any()):
            return [shortened(max(none, gain)) for gain in gains]
        sizes = range(1, len(gains))
        alone = ([none] * k + [gains[k]] for k in sizes)
        return [none, *(self.best(place, row, FEW_STEPS) for row in alone)]


def _of_sizes(gains: list[Fraction], cost: Ints, grid: int) -> list[Fraction]:
    """Profit of sizes 0, 1, ... at these costs, at least 0, rounded up."""
    paid = [FORBIDDEN, *(int(each) for each in cost[: len(gains) - 1])]
    return [
        Fraction(0) if c >= FORBIDDEN else shortened(max(Fraction(0), gain - scaled(c, -grid)))
        for gain, c in zip(gains, paid, strict=True)
    ]


def ring_limits(cluster: Cluster, job: int, most: int) -> tuple[list[int], list[int]]:
    """Workers of a ring on each node and its uses of each link, as they fit, ``most`` at most."""
    cap = np.minimum(cluster.host_cap[job], most).tolist()
    return cap, link_uses(cluster, job, most)


def certify_slot(
    cluster: Cluster,
    slot: int,
    progress: Ints,
    node_prices: Floats,
    link_prices: Floats,
    shared: SharedServers | None = None,
) -> SlotCertificate:
    """Certificate of the bound that prices of nodes and links prove for one slot."""
    draft = SlotCertificate(
        kind=SlotCertificate.about,
        program=SlotCertificate.subject,
        instance=cluster.sha256,
        bound="0",
        slot=slot,
        progress=tuple(np.asarray(progress, dtype=np.int64).tolist()),
        node_prices=nested(np.maximum(node_prices, 0.0)),
        link_prices=nested(np.maximum(link_prices, 0.0)),
        shared=shared,
    )
    return msgspec.structs.replace(draft, bound=claimed(draft.prove_bound(cluster)))
