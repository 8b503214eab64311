"""Whole horizons of kind gadget at prices, and the bounds they prove.

At nonnegative prices of everything that can fill up, no schedule earns more than the rent of the
whole cluster plus what each job alone would earn at most after paying its rent.  That is weak
duality for any utility, concave or not; no multiplier of the embedding's other rows is needed.
"""

from __future__ import annotations

import collections
import itertools
import math
import operator
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from farkas.certificates.doubles import double
from farkas.certificates.enclosures import Enclosure, at_most, enclose, is_increasing
from farkas.certificates.priced_tree import (
    Case,
    Layout,
    PricedProgram,
    priced_programs,
)
from farkas.certificates.run_bound import RunBound, run_bounds
from farkas.certificates.sums import affordable, finite, scaled, whole
from farkas.errors import NotACertificate
from farkas.instances.gadget import Cluster
from farkas.numbers import Floats, Ints
from farkas.tolerances import FLOORS, ROUNDING

PRICE_BITS = 40  #: Prices become integers of at most so many bits.

SUM_BITS = 58  #: Costs that are possible stay below ``2**SUM_BITS``.


def grid_exponent(largest: float, terms: int = 1) -> int:
    """Exponent g so that ``terms`` prices up to ``largest * 2**g`` add up within 64 bits.

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


#: Ends up to which best replies of jobs are looked at, one after the other.
MOST_ENDS = 8

#: Binary digits to which what a job keeps is rounded up: of itself, whatever the unit.
MORE_DIGITS = 100


def shortened(value: Fraction) -> Fraction:
    """Fraction of `MORE_DIGITS` binary digits at or just above ``value``."""
    places = grid_of(value)
    return scaled(math.ceil(value * scaled(1, places)), -places)


def grid_of(value: Fraction) -> int:
    """Binary places to which numbers are rounded that stand beside ``value``."""
    return MORE_DIGITS - value.numerator.bit_length() + value.denominator.bit_length()


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


ENCLOSED = 1 << 10  #: Steps that a reward takes.


class PricedCluster(PricedProgram):
    """Jobs as owners; rows are resources of the servers of a class in a block of slots.

    Links have no prices.  A plan says how many worker-slots a job has in each block on each class,
    and is worth what the job then earns beyond never running.  ``starts`` are the first slots of
    blocks, ascending, the first 0; ``classes`` any partition of the servers.
    """

    name = "gadget.offline"
    forgiven = (1 + Fraction(FLOORS)) * (1 + Fraction(ROUNDING)) - 1

    def __init__(self, cluster: Cluster, starts: Ints, classes: Sequence[Ints]) -> None:
        self.instance, self.owners = cluster, cluster.num_jobs
        self.starts, self.classes = starts, [np.asarray(one, np.int64) for one in classes]
        self.shape = (len(starts), len(classes), cluster.num_resources)
        self.width = math.prod(self.shape)
        held = [cluster.host_cap[:, one].sum(axis=1) for one in self.classes]
        self.held = np.array(held, np.int64).reshape(len(held), self.owners).T
        self._worth: list[dict[int, Fraction]] = [{} for _ in range(self.owners)]

    @property
    def layout(self) -> Layout:
        """Blocks and classes."""
        classes = tuple(tuple(one.tolist()) for one in self.classes)
        return {"starts": (tuple(self.starts.tolist()),), "classes": classes}

    @classmethod
    def laid_out(cls, instance: Cluster, name: str, layout: Layout) -> PricedProgram:
        """State the program with blocks and classes of a file, or of its only slot."""
        if "slot" in layout:
            from farkas.certificates.gadget_slot import PricedSlot  # here: few bounds have links

            return PricedSlot.laid_out(instance, name, layout)
        if layout.keys() != {"starts", "classes"} or len(layout["starts"]) != 1:
            raise NotACertificate(f"rows of {name} are laid out by starts and classes")
        starts, classes = layout["starts"][0], layout["classes"]
        servers = sorted(u for group in classes for u in group)
        if servers != np.flatnonzero(instance.is_server).tolist() or not all(classes):
            raise NotACertificate("the classes are no partition of the servers")
        rising = all(a < b for a, b in itertools.pairwise(starts))
        if not starts or starts[0] != 0 or not rising or starts[-1] >= instance.horizon:
            raise NotACertificate("the blocks do not cut the horizon")
        affordable(len(starts) * len(classes) * instance.num_resources, "rows")
        return cls(instance, np.array(starts, np.int64), [np.array(one) for one in classes])

    def rents(self, prices: Floats) -> list[Fraction]:
        """Exact rent of a slot of each block."""
        price, found = prices.reshape(self.shape), [Fraction(0)] * len(self.starts)
        for c, members in enumerate(self.classes):
            capacity = self.instance.capacity[members]
            for r in np.flatnonzero(price[:, c].any(axis=0)).tolist():
                if not np.isfinite(capacity[:, r]).all():
                    raise NotACertificate("an unlimited resource has a positive price")
                units = sum(map(Fraction, capacity[:, r].tolist()), Fraction(0))
                for q in np.flatnonzero(price[:, c, r]).tolist():
                    found[q] += units * Fraction(float(price[q, c, r]))
        return found

    def rent(self, prices: Floats) -> Fraction:
        """Return the rent of all blocks, and what jobs earn that never run."""
        length = np.diff(np.append(self.starts, self.instance.horizon)).tolist()
        rent = sum(map(operator.mul, length, self.rents(prices)), Fraction(0))
        return shortened(rent + sum(map(self.idle, range(self.owners)), Fraction(0)))

    def idle(self, job: int) -> Fraction:
        """Bound what a job earns that never runs from above."""
        return shortened(self.worth(job, 0))

    def worth(self, job: int, worker_slots: int) -> Fraction:
        """Bound the reward of a job from above."""
        known, one = self._worth[job], self.instance.jobs[job]
        if worker_slots not in known:
            known[worker_slots] = at_most(one.utility, one.efficiency, worker_slots)
        return known[worker_slots]

    def values(self, owner: int) -> Floats:
        """Values of 0, 1, ... worker-slots, rounded up; shape (worker-slots + 1,)."""
        slots, idle = range(int(self.instance.reachable_slots[owner]) + 1), self.idle(owner)
        found = np.array([double(self.worth(owner, z) - idle, up=True) for z in slots], np.float64)
        found[0] = 0.0
        return finite(found, "values of a job")

    def steps(self) -> float:
        """Count classes of blocks, and worker-slots, whose rewards are enclosed one by one."""
        places = self.owners * self.shape[0] * self.shape[1]
        return float(places + self.width + ENCLOSED * self.instance.reachable_slots.sum())

    def replies(self, prices: Floats, case: Case, owners: Sequence[int]) -> Sequence[Fraction]:
        """Bound what each of some jobs earns alone after paying for its worker-slots."""
        costs = Costs(self, prices, owners)
        found = []
        for place, job in enumerate(owners):
            spent = costs.least(place, self.instance.horizon)
            if job in case:
                worth = case[job].worth(self.values(job)[: len(spent)])
                better = np.flatnonzero(worth).tolist()
                nets = [Fraction(float(worth[z])) - costs.exact(spent[z]) for z in better]
                found.append(shortened(max([*nets, Fraction(0)])))
            else:
                found.append(self._earned(job, costs, spent) - self.idle(job))
        return found

    def _earned(self, job: int, costs: Costs, spent: Ints) -> Fraction:
        """Bound the largest μ(ζ z) - cost(z), with so much spent by number of worker-slots z."""

        def cost(z: int) -> Fraction:
            return costs.exact(spent[z])

        def net(z: int) -> Fraction:
            return self.worth(job, z) - cost(z)

        last = len(spent) - 1
        if not is_increasing(self.instance.jobs[job].utility):
            return shortened(max(net(z) for z in range(last + 1)))
        # between two counts the reward is at most that of the larger, the cost at least that of the
        # smaller; an interval that cannot beat the best end is dropped.  The guess is only a guess,
        # the best of every fifth count
        with np.errstate(all="ignore"):
            some = np.arange(last, -1, -5)
            net_worth = self.instance.reward(job, some) - np.ldexp(spent[some], -costs.grid)
            guess = int(some[np.argmax(net_worth)])
        best = max(net(0), net(last), net(guess))
        intervals = [(0, guess), (guess, last)]
        while intervals:
            low, high = intervals.pop()
            if high - low < 2 or self.worth(job, high) - cost(low) <= best:
                continue
            middle = (low + high) // 2
            best = max(best, net(middle))
            intervals += [(low, middle), (middle, high)]
        return shortened(best)

    def bounds_so_far(self, prices: Floats) -> list[Fraction]:
        """Bound the schedules of the instance that ends in each slot at prices, shape (width,).

        They pay the rent of these slots.  What a job could do alone never falls with more slots,
        so it is looked at up to every slot, or the next of `MOST_ENDS` ends.
        """
        cluster, everyone = self.instance, range(self.owners)
        costs, rents = Costs(self, prices, everyone), self.rents(prices)
        arrive: dict[int, list[int]] = collections.defaultdict(list)
        for job, slot in enumerate(cluster.arrival.tolist()):
            arrive[slot].append(job)
        least = [self.idle(job) for job in everyone]

        def until(end: int) -> list[Fraction]:
            return [
                self._earned(job, costs, costs.least(job, end)) if slot < end else least[job]
                for job, slot in enumerate(cluster.arrival.tolist())
            ]

        ends = sorted({-(-cluster.horizon * k // MOST_ENDS) for k in range(1, MOST_ENDS + 1)})
        found: list[Fraction] = []
        rent, here = Fraction(0), list[int]()
        for begin, end in itertools.pairwise([0, *ends]):
            most, total = until(end), sum(least, Fraction(0))
            total += sum((most[job] - least[job] for job in here), Fraction(0))
            for slot in range(begin, end):
                rent += rents[np.searchsorted(self.starts, slot, side="right") - 1]
                total += sum((most[job] - least[job] for job in arrive[slot]), Fraction(0))
                here += arrive[slot]
                found.append(rent + total)
        grid = grid_of(found[-1])
        return [scaled(math.ceil(bound * scaled(1, grid)), -grid) for bound in found]


class Costs:
    """Least costs of worker-slots of some jobs, in whole units of ``2**-grid``."""

    def __init__(self, program: PricedCluster, prices: Floats, jobs: Sequence[int]) -> None:
        cluster, some = program.instance, np.array(jobs, np.int64)
        self.cluster, self.jobs, self._start = cluster, some, program.starts
        affordable(float(cluster.reachable_slots.max(initial=0)), "worker-slots of a job")
        price, demand = prices.reshape(program.shape), cluster.demand[some]
        top = dearest(price.max(axis=(0, 1), initial=0.0), cluster.demand)
        self.grid = grid_exponent(top, int(cluster.reachable_slots.max(initial=1)))
        self._unit = rounded_down(demand[:, None, None, :], price[None], self.grid)
        self._held = program.held[some]

    def exact(self, cost: int) -> Fraction:
        """Return a cost as a number."""
        return scaled(int(cost), -self.grid)

    def least(self, place: int, end: int) -> Ints:
        """Least cost of 0, 1, ... worker-slots of one job before a slot.

        In every slot of a block the cheapest classes come first, up to the largest ring; all slots
        of the block are alike.  A block that begins before the arrival is open to the job as a
        whole if any of its slots is, which can only lower the cost.  The grid of prices is such
        that the sum of all worker-slots stays inside 64 bits.
        """
        cluster, job, start = self.cluster, int(self.jobs[place]), self._start
        arrival, ends = int(cluster.arrival[job]), np.append(start[1:], end)
        ends = np.minimum(ends, end)
        opens = slice(int(ends.searchsorted(arrival, side="right")), None)
        unit, length = self._unit[place, opens], np.maximum(ends - start, 0)[opens]
        order = unit.argsort(axis=1, kind="stable")
        price = unit[np.arange(len(unit))[:, None], order].ravel()
        filled = np.minimum(self._held[place][order].cumsum(axis=1), int(cluster.max_workers[job]))
        filled[:, 1:] -= filled[:, :-1].copy()
        slots = np.minimum(length, ends[opens] - arrival)
        number = (filled * slots[:, None]).ravel()
        order = price.argsort(kind="stable")
        most = min(cluster.reachable_slots[job], max(end - arrival, 0) * cluster.largest_ring[job])
        upto = np.minimum(number[order].cumsum(), most)
        upto[1:] -= upto[:-1].copy()
        spent = np.zeros(upto.sum() + 1, np.int64)
        price[order].repeat(upto).cumsum(out=spent[1:])
        return spent


priced_programs.add(PricedCluster.name, PricedCluster)

run_bounds.add("gadget", (RunBound("priced_tree", PricedCluster.name),))
