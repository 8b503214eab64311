"""The search of all kinds: prices, a choice, exchanges, neighbourhoods, cases, until they meet."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterator, Mapping

import numpy as np

from farkas.decomposition.cases import CaseTree
from farkas.decomposition.choice import choose
from farkas.decomposition.column_generation import DualPoint, Left, price_rows
from farkas.decomposition.cuts import CutLoop
from farkas.decomposition.local_search import PLANS, SIZES, SlotSearch, reoptimise, repair
from farkas.decomposition.master import Master, Pool
from farkas.decomposition.neighbourhoods import Targets
from farkas.decomposition.packing import Packing
from farkas.decomposition.protocol import Fit, Pricing, Tree
from farkas.numbers import Ints
from farkas.tolerances import TIE

CLOSE = 0.02  #: Share of the gap asked for at which prices are good enough.
CHOICE_GAP = 0.3  #: Share of the gap asked for at which a choice is.
ENOUGH = 0.5  #: Share of the gap that the choice, or a tree, may leave.
#: Charges are told when the distance to the value has fallen to this share.
NEARER = 0.5
REPORTED = 5.0  #: Value is told when it has gained so often what counts as progress.
FINE = 0.1  #: Share of the gap asked for at which a neighbourhood is.
DISCOUNT = 3.0  #: Divisor of what an owner loses for each program in vain.
TRIES = 2  #: Exchanges of a turn for each owner.
NEIGHBOURS = 60  #: Owners of a neighbourhood at first.
MOST_NEIGHBOURS = 6  #: How many times as many at most.
GROWTH = 1.3  #: How many times as many when a turn gained nothing.
#: Tries of exchanges at a loss at first, twice as many each time; and what one may lose at first,
#: as a share of the mean of owners' greatest values.
ANNEALED = 4_000
HEAT = 0.5
ANNEALS = range(3, 16, 4)  #: Turns without progress after which there are some.
PATIENCE = 16  #: Turns without progress after which the search ends.
#: Turns without progress after which cases are split, and how many at most.
SPLITS = {3: 40, 12: 400}


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What the search tells: plans, or cases with prices."""

    words: str
    plans: Mapping[int, Fit] | None = None
    tree: Tree | None = None


