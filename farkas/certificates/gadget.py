"""Certificates of whole horizons of kind gadget: prices, and the bounds they prove.

At nonnegative prices of everything that can fill up, no schedule earns more than the rent of the
whole cluster plus what each job alone would earn at most after paying its rent.  That is weak
duality for any utility, concave or not; no multiplier of the embedding's other rows is needed.
"""

import collections
import itertools
import math
import operator
from fractions import Fraction
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from farkas.certificates.enclosures import Enclosure, at_most, enclose, is_increasing
from farkas.certificates.files import certificate_type
from farkas.certificates.prices import PriceCertificate
from farkas.certificates.runs import RunBound, run_bounds
from farkas.certificates.sums import affordable, finite, scaled, whole
from farkas.errors import NotACertificate
from farkas.instances.gadget import Cluster
from farkas.numbers import Floats, Ints

#: Stands for infinity: above every sum of prices, see `grid_exponent`; a few of it fit 64 bits.
FORBIDDEN = 1 << 59

PRICE_BITS = 40  #: Prices become integers of at most so many bits.

SUM_BITS = 58  #: Costs that are possible stay below ``2**SUM_BITS``.


def grid_exponent(largest: float, terms: int = 1) -> int:
    """Exponent g so that ``terms`` prices up to ``largest * 2**g`` add up to less than FORBIDDEN.

    Prices are below 2^PRICE_BITS and below 2^(SUM_BITS - b - 1), where ``terms`` has b bits: the
    sum of so many is below 2^(SUM_BITS - 1), and roundings cannot double it.  Raises
    `NotACertificate` when the largest price is not finite, or so many cannot be added up.
    """
    if not 0 <= largest < np.inf:
        raise NotACertificate(f"prices add up to {largest}")
    bits = min(PRICE_BITS, SUM_BITS - 1 - max(1, terms).bit_length())
    if bits < 1:
        raise NotACertificate(f"{terms} prices cannot be added up exactly")
    return 0 if largest == 0 else bits - int(np.frexp(largest)[1])


def rounded_down(amount: Floats, price: Floats, exponent: int) -> Ints:
    """Floor of Σ_r amount_r price_r, over the last axis, on the grid ``2**-exponent``.

    Products and sums of doubles are correctly rounded, so the next double below is a lower bound.
    ``amount``, ``price``: finite, >= 0. Raises `NotACertificate` when a number is negative or not
    finite, or a sum is too large.
    """
    for what, values in (("amounts", amount), ("prices", price)):
        if (finite(values, what) < 0).any():
            raise NotACertificate(f"{what}: a number is negative")
    total = np.zeros(np.broadcast_shapes(amount.shape, price.shape)[:-1])
    with np.errstate(over="ignore"):  # refused below
        for r in range(amount.shape[-1]):
            product = np.nextafter(amount[..., r] * price[..., r], -np.inf)
            total = np.nextafter(total + np.maximum(product, 0.0), -np.inf)
        scaled = np.floor(np.ldexp(np.maximum(total, 0.0), exponent))
    return whole(scaled, "prices", bits=PRICE_BITS + 1)


DIGITS = 60  #: Binary digits of a claimed bound.

#: Ends up to which best replies of jobs are looked at, one after the other.
MOST_ENDS = 8

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


