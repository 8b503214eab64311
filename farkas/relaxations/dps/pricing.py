"""Jobs reply to prices of units by pool of servers, type and slot.

A job goes whole to a server of the pool that charges it least, or spreads its units, the cheapest
first, and holds them for longer.  Equal servers are one pool; where that leaves too many rows, all
servers are.  Plans that are carried out keep the units of every server.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np
from scipy import sparse

from farkas.certificates.dps import Charges, PricedMarket
from farkas.certificates.priced_tree import Case, Knapsack
from farkas.decomposition.cuts import VIOLATED, rounded
from farkas.decomposition.protocol import Demand, Fit, Plans, Pricing
from farkas.instances.dps import Market
from farkas.numbers import Array, Bools, Floats, Ints
from farkas.tolerances import FINE_GAP

SPREAD, WHOLE = 0, 1  #: Ways to place a job.
EACH = 2  #: Knapsacks of a round for each type.
MOST_ROWS = 100_000  #: Rows by class of equal servers beyond which all servers are one pool.

Placed = list[tuple[Ints, Ints]]  #: Servers, and units on each, by side.
Way = tuple[float, Placed, int]  #: Its charge, where it is, and `SPREAD` or `WHOLE`.
Among = list[Bools]  #: Servers that units may be on, by side.
Idle = list[tuple[Ints, Ints]]  #: Units by server, of a spread job and a whole one, by side.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Workers or parameter servers: who holds what when."""

    #: types, units: type asked for, and how many units; shape (jobs,).
    types: Ints
    units: Ints
    installed: Ints  #: By server, shape (servers, types).
    by_pool: Ints  #: The same by pool, shape (pools, types).
    slots: Ints  #: Slots of arrivals, in which usage has to be looked at.
    first: Ints  #: First of them in which each job holds units.
    after: tuple[Ints, Ints]  #: First behind its last one, spread and whole.
    #: row, limit: the side's first row and its first hard limit.
    row: int
    limit: int

    @property
    def rows(self) -> Floats:
        """Capacity by pool, type and slot."""
        return np.repeat(self.by_pool.ravel(), len(self.slots)).astype(float)

    @property
    def hard(self) -> Floats:
        """Capacity by server, type and slot."""
        return np.repeat(self.installed.ravel(), len(self.slots)).astype(float)

    def of_side(self, numbers: Array, hard: bool = False) -> Array:
        """Return the side's part of numbers by row, or hard limit; shape (places, types, slots)."""
        shape, begin = (self.installed, self.limit) if hard else (self.by_pool, self.row)
        part = numbers[begin : begin + shape.size * len(self.slots)]
        return part.reshape(*shape.shape, len(self.slots))

    def row_of(self, pool: Ints) -> Ints:
        """Row of each hard limit; ``pool``: of each server."""
        number = self.row + np.arange(self.by_pool.size * len(self.slots))
        return number.reshape(*self.by_pool.shape, len(self.slots))[pool].ravel()

    def entries(self, job: Ints, place: Ints, way: Ints, hard: bool = False) -> tuple[Ints, Ints]:
        """List where jobs hold units on a place: number in the arguments, and row or hard limit."""
        begin, width = (self.limit if hard else self.row), self.by_pool.shape[1]
        first = self.first[job]
        after = np.where(way == WHOLE, self.after[WHOLE][job], self.after[SPREAD][job])
        count = after - first
        entry = np.repeat(np.arange(len(job)), count)
        slot = first[entry] + np.arange(len(entry)) - np.repeat(np.cumsum(count) - count, count)
        at = (place[entry] * width + self.types[job[entry]]) * len(self.slots) + slot
        return entry, begin + at


