"""The cheapest placement of kind mlbroker when all data volumes are known."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from farkas.certificates.mlbroker import Guide, MlbrokerPrices
from farkas.certificates.mlbroker_slots import FREE, REDUCED, PricedSlots
from farkas.certificates.priced_tree import PricedTree
from farkas.errors import NoAnswer, NotACertificate
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.data import present_at
from farkas.numbers import Bools, Floats
from farkas.offline.methods import Candidate, OfflineSearch, SearchState, searches
from farkas.offline.search import decided, policies
from farkas.online.mlbroker.environment import PlacedSlot, by_slot
from farkas.online.run import Bound
from farkas.relaxations.mlbroker.slot_trees import (
    DiscountTree,
    SlotGrowth,
    cheapest_schedules,
    pair_steps,
)

# Bound and placements of a broker from both sides: jobs at prices of units, slots at prices of
# deployments.
#
# The first prices are slopes of chords: each job by itself places itself, which is a placement and,
# slot by slot with `farkas.relaxations.mlbroker.slot_trees`, a bound.  Then prices of deployments
# are moved by subgradients: where a job leaves a slot on one set of sites and enters the next on
# another, the first becomes cheaper and the second dearer.  What the slots decide says which
# discounts count; the cheapest schedules at these prices, and at those that they lead to, are
# further placements.


MOST_ROUNDS = 200
#: Nodes of a slot's tree: while there is no bound, while prices are looked for, and later.
MOST_NODES = (1, 30, 30, 30, 2000)
NEAR_SHARE = 0.15  #: Of the gap that is asked for, what trees may leave open.
PATIENCE = 3  #: Rounds without a better bound after which steps are halved.
SHORTEST_STEP = 2.0**-10
RESPONSES = 4  #: Times that jobs answer to the discounts that they cause.


class SlotSearch:
    """Prices of deployments, the trees of all slots at them, and the best placement.

    ``state``: whose deadline and gap count.
    """

    def __init__(self, data: Brokerage, state: SearchState) -> None:
        self.data, self.state = data, state
        self.check = state.deadline.check
        self.growth = SlotGrowth(data, self.check)
        self.bounds = self.growth.bounds
        self.chord = data.chord_slope("strict")
        self.best = cheapest_schedules(data, self.chord, self.check, state.executor)
        self.cost = self.best.cost(data)
        self.prices = self.bounds.rounded(self.best.prices[self.bounds.links])
        self.trees: dict[int, DiscountTree] = {}
        self._whole: set[int] = set()
        self._extra: Floats = np.zeros((0, self.bounds.sets))

    def look(self, most: int = MOST_NODES[-1]) -> None:
        """Grow the trees of slots whose prices have changed, or that were left too small.

        ``most``: nodes of a tree.
        """
        extra = self.bounds.extra(self.prices)
        data = self.data
        busy = [slot for slot in range(data.num_slots) if len(data.pairs_at(slot))]
        near = NEAR_SHARE * float(self.state.gap) * self.cost / max(1, len(busy))
        tasks = [
            (slot, extra[pairs], near, most)
            for slot in busy
            for pairs in [data.pairs_at(slot)]
            if slot not in self._whole or not np.array_equal(self._extra[pairs], extra[pairs])
        ]
        guesses = [
            float(self.trees[slot].steps) if slot in self.trees else pair_steps(data) * len(extra)
            for slot, extra, _, _ in tasks
        ]
        trees = self.state.executor.each(self.growth, data, tasks, guesses, self.check)
        for (slot, *_), tree in zip(tasks, trees, strict=True):
            self.trees[slot] = tree
            if len(tree.nodes) < most or most == MOST_NODES[-1]:
                self._whole.add(slot)
            else:
                self._whole.discard(slot)
        self._extra = extra

    @property
    def bound(self) -> Fraction:
        """What the trees prove, USD."""
        return sum((tree.bound for tree in self.trees.values()), Fraction(0))

    def certificate(self) -> PricedTree:
        """State what the trees prove."""
        trees = [self.trees[slot].nodes for slot in sorted(self.trees)]
        program = PricedSlots(self.data, trees)
        return PricedTree.of(program, self.prices.ravel(), bound=self.bound)

    def decisions(self) -> list[PlacedSlot]:
        """Return the best placement, as the environment evaluates it."""
        return by_slot(self.data, self.best.workers, self.best.server)

    def present(self) -> Bools:
        """Sites of every pair in the least leaves, shape (pairs, sites)."""
        data = self.data
        found = np.zeros((data.num_pairs, data.num_sites), bool)
        for slot, tree in self.trees.items():
            placed, pairs = tree.least.leaf.found, data.pairs_at(slot)
            found[pairs] = present_at(placed.workers, placed.server)
        return found

    def apart(self) -> Floats:
        """Supergradient of the bound in the prices, shape (links, sets).

        Each is paid in the slot that is entered, and to the one that is left.
        """
        links, present = self.bounds.links, self.present()
        return self._shown(present[links + 1]) - self._shown(present[links])

    def _shown(self, present: Bools) -> Floats:
        """Mark the prices that count, of each row of present sites; shape (rows, sets)."""
        if not self.bounds.listed:
            return present.astype(float)
        found = np.zeros((len(present), self.bounds.sets))
        found[np.arange(len(present)), (present << np.arange(self.data.num_sites)).sum(axis=1)] = 1
        return found

    def step(self, share: float) -> bool:
        """Move prices by a share of what would close the gap; False where jobs agree."""
        apart = self.apart()
        size = float(np.count_nonzero(apart))
        if not size:
            return False
        length = share * max(0.0, self.cost - float(self.bound)) / size
        self.prices = self.bounds.rounded(self.prices + length * apart)
        return True

    def reduced(self) -> Bools:
        """Cells where the least leaves have the discount, shape (slots, sites, resources)."""
        found = np.zeros(self.chord.shape, bool)
        for slot, tree in self.trees.items():
            state, caused = tree.least.leaf.state, tree.least.usage > self.data.threshold
            found[slot] = np.where(state == FREE, caused, state == REDUCED)
        return found

    def respond(self, reduced: Bools) -> bool:
        """Place jobs where discounts count as told, then as they cause them; whether it is best."""
        data, better = self.data, False
        for _ in range(RESPONSES):
            slope = np.where(reduced, data.reduced_price, data.list_price)
            schedules = cheapest_schedules(data, slope, self.check, self.state.executor)
            cost = schedules.cost(data)
            if cost < self.cost:
                self.best, self.cost, better = schedules, cost, True
            caused = schedules.usage(data) > data.threshold
            if np.array_equal(caused, reduced):
                break
            reduced = caused
        return better


def slots(instance: Brokerage, state: SearchState) -> Iterator[Candidate]:
    """Move prices of deployments until bound and placements meet.

    Raises `NoAnswer` where sets of sites of jobs in slots are too many, or prices overflow.
    """
    try:
        search = SlotSearch(instance, state)
    except NotACertificate as failure:
        raise NoAnswer(f"jobs at prices: {failure}") from None
    best, kept, share, stalled = Fraction(-1), search.prices, 1.0, 0
    for round_ in range(MOST_ROUNDS):
        search.look(MOST_NODES[min(round_, len(MOST_NODES) - 1)])
        words = f"slots at prices of deployments, {len(search.trees)} trees over discounts"
        bound = search.bound
        if bound > best:
            best, kept = bound, search.prices
            yield Candidate(words, bound=Bound.of(bound, words, search.certificate().plain()))
            stalled = 0
        else:
            stalled += 1
        if not round_:  # after a bound, so that no run asks for that of another program
            yield Candidate(
                "each job by itself at prices of chords",
                search.decisions(),
            )
        if search.respond(search.reduced()):
            words = "jobs by themselves where discounts count as slots decide"
            yield Candidate(words, search.decisions())
        if stalled == PATIENCE:
            search.prices, share, stalled = kept, share / 2, 0
        # first, placements answer to discounts
        moved = round_ > 0 and share >= SHORTEST_STEP and search.step(share)
        if not moved and round_ + 1 >= len(MOST_NODES):
            return


# Placements of a broker that are there at once, and a bound that asks nobody.
#
# Data stay where they are, and all guiding prices are zero: what a search has before anything else,
# however little time it is given.


def at_once(instance: Brokerage, state: SearchState) -> Iterator[Candidate]:
    """Find the placement of mlbroker.local, with the bound of no prices."""
    words = "no guiding prices"
    proved = MlbrokerPrices.of(instance, Guide.zeros(instance), "tight")
    # before the placement, so that no run asks for a dearer bound
    yield Candidate(words, bound=Bound.of(Fraction(proved.bound), words, proved.plain()))
    yield Candidate("mlbroker.local", decided("mlbroker.local", instance)[0])


searches.add(
    "mlbroker.optimum",
    OfflineSearch(
        "mlbroker.optimum",
        methods=(
            at_once,
            slots,
            policies("mlbroker.one_shot", "mlbroker.central", "mlbroker.local"),
        ),
        options={"semantics": "strict"},
    ),
)
