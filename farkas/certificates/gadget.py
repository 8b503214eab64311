"""Certificates of kind gadget: prices, and the bounds they prove without any solver.

At nonnegative prices of everything that can fill up, no schedule earns more than the rent of the
whole cluster plus what each job alone would earn at most after paying its rent.  That is weak
duality for any utility, concave or not; no multiplier of the embedding's other rows is needed.
"""

import itertools
import math
from fractions import Fraction
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from farkas.certificates.enclosures import Enclosure, enclose, is_increasing
from farkas.certificates.files import certificate_type
from farkas.certificates.limbs import scaled
from farkas.certificates.prices import PriceCertificate
from farkas.certificates.ring_costs import (
    FORBIDDEN,
    grid_exponent,
    link_uses,
    ring_costs,
    ring_terms,
    rooted,
    rounded_down,
)
from farkas.certificates.ring_profits import PricedRings
from farkas.certificates.runs import RunBound, run_bounds
from farkas.errors import NotACertificate
from farkas.instances.gadget import Cluster
from farkas.numbers import Floats, Ints

DIGITS = 60
"""Binary digits of a claimed bound."""

MORE_DIGITS = 100
"""Binary digits to which what a job keeps is rounded up: of itself, whatever the unit."""

Price = Annotated[float, msgspec.Meta(ge=0.0)]
PriceRow = tuple[Price, ...]
WorkerSlots = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""Counted in doubles too."""


class _ClusterCertificate(PriceCertificate, frozen=True, kw_only=True):
    """What both certificates share.

    Parameters
    ----------
    bound
        Upper bound, a fraction.
    sense
        Always ``max``.
    """

    about = "gadget"
    bound: str
    sense: Literal["max"] = "max"


@certificate_type
class HorizonCertificate(_ClusterCertificate, frozen=True, kw_only=True, tag="gadget.horizon"):
    """Bound on every schedule of the whole horizon.

    Parameters
    ----------
    starts
        First slot of each block, ascending, the first 0.  Any cut is valid.
    classes
        Servers of each class, node indices; the servers of a class have equal capacities.
    prices
        Shape (blocks, classes, resources), reward per unit and slot.
    """

    subject = "gadget.offline"
    starts: tuple[int, ...]
    classes: tuple[tuple[int, ...], ...]
    prices: tuple[tuple[PriceRow, ...], ...]

    def prove_bound(self, cluster: Cluster, /) -> Fraction:
        """Rent of all blocks plus the best that each job could do alone."""
        price = self._checked(cluster)
        start = np.array(self.starts, np.int64)
        length = np.diff(np.append(start, cluster.horizon))
        first = [servers[0] for servers in self.classes]
        count = np.array([len(servers) for servers in self.classes], np.int64)
        rent = sum(
            (
                int(length[q] * count[c]) * _rent(cluster.capacity[first[c]], price[q, c])
                for q, c in np.argwhere(price.any(axis=2)).tolist()
            ),
            Fraction(0),
        )
        jobs = np.flatnonzero(cluster.reachable_slots)
        never = np.flatnonzero(cluster.reachable_slots == 0)
        profit = sum((_short(_worth(cluster, i, 0)[1]) for i in never.tolist()), Fraction(0))
        demand = cluster.demand[jobs]
        top = _dearest(price.max(axis=(0, 1), initial=0.0), demand)
        grid = grid_exponent(top, int(cluster.reachable_slots.max(initial=1)))
        unit = rounded_down(demand[:, None, None, :], price[None], grid)
        for place, job in enumerate(jobs.tolist()):
            spent = _cheapest(cluster, job, start, length, count, first, unit[place])
            profit += _short(_best_total(cluster, job, spent, grid))
        return rent + profit

    def _checked(self, cluster: Cluster) -> Floats:
        servers = sorted(u for group in self.classes for u in group)
        if servers != np.flatnonzero(cluster.is_server).tolist():
            raise NotACertificate("the classes are no partition of the servers")
        for group in self.classes:
            if not group or (cluster.capacity[list(group)] != cluster.capacity[group[0]]).any():
                raise NotACertificate(f"servers {list(group)[:5]} do not have equal capacities")
        starts = self.starts
        rising = all(a < b for a, b in itertools.pairwise(starts))
        if not starts or starts[0] != 0 or not rising or starts[-1] >= cluster.horizon:
            raise NotACertificate("the blocks do not cut the horizon")
        shape = (len(starts), len(self.classes), cluster.num_resources)
        return _array(self.prices, shape)


# a single slot bounds no run of several
run_bounds.add("gadget", (RunBound("gadget.horizon", HorizonCertificate.subject),))


@certificate_type
class SlotCertificate(_ClusterCertificate, frozen=True, kw_only=True, tag="gadget.slot"):
    """Bound on the marginal reward of every set of rings in one slot.

    Parameters
    ----------
    slot
        t.
    progress
        Shape (jobs,), worker-slots received before; z.
    node_prices
        Shape (nodes, resources), reward per unit; λ.
    link_prices
        Shape (links,), reward per Gbps; ν.
    """

    subject = "gadget.gvne"
    slot: int
    progress: tuple[WorkerSlots, ...]
    node_prices: tuple[PriceRow, ...]
    link_prices: PriceRow

    def says(self, cluster: Cluster, /) -> str:
        """Name the slot and what was received, unless they are the instance's own."""
        if self.slot == cluster.at_slot and not any(self.progress):
            return self.program
        received = f" after {sum(self.progress)} worker-slots" if any(self.progress) else ""
        return f"{self.program} in slot {self.slot}{received}"

    def prove_bound(self, cluster: Cluster, /) -> Fraction:
        """Rent of the cluster plus the best ring of each job, by exact searches."""
        node = _array(self.node_prices, (cluster.num_nodes, cluster.num_resources))
        link = _array(self.link_prices, (cluster.num_links,))
        if not 0 <= self.slot < cluster.horizon:
            raise NotACertificate(f"the instance has no slot {self.slot}")
        if len(self.progress) != cluster.num_jobs or min(self.progress, default=0) < 0:
            raise NotACertificate("progress needs one count >= 0 for each job")
        received = np.array(self.progress, np.int64)
        active = cluster.active(self.slot, received)
        limit = np.where(active, cluster.ring_limit(received), 0)
        jobs = np.flatnonzero(limit)
        servers = np.flatnonzero(cluster.is_server)
        rent = sum((_rent(cluster.capacity[u], node[u]) for u in servers.tolist()), Fraction(0))
        rent += _rent(cluster.link_bandwidth, link)
        if not len(jobs):
            return rent
        size = int(limit.max())
        demand, reserved = cluster.demand[jobs], cluster.bandwidth[jobs]
        top = max(
            _dearest(node.max(axis=0), demand),
            _dearest(link.max(initial=0.0, keepdims=True), reserved[:, None]),
        )
        grid = grid_exponent(top, ring_terms(cluster, size))
        worker = rounded_down(demand[:, None, :], node[None], grid)
        edge = rounded_down(reserved[:, None, None], link[None, :, None], grid)
        tree = rooted(cluster)
        costs = None if tree is None else ring_costs(cluster, tree, jobs, size, worker, edge)
        for place, job in enumerate(jobs.tolist()):
            before = _worth(cluster, job, int(received[job]))[0]
            gains = [
                _worth(cluster, job, int(received[job]) + k)[1] - before
                for k in range(int(limit[job]) + 1)
            ]
            if costs is None:
                rent += _best_ring(cluster, job, gains, worker[place], edge[place], grid)
            else:
                rent += _best_size(gains, costs[place], grid)
        return rent


