"""Jobs of one slot reply to prices of servers and links: with their best rings.

Plans are rings as they run, so that a choice of plans within rows can be carried out as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from scipy import sparse

from farkas.certificates.gadget_slot import PricedSlot
from farkas.certificates.priced_tree import Case, PricedTree
from farkas.decomposition.column_generation import DualPoint, price_rows
from farkas.decomposition.master import Master, Pool
from farkas.decomposition.protocol import Demand, Exchanges, Fit, Plans, Pricing, Tree
from farkas.executor import Executor
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import RingLimits, SlotView
from farkas.numbers import Bools, Floats, Ints, Rng, floats
from farkas.relaxations.gadget.ring_search import Arcs, RingTask, best_ring, best_rings
from farkas.tolerances import LOOSE_GAP, ROUNDING, SIMPLEX

#: Labels for one job, 48 bytes each; where they do not suffice the bound is above the best ring.
MOST_LABELS = 1 << 19

#: As `MOST_LABELS`, where a bound that is somewhat above the best ring does no harm.
LOOSE_LABELS = 1 << 15


def noise(slot: SlotView, floor: Floats) -> Floats:
    """Excess over ``floor`` that is none, shape (participants,)."""
    return floats(ROUNDING * np.maximum(np.abs(floor), slot.gains.max(axis=1, initial=0.0)))


#: Labels of all searches for rings of one slot together; then walks remember nothing.
SLOT_LABELS = 1 << 22

FEW_LABELS = 1 << 12  #: Labels for one ring in the room that is left.

SEAT = 0.3  #: Price of a worker at most, where shares of links are the prices of these.

FAINT = 1e-6  #: Price of all that is left of a link, as a share of the largest gain.

#: Parts of the open jobs that are settled at once: of dives from nothing, and beside other rings.
FIRST_DIVES: Sequence[int] = (8, 16, 32)
LATER_DIVES: Sequence[int] = (16,)

AWAY = 3  #: One in so many rings is taken away where others are looked for.


class KnownRings:
    """Workers and links of rings, whoever they were found for: others may take them over."""

    def __init__(self, slot: SlotView) -> None:
        self.slot, self.rings = slot, Rings.none(slot.cluster)
        self._fits = np.zeros((len(slot.jobs), 0), np.bool_)
        self._known: set[bytes] = set()

    def add(self, rings: Rings) -> None:
        """Take in what is not there yet and fits anybody."""
        slot, new = self.slot, list[int]()
        for at in range(len(rings)):
            key = rings.workers[at].tobytes() + rings.flow[at].tobytes()
            if key not in self._known:
                self._known.add(key)
                new.append(at)
        some = rings.take(np.array(new, np.int64))
        fits = np.zeros((len(slot.jobs), len(some)), np.bool_)
        for place in range(len(fits)):
            fits[place] = (some.workers <= slot.cap[place]).all(axis=1)
            fits[place] &= (some.flow <= slot.uses[place]).all(axis=1)
        fits &= some.size <= slot.gains.shape[1]
        kept = fits.any(axis=0)
        self.rings = Rings.join([self.rings, some.take(kept)], slot.cluster)
        self._fits = np.concatenate([self._fits, fits[:, kept]], axis=1)

    def profit(self, worth: Floats, node: Floats, link: Floats) -> Floats:
        """Return what every job earns with every ring, -inf where it does not fit.

        ``worth`` is of sizes 0, 1, ..., shape (participants, sizes + 1); ``node`` and ``link`` are
        prices, shapes (nodes, resources) and (links,).  Shape (participants, rings).
        """
        slot, cluster, rings = self.slot, self.slot.cluster, self.rings
        earned = np.where(self._fits, worth[:, np.minimum(rings.size, worth.shape[1] - 1)], -np.inf)
        earned -= cluster.demand[slot.jobs] @ (rings.workers @ node).T
        return floats(earned - cluster.bandwidth[slot.jobs][:, None] * (rings.flow @ link))


class SlotValues(PricedSlot):
    """Values of rings are the slot's own gains, whatever these are; it proves nothing."""

    def __init__(self, slot: SlotView) -> None:
        super().__init__(slot.cluster, slot.slot, slot.progress.astype(np.int64))
        self._view = slot

    def values(self, owner: int) -> Floats:
        """See `PricedSlot.values`."""
        place = np.flatnonzero(self._view.jobs == owner)
        some = self._view.gains[place][self._view.allowed[place]]
        return np.append(0.0, np.maximum(some, 0.0))


