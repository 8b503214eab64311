"""A slot by cases: sizes of rings, and who uses which link or node, with a bound for every case."""

from __future__ import annotations

import dataclasses
import heapq
import itertools
from collections.abc import Callable

import msgspec
import numpy as np

from farkas.certificates.gadget_slot_tree import SlotBox, SlotBranch
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import RingLimits, SlotView
from farkas.numbers import Bools, Floats, Ints
from farkas.online.gadget.diving import branch_of
from farkas.relaxations.gadget.generation import (
    CapacityPrices,
    Generated,
    generate_columns,
    no_prices,
)
from farkas.relaxations.gadget.ring_pricing import LOOSE_LABELS, LabelBudget, RingPricing
from farkas.relaxations.gadget.ring_search import best_ring
from farkas.tolerances import LOOSE_GAP, ROUNDING, SOLVER_GAP

MOST_BOXES = 100  #: Boxes that are priced in a slot, at most.

DEEP = 2.0  #: What a job that has to run may lose, in units of the largest gain: no more is asked.

THOROUGH = 10  #: Of so many boxes one is searched for whole rings with more effort.

#: Whole rings near a relaxation, with more effort or less.
Improve = Callable[[Generated, bool], Rings]


@dataclasses.dataclass(eq=False)
class Case:
    """A box of a tree, and what became of it."""

    box: SlotBox  #: Decisions.
    bound: float  #: What they are worth at most.
    start: CapacityPrices | None  #: Prices to begin at.
    #: Prices that prove the bound; None if the box was not priced.
    prices: CapacityPrices | None = None
    branch: SlotBranch | None = None  #: How it was split.
    parts: tuple[Case, Case] | None = None  #: The parts, in order; None for a leaf.


@dataclasses.dataclass(frozen=True, eq=False)
class Cases:
    """What a search by cases found."""

    rings: Rings  #: Best rings known.
    bound: float  #: Upper bound on the worth of all: `level`, or that of a case that is left.
    level: float  #: Worth at which cases are closed.
    root: Case  #: The tree.

    def written(self) -> tuple[tuple[SlotBranch | int, ...], Floats, Floats]:
        """Tree in preorder, and its prices of nodes and links."""
        tree: list[SlotBranch | int] = []
        prices: list[CapacityPrices] = []
        waiting = [self.root]
        while waiting:
            case = waiting.pop()
            which = -1 if case.prices is None else len(prices)
            if case.prices is not None:
                prices.append(case.prices)
            if case.branch is None or case.parts is None:
                tree.append(which)
                continue
            tree.append(msgspec.structs.replace(case.branch, prices=which))
            waiting += case.parts[::-1]
        cluster = self.root.box.cluster
        count = len(prices)
        node = np.array([each.node for each in prices]).reshape(count, *cluster.capacity.shape)
        link = np.array([each.link for each in prices]).reshape(count, cluster.num_links)
        return tuple(tree), node, link