def _best_size(gains: list[Fraction], cost: Ints, grid: int) -> Fraction:
    """Profit of the best size at these costs, at least 0, rounded up."""
    paid = ((k, int(cost[k - 1])) for k in range(1, len(gains)))
    return _short(
        max([Fraction(0), *(gains[k] - scaled(c, -grid) for k, c in paid if c < FORBIDDEN)])
    )


def _best_ring(
    cluster: Cluster, job: int, gains: list[Fraction], worker: Ints, edge: Ints, grid: int
) -> Fraction:
    """Profit of the best ring on any network, at least 0, rounded up; prices are on the grid.

    Gains are rounded up, and prices down, to units of which the largest gain has `MORE_DIGITS`
    digits.  Who pays more than that for one worker or link loses anyway.
    """
    top = max(gains[1:], default=Fraction(0))
    if top <= 0:
        return Fraction(0)
    digits = MORE_DIGITS - top.numerator.bit_length() + top.denominator.bit_length()
    units = [math.ceil(gain * scaled(1, digits)) for gain in gains]
    most = max(units) + 1

    def lowered(prices: Ints) -> list[int]:
        return [min(most, math.floor(scaled(price, digits - grid))) for price in prices.tolist()]

    ends = cluster.link_source.tolist(), cluster.link_target.tolist()
    rings = PricedRings(
        gain=[0, *units[1:]],
        price=lowered(worker),
        cap=np.minimum(cluster.host_cap[job], len(gains) - 1).tolist(),
        links=list(zip(*ends, lowered(edge), link_uses(cluster, job, len(gains) - 1), strict=True)),
    )
    return scaled(rings.best(), -digits)


