r"""Bounds on the offline optimum of a broker: slots by themselves, deployments handed on at prices.

What couples jobs is the discount, what couples slots are deployments.  Both are bounded.

- *Prices.*  A job that is deployed on V_t in slot t of n pays c |V_t \ V_{t-1}| there, nothing
  being deployed before.  Let p_1, ..., p_{n-1} be functions of sets of sites that grow with each
  site, by at most c.  So p(V) - p(W) <= c |V \ W|, and

      Σ_t c |V_t \ V_{t-1}| >= c |V_1| + Σ_{t>1} p_{t-1}(V_t) - Σ_{t<n} p_t(V_t),

  a sum over slots: each is paid p_t for the deployment that it leaves, and pays p_{t-1} for its
  own.
  At any such prices slots may be bounded one by one; they are the owners of a `PricedProgram`.
  With up to `MOST_SITES` sites every set has its price; beyond, prices of single sites add up.
- *Discounts.*  In a slot F(h) = min(a h, b h + e) is at least its chord over [0, H], with H what
  all jobs of the slot can use at a site.  A tree decides cell by cell, a site and a resource each,
  which of the two prices counts: a h, or b h with e once.  In a node all cells have linear prices,
  so that jobs do not meet, and the best whole workers and server of every job are bounded: over all
  sets of sites or at charges of sites, by `farkas.certificates.mlbroker_workers`.  Whatever jobs
  use, some leaf asks for no more, so that the slot costs at least what its cheapest leaf does.  A
  branch differs from its node by the price of one cell: what sets of sites without that site cost
  is the same, and what others cost falls by no more than Ȳ workers and the server save there.

Workers beyond Ȳ at a site are left out: without them a placement costs no more, since they are not
needed for the data, nor for the deployment while others are there.  Prices of deployments are whole
multiples of a unit, so that their sums are exact; what a deployment costs is rounded down.

Replays of placements forgive one thing, which the bound grants: a worker too few for a rounding
error of the data, `Brokerage.workers_needed`.  Such a placement moves as much of every site's data
as its workers have room for, P Σ y / Σ D; what is bounded moves `Brokerage.trained_volume`, of
every site no more than the share P Y / Σ D, and Y <= Σ y.  Discounts are compared exactly.

What a check takes is counted in the steps of `farkas.certificates.mlbroker_workers`, as they are
made, and ended by a limit: how far workers are branched on depends on prices.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from farkas.certificates.mlbroker import down
from farkas.certificates.mlbroker_workers import (
    ENDLESS,
    PlacementData,
    Placements,
    place_pairs,
)
from farkas.certificates.priced_tree import Case, Layout, PricedProgram, priced_programs
from farkas.certificates.sums import affordable, exact_dot, finite, whole
from farkas.errors import NotACertificate
from farkas.instances.mlbroker import Brokerage
from farkas.numbers import Floats, Ints
from farkas.tolerances import TINY, ULP

SUBJECT = "mlbroker.offline[strict,two,split]"
MOST_SITES = 10  #: All sets of sites are looked at for every job and slot.
MOST_NODES = 1 << 20
PRICE_BITS = 40  #: Prices of deployments are below so many bits.

MOST_STEPS = 1 << 36  #: Steps of all leaves together.
#: Steps that an exact sum takes as long as; exact sums that a leaf does whatever its size.
EXACT_STEPS, LEAF_SUMS = 128, 64

FREE, LIST, REDUCED = 0, 1, 2  #: Price of a cell: the chord's slope, a, or b with the surcharge.
LEAF = 0  #: Of a tree; a cell that is branched on is its number and 1.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SlotLeaf:
    """What the jobs of a slot do at decided prices."""

    bound: Floats  #: Shape (jobs,), USD: no placement of the job costs less.
    surcharge: Fraction  #: Of the discounted cells, USD.
    slope: Floats  #: Shape (sites, resources), USD a unit.
    state: Ints  #: Shape (sites, resources): which price each cell has.
    found: Placements
    steps: int  #: That finding this out took.

    def total(self) -> Fraction:
        """Return what the slot costs at least, USD, exactly."""
        return self.surcharge + exact_dot(self.bound, np.ones_like(self.bound))

    def bare(self) -> SlotLeaf:
        """Return it without what only branches need."""
        least, grade = self.found.least[:0].copy(), self.found.grade[:0].copy()
        return dataclasses.replace(self, found=self.found._replace(least=least, grade=grade))


class SlotBounds:
    """Bounds slots of an instance at prices of deployments; numbers are rounded to the safe side.

    ``most_steps``: steps after which no leaf is bounded any more.  Raises `NotACertificate`: there
    are too many jobs and slots for all their sets of sites.
    """

    def __init__(self, data: Brokerage, most_steps: int = ENDLESS) -> None:
        self.data, sites = data, data.num_sites
        self.placing = PlacementData.of(data)
        self.listed = sites <= MOST_SITES
        """Whether all sets of sites are listed, bit by bit; else sites stand where sets do."""
        self.members: Ints = (np.arange(1 << sites)[:, None] >> np.arange(sites) & 1
                              if self.listed else np.eye(sites, dtype=np.int64))  # fmt: skip
        """Sites of each set that has a price, shape (sets, sites)."""
        self.cells = sites, data.num_resources
        self.sets = len(self.members)
        affordable(float(data.num_pairs) * self.sets, "sets of sites of jobs in slots")
        self.work: Ints = np.array([0, most_steps], np.int64)
        """Steps that were done, and the most."""
        self.links: Ints = np.flatnonzero(data.next_pair >= 0)
        """Pairs after which the same job has another one."""
        # F(H) / H with H a sum over the jobs of the slot
        chord = finite(data.chord_slope("strict"), "the slope of a chord")
        self.chord = np.maximum(down(chord, data.num_jobs + 16), 0.0)
        dearest = float(data.deploy_cost.max(initial=0.0)) * sites
        self.exponent = int(np.clip(PRICE_BITS - 1 - np.frexp(dearest)[1], -1024, 1074))
        """Prices of deployments are whole multiples of ``2**-exponent`` USD."""
        units = np.floor(self._scaled(data.deploy_cost))
        self.deploy = whole(units, "deployment prices", bits=PRICE_BITS)

    def _charge(self, steps: int) -> None:
        self.work[0] += steps
        affordable(int(self.work[0]), "leaves of slots", int(self.work[1]))

    def _scaled(self, values: Floats) -> Floats:
        with np.errstate(over="ignore"):  # refused by who reads it
            found: Floats = np.ldexp(values, self.exponent)
        return found

    @property
    def _most(self) -> Ints:
        """Units by which prices may grow with a site, shape (links, 1)."""
        found: Ints = self.deploy[self.data.pair_job[self.links]][:, None]
        return found

    def _without(self, site: int) -> Ints:
        every = np.arange(self.sets)
        found: Ints = every[every >> site & 1 == 0]
        return found

    def rounded(self, prices: Floats) -> Floats:
        """Return prices near others: whole units that grow with a site as far as they may.

        ``prices``: shape (links, sets), finite.
        """
        units = np.floor(self._scaled(prices))
        if self.listed:
            for site in range(self.cells[0]):
                low = self._without(site)
                high = low | 1 << site
                less, more = units[:, low], units[:, high]
                units[:, low] = np.maximum(less, more - self._most)
                units[:, high] = np.maximum(less, more)
            units -= units[:, :1]  # only differences count
        units = np.clip(units, 0, self._most * self.members.sum(axis=1))
        found: Floats = np.ldexp(units, -self.exponent)
        return found

    def extra(self, prices: Floats) -> Floats:
        """Return what sets cost in each pair besides its work, shape (pairs, sets), USD.

        Raises `NotACertificate` when ``prices``, shape (links, sets), are none, too large, or grow
        or fall faster than they may; when their sums overflow.
        """
        data = self.data
        units = whole(self._scaled(finite(prices, "prices")), "prices", bits=PRICE_BITS)
        sites = range(self.cells[0]) if self.listed else ()
        for more in [units[:, self._without(r) | 1 << r] - units[:, self._without(r)]
                     for r in sites] or [units]:  # fmt: skip
            if ((more < 0) | (more > self._most)).any():
                raise NotACertificate("a price falls with a site, or grows by more than deploying")
        total = np.zeros((data.num_pairs, self.sets), dtype=np.int64)
        first = data.previous_pair < 0
        total[first] = self.deploy[data.pair_job[first]][:, None] * self.members.sum(axis=1)
        total[self.links] -= units
        total[data.next_pair[self.links]] += units
        with np.errstate(over="ignore"):
            return finite(np.ldexp(total.astype(np.float64), -self.exponent), "sums of prices")

    def leaf(self, slot: int, state: Ints, extra: Floats) -> SlotLeaf:
        """Place the jobs of a slot at prices by ``state``; ``extra`` has shape (jobs, sets), USD.

        Raises `NotACertificate` when costs and prices together overflow, or take too many steps.
        """
        jobs = len(self.data.pairs_at(slot))
        affordable(float(jobs) * state.size, "prices of a slot")
        found = Placements.none(jobs, self.data.num_sites, self.sets)
        return self._placed(slot, state, extra, -1, np.zeros(jobs), found)

    def branch(self, slot: int, above: SlotLeaf, cell: int, price: int, extra: Floats) -> SlotLeaf:
        """Place the jobs of a slot at prices that differ in one cell from those of the node above.

        ``cell`` is site times resources plus resource, ``price`` `LIST` or `REDUCED`. Raises
        `NotACertificate` as `leaf`; where the cell is none, or decided.
        """
        data, pairs = self.data, self.data.pairs_at(slot)
        if cell >= above.state.size or above.state.flat[cell] != FREE:
            raise NotACertificate("a branch on no cell, or on a decided one")
        state = above.state.copy()
        state.flat[cell] = price
        site, k = divmod(cell, data.num_resources)
        jobs = data.pair_job[pairs]
        worker, server = data.worker_demand[jobs, k], data.server_demand[jobs, k]
        saved = max(0.0, float(above.slope[site, k] - self.slopes(slot, state)[site, k]))
        fall = saved * (worker * np.maximum(1, data.workers_needed[pairs]) + server)
        fall = np.where((worker > 0) | (server > 0), fall * (1 + 8 * ULP) + 8 * TINY, -1.0)
        found = Placements._make(array.copy() for array in above.found)
        return self._placed(slot, state, extra, site, fall, found)

    def slopes(self, slot: int, state: Ints) -> Floats:
        """Return what a unit of each cell costs, USD, shape (sites, resources)."""
        slope = np.where(state == LIST, self.data.list_price, self.chord[slot])
        return np.where(state == REDUCED, self.data.reduced_price, slope)

    def _placed(
        self, slot: int, state: Ints, extra: Floats, site: int, fall: Floats, found: Placements
    ) -> SlotLeaf:
        data = self.data
        pairs = data.pairs_at(slot)
        jobs = data.pair_job[pairs]
        before = int(self.work[0])
        exact = LEAF_SUMS + len(pairs) + 8 * int(np.count_nonzero(state == REDUCED))
        self._charge(EXACT_STEPS * exact + (len(pairs) + 4) * state.size)
        slope, bound = self.slopes(slot, state), np.zeros(len(pairs))
        place_pairs(
            pairs, self.placing,
            (slope * data.worker_demand[jobs][:, None, :]).sum(axis=2),
            (slope * data.server_demand[jobs][:, None, :]).sum(axis=2),
            self.listed, extra, site, fall, found, bound, self.work,
        )  # fmt: skip
        self._charge(0)
        bound = finite(bound, "what a placement costs")
        steps = int(self.work[0]) - before
        return SlotLeaf(bound, self.surcharges(state), slope, state, found, steps)

    def tree(self, slot: int, nodes: Iterator[int], extra: Floats) -> Fraction:
        """Bound the leaves of a tree, given in preorder; return the least bound, USD.

        Nodes are cells that are branched on and 1, list price first, and `LEAF`. Raises
        `NotACertificate` as `branch`; when the tree does not end, or is too deep for tables of all
        its levels.
        """
        waiting = [self.leaf(slot, np.zeros(self.cells, np.int64), extra)]
        best: Fraction | None = None
        while waiting:
            above, node = waiting.pop(), next(nodes, None)
            if node is None:
                raise NotACertificate(f"the tree of slot {slot} ends before its last leaf")
            if node == LEAF:
                total = above.total()
                best = total if best is None else min(best, total)
                continue
            affordable(float(self.table(slot) * (len(waiting) + 2)), "levels of a tree")
            waiting += [self.branch(slot, above, node - 1, p, extra) for p in (REDUCED, LIST)]
        if next(nodes, None) is not None:
            raise NotACertificate(f"the tree of slot {slot} goes on after its last leaf")
        return best or Fraction(0)

    def table(self, slot: int) -> int:
        """Count the numbers that a node of a slot's tree holds."""
        cells = self.cells[0] * self.cells[1]
        return len(self.data.pairs_at(slot)) * (2 * self.sets + self.data.num_sites + 3) + 2 * cells

    def surcharges(self, state: Ints) -> Fraction:
        """Return Σ (a - b) l over the discounted cells, USD, exactly."""
        data, total = self.data, Fraction(0)
        for r, k in np.argwhere(state == REDUCED).tolist():
            saving = Fraction(float(data.list_price[r, k])) - Fraction(
                float(data.reduced_price[r, k])
            )
            total += saving * Fraction(float(data.threshold[r, k]))
        return total