class SlotSearch:
    """Branch and bound over a slot.

    The relaxation over rings is solved in the case whose bound is largest.  Sizes with which
    nothing is worth enough are dropped, which leaves few jobs, and the case is split.

    Parameters
    ----------
    slot
        The slot.
    rings
        Rings that fit together.
    gap
        Relative gap at which cases are closed.
    improve
        Makes whole rings of relaxations.
    labels
        Of all searches for rings together; no case but the first is looked at when none are left.
    """

    def __init__(
        self, slot: SlotView, rings: Rings, gap: float, improve: Improve, labels: LabelBudget
    ) -> None:
        self.slot, self.gap, self.improve, self.labels = slot, gap, improve, labels
        self.rings, self.pool = rings, rings
        self.deep = DEEP * float(np.abs(slot.gains).max(initial=0.0))
        self._known: set[bytes] = set()

    @property
    def level(self) -> float:
        """Worth at which cases are closed."""
        value = self._worth(self.rings)
        return max(value + self.gap * abs(value), ROUNDING * self.deep)

    def run(self, prices: CapacityPrices) -> Cases:
        """Search, with prices to begin at."""
        root = Case(self._whole(), np.inf, prices)
        count = itertools.count()
        heap = [(-root.bound, next(count), root)]
        priced = 0
        while heap and -heap[0][0] > self.level and priced < MOST_BOXES:
            if priced and not self.labels.left:
                break
            case = heapq.heappop(heap)[2]
            self._price(case, priced % THOROUGH == 0)
            priced += 1
            if case.parts is None:
                heapq.heappush(heap, (-case.bound, next(count), case))
                if case.bound > self.level:
                    break  # nothing splits it
            for part in case.parts or ():
                if not part.box.empty:
                    heapq.heappush(heap, (-part.bound, next(count), part))
        left = -heap[0][0] if heap else -np.inf
        level = self.level * (1.0 + SOLVER_GAP)
        return Cases(self.rings, max(level, left), level, root)

    def _price(self, case: Case, thorough: bool) -> None:
        box = case.box
        forced = ~box.sizes[:, 0]
        shift = np.where(forced, self.deep, 0.0)
        view = self._view(box, shift)
        if not len(view.jobs):
            case.bound, case.prices = 0.0, no_prices(self.slot.cluster)
            return
        known = self.pool.take(_fit(view, self.pool))
        generated = generate_columns(
            view, known, case.start, gap=LOOSE_GAP, search="loose", labels=self.labels
        )
        self._remember(generated.columns.rings)
        case.prices = generated.prices
        best = max(self.rings, self.improve(generated, thorough), key=self._worth)
        self.rings = best
        case.bound = min(case.bound, generated.bound - float(shift.sum()))
        if case.bound <= self.level:
            return
        smaller = self._without_losses(box, generated.prices)
        if smaller.empty:
            case.bound = self.level
            return
        case.branch = branch_of(smaller, generated.columns.rings, generated.share)
        if case.branch is not None:
            first, second = smaller.parts(case.branch)
            case.parts = (
                Case(first, case.bound, generated.prices),
                Case(second, case.bound, generated.prices),
            )

    def _without_losses(self, box: SlotBox, prices: CapacityPrices) -> SlotBox:
        """Box without sizes with which no decision is worth more than the level."""
        slot, cluster = self.slot, self.slot.cluster
        pricing = RingPricing(
            dataclasses.replace(slot, limits=RingLimits(box.most_workers, box.most_uses))
        )
        worker = (cluster.demand[slot.jobs][:, None] * prices.node).sum(axis=2)
        length = cluster.bandwidth[slot.jobs][:, None] * prices.link
        sizes, best = box.sizes.copy(), np.zeros(len(slot.jobs))

        def beyond(place: int, which: Bools, floor: float, labels: int) -> tuple[float, float]:
            """Worth of a ring of these sizes, or ``floor``; and most that any is worth."""
            task = pricing.task(place, worker[place], length[place])
            worth = np.where(which[: len(task.worth)], task.worth, -np.inf)
            most = self.labels.most(labels)
            found, worst, _, _, followed = best_ring(
                pricing.network, task._replace(worth=worth), floor, most
            )
            self.labels.spend(followed)
            return found, worst

        def stays(place: int, size: int, floor: float) -> bool:
            """Whether a ring of this size may be worth more; labels only where walks are not."""
            only = np.arange(sizes.shape[1]) == size
            found, most = beyond(place, only, floor, 0)
            if found <= floor < most:
                most = beyond(place, only, floor, LOOSE_LABELS)[1]
            return most > floor

        some = np.flatnonzero(sizes[:, 1:].any(axis=1)).tolist()
        for place in some:
            which = sizes[place].copy()
            which[0] = False
            least = 0.0 if sizes[place, 0] else -self.deep
            best[place] = beyond(place, which, least, LOOSE_LABELS)[1]
        loss = prices.rent(cluster) + float(best.sum()) - self.level
        for place in some:
            floor = best[place] - loss
            sizes[place, 0] &= floor < 0.0
            for size in (1 + np.flatnonzero(sizes[place, 1:])).tolist():
                sizes[place, size] = stays(place, size, floor)
        return box.with_sizes(sizes)

    def _whole(self) -> SlotBox:
        """All decisions of the slot."""
        slot = self.slot
        nothing = np.ones((len(slot.jobs), 1), np.bool_)
        return SlotBox(
            slot.cluster,
            slot.jobs,
            np.concatenate([nothing, slot.allowed], axis=1),
            np.zeros_like(slot.cap),
            slot.cap,
            np.zeros_like(slot.uses),
            slot.uses,
        )

    def _view(self, box: SlotBox, shift: Floats) -> SlotView:
        """Slot of a box; who has to run earns so much more."""
        limits = RingLimits(box.most_workers, box.most_uses)
        gains = self.slot.gains + shift[:, None]
        return dataclasses.replace(self.slot, gains=gains, limits=limits).restrict(box.sizes[:, 1:])

    def _remember(self, rings: Rings) -> None:
        """Keep rings that are new."""
        new = []
        for at in range(len(rings)):
            key = rings.workers[at].tobytes() + rings.flow[at].tobytes()
            key += int(rings.job[at]).to_bytes(8, "little")
            if key not in self._known:
                self._known.add(key)
                new.append(at)
        self.pool = Rings.join([self.pool, rings.take(np.array(new, np.int64))], self.slot.cluster)

    def _worth(self, rings: Rings) -> float:
        place = self.slot.jobs.searchsorted(rings.job)
        return float(self.slot.gains[place, rings.size - 1].sum())


def _fit(view: SlotView, rings: Rings) -> Ints:
    """Places of rings that the view allows."""
    place = np.minimum(view.jobs.searchsorted(rings.job), len(view.jobs) - 1)
    fits = (view.jobs[place] == rings.job) & (rings.size <= view.allowed.shape[1])
    size = np.minimum(rings.size, view.allowed.shape[1])
    fits &= view.allowed[place, size - 1]
    fits &= (rings.workers <= view.cap[place]).all(axis=1)
    fits &= (rings.flow <= view.uses[place]).all(axis=1)
    return np.flatnonzero(fits)