def certify_horizon(
    cluster: Cluster, starts: Ints, classes: list[Ints], prices: Floats
) -> HorizonCertificate:
    """Certificate of the bound that block prices prove.

    Parameters
    ----------
    starts
        Shape (blocks,).
    classes
        Servers of each class.
    prices
        Shape (blocks, classes, resources); negative entries count as 0.
    """
    draft = HorizonCertificate(
        kind=HorizonCertificate.about,
        program=HorizonCertificate.subject,
        instance=cluster.sha256,
        bound="0",
        starts=tuple(starts.tolist()),
        classes=tuple(tuple(group.tolist()) for group in classes),
        prices=_plain(np.maximum(prices, 0.0)),
    )
    return msgspec.structs.replace(draft, bound=_rounded_up(draft.prove_bound(cluster)))


def certify_slot(
    cluster: Cluster, slot: int, progress: Ints, node_prices: Floats, link_prices: Floats
) -> SlotCertificate:
    """Certificate of the bound that prices of nodes and links prove for one slot."""
    draft = SlotCertificate(
        kind=SlotCertificate.about,
        program=SlotCertificate.subject,
        instance=cluster.sha256,
        bound="0",
        slot=slot,
        progress=tuple(np.asarray(progress, dtype=np.int64).tolist()),
        node_prices=_plain(np.maximum(node_prices, 0.0)),
        link_prices=_plain(np.maximum(link_prices, 0.0)),
    )
    return msgspec.structs.replace(draft, bound=_rounded_up(draft.prove_bound(cluster)))


def _rounded_up(value: Fraction) -> str:
    """Short fraction at or above ``value``: a certificate may claim less."""
    return str(_short(value, DIGITS))


def _short(value: Fraction, digits: int = MORE_DIGITS) -> Fraction:
    """Fraction of ``digits`` binary digits at or just above ``value``."""
    size = value.numerator.bit_length() - value.denominator.bit_length()
    return scaled(math.ceil(value * scaled(1, digits - size)), size - digits)


def _plain(values: Floats) -> Any:
    rows = (values + 0.0).tolist()
    if values.ndim == 1:
        return tuple(rows)
    return tuple(_plain(np.asarray(row)) for row in values)


