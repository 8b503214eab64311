"""Certificates of whole horizons of kind gadget: prices, and the bounds they prove.

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

from farkas.certificates.enclosures import Enclosure, at_most, enclose, is_increasing
from farkas.certificates.files import certificate_type
from farkas.certificates.guards import affordable
from farkas.certificates.price_grid import grid_exponent, rounded_down
from farkas.certificates.prices import PriceCertificate
from farkas.certificates.runs import RunBound, run_bounds
from farkas.certificates.sums import scaled
from farkas.errors import NotACertificate
from farkas.instances.gadget import Cluster
from farkas.numbers import Floats, Ints

DIGITS = 60  #: Binary digits of a claimed bound.

#: Binary digits to which what a job keeps is rounded up: of itself, whatever the unit.
MORE_DIGITS = 100

Price = Annotated[float, msgspec.Meta(ge=0.0)]
PriceRow = tuple[Price, ...]


class ClusterCertificate(PriceCertificate, frozen=True, kw_only=True):
    """What both certificates share."""

    about = "gadget"
    bound: str  #: Upper bound, a fraction.
    sense: Literal["max"] = "max"


def claimed(value: Fraction) -> str:
    """Short fraction at or above ``value``: a certificate may claim less."""
    return str(shortened(value, DIGITS))


def shortened(value: Fraction, digits: int = MORE_DIGITS) -> Fraction:
    """Fraction of ``digits`` binary digits at or just above ``value``."""
    size = value.numerator.bit_length() - value.denominator.bit_length()
    return scaled(math.ceil(value * scaled(1, digits - size)), size - digits)


def nested(values: Floats) -> Any:
    """Tuples of tuples, as files hold prices; -0 becomes 0."""
    rows = (values + 0.0).tolist()
    if values.ndim == 1:
        return tuple(rows)
    return tuple(nested(np.asarray(row)) for row in values)


def price_array(values: Any, shape: tuple[int, ...]) -> Floats:
    """Read prices; raises `NotACertificate` unless they are finite and of this shape."""
    try:
        array = np.array(values, dtype=float).reshape(shape)
    except ValueError:
        raise NotACertificate(f"prices have another shape than {shape}") from None
    if not np.isfinite(array).all():
        raise NotACertificate("a price is not finite")
    return array


def rent_of(capacity: Floats, price: Floats) -> Fraction:
    """Exact rent; a price on something unlimited would make it infinite."""
    total = Fraction(0)
    for r in np.flatnonzero(price).tolist():
        if not np.isfinite(capacity[r]):
            raise NotACertificate("an unlimited resource has a positive price")
        total += Fraction(float(capacity[r])) * Fraction(float(price[r]))
    return total


def dearest(price: Floats, demand: Floats) -> float:
    """Most that any job pays for one worker or link, but for rounding; infinite if too much."""
    with np.errstate(over="ignore"):
        return float((price * demand).sum(axis=1).max(initial=0.0))


def worth_of(cluster: Cluster, job: int, worker_slots: int) -> Enclosure:
    """Bounds on the reward."""
    one = cluster.jobs[job]
    return enclose(one.utility, one.efficiency, worker_slots)


@certificate_type
class HorizonCertificate(ClusterCertificate, frozen=True, kw_only=True, tag="gadget.horizon"):
    """Bound on every schedule of the whole horizon."""

    subject = "gadget.offline"
    starts: tuple[int, ...]  #: First slot of each block, ascending, the first 0. Any cut is valid.
    #: Servers of each class, node indices; the servers of a class have equal capacities.
    classes: tuple[tuple[int, ...], ...]
    #: Shape (blocks, classes, resources), reward per unit and slot.
    prices: tuple[tuple[PriceRow, ...], ...]

    def prove_bound(self, cluster: Cluster, /) -> Fraction:
        """Rent of all blocks plus the best that each job could do alone."""
        price = self._checked(cluster)
        affordable(float(cluster.reachable_slots.max(initial=0)), "worker-slots of a job")
        start = np.array(self.starts, np.int64)
        length = np.diff(np.append(start, cluster.horizon))
        first = [servers[0] for servers in self.classes]
        count = np.array([len(servers) for servers in self.classes], np.int64)
        rent = sum(
            (
                int(length[q] * count[c]) * rent_of(cluster.capacity[first[c]], price[q, c])
                for q, c in np.argwhere(price.any(axis=2)).tolist()
            ),
            Fraction(0),
        )
        jobs = np.flatnonzero(cluster.reachable_slots)
        never = np.flatnonzero(cluster.reachable_slots == 0).tolist()
        idle = (at_most(cluster.jobs[job].utility, 1.0, 0) for job in never)
        profit = sum(map(shortened, idle), Fraction(0))
        demand = cluster.demand[jobs]
        top = dearest(price.max(axis=(0, 1), initial=0.0), demand)
        grid = grid_exponent(top, int(cluster.reachable_slots.max(initial=1)))
        unit = rounded_down(demand[:, None, None, :], price[None], grid)
        room = count * cluster.host_cap[:, first]
        for place, job in enumerate(jobs.tolist()):
            spent = _cheapest(cluster, job, length, start + length, room[job], unit[place])
            profit += shortened(_best_total(cluster, job, spent, grid))
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
        return price_array(self.prices, shape)


# a single slot bounds no run of several, unless all jobs come in the last one
run_bounds.add("gadget", tuple(
    RunBound(tag, HorizonCertificate.subject) for tag in ("gadget.horizon", "gadget.one_slot")
))  # fmt: skip


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
        prices=nested(np.maximum(prices, 0.0)),
    )
    return msgspec.structs.replace(draft, bound=claimed(draft.prove_bound(cluster)))


def _cheapest(cluster: Cluster, job: int, length: Ints, ends: Ints, room: Ints, unit: Ints) -> Ints:
    """Least integer cost of 0, 1, ... worker-slots of one job.

    In every slot of a block the cheapest classes come first, up to the largest ring; all slots of
    the block are alike.  A block that begins before the arrival is open to the job as a whole if
    any of its slots is, which can only lower the cost.  The grid of prices is such that the sum of
    all worker-slots stays inside 64 bits.  ``room``: workers that fit into the servers of a class.
    """
    most, arrival = int(cluster.reachable_slots[job]), int(cluster.arrival[job])
    opens = slice(int(ends.searchsorted(arrival, side="right")), None)
    unit = unit[opens]
    order = unit.argsort(axis=1, kind="stable")
    price = unit[np.arange(len(unit))[:, None], order].ravel()
    filled = np.minimum(room[order].cumsum(axis=1), int(cluster.max_workers[job]))
    filled[:, 1:] -= filled[:, :-1].copy()
    slots = np.minimum(length[opens], ends[opens] - arrival)
    number = (filled * slots[:, None]).ravel()
    order = price.argsort(kind="stable")
    upto = np.minimum(number[order].cumsum(), most)
    upto[1:] -= upto[:-1].copy()
    spent = np.zeros(upto.sum() + 1, np.int64)
    price[order].repeat(upto).cumsum(out=spent[1:])
    return spent


def _best_total(cluster: Cluster, job: int, spent: Ints, grid: int) -> Fraction:
    """Upper bound on the largest μ(ζ z) - cost(z); costs are in units of ``2**-grid``."""
    one, known = cluster.jobs[job], dict[int, Fraction]()

    def worth(z: int) -> Fraction:
        if z not in known:
            known[z] = at_most(one.utility, one.efficiency, z)
        return known[z]

    def cost(z: int) -> Fraction:
        return scaled(int(spent[z]), -grid)

    def net(z: int) -> Fraction:
        return worth(z) - cost(z)

    last = len(spent) - 1
    if not is_increasing(one.utility):
        return max(net(z) for z in range(last + 1))
    # between two counts the reward is at most that of the larger, the cost at least that of the
    # smaller; an interval that cannot beat the best end is dropped.  The guess is only a guess,
    # the best of every fifth count
    with np.errstate(all="ignore"):
        some = np.arange(last, -1, -5)
        net_worth = cluster.reward(job, some) - np.ldexp(spent[some], -grid)
        guess = int(some[np.argmax(net_worth)])
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
