"""A slot by cases: sizes of rings, and who uses which link or node, with a bound for every case.

Whole rings near a relaxation are found by settling what is nearly settled.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from farkas.certificates.gadget_slot_tree import SlotBox, SlotBranch
from farkas.models.gadget.column import Columns
from farkas.models.gadget.links import link_cap
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import RingLimits, SlotView
from farkas.numbers import Bools, Floats, Ints
from farkas.relaxations.gadget.generation import (
    CapacityPrices,
    Generated,
    generate_columns,
    no_prices,
)
from farkas.relaxations.gadget.ring_pricing import LOOSE_LABELS, LabelBudget, RingPricing
from farkas.relaxations.gadget.ring_search import best_ring
from farkas.rounding.rings import Mix, admit
from farkas.tolerances import LOOSE_GAP, ROUNDING, SIMPLEX, SOLVER_GAP, WHOLE


def dive(
    slot: SlotView,
    generated: Generated,
    parts: int,
    gap: float = LOOSE_GAP,
    labels: LabelBudget | None = None,
) -> Rings:
    """Rings that fit together, near the value of the relaxation.

    Rings with a share of 1 run, and of the others those with the largest shares; then the
    relaxation of the other jobs is solved in the room that is left, with new rings where they pay.

    Parameters
    ----------
    generated
        Column generation of the slot.
    parts
        One in so many of the unsettled jobs is settled before rings are priced again.
    gap
        Of the relaxations on the way.
    labels
        Of all searches for rings together, without a limit by default.
    """
    found: list[Rings] = []
    while len(generated.share):
        rings = settled(generated, parts)
        if not len(rings):
            break
        found.append(rings)
        slot = without(slot, rings)
        if not len(slot.jobs):
            break
        others = generated.columns.rings
        generated = generate_columns(
            slot,
            others.take(still_fits(slot, others)),
            generated.prices,
            gap=gap,
            search="loose",
            labels=labels,
        )
    return Rings.join(found, slot.cluster)


def repaired(
    generated: Generated,
    rings: Rings,
    gap: float,
    rng: np.random.Generator,
    labels: LabelBudget | None = None,
) -> Rings:
    """Take a third of the rings away at random, and dive in the room that they leave.

    Parameters
    ----------
    generated
        Column generation of the slot.
    rings
        Rings that fit together.
    gap
        Of the relaxations on the way.
    labels
        Of all searches for rings together, without a limit by default.
    """
    slot = generated.columns.slot
    kept = rings.take(np.sort(rng.permutation(len(rings))[len(rings) // 3 :]))
    left = without(slot, kept)
    others = generated.columns.rings
    others = others.take(still_fits(left, others))
    again = generate_columns(left, others, generated.prices, gap=gap, search="loose", labels=labels)
    return Rings.join([kept, dive(left, again, 16, gap, labels)], slot.cluster)


def settled(generated: Generated, parts: int) -> Rings:
    """Rings that run from now on: whole ones, and those with the largest shares."""
    columns, share = generated.columns, generated.share
    order = np.lexsort((columns.rings.job, -np.round(share, 6)))
    order = order[share[order] > SIMPLEX]
    whole = int((share[order] >= 1.0 - SIMPLEX).sum())
    unsettled = len(np.unique(columns.rings.job[order[whole:]]))
    first = columns.rings.take(order[: whole + -(-unsettled // parts)])
    mix = whole_mix(Columns(columns.slot, first))
    return first.take(admit(mix, np.arange(len(first)))[0])


def whole_mix(columns: Columns) -> Mix:
    """Rings as items with loads, for greedy admission."""
    cluster, rings = columns.slot.cluster, columns.rings
    nodes = np.isfinite(cluster.capacity) & cluster.is_server[:, None]
    links = np.isfinite(cluster.link_bandwidth)
    load = [rings.node_load(cluster)[:, nodes], rings.link_load(cluster)[:, links]]
    room = np.concatenate([cluster.capacity[nodes], cluster.link_bandwidth[links]])
    share = np.ones(len(rings))
    return Mix(rings.job, share, columns.gains, np.concatenate(load, axis=1), room)


def without(slot: SlotView, rings: Rings) -> SlotView:
    """Look at the slot with ``rings`` in place: less room, and their jobs gone."""
    cluster = slot.cluster
    used = rings.node_load(cluster).sum(axis=0)
    reserved = rings.link_load(cluster).sum(axis=0)
    nodes = [
        msgspec.structs.replace(node, capacity=_left(node.capacity, taken))
        for node, taken in zip(cluster.nodes, used.tolist(), strict=True)
    ]
    links = [
        msgspec.structs.replace(link, bandwidth=_left((link.bandwidth,), [taken])[0])
        for link, taken in zip(cluster.real_links, reserved.tolist(), strict=True)
    ]
    left = msgspec.structs.replace(cluster, nodes=tuple(nodes), links=tuple(links))
    stay = ~np.isin(slot.jobs, rings.job)
    return dataclasses.replace(slot.keep(stay), cluster=left)


def _left(room: Sequence[float | None], taken: Sequence[float]) -> tuple[float | None, ...]:
    return tuple(
        None if most is None else max(0.0, most - used)
        for most, used in zip(room, taken, strict=True)
    )


def still_fits(slot: SlotView, rings: Rings) -> Bools:
    """Which rings of jobs that are still there fit into the room that is left."""
    fits = np.isin(rings.job, slot.jobs)
    cluster = slot.cluster
    at = rings.job
    fits &= (rings.workers <= cluster.host_cap[at]).all(axis=1)
    fits &= (rings.flow <= link_cap(cluster, at)).all(axis=1)
    return fits


WEAK = 1e-3  #: Score below which a branch changes nothing.


def branch_of(box: SlotBox, rings: Rings, share: Floats) -> SlotBranch | None:
    """Branch of a box on its relaxation; None where nothing is left to split.

    First the size of a ring, where it is not whole.  Then the use of a link, or workers on a
    node, of a job with several hosts: shares of rings that both parts cut off count, those of the
    job itself that use it in the first, those of others that do not fit beside it in the second.

    Parameters
    ----------
    box
        Decisions.
    rings
        Of the relaxation.
    share
        Shape (rings,).
    """
    some = share > WHOLE
    rings, share = rings.take(some), share[some]
    place = box.jobs.searchsorted(rings.job)
    chosen = np.zeros(box.sizes.shape)
    np.add.at(chosen, (place, rings.size), share)
    chosen[:, 0] = np.maximum(0.0, 1.0 - chosen[:, 1:].sum(axis=1))
    upto = chosen.cumsum(axis=1)
    split = np.minimum(upto, 1.0 - upto)
    split[:, -1] = 0.0
    if split.max(initial=0.0) > WEAK:
        job, size = divmod(int(split.argmax()), split.shape[1])
        return SlotBranch(prices=-1, of="size", job=job, place=0, count=size)
    score, (job, at, times) = _use(box, rings, share, place, True)
    other, found = _use(box, rings, share, place, False)
    if max(score, other) <= WEAK:
        return None
    if other > score:
        job, at, times = found
        return SlotBranch(prices=-1, of="workers", job=job, place=at, count=times - 1)
    return SlotBranch(prices=-1, of="uses", job=job, place=at, count=times - 1)


def _use(
    box: SlotBox, rings: Rings, share: Floats, place: Ints, of_links: bool
) -> tuple[float, tuple[int, int, int]]:
    """Best score, and participant, link or node, and how often it is used at least then."""
    cluster = box.cluster
    if of_links:
        used, least, needs = rings.flow, box.least_uses, cluster.bandwidth[box.jobs][:, None]
        rooms = cluster.link_bandwidth[:, None]
    else:
        used, least, needs = rings.workers, box.least_workers, cluster.demand[box.jobs]
        rooms = cluster.capacity
    wide: Bools = np.zeros(len(box.jobs), np.bool_)
    wide[place[(rings.workers > 0).sum(axis=1) > 1]] = True
    taken = least.T.astype(float) @ needs
    best, where = 0.0, (0, 0, 0)
    for times in range(1, int(used.max(initial=0)) + 1):
        own = np.zeros(least.shape)
        np.add.at(own, place, (used >= times) * share[:, None])
        for i, at in np.argwhere((own > WEAK) & (least < times) & wide[:, None]).tolist():
            left = rooms[at] - taken[at] - (times - least[i, at]) * needs[i]
            with np.errstate(divide="ignore", invalid="ignore"):
                fit = np.where(needs[place] > 0, left / needs[place], np.inf).min(axis=1)
            over = (used[:, at] > least[place, at] + fit + WHOLE) & (place != i)
            score = min(1.0, own[i, at]) * min(1.0, float(share[over].sum()))
            if score > best * (1.0 + WHOLE):
                best, where = score, (i, at, times)
    return best, where


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