def _array(values: Any, shape: tuple[int, ...]) -> Floats:
    try:
        array = np.array(values, dtype=float).reshape(shape)
    except ValueError:
        raise NotACertificate(f"prices have another shape than {shape}") from None
    if not np.isfinite(array).all():
        raise NotACertificate("a price is not finite")
    return array


def _rent(capacity: Floats, price: Floats) -> Fraction:
    """Exact rent; a price on something unlimited would make it infinite."""
    total = Fraction(0)
    for r in np.flatnonzero(price).tolist():
        if not np.isfinite(capacity[r]):
            raise NotACertificate("an unlimited resource has a positive price")
        total += Fraction(float(capacity[r])) * Fraction(float(price[r]))
    return total


def _dearest(price: Floats, demand: Floats) -> float:
    """Most that any job pays for one worker or link, but for rounding; infinite if too much."""
    with np.errstate(over="ignore"):
        return float((price * demand).sum(axis=1).max(initial=0.0))


def _worth(cluster: Cluster, job: int, worker_slots: int) -> Enclosure:
    """Bounds on the reward."""
    one = cluster.jobs[job]
    return enclose(one.utility, one.efficiency, worker_slots)


def _cheapest(
    cluster: Cluster,
    job: int,
    start: Ints,
    length: Ints,
    count: Ints,
    first: list[int],
    unit: Ints,
) -> Ints:
    """Least integer cost of 0, 1, ... worker-slots of one job.

    In every slot of a block the cheapest classes come first, up to the largest ring; all slots of
    the block are alike.  A block that begins before the arrival is open to the job as a whole if
    any of its slots is, which can only lower the cost.  The grid of prices is such that the sum of
    all worker-slots stays inside 64 bits.
    """
    most = int(cluster.reachable_slots[job])
    room = count * cluster.host_cap[job, first]
    ends = start + length
    opens = np.flatnonzero(ends > cluster.arrival[job])
    order = np.argsort(unit[opens], axis=1, kind="stable")
    price = np.take_along_axis(unit[opens], order, axis=1)
    filled = np.minimum(np.cumsum(room[order], axis=1), int(cluster.max_workers[job]))
    filled[:, 1:] -= filled[:, :-1].copy()
    slots = np.minimum(length[opens], ends[opens] - cluster.arrival[job])
    number = (filled * slots[:, None]).ravel()
    price = price.ravel()
    order = np.argsort(price, kind="stable")
    upto = np.minimum(np.cumsum(number[order]), most)
    upto[1:] -= upto[:-1].copy()
    return np.append(0, np.cumsum(np.repeat(price[order], upto)))


def _best_total(cluster: Cluster, job: int, spent: Ints, grid: int) -> Fraction:
    """Upper bound on the largest μ(ζ z) - cost(z); costs are in units of ``2**-grid``."""
    known: dict[int, Fraction] = {}

    def worth(z: int) -> Fraction:
        if z not in known:
            known[z] = _worth(cluster, job, z)[1]
        return known[z]

    def cost(z: int) -> Fraction:
        return scaled(int(spent[z]), -grid)

    def net(z: int) -> Fraction:
        return worth(z) - cost(z)

    last = len(spent) - 1
    if not is_increasing(cluster.jobs[job].utility):
        return max(net(z) for z in range(last + 1))
    # between two counts the reward is at most that of the larger, the cost at least that of the
    # smaller; an interval that cannot beat the best end is dropped.  The guess is only a guess
    with np.errstate(all="ignore"):
        net_worth = cluster.reward(job, np.arange(last + 1)) - np.ldexp(spent, -grid)
        guess = int(np.argmax(net_worth))
    best = max(net(0), net(last), net(guess))
    intervals = [(0, guess), (guess, last)]
    while intervals:
        low, high = intervals.pop()
        if high - low < 2 or worth(high) - cost(low) <= best:
            continue
        middle = (low + high) // 2
        best = max(best, net(middle))
        intervals += [(low, middle), (middle, high)]
    return best