def grid_of(value: Fraction) -> int:
    """Binary places to which numbers are rounded that stand beside ``value``."""
    return MORE_DIGITS - value.numerator.bit_length() + value.denominator.bit_length()


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
        replies = Replies(self, cluster)
        rent = sum(map(operator.mul, replies.length.tolist(), replies.rent), Fraction(0))
        return rent + sum(replies.until(cluster.horizon), Fraction(0))

    def bounds_so_far(self, cluster: Cluster, /) -> list[Fraction]:
        """Bound the schedules of the instance that ends in each slot, at the same prices.

        They pay the rent of these slots.  What a job could do alone never falls with more slots,
        so it is looked at up to every slot, or the next of `MOST_ENDS` ends.
        """
        replies, horizon = Replies(self, cluster), cluster.horizon
        arrive: dict[int, list[int]] = collections.defaultdict(list)
        for job, slot in enumerate(cluster.arrival.tolist()):
            arrive[slot].append(job)
        ends = sorted({-(-horizon * k // MOST_ENDS) for k in range(1, MOST_ENDS + 1)})
        found: list[Fraction] = []
        rent, here, least = Fraction(0), list[int](), replies.until(0)
        for begin, end in itertools.pairwise([0, *ends]):
            most, total = replies.until(end), sum(least, Fraction(0))
            total += sum((most[job] - least[job] for job in here), Fraction(0))
            for slot in range(begin, end):
                rent += replies.rent[np.searchsorted(self.starts, slot, side="right") - 1]
                total += sum((most[job] - least[job] for job in arrive[slot]), Fraction(0))
                here += arrive[slot]
                found.append(rent + total)
        grid = grid_of(found[-1])
        coarse = [scaled(math.ceil(bound * scaled(1, grid)), -grid) for bound in found]
        return [*coarse[:-1], shortened(found[-1], DIGITS)]

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


class Replies:
    """Rent of every block, and what each job could earn at most alone after paying it.

    ``made``: whose prices.
    """

    def __init__(self, made: HorizonCertificate, cluster: Cluster) -> None:
        price = made._checked(cluster)
        affordable(float(cluster.reachable_slots.max(initial=0)), "worker-slots of a job")
        first = [servers[0] for servers in made.classes]
        count = np.array([len(servers) for servers in made.classes], np.int64)
        self.cluster = cluster
        self.start = np.array(made.starts, np.int64)
        self.length = np.diff(np.append(self.start, cluster.horizon))
        self.rent = [Fraction(0)] * len(self.start)  #: Of a slot of each block.
        for q, c in np.argwhere(price.any(axis=2)).tolist():
            self.rent[q] += int(count[c]) * rent_of(cluster.capacity[first[c]], price[q, c])
        self.jobs = np.flatnonzero(cluster.reachable_slots)
        demand = cluster.demand[self.jobs]
        top = dearest(price.max(axis=(0, 1), initial=0.0), demand)
        self.grid = grid_exponent(top, int(cluster.reachable_slots.max(initial=1)))
        self.unit = rounded_down(demand[:, None, None, :], price[None], self.grid)
        self.room = count * cluster.host_cap[:, first]
        self._worth: list[dict[int, Fraction]] = [{} for _ in self.jobs]

    def until(self, end: int) -> list[Fraction]:
        """Most that each job could earn alone in the slots before ``end``, rounded up."""
        jobs = self.cluster.jobs
        found = [shortened(at_most(job.utility, 1.0, 0)) for job in jobs]
        for place, job in enumerate(self.jobs.tolist()):
            if jobs[job].arrival < end:
                spent = self._cheapest(place, job, end)
                found[job] = shortened(
                    _best_total(self.cluster, job, spent, self.grid, self._worth[place])
                )
        return found

    def _cheapest(self, place: int, job: int, end: int) -> Ints:
        """Least integer cost of 0, 1, ... worker-slots of one job.

        In every slot of a block the cheapest classes come first, up to the largest ring; all slots
        of the block are alike.  A block that begins before the arrival is open to the job as a
        whole if any of its slots is, which can only lower the cost.  The grid of prices is such
        that the sum of all worker-slots stays inside 64 bits.
        """
        cluster, arrival = self.cluster, int(self.cluster.arrival[job])
        ends = np.minimum(self.start + self.length, end)
        opens = slice(int(ends.searchsorted(arrival, side="right")), None)
        unit, length = self.unit[place, opens], np.maximum(ends - self.start, 0)[opens]
        order = unit.argsort(axis=1, kind="stable")
        price = unit[np.arange(len(unit))[:, None], order].ravel()
        filled = np.minimum(self.room[job][order].cumsum(axis=1), int(cluster.max_workers[job]))
        filled[:, 1:] -= filled[:, :-1].copy()
        slots = np.minimum(length, ends[opens] - arrival)
        number = (filled * slots[:, None]).ravel()
        order = price.argsort(kind="stable")
        most = min(cluster.reachable_slots[job], (end - arrival) * cluster.largest_ring[job])
        upto = np.minimum(number[order].cumsum(), most)
        upto[1:] -= upto[:-1].copy()
        spent = np.zeros(upto.sum() + 1, np.int64)
        price[order].repeat(upto).cumsum(out=spent[1:])
        return spent


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


def _best_total(
    cluster: Cluster, job: int, spent: Ints, grid: int, known: dict[int, Fraction]
) -> Fraction:
    """Upper bound on the largest μ(ζ z) - cost(z); costs are in units of ``2**-grid``.

    ``known``: rewards of counts that were looked at before, to be added to.
    """
    one = cluster.jobs[job]

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