class PricedSlots(PricedProgram):
    """Slots with jobs as owners; rows are deployments that a slot leaves to the next.

    ``trees``: of each slot with jobs, as for `SlotBounds.tree`; leaves if left out.
    """

    name, sense = SUBJECT, "min"

    def __init__(self, data: Brokerage, trees: Sequence[Sequence[int]] | None = None) -> None:
        self.instance, self.bounds = data, SlotBounds(data, MOST_STEPS)
        self.busy = [slot for slot in range(data.num_slots) if len(data.pairs_at(slot))]
        self.owners, self.width = len(self.busy), len(self.bounds.links) * self.bounds.sets
        self.trees = [[LEAF]] * self.owners if trees is None else trees
        affordable(sum(map(len, self.trees)), "nodes of trees", MOST_NODES)

    @classmethod
    def laid_out(cls, instance: Brokerage, name: str, layout: Layout) -> PricedSlots:
        """State the program with a tree for each slot that has jobs."""
        found = cls(instance, layout.get("trees"))
        if list(layout) != ["trees"] or len(found.trees) != found.owners:
            raise NotACertificate(f"{name} needs trees of {found.owners} slots and nothing else")
        return found

    @property
    def layout(self) -> Layout:
        """Trees over the prices that count in each slot."""
        return {"trees": tuple(map(tuple, self.trees))}

    def _table(self, prices: Floats) -> Floats:
        return prices.reshape(len(self.bounds.links), self.bounds.sets)

    def rounded(self, prices: Floats) -> Floats:
        """Return prices that grow with each site as far as they may, in whole units."""
        return np.array([self.bounds.rounded(self._table(row)).ravel() for row in prices])

    def rent(self, prices: Floats) -> Fraction:
        """Return nothing: what a slot is paid, the next one pays."""
        return Fraction(0)

    def replies(self, prices: Floats, case: Case, owners: Sequence[int]) -> Sequence[Fraction]:
        """Bound what slots cost, as losses."""
        if case:
            raise NotACertificate(f"slots of {self.name} have no cases and pay no charges")
        extra = self.bounds.extra(self._table(prices))
        found = []
        for owner in owners:
            slot = self.busy[owner]
            pairs = self.instance.pairs_at(slot)
            found.append(-self.bounds.tree(slot, iter(self.trees[owner]), extra[pairs]))
        return found


priced_programs.add(SUBJECT, PricedSlots)
