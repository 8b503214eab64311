"""Requests reply to prices of slots: all that searches and bounds have to know of the kind."""

from fractions import Fraction

import numpy as np
from scipy import sparse

from farkas.certificates.priced_tree import PricedProgram, priced_programs
from farkas.decomposition.protocol import Fit, Plans, Pricing


@priced_programs.register("lease.offline")
class PricedLeases(PricedProgram):
    """Rent and replies in exact arithmetic; a row is a slot of all machines together."""

    name = "lease.offline"

    def __init__(self, instance):
        requests, self.instance, self.owners = instance.requests, instance, len(instance.requests)
        self.first = np.array([one.arrival for one in requests], np.int64)
        self.after = self.first + np.array([one.slots for one in requests], np.int64)
        self.units = np.array([one.units for one in requests], np.int64)
        self.worth = np.array([one.worth for one in requests], np.float64)
        self.width = int(self.after.max(initial=0))

    @classmethod
    def laid_out(cls, instance, name, layout):
        """There is one layout."""
        return cls(instance)

    def rent(self, prices):
        """What all machines earn."""
        return sum(map(Fraction, prices.tolist())) * self.instance.machines * self.instance.capacity

    def replies(self, prices, case, owners):
        """Worth less price, where that is above 0."""
        exact = np.array(list(map(Fraction, prices.tolist())), object)
        paid, worth = self.paid(exact), self.counted(case)
        return [max(Fraction(worth[i]) - paid[i], Fraction(0)) for i in owners]

    def paid(self, prices):
        """What each request pays, at prices that are doubles or fractions."""
        sums = np.concatenate([[0], np.cumsum(prices)])
        return (sums[self.after] - sums[self.first]) * self.units

    def counted(self, case):
        """What each request counts for in a case."""
        worth = self.worth.copy()
        for owner, window in case.items():
            worth[owner] = window.worth(worth[[owner]])[0]
        return worth

    def most(self, owner):
        """A request is worth all or nothing."""
        return float(self.worth[owner])

    def below(self, owner, value):
        """Nothing is left below its worth."""
        return 0.0 if value <= self.worth[owner] else self.most(owner)


class LeasePricing(Pricing):
    """Replies in doubles, and machines with room; a hard limit is a slot of a machine."""

    def __init__(self, instance):
        known = self.program = PricedLeases(instance)
        self.owners, self.most, slots = known.owners, known.worth, np.arange(known.width)
        self.slots = [np.arange(*ends) for ends in zip(known.first, known.after, strict=True)]
        self.rows = np.full(len(slots), float(instance.machines * instance.capacity))
        self.hard = np.full(instance.machines * len(slots), float(instance.capacity))
        self.row_of = np.tile(slots, instance.machines)
        self.place_of = np.repeat(np.arange(instance.machines), len(slots))

    def replies(self, prices, case):
        """A request has one plan, and wants it where it counts for more than it pays."""
        earned = self.program.counted(case) - self.program.paid(prices)
        owners = np.flatnonzero(earned > 0)
        slots = [self.slots[owner] for owner in owners]
        many = [len(some) for some in slots]
        units = np.repeat(self.program.units[owners], many).astype(float)
        where = np.repeat(np.arange(len(owners)), many), np.concatenate([owners[:0], *slots])
        use = sparse.coo_array((units, where), shape=(len(owners), len(self.rows))).tocsr()
        return np.maximum(earned, 0.0), Plans(owners, self.most[owners], use)

    def fits(self, owner, asked):
        """Machines with room, cheap ones first, and of these the fullest."""
        slots, units = self.slots[owner], float(self.program.units[owner])
        free = (self.hard - asked.used).reshape(len(asked.noise), -1)[:, slots]
        paid = float(asked.prices[slots].sum()) * units * asked.noise
        able = (free >= units).all(axis=1) & (paid <= self.most[owner])
        order = [at for at in np.lexsort((free.sum(axis=1), paid)).tolist() if able[at]]
        worth, amount, width = float(self.most[owner]), np.full(len(slots), units), len(self.rows)
        found = order[: asked.many if worth > asked.above else 0]
        return [Fit(worth, at * width + slots, amount, at) for at in found]

    def decisions(self, plans):
        """A machine each, or -1."""
        return [plans[i].what if i in plans else -1 for i in range(self.owners)]