class SlotPricing(Pricing):
    """Jobs of the cluster as owners, of which some may run; limits are priced one by one.

    ``known`` are rings to begin with.  ``labels`` are of one search for the best ring of a job;
    with 0 labels walks remember nothing.  ``rows`` is what nodes and links have where others use
    some of it, ``left`` how many labels all searches together may follow, ``name`` the program that
    is bounded, see `PricedSlot`.
    """

    def __init__(
        self,
        slot: SlotView,
        known: Rings | None = None,
        *,
        labels: int = LOOSE_LABELS,
        rows: Floats | None = None,
        left: int = SLOT_LABELS,
        name: str = PricedSlot.name,
    ) -> None:
        cluster = slot.cluster
        self.slot, self.owners, self.name = slot, cluster.num_jobs, name
        self._at_node = np.isfinite(cluster.capacity) & cluster.is_server[:, None]
        self._at_link = np.isfinite(cluster.link_bandwidth)
        full = self._joined(cluster.capacity, cluster.link_bandwidth)
        self.rows = self.hard = full if rows is None else rows
        self.row_of = np.arange(len(full))
        node = np.nonzero(self._at_node)[0]
        self.place_of = np.append(node, cluster.link_source[self._at_link])
        self._place = np.full(self.owners, -1)
        self._place[slot.jobs] = np.arange(len(slot.jobs))
        self.most = np.zeros(self.owners)
        self.most[slot.jobs] = np.where(slot.allowed, slot.gains, 0.0).max(axis=1, initial=0.0)
        self.labels, self.left = labels, left
        self.known, self._first = KnownRings(slot), known or Rings.none(cluster)
        self.program = SlotValues(slot)
        #: Workers and uses of links of every plan, by owner, value and use of rows.
        self._ring: dict[tuple[int, float, bytes], tuple[Ints, Ints]] = {}
        self._dived = False

    def _joined(self, node: Floats, link: Floats) -> Floats:
        """Return numbers of rows, of those of nodes and links."""
        return np.concatenate([node[..., self._at_node], link[..., self._at_link]], axis=-1)

    @cached_property
    def network(self) -> Arcs:
        """The network as the search reads it: links sorted by their ends."""
        cluster = self.slot.cluster
        source, target = cluster.link_source, cluster.link_target
        leaving, entering = np.argsort(source, kind="stable"), np.argsort(target, kind="stable")
        every = np.arange(cluster.num_nodes + 1)
        return Arcs(
            source,
            target,
            leaving,
            np.searchsorted(source[leaving], every),
            entering,
            np.searchsorted(target[entering], every),
        )

    @cached_property
    def worth(self) -> Floats:
        """Gain of 0, 1, ... workers, shape (participants, sizes + 1), -inf where not allowed."""
        slot = self.slot
        worth = np.full((len(slot.jobs), slot.gains.shape[1] + 1), -np.inf)
        worth[:, 1:][slot.allowed] = slot.gains[slot.allowed]
        return worth

    def rings_at(
        self, node_price: Floats, link_price: Floats, floor: Floats, worth: Floats
    ) -> tuple[Floats, Rings]:
        """Best ring of each job where it is worth more than ``floor``, shape (participants,).

        Prices are λ of nodes, shape (nodes, resources), and ν of links, shape (links,); ``worth``
        is of sizes, as `worth`.  Returns the most that any ring of the job is worth, or the floor
        if that is more, and the rings.
        """
        slot, cluster = self.slot, self.slot.cluster
        worker = (cluster.demand[slot.jobs][:, None] * node_price).sum(axis=2)
        length = cluster.bandwidth[slot.jobs][:, None] * link_price
        least = floor + noise(slot, floor)
        best, most, on_nodes, on_links, _ = best_rings(
            self.network, worker, slot.cap, length, slot.uses, worth, slot.largest, least, 0
        )
        found = [
            (int(slot.jobs[place]), on_nodes[place], on_links[place])
            for place in np.flatnonzero(on_nodes.any(axis=1)).tolist()
        ]
        # no need to search on before what was found has changed the prices
        unsure = np.flatnonzero(best != most) if not found else np.zeros(0, np.int64)
        for place in unsure[np.argsort(least[unsure] - most[unsure], kind="stable")].tolist():
            labels = min(self.labels, self.left)
            if not labels:
                break
            task = RingTask(
                worker[place],
                slot.cap[place],
                length[place],
                slot.uses[place],
                worth[place, : int(slot.largest[place]) + 1],
            )
            best[place], most[place], workers, flow, followed = best_ring(
                self.network, task, float(least[place]), labels
            )
            self.left = max(0, self.left - followed)
            if workers.any():
                found.append((int(slot.jobs[place]), workers, flow))
        return most, Rings.of(cluster, found)

    def split(self, rows: Floats, other: float = 0.0) -> tuple[Floats, Floats]:
        """Return numbers of rows as those of nodes and links, ``other`` for what is no row."""
        cluster, count = self.slot.cluster, int(self._at_node.sum())
        node = np.full(cluster.capacity.shape, other)
        link = np.full(cluster.num_links, other)
        node[self._at_node], link[self._at_link] = rows[:count], rows[count:]
        return node, link

    def fine(self, prices: Floats) -> Floats:
        """See `Pricing.fine`."""
        node, link = self.split(prices)
        return np.append(node.ravel(), link)

    def start(self) -> Plans:
        """See `Pricing.start`; rings that gain nothing are no plans."""
        plans = self._plans(self._first)
        some = np.flatnonzero(plans.value > 0)
        self.known.add(self._first.take(some))
        return plans.some(some)

    def _plans(self, rings: Rings) -> Plans:
        slot = self.slot
        use = self._joined(rings.node_load(slot.cluster), rings.link_load(slot.cluster))
        value = slot.gains[self._place[rings.job], rings.size - 1]
        for at, key in enumerate(zip(rings.job.tolist(), value.tolist(), use, strict=True)):
            self._ring[*key[:2], key[2].tobytes()] = rings.workers[at], rings.flow[at]
        return Plans(rings.job, value, sparse.csr_array(use))

    def replies(self, prices: Floats, case: Case) -> tuple[Floats, Plans]:
        """See `Pricing.replies`; rings of others that a job may take over are plans, too."""
        slot, (node, link) = self.slot, self.split(prices)
        worth = self.worth
        if case:
            worth = worth.copy()
            for owner, window in case.items():
                place = self._place[owner]
                if place >= 0:
                    counted = window.worth(np.maximum(worth[place], 0.0))
                    worth[place] = np.where(counted > 0, counted, -np.inf)
        profit = self.known.profit(worth, node, link)
        best = profit.max(axis=1, initial=0.0)
        most, found = self.rings_at(node, link, best, worth)
        which, ring = np.nonzero((profit > 0) & (profit >= best[:, None]))
        old = self.known.rings.take(ring)
        taken = Rings(slot.jobs[which], old.size, old.workers, old.flow)
        self.known.add(found)
        payoff = np.zeros(self.owners)
        payoff[slot.jobs] = most
        return payoff, self._plans(Rings.join([found, taken], slot.cluster))

    def certificate(self, tree: Tree, executor: Executor | None = None) -> PricedTree:
        """See `Pricing.certificate`; cases are split at the values of the program."""
        slot = self.slot
        received = slot.progress.astype(np.int64)
        program = PricedSlot(slot.cluster, slot.slot, received, self.name)
        splits = []
        for split in tree.splits:
            if split is not None:
                values = program.values(split.owner)
                at = float(values[np.abs(values - split.at).argmin()])
                split = type(split)(owner=split.owner, at=at)
            splits.append(split)
        prices = np.array([self.fine(each) for each in tree.prices])
        return PricedTree.of(program, prices, tree=splits, same=tree.leaves)

    def _limits(self, places: Ints | Bools, left: Floats) -> RingLimits:
        """Workers and uses of links that rings of participants have in what is left of rows."""
        slot, (node, link) = self.slot, self.split(left, np.inf)
        jobs, workers = slot.jobs[places], slot.cap[places]
        for r, demand in enumerate(slot.cluster.demand[jobs].T):
            workers = _times(node[None, :, r], demand[:, None], workers)
        need = slot.cluster.bandwidth[jobs][:, None]
        return RingLimits(workers, _times(link[None], need, slot.uses[places]))

    def fits(self, owner: int, asked: Demand) -> Sequence[Fit]:
        """See `Pricing.fits`: the best ring, and the best of each other size."""
        place, cluster = int(self._place[owner]), self.slot.cluster
        if place < 0:
            return []
        left, many = self.hard - asked.used, asked.many
        limits = self._limits(np.array([place]), left)
        cap, uses = limits.workers[0], limits.uses[0]
        if asked.like is not None:
            inside = self.split((asked.like.toarray().ravel() > 0).astype(np.float64), 1.0)
            cap, uses = cap * inside[0].any(axis=1), uses * (inside[1] > 0)
        node, link = self.split(asked.prices * asked.noise[self.place_of])
        need, worth = float(cluster.bandwidth[owner]), self.worth[place].copy()
        worth[worth <= asked.above] = -np.inf
        room = np.maximum(self.split(left, np.inf)[1], need)
        share = np.divide(need, room, out=np.zeros_like(room), where=room > 0)
        length = need * link + FAINT * self.most[owner] * (ROUNDING + share)
        price = (cluster.demand[owner] * node).sum(axis=1)
        found: dict[int, Fit] = {}
        for size in (0, *range(1, len(worth)))[: 1 if many == 1 else None]:
            if len(found) == many or size in found:
                break
            only = worth if not size else np.where(np.arange(len(worth)) == size, worth, -np.inf)
            fit = self._best(owner, price, RingLimits(cap, uses), length, only)
            if fit is not None:
                found[int(fit.what[0].sum())] = fit
        return list(found.values())

    def _best(
        self, owner: int, price: Floats, limits: RingLimits, length: Floats, worth: Floats
    ) -> Fit | None:
        """Best ring of an owner at prices of workers and links; None where there is none."""
        cap = np.minimum(limits.workers, len(worth) - 1)
        task = RingTask(price, cap, length, limits.uses, worth)
        _, _, workers, flow, _ = best_ring(self.network, task, 0.0, FEW_LABELS)
        return self._fit(owner, workers, flow) if workers.any() else None

    def _fit(self, owner: int, workers: Ints, flow: Ints) -> Fit:
        cluster, size = self.slot.cluster, int(workers.sum())
        use = self._joined(
            workers[:, None] * cluster.demand[owner], flow * cluster.bandwidth[owner]
        )
        limit = np.flatnonzero(use)
        value = float(self.slot.gains[self._place[owner], size - 1])
        return Fit(value, limit, use[limit], (workers, flow))

    def lay(self, owner: int, size: int, used: Floats, rng: Rng) -> Fit | None:
        """Lay a ring of a size in what hard limits leave; None where there is no room.

        It takes small shares of links, and a drawn choice of servers.
        """
        cluster, left = self.slot.cluster, self.hard - used
        limits = self._limits(np.array([self._place[owner]]), left)
        need, room = float(cluster.bandwidth[owner]), self.split(left, np.inf)[1]
        length = ROUNDING + np.divide(need, room, out=np.zeros_like(room), where=room > 0)
        worth = np.full(size + 1, -np.inf)
        worth[size] = 2.0 * size * (1 + cluster.num_links)  # more than the longest way round
        price = SEAT * rng.random(cluster.num_nodes)
        row = RingLimits(limits.workers[0], limits.uses[0])
        return self._best(owner, price, row, length, worth)

    def follow(self, choice: Plans, prices: Floats) -> Mapping[int, Fit]:
        """See `Pricing.follow`: as it is."""
        rows = choice.use.toarray()
        keys = zip(choice.owner.tolist(), choice.value.tolist(), rows, strict=True)
        return {
            owner: self._fit(owner, *self._ring[owner, value, use.tobytes()])
            for owner, value, use in keys
        }

    def exchange(self, plans: Mapping[int, Fit], asked: Exchanges) -> Mapping[int, Fit] | None:
        """See `Pricing.exchange`: dive, then in the room of a third of the rings."""
        if asked.heat:
            return None
        kept, parts = dict[int, Fit](), FIRST_DIVES
        if self._dived:
            owners, parts = sorted(plans), LATER_DIVES
            stay = asked.rng.permutation(len(owners))[len(owners) // AWAY :]
            kept = {owners[at]: plans[owners[at]] for at in stay}
        self._dived = True
        found = [plans, *(self._dive(kept, asked.prices, each) for each in parts)]
        return max(found, key=lambda each: sum(fit.value for fit in each.values()))

    def _dive(self, kept: Mapping[int, Fit], prices: Floats, parts: int) -> Mapping[int, Fit]:
        """Settle rings of the relaxation, those with the largest shares, and solve it beside them.

        One in ``parts`` of the open jobs is settled at once, beside those that have a whole ring.
        """
        plans, left = dict(kept), self.rows.copy()
        for fit in kept.values():
            left[fit.limit] -= fit.amount
        while True:
            open_jobs = ~np.isin(self.slot.jobs, list(plans))
            limits = self._limits(open_jobs, left)
            view = self.slot.keep(open_jobs).within(limits)
            view = view.keep(np.flatnonzero(view.cap.any(axis=1)))
            if not len(view.jobs):
                return plans
            part = SlotPricing(view, labels=self.labels, rows=np.maximum(left, 0.0), left=self.left)
            part.known.add(self.known.rings)
            master = Master(part, Pool(part))
            *_, dual = price_rows(part, master, gap=LOOSE_GAP, left=lambda: math.inf, start=prices)
            self.left = part.left
            self.known.add(part.known.rings)
            before = len(plans)
            for plan in part.likely(master.pool.plans, dual, parts):
                ((owner, fit),) = part.follow(plan, prices).items()
                if owner not in plans and (fit.amount <= left[fit.limit] * (1.0 + ROUNDING)).all():
                    plans[owner] = fit
                    left[fit.limit] -= fit.amount
            if len(plans) == before:
                return plans

    def likely(self, plans: Plans, dual: DualPoint, parts: int) -> Sequence[Plans]:
        """Whole plans of a relaxation, and those with the largest shares."""
        if dual.share is None:
            return []
        share = dual.share
        order = np.lexsort((plans.owner[: len(share)], -np.round(share, 6)))
        order = order[share[order] > SIMPLEX]
        whole = int((share >= 1.0 - SIMPLEX).sum())
        unsettled = len(np.unique(plans.owner[order[whole:]]))
        return [plans.some(np.array([at])) for at in order[: whole - (-unsettled // parts)]]

    def rings(self, plans: Mapping[int, Fit]) -> Rings:
        """Rings of plans, by job."""
        return Rings.of(self.slot.cluster, [(job, *plans[job].what) for job in sorted(plans)])


def _times(room: Floats, need: Floats, most: Ints) -> Ints:
    """How often needs fit, at most so often."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        fit = np.floor(np.maximum(room, 0.0) / need + ROUNDING)
    found: Ints = np.where(need > 0, np.minimum(fit, most), most).astype(np.int64)
    return found


def priced_slot(slot: SlotView, gap: float, labels: int) -> tuple[SlotPricing, DualPoint]:
    """Prices of the relaxation over rings, ``gadget.column_lp``, and what they prove."""
    problem = SlotPricing(slot, labels=labels)
    *_, found = price_rows(problem, Master(problem, Pool(problem)), gap=gap, left=lambda: math.inf)
    return problem, found