class ServerPricing(Pricing):
    """Jobs of a market as owners; a plan is worth what the job pays.

    ``single``: as of `farkas.certificates.dps.ServerPools.of_market`.
    """

    program: PricedMarket
    cuts_first = True

    def __init__(self, market: Market, single: bool = False) -> None:
        self.market, self.owners = market, market.num_jobs
        name = f"dps.offline[{'free' if market.price_cap is None else 'capped'}]"
        program = PricedMarket(market, name, single)
        if program.width > MOST_ROWS:
            program = PricedMarket(market, name, single=True)
        self.program, self.most = program, program.reward
        self.pools = pools = program.pools
        slots, first, (whole, spread) = program.slots, program.first, program.after
        sides: list[Side] = []
        row = limit = 0
        for types, units, installed, by_pool in (
            (market.worker_type, market.workers, market.installed_workers, pools.workers),
            (market.ps_type, market.ps, market.installed_ps, pools.ps),
        ):
            side = Side(types, units, installed, by_pool, slots, first, (spread, whole), row, limit)
            sides.append(side)
            row, limit = row + len(side.rows), limit + len(side.hard)
        self.sides = sides
        self.rows = np.concatenate([side.rows for side in sides])
        self.hard = np.concatenate([side.hard for side in sides])
        self.row_of = np.concatenate([side.row_of(pools.of) for side in sides])
        self.place_of = np.concatenate([
            np.repeat(np.arange(market.num_servers), side.installed.shape[1] * len(slots))
            for side in sides
        ])  # fmt: skip
        self.slot_of = np.tile(np.arange(len(slots)), len(self.rows) // max(1, len(slots)))
        self._known: tuple[Floats, Charges] | None = None

    def charges(self, prices: Floats) -> Charges:
        """Price the ways to place every job, those that are none at infinity; the last are kept."""
        if self._known is None or self._known[0] is not prices:
            found = self.program.charges(self.program.split(prices), np.arange(self.owners), float)
            whole = np.where(self.pools.hosts, found.whole, np.inf)
            spread = np.where(self.market.fits, found.spread, np.inf)
            self._known = prices, dataclasses.replace(found, whole=whole, spread=spread)
        return self._known[1]

    def worth(self, case: Case) -> Floats:
        """Return what each job counts for in a case, shape (jobs,)."""
        worth = self.most.copy()
        for owner, window in case.items():
            worth[owner] = window.worth(worth[owner : owner + 1])[0]
        return worth

    def replies(self, prices: Floats, case: Case) -> tuple[Floats, Plans]:
        """Place each job whole in the pool that charges it least, or spread where that is less."""
        charges, worth = self.charges(prices), self.worth(case)
        cheapest = charges.whole.min(axis=1, initial=np.inf)
        payoff = np.maximum(worth - np.minimum(cheapest, charges.spread), 0.0)
        one = np.flatnonzero(worth > cheapest)
        # spread where that is cheaper, by more than rounding
        saved = np.minimum(cheapest, worth) - charges.spread
        many = np.flatnonzero(saved > FINE_GAP * worth)
        pool = charges.whole[one].argmin(axis=1) if len(one) else one
        return payoff, self._plans(one, pool, many, [taken[many] for taken in charges.taken])

    def cuts(self, plans: Plans, share: Floats, prices: Floats) -> Sequence[Knapsack]:
        """Return types and slots that hold jobs as wholes, and that shares violate."""
        some = plans.owner[plans.value > 0]
        served = np.minimum(np.bincount(some, share[plans.value > 0], self.owners), 1.0)
        least = np.searchsorted(self.program.slots, self.market.last_slot, side="right")
        return [
            cut
            for side in self.sides
            for kind in range(side.by_pool.shape[1])
            for cut in self._violated(side, kind, served, least, prices)
        ]

    def _violated(
        self, side: Side, kind: int, served: Floats, least: Ints, prices: Floats
    ) -> Iterator[Knapsack]:
        """Knapsacks of a type, at most `EACH`; ``least``: first slot behind each job's last."""
        jobs = np.flatnonzero((side.types == kind) & (self.most > 0))
        room, tried = int(side.by_pool[:, kind].sum()), []
        dear = side.of_side(prices)[:, kind].sum(axis=0)
        for slot in np.flatnonzero(dear).tolist():
            here = jobs[(side.first[jobs] <= slot) & (least[jobs] > slot)]
            if len(here):
                row = rounded(side.units[here], served[here], room)
                if row is not None:
                    tried.append((row[0], slot, here, row[1]))
        for _, slot, here, charges in sorted(tried, key=lambda one: -one[0])[:EACH]:
            begins = (
                side.row
                + slot
                + len(side.slots) * (kind + side.by_pool.shape[1] * np.arange(self.pools.count))
            )
            pays = charges > 0
            cut = Knapsack(
                rows=tuple((begin, begin + 1) for begin in begins.tolist()),
                unit=1.0,
                owners=tuple(here[pays].tolist()),
                values=tuple(self.most[here[pays]].tolist()),
                amounts=tuple(charges[pays].tolist()),
            )
            if float(charges @ served[here]) > float(cut.best(self.program)) + VIOLATED:
                yield cut

    def _plans(self, one: Ints, pool: Ints, many: Ints, taken: Sequence[Ints]) -> Plans:
        """Jobs whole in pools, and others spread."""
        entry, row, amount = [], [], []
        for side, units in zip(self.sides, taken, strict=True):
            at, rows = side.entries(one, pool, np.full(len(one), WHOLE))
            entry.append(at)
            row.append(rows)
            amount.append(side.units[one[at]])
            way, place = np.nonzero(units)
            at, rows = side.entries(many[way], place, np.full(len(way), SPREAD))
            entry.append(len(one) + way[at])
            row.append(rows)
            amount.append(units[way[at], place[at]])
        owner = np.concatenate([one, many])
        position = np.concatenate(entry), np.concatenate(row)
        use = sparse.coo_array(
            (np.concatenate(amount).astype(float), position), shape=(len(owner), len(self.rows))
        )
        return Plans(owner, self.most[owner], use.tocsr())

    def fits(self, owner: int, asked: Demand) -> list[Fit]:
        """Place a job whole where room is cheapest, or spread; one that has to pay more waits."""
        worth, noise, many = float(self.most[owner]), asked.noise, asked.many
        if worth <= asked.above:
            return []
        charges, idle = self.charges(asked.prices), self.idle(owner, asked.used)
        among, longer = self._inside(owner, asked.like)
        found = self._whole(owner, charges, idle, noise, among, many)
        if longer and (not found or many > 1):
            parts = self._spread(owner, charges, idle, noise, among)
            found += [] if parts is None else [parts]
        return [
            self.fit(owner, placed, way)
            for charge, placed, way in found
            if many > 1 or worth >= charge
        ]

    def idle(self, owner: int, used: Floats) -> Idle:
        """Least idle units by server while a job is there, spread and whole, by side."""
        found = []
        for side in self.sides:
            kind, first = side.types[owner], side.first[owner]
            spread, whole = side.after[SPREAD][owner], side.after[WHOLE][owner]
            view = side.of_side(used, hard=True)[:, kind, first:spread]
            there = side.installed[:, kind]
            short = there - view[:, : whole - first].max(axis=1)
            found.append((there - view.max(axis=1) if spread > whole else short, short))
        return found

    def _inside(self, owner: int, like: sparse.csr_array | None) -> tuple[Among, bool]:
        """Servers of pools that a plan uses, by side; whether it may be spread as long as it is."""
        if like is None:
            return [np.ones(len(self.pools.of), np.bool_) for _ in self.sides], True
        among, longer = [], True
        for side in self.sides:
            pools, many = np.zeros(self.pools.count, np.bool_), len(side.slots)
            size = side.by_pool.shape[1] * many
            at = like.indices - side.row
            at = at[(at >= 0) & (at < len(pools) * size)]
            pools[at // max(1, size)] = True
            among.append(pools[self.pools.of])
            until = int((at % max(1, many)).max(initial=0)) + 1
            longer &= until >= side.after[SPREAD][owner]
        return among, longer

    def _whole(
        self, owner: int, charges: Charges, idle: Idle, noise: Floats, among: Among, many: int
    ) -> list[Way]:
        """Servers with room for the whole job, the cheapest first, and of those the fullest."""
        asked = [int(side.units[owner]) for side in self.sides]
        room = [each[WHOLE] for each in idle]
        fits = (room[0] >= asked[0]) & (room[1] >= asked[1])
        able = np.flatnonzero(fits & among[0] & among[1])
        charge = charges.whole[owner][self.pools.of[able]] * noise[able]
        order = np.lexsort((room[0][able] + room[1][able], charge))[: many if many > 1 else 1]
        return [
            (float(charge[k]), [(able[[k]], np.array([units])) for units in asked], WHOLE)
            for k in order.tolist()
        ]

    def _spread(
        self, owner: int, charges: Charges, idle: Idle, noise: Floats, among: Among
    ) -> Way | None:
        """Cheapest units with room, first where their partners are taken; None without enough."""
        placed, charge = [], 0.0
        for number, side in enumerate(self.sides):
            room, asked = np.where(among[number], idle[number][SPREAD], 0), int(side.units[owner])
            if room.sum() < asked:
                return None
            unit = charges.unit[number][owner][self.pools.of] * noise
            order = np.lexsort((room, idle[1 - number][SPREAD], unit))
            each = np.clip(asked - (np.cumsum(room[order]) - room[order]), 0, room[order])
            at = np.flatnonzero(each)
            placed.append((order[at], each[at]))
            charge += float(unit[order[at]] @ each[at])
        servers = {*placed[0][0].tolist(), *placed[1][0].tolist()}
        return (charge, placed, SPREAD) if len(servers) > 1 else None

    def fit(self, owner: int, placed: Placed, way: int) -> Fit:
        """State a plan on servers."""
        limits, amounts = [], []
        for side, (servers, units) in zip(self.sides, placed, strict=True):
            job = np.full(len(servers), owner)
            at, limit = side.entries(job, servers, np.full(len(servers), way), hard=True)
            limits.append(limit)
            amounts.append(units[at])
        amount = np.concatenate(amounts).astype(float)
        return Fit(float(self.most[owner]), np.concatenate(limits), amount, placed)
