"""The greatest welfare of kind eris when all jobs are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from farkas.decomposition.protocol import Demand, Exchanges, Fit, Plans
from farkas.errors import NoAnswer
from farkas.forms import LinearForm
from farkas.instances.eris import Auction
from farkas.numbers import Bools, Floats, Ints
from farkas.offline.eris.exchange_kernel import (
    DRAWS,
    MOST_OUT,
    MULTIPLIERS,
    PackedSchedules,
    exchange,
    load,
    pack,
)
from farkas.offline.eris.squeeze_kernel import MOVE_DRAWS, squeeze
from farkas.offline.methods import Candidate, OfflineSearch, SearchState, integer_program, searches
from farkas.offline.price_search import price_search
from farkas.online.eris.environment import Award, Piece, SlotDecision, pieces_of
from farkas.online.eris.scheduler_dp import best_plan
from farkas.relaxations.eris.payoff_bound import SchedulePlan, read_plans, use_of
from farkas.relaxations.eris.pricing import PricedCapacity, SchedulePricing, meet

#: Share of a resource's highest price that it costs wherever it costs less, where jobs are packed:
#: what is free now is scarce once others are there.
LEAST_PRICE = 0.01
NOISE = 0.5  #: Prices are multiplied by draws that lie this share below and above 1.
DRAWN_PRICES = 64
TRIES = 2_000  #: Exchanges in a plan between two looks at what is missing.
MOVES = 20_000  #: Changes of sites after which a job finds no room in a slot of its plan.
PATIENCE = 12  #: Looks without progress after which what is missing is left out.
#: Share of what a plan is worth that may be missing.
SMALL = 2e-5


class AuctionPricing(SchedulePricing):
    """What the search for the greatest welfare asks of an auction."""

    def __init__(self, auction: Auction) -> None:
        super().__init__(auction)
        self.everywhere: Bools = np.ones(len(self.jobs.worth), np.bool_)
        self._last: Ints = np.diff(self.jobs.begin) - 1
        self._known_room: tuple[Floats, PricedCapacity] | None = None
        self._rng = np.random.default_rng(0)
        shape = (DRAWN_PRICES, *self._shape[:2])
        self._noise = 1.0 + NOISE * (2.0 * self._rng.random(shape) - 1.0)

    def fits(self, owner: int, asked: Demand) -> Sequence[Fit]:
        """Return the job's schedule of best payoff in what is free, if there is one."""
        jobs, (sites, resources, slots) = self.jobs, self._shape
        worth = self._worth[owner]
        last = int(np.count_nonzero(worth > asked.above)) - 1
        if last < 0:
            return []
        if self.auction.chunks[owner] == 0:
            return [Fit(float(worth[0]), np.zeros(0, np.int64), np.zeros(0), None)]
        open_slots = self.everywhere
        if asked.like is not None:
            rows = asked.like.indices
            open_slots = self._open(np.full(len(rows), owner), rows)
        factors = asked.noise[: sites * resources].reshape(sites, resources)
        taken = asked.used[:slots], asked.used[slots:].reshape(self._shape)
        seen = meet(jobs, owner, *taken, self.room(asked.prices), factors, 1.0, last, open_slots)
        _payoff, finish, _cost, _bound, found = best_plan(seen, seen, MULTIPLIERS)
        if finish < 0:
            return []
        return [self.fit(owner, SchedulePlan(*(part[: finish + 1] for part in found)))]

    def follow(self, choice: Plans, prices: Floats) -> Mapping[int, Fit]:
        """Run jobs in the slots where they are planned; workers change sites until they fit."""
        row, slot = choice.use.tocoo().coords
        planned = self._open(choice.owner[row], slot)
        room, packed = self.room(prices), self.packed({})
        order = self.largest_first(choice)
        pack(self.jobs, order, self._last, planned, packed, room, self._noise, LEAST_PRICE)
        self.squeeze(packed, order, room, planned)
        waited, small = 0, SMALL * float(choice.value.sum())
        while waited < PATIENCE:
            left = packed.finish[choice.owner] < 0
            missing = choice.owner[left]
            if not len(missing) or float(choice.value[left].sum()) <= small:
                break
            asked = Exchanges(missing, prices, TRIES, self._rng)
            self._exchange(packed, asked, room, planned, in_plan=True)
            now = np.count_nonzero(packed.finish[choice.owner] < 0)
            waited = waited + 1 if now == len(missing) else 0
        return self.plans_of(packed, {})

    def largest_first(self, choice: Plans) -> Ints:
        """Jobs of plans, those first that use the largest share of the resources of all sites."""
        slots = self.auction.slots
        rows = np.where(self.rows > 0, self.rows, np.inf)
        rows[:slots] = np.inf
        share = choice.use @ (1.0 / rows)
        order: Ints = choice.owner[np.argsort(-share, kind="stable")]
        return order

    def exchange(self, plans: Mapping[int, Fit], asked: Exchanges) -> Mapping[int, Fit]:
        """Exchange jobs so that some complete earlier, while no more worth is lost than allowed."""
        packed, room = self.packed(plans), self.room(asked.prices)
        self._exchange(packed, asked, room, self.everywhere)
        return self.plans_of(packed, plans)

    def decisions(self, plans: Mapping[int, Fit]) -> Sequence[SlotDecision]:
        """Return the schedules as decisions on the jobs' arrivals."""
        return decided(self.auction, {job: fit.what for job, fit in plans.items()})

    def room(self, prices: Floats) -> PricedCapacity:
        """Return what there is at prices of rows, as kernels take it."""
        if self._known_room is None or self._known_room[0] is not prices:
            fine, auction = self.prices_of(prices), self.auction
            highest = fine.resource.max(axis=(0, 2), keepdims=True, initial=0.0)
            resource = np.maximum(fine.resource, LEAST_PRICE * highest)
            room = PricedCapacity(
                auction.capacity, auction.transfer_budget, fine.transfer, resource
            )
            self._known_room = prices, room
        return self._known_room[1]

    def _open(self, owner: Ints, row: Ints) -> Bools:
        """Return the slots of jobs' windows in which they use rows."""
        found = np.zeros(len(self.jobs.worth), np.bool_)
        slot = row % self.auction.slots
        found[self.jobs.begin[owner] + slot - self.jobs.arrival[owner]] = True
        return found

    def fit(self, owner: int, plan: SchedulePlan) -> Fit:
        """Return a schedule up to its slot of completion, with what it uses."""
        transfer, used = use_of(self.auction, self.auction.jobs[owner], plan)
        amount = np.concatenate([transfer, used.ravel()])
        rows = np.flatnonzero(amount)
        return Fit(float(self._worth[owner][len(plan.server) - 1]), rows, amount[rows], plan)

    def packed(self, plans: Mapping[int, Fit]) -> PackedSchedules:
        """Return plans as kernels take them."""
        auction, windows, jobs = self.auction, len(self.jobs.worth), self.jobs
        packed = PackedSchedules(
            worth=np.zeros(auction.num_jobs),
            finish=np.full(auction.num_jobs, -1),
            workers=np.zeros((windows, auction.sites), np.int64),
            server=np.full(windows, -1),
            moved=np.zeros(windows, np.int64),
            transferred=np.zeros(auction.slots),
            used=np.zeros(self._shape),
            running=np.zeros((auction.slots, auction.num_jobs), np.int64),
            many=np.zeros(auction.slots, np.int64),
        )
        for owner, fit in plans.items():
            packed.worth[owner], packed.finish[owner] = fit.value, 0
            if fit.what is not None:
                workers, server, moved = fit.what
                some = slice(jobs.begin[owner], jobs.begin[owner] + len(server))
                packed.finish[owner] = len(server) - 1
                packed.workers[some], packed.server[some] = workers, server
                packed.moved[some] = moved
        load(jobs, packed)
        return packed

    def plans_of(self, packed: PackedSchedules, before: Mapping[int, Fit]) -> Mapping[int, Fit]:
        """Return the plans of kernels; those that are as before stay the same objects."""
        found = {}
        for owner in np.flatnonzero(packed.finish >= 0).tolist():
            low, fit = self.jobs.begin[owner], before.get(owner)
            some = slice(low, low + int(packed.finish[owner]) + 1)
            if self.auction.chunks[owner] == 0:
                nothing = np.zeros(0, np.int64)
                found[owner] = fit or Fit(float(self.most[owner]), nothing, np.zeros(0), None)
                continue
            plan = SchedulePlan(packed.workers[some], packed.server[some], packed.moved[some])
            if fit is not None and all(map(np.array_equal, fit.what, plan)):
                found[owner] = fit
            else:
                found[owner] = self.fit(owner, SchedulePlan(*(part.copy() for part in plan)))
        return found

    def squeeze(
        self,
        packed: PackedSchedules,
        targets: Ints,
        room: PricedCapacity,
        planned: Bools,
        moves: int = MOVES,
    ) -> None:
        """Insert jobs where they are planned; others there change sites to make room."""
        total = self.auction.capacity.sum(axis=0)
        asked = targets[(self.auction.chunks[targets] > 0) & (packed.finish[targets] < 0)]
        if not len(asked) or not (total > 0).all():
            return
        nothing = packed._replace(
            transferred=np.zeros_like(packed.transferred), used=np.zeros_like(packed.used)
        )
        plain, draws = np.ones_like(self._noise[0]), self._rng.random((moves, MOVE_DRAWS))
        squeeze(self.jobs, asked, packed, nothing, room, total, plain, LEAST_PRICE, planned, draws)

    def _exchange(
        self,
        packed: PackedSchedules,
        asked: Exchanges,
        room: PricedCapacity,
        slots: Bools,
        *,
        in_plan: bool = False,
    ) -> None:
        targets, _, tries, rng, heat = asked
        if len(targets):
            chosen = targets[rng.integers(len(targets), size=tries)]
            draws = rng.random((tries, DRAWS + MOST_OUT))
            exchange(self.jobs, chosen, packed, room, draws, self._noise, slots, in_plan, heat)


