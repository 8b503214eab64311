"""The baselines AntMan, Liquid and Tiresias, and one slot as they see it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Annotated

import msgspec
import numpy as np

from farkas.instances.eris import Auction, Job, hosted, left_over, workers_for
from farkas.models.eris.prices import resource_price, transfer_price
from farkas.numbers import Floats, Ints
from farkas.online.driver import algorithm
from farkas.online.eris.environment import (
    Award,
    Piece,
    SlotArrivals,
    SlotDecision,
    coarse,
)
from farkas.online.policy import Policy
from farkas.tolerances import allowed


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SlotPlacement:
    """Workers by site, shape (sites,), and the server's site."""

    workers: Ints
    server: int


@dataclasses.dataclass(slots=True, eq=False)
class QueuedJob:
    """A job in the system."""

    #: index, job: number in the whole instance, and the job.
    index: int
    job: Job
    remaining: Ints  #: Shape (sites,), chunks not yet processed.
    paid: float = 0.0  #: Price of all it used so far.
    count: int = 0  #: Workers it asks for; 0 while undecided.
    #: Where it runs in every slot until it is done; None while it waits, or without a fixed one.
    placement: SlotPlacement | None = None
    guaranteed: bool = False  #: Whether it runs before others (AntMan).
    #: Price of a worker by site when it arrived, shape (sites,); None where prices of now count.
    price: Floats | None = None
    #: Chunks that every site of `placement` still has to process, shape (sites,).
    shares: Ints | None = None
    rejected: bool = False  #: Whether it leaves, because it would pay more than it is worth.

    @property
    def left(self) -> int:
        """Chunks not yet processed at all sites together."""
        return int(self.remaining.sum())

    @property
    def settled(self) -> bool:
        """Whether it has its placement, or leaves."""
        return self.placement is not None or self.rejected

    def slots_needed(self, count: int) -> int:
        """Slots that ``count`` workers need for the rest: ⌈rem E / (P n)⌉."""
        return -(-self.left * self.job.epochs // (self.job.worker_rate * count))


class SlotCapacity:
    """What is free in one slot, with the prices (6) of what is in use."""

    def __init__(self, auction: Auction, slot: int) -> None:
        self.auction, self.slot = auction, slot
        self.held = np.zeros_like(auction.capacity)
        self.transferred = 0.0

    def prices(self) -> tuple[Floats, float]:
        """Prices at what is held now: per unit, shape (sites, resources), and per MB."""
        unit: Floats = resource_price(self.auction, self.held[:, :, None])[:, :, 0]
        return unit, float(transfer_price(self.auction, np.array([self.transferred]))[0])

    def worker_prices(self, job: Job) -> Floats:
        """Price of a worker of ``job``, shape (sites,), equal where rounding alone differs."""
        price = (self.prices()[0] * np.array(job.worker_demand)).sum(axis=1)
        return coarse.function(price, price)

    def place(self, waiting: QueuedJob, count: int, *, fewer: bool = False) -> SlotPlacement | None:
        """Put ``count`` workers on the cheapest sites, the server on the first that holds it.

        Equal sites go by remaining data, then by index.  The server's site must hold a worker too.
        With ``fewer`` any positive number of workers will do.
        """
        worker, server = np.array(waiting.job.worker_demand), np.array(waiting.job.server_demand)
        price = self.worker_prices(waiting.job) if waiting.price is None else waiting.price
        order = np.lexsort((np.arange(len(price)), -waiting.remaining, price))
        alone = hosted(left_over(self.auction.capacity, self.held), worker, count)
        beside = hosted(left_over(self.auction.capacity, self.held + server), worker, count)
        able = order[beside[order] > 0]
        if len(able) == 0 or count == 0:
            return None
        site = int(able[0])
        workers = np.zeros(len(price), np.int64)
        workers[site] = min(count, int(beside[site]))
        for other in order:
            if other != site:
                workers[other] = min(int(alone[other]), count - int(workers.sum()))
        if workers.sum() < count and not fewer:
            return None
        return SlotPlacement(workers, site)

    def run(self, waiting: QueuedJob, placement: SlotPlacement) -> Piece | None:
        """Hold the placement and process what its workers and the transfer budget allow.

        The server's site comes first, then the others by number of workers.  A site takes its own
        chunks before others, and fewer while its transfer does not fit.  A job with
        `QueuedJob.shares` processes those, and has paid already; others are charged here.
        """
        job = waiting.job
        prices, per_mb = self.prices()
        self.held += np.outer(placement.workers, job.worker_demand)
        self.held[placement.server] += job.server_demand
        others = np.lexsort((np.arange(len(placement.workers)), -placement.workers))
        order = [placement.server, *(int(r) for r in others if r != placement.server)]
        processed = np.zeros(len(order), np.int64)
        moved, volume = 0, 0.0
        limit = allowed(self.auction.transfer_budget)
        for site in order:
            room = int(placement.workers[site]) * job.worker_rate // job.epochs
            left = waiting.left - int(processed.sum())
            chunks = min(room, left if waiting.shares is None else int(waiting.shares[site]))
            while chunks > 0:
                in_moves = max(0, chunks - int(waiting.remaining[site]))
                remote = workers_for(chunks, job.epochs, job.worker_rate)
                extra = self.auction.chunk_size * in_moves
                extra += job.parameter_size * remote * (site != placement.server)
                if self.transferred + volume + extra <= limit:
                    processed[site], volume, moved = chunks, volume + extra, moved + in_moves
                    break
                chunks -= 1
        if not processed.any():
            return None
        self.transferred += volume
        workers = -(-job.epochs * processed // job.worker_rate)
        if waiting.shares is None:
            waiting.paid += per_mb * volume + posted_cost(job, prices, workers, placement.server)
        _take(waiting, processed, moved)
        running = tuple((int(r), int(workers[r])) for r in np.flatnonzero(workers))
        return Piece(waiting.index, self.slot, placement.server, running, moved)

    def quote(self, waiting: QueuedJob, placement: SlotPlacement) -> tuple[Ints, int, float] | None:
        """Shares of the data by site, slots until they are done, and the posted price of all.

        Data are spread evenly over workers, the rest over sites that store most beyond their share.
        None where so few workers process no chunk in a slot.
        """
        job, auction, workers = waiting.job, self.auction, placement.workers
        rate = workers * job.worker_rate // job.epochs
        if not rate.any():
            return None
        shares = waiting.left * rate // rate.sum()
        order = np.lexsort((shares - waiting.remaining, rate == 0))
        shares[order[: waiting.left - int(shares.sum())]] += 1
        slots = -(-waiting.left // int(rate.sum()))
        moved = int(np.maximum(0, shares - waiting.remaining).sum())
        remote = int(workers.sum() - workers[placement.server])
        volume = auction.chunk_size * moved + job.parameter_size * remote * slots
        prices, per_mb = self.prices()
        each = posted_cost(job, prices, workers, placement.server)
        return shares, slots, slots * each + per_mb * volume


def posted_cost(job: Job, prices: Floats, workers: Ints, server: int) -> float:
    """Return what workers and server cost in a slot, at prices of shape (sites, resources)."""
    cost = float((prices * np.outer(workers, job.worker_demand)).sum())
    return cost + float((prices[server] * np.array(job.server_demand)).sum())


def _take(waiting: QueuedJob, processed: Ints, moved: int) -> None:
    """Shrink the data: own chunks first, moved ones from the site with most beyond its share."""
    waiting.remaining = np.maximum(0, waiting.remaining - processed)
    if waiting.shares is not None:
        waiting.shares = waiting.shares - processed
    for _ in range(moved):
        spare = waiting.remaining - (0 if waiting.shares is None else waiting.shares)
        waiting.remaining[int(np.argmax(spare))] -= 1


SLOTS_AIMED_AT = 8  #: A job asks for as many workers as finish it in this many slots.


@dataclasses.dataclass(slots=True, eq=False)
class System:
    """Jobs in the system in order of arrival, and the worths seen so far."""

    auction: Auction  #: The sites.
    waiting: list[QueuedJob] = dataclasses.field(default_factory=list)  #: Jobs that are not done.
    #: Utility on arrival of every job so far.
    worths: list[float] = dataclasses.field(default_factory=list)

    def copy(self) -> System:
        """Return an independent copy."""
        return System(
            self.auction,
            [dataclasses.replace(w, remaining=w.remaining.copy()) for w in self.waiting],
            list(self.worths),
        )


def workers_asked(job: Job) -> int:
    """Workers that finish ``job`` in `SLOTS_AIMED_AT` slots: max(1, ⌈E D̄ / (8 P)⌉)."""
    return max(1, workers_for(sum(job.data), job.epochs, job.worker_rate * SLOTS_AIMED_AT))


class SlotPolicy(Policy):
    """Base of the baselines: subclasses say who runs in a slot, and how."""

    def start(self, known: Auction, seed: int) -> System:
        """Nobody is in the system yet."""
        return System(known)

    def run_slot(self, system: System, room: SlotCapacity) -> Iterable[Piece | None]:
        """Run jobs of ``system`` in the slot, yielding what each runs."""
        raise NotImplementedError

    def welcome(self, system: System, waiting: QueuedJob) -> None:
        """Prepare a job that just arrived."""
        waiting.count = workers_asked(waiting.job)

    def counts(self, waiting: QueuedJob, worth: float) -> bool:
        """Leave out jobs with a negative payoff."""
        return worth >= waiting.paid

    def step(self, state: System, arrivals: SlotArrivals) -> tuple[System, SlotDecision]:
        """Let jobs in, run the slot, let completed jobs out."""
        state = state.copy()
        awards: list[Award] = []
        for index, job in arrivals.jobs:
            waiting = QueuedJob(index, job, np.array(job.data, dtype=np.int64))
            state.worths.append(job.utility[0])
            self.welcome(state, waiting)
            if waiting.left == 0:
                awards.append(Award(index, True, arrivals.slot, 0.0))
            else:
                state.waiting.append(waiting)
        room = SlotCapacity(state.auction, arrivals.slot)
        pieces = [piece for piece in self.run_slot(state, room) if piece is not None]
        for waiting in state.waiting:
            if waiting.left == 0:
                worth = waiting.job.utility[arrivals.slot - waiting.job.arrival]
                served = self.counts(waiting, worth)
                done = arrivals.slot if served else None
                awards.append(Award(waiting.index, served, done, waiting.paid if served else 0.0))
            elif waiting.rejected:
                awards.append(Award(waiting.index, False))
        state.waiting = [w for w in state.waiting if w.left > 0 and not w.rejected]
        return state, SlotDecision(tuple(awards), tuple(pieces))


class FixedPolicy(SlotPolicy):
    """Base of AntMan and Liquid, which fix workers and servers by the unit price on arrival.

    A job is placed once, at the sites where a worker was cheapest when it arrived; its data are
    spread evenly over its workers.  It pays what is posted when it is placed, and leaves when that
    is more than it is worth then.
    """

    literal: bool  #: Nobody is rejected, and payments may exceed worths.

    def run_slot(self, system: System, room: SlotCapacity) -> Iterator[Piece | None]:
        """Run placed jobs, tell arrivals the price of a worker, then let others in."""
        for waiting in system.waiting:
            if waiting.placement is not None:
                yield room.run(waiting, waiting.placement)
        for waiting in system.waiting:
            if waiting.price is None:
                waiting.price = room.worker_prices(waiting.job)
        yield from self.let_in(system, room)

    def let_in(self, system: System, room: SlotCapacity) -> Iterable[Piece | None]:
        """Run jobs without a fixed placement."""
        raise NotImplementedError

    def settle(self, waiting: QueuedJob, room: SlotCapacity) -> Piece | None:
        """Fix a placement of the job's workers and run it there, or reject the job."""
        placement = room.place(waiting, waiting.count)
        quote = None if placement is None else room.quote(waiting, placement)
        if placement is None or quote is None:
            return None
        shares, slots, price = quote
        if not self.literal and price > worth_at(waiting.job, room.slot + slots - 1):
            waiting.rejected = True
            return None
        waiting.placement, waiting.shares, waiting.paid = placement, shares, price
        return room.run(waiting, placement)

    def counts(self, waiting: QueuedJob, worth: float) -> bool:
        """Leave out jobs with a negative payoff, read literally none."""
        return self.literal or super().counts(waiting, worth)


def worth_at(job: Job, slot: int) -> float:
    """Worth of a job that completes in ``slot``; 0 after the last one."""
    delay = slot - job.arrival
    return job.utility[delay] if delay < len(job.utility) else 0.0


PATIENCE = 6  #: Slots after which a guaranteed job that still waits becomes opportunistic.

LITERAL = {"literal": {"literal": True}}


@algorithm("eris.antman", source="Eris section VI-B, baseline AntMan", variants=LITERAL)
@dataclasses.dataclass(frozen=True)
class AntMan(FixedPolicy):
    """Runs guaranteed jobs first come, first served, and others on what they leave.

    A job is guaranteed when it is worth at least the median of all arrivals so far.  It keeps its
    placement until it is done; those behind it wait when it does not fit.  Others, and those that
    waited long, get up to the workers they ask for, in every slot anew.  A job leaves when it would
    pay more than it is worth; with ``literal`` it stays and pays.
    """

    literal: bool = False

    def welcome(self, system: System, waiting: QueuedJob) -> None:
        """Say whether the job is guaranteed."""
        super().welcome(system, waiting)
        waiting.guaranteed = waiting.job.utility[0] >= float(np.median(system.worths))

    def let_in(self, system: System, room: SlotCapacity) -> Iterator[Piece | None]:
        """Place guaranteed jobs, then run opportunistic ones."""
        for waiting in system.waiting:
            if waiting.placement is None and waiting.guaranteed:
                if room.slot - waiting.job.arrival > PATIENCE:
                    waiting.guaranteed = False
                    continue
                yield self.settle(waiting, room)
                if not waiting.settled:
                    break
        for waiting in system.waiting:
            if waiting.placement is None and not waiting.guaranteed and waiting.left > 0:
                waiting.rejected = not self.counts(waiting, worth_at(waiting.job, room.slot))
                placement = room.place(waiting, waiting.count, fewer=True)
                if placement is not None and not waiting.rejected:
                    yield room.run(waiting, placement)


@algorithm("eris.tiresias", source="Eris section VI-B, baseline Tiresias")
@dataclasses.dataclass(frozen=True)
class Tiresias(SlotPolicy):
    """Runs, in every slot anew, the jobs with least workers times remaining slots.

    A job gets all workers it asks for or none.  A completed job that is worth less than it would
    pay does not count, as published; what it used is lost.
    """

    def run_slot(self, system: System, room: SlotCapacity) -> Iterator[Piece | None]:
        """Place jobs in order of remaining work; those that do not fit wait."""

        def work(waiting: QueuedJob) -> tuple[int, int]:
            return waiting.count * waiting.slots_needed(waiting.count), waiting.index

        for waiting in sorted(system.waiting, key=work):
            placement = room.place(waiting, waiting.count)
            if placement is not None:
                yield room.run(waiting, placement)


Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


@algorithm("eris.liquid", source="Eris section VI-B, baseline Liquid", variants=LITERAL)
@dataclasses.dataclass(frozen=True)
class Liquid(FixedPolicy):
    """Chooses workers once, places them once, and keeps the placement until the job is done.

    On its first attempt a job takes at most twice the workers that it asks for: as many as make
    weight · (share of the transfer budget) + (1 - weight) · (slots needed / 8) least.  It waits
    until these fit; others may pass.  A job leaves when it would pay more than it is worth.  With
    ``literal`` it stays and pays, and workers count as they are in place of slots, as printed.
    """

    weight: Share = 0.5
    literal: bool = False

    def welcome(self, system: System, waiting: QueuedJob) -> None:
        """Leave the number of workers open."""
        waiting.count = 0

    def let_in(self, system: System, room: SlotCapacity) -> Iterator[Piece | None]:
        """Place those that fit."""
        for waiting in system.waiting:
            if waiting.placement is None and waiting.left > 0:
                if waiting.count == 0:
                    self._choose(waiting, room)
                if waiting.count:
                    yield self.settle(waiting, room)

    def _choose(self, waiting: QueuedJob, room: SlotCapacity) -> None:
        """Fix the number of workers; leave it open when not even one fits now."""
        best, budget = float("inf"), room.auction.transfer_budget
        for count in range(1, 2 * workers_asked(waiting.job) + 1):
            placement = room.place(waiting, count)
            if placement is None:
                break
            if room.quote(waiting, placement) is None:
                continue
            remote = count - int(placement.workers[placement.server])
            traffic = waiting.job.parameter_size * remote / budget if budget > 0 else float(remote)
            plan = count if self.literal else waiting.slots_needed(count) / SLOTS_AIMED_AT
            score = self.weight * traffic + (1 - self.weight) * plan
            if score < best:
                best, waiting.count = score, count