class Search:
    """State of a search.

    ``problem``: Of a kind.  ``gap``: Distance of value and bound, as a share of the bound, at which
    the search ends.  ``left``: Seconds that are left.
    """

    def __init__(self, problem: Pricing, gap: float, left: Left) -> None:
        self.problem, self.gap, self.left = problem, gap, left
        self.pool, self.packing = Pool(problem), Packing(problem)
        self.master = Master(problem, self.pool)
        self.bound, self._reported = np.inf, 0.0
        #: How often in vain somebody was placed who loses most, by owner.
        self._tried: Ints = np.zeros(problem.owners, np.int64)
        self._root: DualPoint | None = None
        self._slots = None if problem.slot_of is None else SlotSearch(problem.slot_of)

    @property
    def size(self) -> float:
        """Of the bound, to which gaps are relative."""
        return abs(self.bound + self.problem.offset)

    @property
    def near(self) -> bool:
        """Whether value and bound are near enough."""
        return self.bound - self.packing.value <= max(self.gap, TIE) * self.size

    @property
    def over(self) -> bool:
        """Whether they are, or no time is left."""
        return self.near or not self.left()

    @property
    def small(self) -> float:
        """Value that does not count as progress."""
        return max(CLOSE * self.gap, TIE) * self.size

    def run(self) -> Iterator[Found]:
        """Search; yield what is better than before."""
        gap = CLOSE * self.gap
        dual = list(price_rows(self.problem, self.master, gap=gap, left=self.left))[-1]
        self.bound, self._root = dual.bound, dual
        yield Found("prices", tree=Tree.of(dual.prices))
        self.packing.fill(dual.prices, dual.payoff, self.left)
        if dual.share is None or self.over:
            yield self._plans("owners by payoff")
        if dual.share is not None:
            if not self.problem.cuts_first:
                yield from self._choose(self.problem, self.pool, dual)
            tree = yield from self._cut(dual)
            yield from self._local_search(dual, tree)

    def _plans(self, words: str) -> Found:
        self._reported = self.packing.value
        return Found(words, plans=dict(self.packing.plans))

    def _progress(self, words: str) -> Iterator[Found]:
        """Tell plans that are better by what counts, or end the search."""
        value = self.packing.value
        if value > self._reported + (0.0 if self.over else REPORTED * self.small):
            yield self._plans(words)

    def _cut(self, dual: DualPoint) -> Generator[Found, None, CaseTree]:
        """Look for knapsacks that the choice has to keep; returns the tree of one case."""
        cuts = CutLoop(self.problem, self.master, dual)
        proved, last = self.bound, dual
        if not self.over:
            for last in cuts.run(CLOSE * self.gap, self._unless_near):
                value = self.packing.value
                near = last.bound - value <= self.gap * self.size
                if near or last.bound - value <= NEARER * (proved - value):
                    proved = self.bound = min(proved, last.bound)
                    yield Found("charges", tree=cuts.tree())
        if not cuts.problem.knapsacks or last.bound >= dual.bound:
            if self.problem.cuts_first:
                yield from self._choose(self.problem, self.pool, dual)
            return CaseTree(self.problem, self.master, dual)
        if last.bound < proved:
            self.bound = last.bound
            yield Found("charges", tree=cuts.tree())
        self.pool.add(cuts.problem.uncharged(cuts.pool.plans))
        if not self.over:
            yield from self._choose(cuts.problem, cuts.pool, last)
        return CaseTree(self.problem, self.master, cuts.root, cuts.charges)

    def _choose(self, problem: Pricing, pool: Pool, dual: DualPoint) -> Iterator[Found]:
        """Carry out a choice beside whole plans, and then one of all from there."""
        packing, start, worth = self.packing, None, -np.inf
        for _ in range(2):
            if self.over:
                return
            kept, before = dict(packing.plans), packing.value
            start = choose(
                problem, pool, dual, value=before, gap=CHOICE_GAP * self.gap,
                left=self.left, start=start,
            )  # fmt: skip
            width = len(self.problem.rows)  # without rows of charges
            choice = pool.plans.some(start)
            choice = choice._replace(use=choice.use[:, :width])
            value = float(choice.value.sum())
            if value > max(worth, before):
                own = dual.prices[:width]
                packing.follow(choice, own, dual.payoff, self.left)
                where = dataclasses.replace(dual, prices=own)
                repair(
                    packing, own, Targets.chosen(self.problem, where, choice),
                    small=ENOUGH * self.gap * self.size, gap=FINE * self.gap,
                    left=self._unless_near,
                )  # fmt: skip
                self._search_slots()
                worth = value
            if packing.value < before:
                packing.restore(kept)
            yield from self._progress("choice of plans")
            if self.bound - worth <= ENOUGH * self.gap * self.size:
                return

    def _local_search(self, dual: DualPoint, tree: CaseTree) -> Iterator[Found]:
        """Exchange, reoptimise neighbourhoods and split cases in turn."""
        waited, many, tries = 0, NEIGHBOURS, ANNEALED
        while not self.over and waited < PATIENCE:
            before = self.packing.value
            self._local_search_round(dual, many)
            if waited in ANNEALS:
                heat, left = HEAT * float(self.problem.most.mean()), self._unless_near
                self.packing.anneal(dual.prices, self._targets(dual), tries, heat, left)
                tries *= 2
            gained = self.packing.value - before > self.small
            waited = 0 if gained else waited + 1
            many = NEIGHBOURS if gained else min(int(GROWTH * many), MOST_NEIGHBOURS * NEIGHBOURS)
            yield from self._progress("exchanges and neighbourhoods")
            if waited in SPLITS and not self.over:
                yield from self._split(tree, SPLITS[waited])
        if self.packing.value > self._reported:
            yield self._plans("exchanges and neighbourhoods")

    def _unless_near(self) -> float:
        """Seconds that are left, 0 where value and bound are near enough."""
        return 0.0 if self.near else self.left()

    def _local_search_round(self, dual: DualPoint, many: int) -> None:
        """Exchange, then reoptimise around the owner that loses most, and around a dear row."""
        packing, left = self.packing, self._unless_near
        self._search_slots()
        if not left():
            return
        targets = self._targets(dual)
        packing.exchange(dual.prices, targets, TRIES * self.problem.owners, left)
        losses = targets.losses(packing)
        missing = targets.gap_by_row(packing, losses)
        promise = losses * DISCOUNT ** -self._tried[targets.owners].astype(float)
        if not self.over and promise.any():
            owner = int(targets.owners[promise.argmax()])
            size = SIZES[min(int(self._tried[owner]), len(SIZES) - 1)]
            around = targets.competitors(packing, owner, size)
            gained = self._reoptimise(targets, around, PLANS) > self.small
            self._tried[owner] = 0 if gained else self._tried[owner] + 1
        if not self.over and missing.any():
            row = int(packing.rng.choice(len(missing), p=missing / missing.sum()))
            self._reoptimise(targets, targets.row_neighbourhood(packing, row, many), 2)

    def _search_slots(self) -> None:
        """Reoptimise who meets in slots where most is missing, of a kind whose rows have slots."""
        root = self._root
        if self._slots is not None and root is not None:
            self._slots.improve(
                self.packing, lambda: self._targets(root), gap=FINE * self.gap,
                left=self._unless_near,
            )  # fmt: skip

    def _targets(self, dual: DualPoint) -> Targets:
        return Targets.nearest(self.problem, self.pool, dual, self.packing.value)

    def _reoptimise(self, targets: Targets, owners: list[int], many: int) -> float:
        """Reoptimise owners; returns the value that is gained."""
        before = self.packing.value
        gap = FINE * self.gap
        if owners:
            reoptimise(
                self.packing, targets.prices, targets, owners, many=many, gap=gap,
                left=self._unless_near,
            )  # fmt: skip
        return self.packing.value - before

    def _split(self, tree: CaseTree, nodes: int) -> Iterator[Found]:
        tree.expand(
            lambda: self.packing.value + ENOUGH * self.gap * self.size, nodes, CLOSE * self.gap,
            self.left,
        )  # fmt: skip
        if tree.bound < self.bound:
            self.bound = tree.bound
            yield Found(f"{tree.leaves} cases", tree=tree.tree())