def decided(auction: Auction, plans: Mapping[int, SchedulePlan | None]) -> list[SlotDecision]:
    """Return schedules up to completion as decisions on the jobs' arrivals; None without data."""
    found = []
    for slot in range(auction.slots):
        awards, pieces = list[Award](), list[Piece]()
        for job in np.flatnonzero(auction.arrival == slot).tolist():
            plan, served = plans.get(job), job in plans
            last = 0 if plan is None else len(plan.server) - 1
            awards.append(Award(job, served, slot + last if served else None))
            if plan is not None:
                pieces += pieces_of(job, auction.jobs[job], plan)
        found.append(SlotDecision(tuple(awards), tuple(pieces)))
    return found


def decisions_of(instance: Auction, form: LinearForm, point: Floats) -> Sequence[SlotDecision]:
    """Read schedules off a point whose whole columns are whole."""
    done = form.values(point, "finished") > 0
    served = form.column_block("finished").axes[0].members[done][:, 0].tolist()
    plans: dict[int, SchedulePlan | None] = {j: None for j in served if instance.chunks[j] == 0}
    return decided(instance, plans | read_plans(instance, form, point))


#: Cells, of job, slot and site, beyond which eris.offline is too large to be proved in minutes.
MOST_CELLS = 2_000
MOST_ENTRIES = 60_000  #: Coefficients of so many cells.

_program = integer_program("eris.offline[compact]", decisions_of, MOST_ENTRIES)


def small(instance: Auction, state: SearchState) -> Iterator[Candidate]:
    """Solve and prove eris.offline where that is small."""
    busy = [len(job.utility) for job in instance.jobs if any(job.data)]
    cells = sum(busy) * instance.sites
    if cells > MOST_CELLS:
        raise NoAnswer(
            f"eris.offline has {cells} cells of job, slot and site, more than {MOST_CELLS}"
        )
    yield from _program(instance, state)


by_prices = price_search(AuctionPricing)
_methods: Any = (by_prices, small)
searches.add("eris.optimum", OfflineSearch("eris.optimum", methods=_methods))
