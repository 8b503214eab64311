r"""Bounds on the offline optimum of a broker: slots by themselves, jobs tied by tolls.

What couples jobs is the discount, what couples slots are deployments.  Both are bounded.

- *Tolls.*  A job that is deployed on V_t in slot t of n pays c |V_t \ V_{t-1}| there, nothing
  being deployed before.  Let π_1, ..., π_{n-1} be functions of sets of sites that do not grow when
  a site is added, and fall by at most c then.  So π(V) - π(W) <= c |W \ V|, and

      Σ_t c |V_t \ V_{t-1}|
          >= c |V_1| + π_1(V_1) + Σ_t (π_t(V_t) - π_{t-1}(V_t)) - π_{n-1}(V_n),

  a sum over slots: at any tolls π the slots may be bounded one by one.
- *Discounts.*  In a slot F(h) = min(a h, b h + e) is at least its chord over [0, H], with H what
  all jobs of the slot can use at a site.  A tree decides cell by cell, a site and a resource each,
  which of the two prices counts: a h, or b h with e once.  In a node all cells have linear prices,
  so that jobs do not meet, and `farkas.certificates.mlbroker_workers` bounds the best whole workers
  and server of every job.  Whatever the jobs use, some leaf asks for no more, so that the slot
  costs at least what its cheapest leaf does.  A branch differs from its node by the price of one
  cell: what sets of sites without that site cost is the same, and what others cost falls by no
  more than Ȳ workers and the server of a job save there.

Workers beyond Ȳ at a site are left out: without them a placement costs no more, since they are not
needed for the data, nor for the deployment while others are there.  Tolls and deployment prices are
whole multiples of a unit, so that their sums are exact; the deployment price is rounded down.

Replays of placements forgive one thing, which the bound grants: a worker too few for a rounding
error of the data, `Brokerage.workers_needed`.  Such a placement moves as much of every site's data
as its workers have room for, P Σ y / Σ D; what is bounded moves `Brokerage.trained_volume`, of
every site no more than the share P Y / Σ D, and Y <= Σ y.  Discounts are compared exactly.

What a check takes is counted in the steps of `farkas.certificates.mlbroker_workers`, as they are
made, and ended by a limit: how far workers are branched on depends on prices and tolls.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, ClassVar

import msgspec
import numpy as np

from farkas.certificates.files import certificate_type
from farkas.certificates.mlbroker import down
from farkas.certificates.mlbroker_charges import place_charged
from farkas.certificates.mlbroker_workers import ENDLESS, place_pairs
from farkas.certificates.packed import Exponent, pack, unpack
from farkas.certificates.prices import PriceCertificate
from farkas.certificates.sums import affordable, exact_dot, finite, whole
from farkas.errors import NotACertificate
from farkas.instances.mlbroker import Brokerage
from farkas.kernels import Kernel
from farkas.numbers import Floats, Ints
from farkas.tolerances import TINY, ULP

SUBJECT = "mlbroker.offline[strict,choice,split]"
MOST_SITES = 10  #: All sets of sites are looked at for every job and slot.
MOST_NODES = 1 << 20
TOLL_BITS = 40  #: Tolls and deployment prices are below so many bits.

MOST_STEPS = 1 << 36  #: Steps of all leaves together.
#: Steps that an exact sum takes as long as; exact sums that a leaf does whatever its size.
EXACT_STEPS, LEAF_SUMS = 128, 64

FREE, LIST, REDUCED = 0, 1, 2  #: Price of a cell: the chord's slope, a, or b with the surcharge.
LEAF = -1

Node = Annotated[int, msgspec.Meta(ge=LEAF, lt=2**31)]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SlotLeaf:
    """What the jobs of a slot do at decided prices."""

    bound: Floats  #: Shape (jobs,), USD: no placement of the job costs less.
    surcharge: Fraction  #: Of the discounted cells, USD.
    slope: Floats  #: Shape (sites, resources), USD a unit.
    #: workers, server, chosen: shapes (jobs, sites), (jobs,) and (jobs,): the cheapest found, and
    #: its set of sites.
    workers: Ints
    server: Ints
    chosen: Ints
    state: Ints  #: Shape (sites, resources): which price each cell has.
    #: least, grade: shape (jobs, sets): bounds of sets of sites, USD, and how good they are.
    least: Floats
    grade: Ints
    steps: int  #: That finding this out took.

    def total(self) -> Fraction:
        """Return what the slot costs at least, USD, exactly."""
        return self.surcharge + exact_dot(self.bound, np.ones_like(self.bound))

    def bare(self) -> SlotLeaf:
        """Return it without what only branches need."""
        return dataclasses.replace(self, least=self.least[:0].copy(), grade=self.grade[:0].copy())


class SlotBounds:
    """Bounds slots of an instance at tolls; every number is rounded to the safe side.

    ``most_steps``: steps after which no leaf is bounded any more.  Raises `NotACertificate`: with
    more than `MOST_SITES` sites, or too many jobs and slots for all their subsets.
    """

    place: ClassVar[Kernel[..., None]] = place_pairs

    def __init__(self, data: Brokerage, most_steps: int = ENDLESS) -> None:
        self.data = data
        self.cells = data.num_sites, data.num_resources
        self.size = self.sizes()
        """Sites of each set that has a toll, shape (sets,)."""
        self.sets = len(self.size)
        affordable(float(data.num_pairs) * self.sets, "sets of sites of jobs in slots")
        self.work: Ints = np.array([0, most_steps], np.int64)
        """Steps that were done, and the most."""
        self.links: Ints = np.flatnonzero(data.next_pair >= 0)
        """Pairs after which the same job has another one."""
        # F(H) / H with H a sum over the jobs of the slot
        chord = finite(data.chord_slope("strict"), "the slope of a chord")
        self.chord = np.maximum(down(chord, data.num_jobs + 16), 0.0)

    def sizes(self) -> Ints:
        """Count the sites of every set, bit by bit."""
        sites = self.data.num_sites
        if sites > MOST_SITES:
            raise NotACertificate(f"{sites} sites have too many subsets; {MOST_SITES} are the most")
        return np.array([s.bit_count() for s in range(1 << sites)], dtype=np.int64)

    def _charge(self, steps: int) -> None:
        self.work[0] += steps
        affordable(int(self.work[0]), "leaves of slots", int(self.work[1]))

    def extra(self, tolls: Floats, exponent: int) -> Floats:
        """Return what sets cost in each pair besides its work, shape (pairs, sets), USD.

        ``tolls``: shape (links, sets), whole multiples of ``2**-exponent``. Raises
        `NotACertificate` when they are none, too large, or grow or fall faster than they may; when
        their sums overflow.
        """
        data = self.data
        toll = whole(_scaled(tolls, exponent), "tolls", bits=TOLL_BITS)
        deploy = whole(
            np.floor(_scaled(data.deploy_cost, exponent)), "deployment prices", bits=TOLL_BITS
        )
        limit = deploy[data.pair_job[self.links]][:, None]
        for drop in self.drops(toll):
            if ((drop < 0) | (drop > limit)).any():
                raise NotACertificate("a toll grows with a site, or falls by more than deploying")
        total = np.zeros((data.num_pairs, self.sets), dtype=np.int64)
        first = data.previous_pair < 0
        total[first] = deploy[data.pair_job[first]][:, None] * self.size
        total[self.links] += toll
        total[data.next_pair[self.links]] -= toll
        with np.errstate(over="ignore"):
            return finite(np.ldexp(total.astype(np.float64), -exponent), "sums of tolls")

    def drops(self, toll: Ints) -> Iterator[Ints]:
        """By how much tolls fall with one more site, site by site."""
        every = np.arange(self.sets)
        for site in range(self.data.num_sites):
            without = every[(every >> site) & 1 == 0]
            yield toll[:, without] - toll[:, without | (1 << site)]

    def leaf(self, slot: int, state: Ints, extra: Floats) -> SlotLeaf:
        """Place the jobs of a slot at some prices.

        Raises `NotACertificate` when costs and tolls together overflow, or take too many steps.

        Parameters
        ----------
        state
            Shape (sites, resources): `FREE`, `LIST` or `REDUCED`.
        extra
            Shape (jobs of the slot, sets), USD.
        """
        jobs = len(self.data.pairs_at(slot))
        affordable(float(jobs) * state.size, "prices of a slot")
        none = np.zeros(jobs)
        return self._placed(
            slot, state, extra, -1, none, np.zeros((jobs, self.data.num_sites), np.int64),
            none.astype(np.int64), none.astype(np.int64),
            np.full((jobs, self.sets), -np.inf), np.zeros((jobs, self.sets), np.int64),
        )  # fmt: skip

    def branch(self, slot: int, above: SlotLeaf, cell: int, price: int, extra: Floats) -> SlotLeaf:
        """Place the jobs of a slot at prices that differ in one cell.

        Raises `NotACertificate` as `leaf`; where the cell is none, or decided.

        Parameters
        ----------
        above
            What they do at the chord there.
        cell
            Site times resources plus resource.
        price
            `LIST` or `REDUCED`.
        extra
            Shape (jobs of the slot, sets), USD.
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
        return self._placed(
            slot, state, extra, site, fall, above.workers.copy(), above.server.copy(),
            above.chosen.copy(), above.least.copy(), above.grade.copy(),
        )  # fmt: skip

    def slopes(self, slot: int, state: Ints) -> Floats:
        """Return what a unit of each cell costs, USD, shape (sites, resources)."""
        slope = np.where(state == LIST, self.data.list_price, self.chord[slot])
        return np.where(state == REDUCED, self.data.reduced_price, slope)

    def _placed(
        self, slot: int, state: Ints, extra: Floats, site: int, fall: Floats, workers: Ints,
        server: Ints, chosen: Ints, least: Floats, grade: Ints,
    ) -> SlotLeaf:  # fmt: skip
        data = self.data
        pairs = data.pairs_at(slot)
        jobs = data.pair_job[pairs]
        before = int(self.work[0])
        exact = LEAF_SUMS + len(pairs) + 8 * int(np.count_nonzero(state == REDUCED))
        self._charge(EXACT_STEPS * exact + (len(pairs) + 4) * state.size)
        slope, bound = self.slopes(slot, state), np.zeros(len(pairs))
        self.place(
            pairs, data.pair_job, data.trained_volume, data.workers_needed, data.worker_capacity,
            (slope * data.worker_demand[jobs][:, None, :]).sum(axis=2),
            (slope * data.server_demand[jobs][:, None, :]).sum(axis=2),
            data.sync_volume, data.transfer, data.num_resources, extra, site, fall, workers,
            server, chosen, least, grade, bound, self.work,
        )  # fmt: skip
        self._charge(0)
        bound = finite(bound, "what a placement costs")
        steps = int(self.work[0]) - before
        return SlotLeaf(
            bound, self.surcharges(state), slope, workers, server, chosen, state, least, grade,
            steps,
        )  # fmt: skip

    def tree(self, slot: int, nodes: Iterator[int], extra: Floats) -> Fraction:
        """Bound the leaves of the next tree; return the least bound, USD.

        Raises `NotACertificate` as `branch`; when the tree does not end, or is too deep for tables
        of all its levels.

        Parameters
        ----------
        nodes
            In preorder: cells that are branched on, list price first, and `LEAF`.
        extra
            Shape (jobs of the slot, sets), USD.
        """
        waiting = [self.leaf(slot, np.zeros(self.cells, np.int64), extra)]
        best: Fraction | None = None
        while waiting:
            above, node = waiting.pop(), next(nodes, None)
            if node is None:
                raise NotACertificate("the trees end before their last leaf")
            if node == LEAF:
                total = above.total()
                best = total if best is None else min(best, total)
                continue
            affordable(float(self.table(slot) * (len(waiting) + 2)), "levels of a tree")
            waiting += [self.branch(slot, above, node, p, extra) for p in (REDUCED, LIST)]
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


def _scaled(values: Floats, exponent: int) -> Floats:
    with np.errstate(over="ignore"):  # refused by who reads it
        return np.ldexp(finite(values, "tolls"), exponent)


@certificate_type
class SlotTrees(PriceCertificate, frozen=True, kw_only=True, tag="mlbroker_slots"):
    """Tolls, and for every slot with jobs a tree over the prices that count."""

    about = "mlbroker"
    subject = SUBJECT
    bounds = "min"
    slots: ClassVar[type[SlotBounds]] = SlotBounds
    bound: str  #: Lower bound, a fraction, USD.
    exponent: Exponent  #: Tolls are whole multiples of ``2**-exponent`` USD.
    #: Base64 of the deflated doubles, for every pair but the last ones of jobs and every set of
    #: sites, bit by bit.
    tolls: str
    #: One after the other in preorder: the cell, site times resources plus resource, or -1 for a
    #: leaf.
    trees: tuple[Node, ...]

    @classmethod
    def of(
        cls, data: Brokerage, bound: Fraction, exponent: int, tolls: Floats, trees: list[int]
    ) -> SlotTrees:
        """State a bound, which is not checked here."""
        return cls(
            kind=cls.about,
            program=SUBJECT,
            instance=data.sha256,
            bound=str(bound),
            exponent=exponent,
            tolls=pack(tolls),
            trees=tuple(trees),
        )

    def prove_bound(self, data: Brokerage, /) -> Fraction:
        """Bound every leaf anew."""
        affordable(len(self.trees), "nodes of trees", MOST_NODES)
        slots = self.slots(data, MOST_STEPS)
        tolls = unpack(self.tolls, (len(slots.links), slots.sets), "tolls")
        extra = slots.extra(tolls, self.exponent)
        nodes, total = iter(self.trees), Fraction(0)
        for slot in range(data.num_slots):
            if len(pairs := data.pairs_at(slot)):
                total += slots.tree(slot, nodes, extra[pairs])
        if next(nodes, None) is not None:
            raise NotACertificate("the trees go on after the last slot")
        return total


# Bounds on the offline optimum of a broker with many sites: tolls of single sites.
#
# As `farkas.certificates.mlbroker_slots`, with tolls that add up: π_t(V) = Σ_{r in V} π_t^r, where
# -c <= π_t^r <= 0.  They need a number for each site instead of each set of sites, and what a job
# pays in a slot besides its work is a charge of every site where it is, so that
# `farkas.certificates.mlbroker_charges` bounds it without listing sets.


class SiteBounds(SlotBounds):
    """Bounds slots of an instance at tolls of single sites; these stand where sets do."""

    place = place_charged

    def sizes(self) -> Ints:
        """Return ones, for every site."""
        return np.ones(self.data.num_sites, np.int64)

    def drops(self, toll: Ints) -> Iterator[Ints]:
        """By how much tolls fall with one more site, all sites at once."""
        yield -toll


@certificate_type
class SiteTrees(SlotTrees, frozen=True, kw_only=True, tag="mlbroker_sites"):
    """Tolls of sites, and for every slot with jobs a tree over the prices that count.

    ``tolls``: base64 of the deflated doubles, for every pair but the last ones of jobs and every
    site.
    """

    slots = SiteBounds
