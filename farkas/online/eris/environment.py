"""What an auction's algorithms meet and propose, and what their decisions are worth."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from farkas.errors import InvalidOption
from farkas.instances.eris import Auction, Job
from farkas.kernels import Floats1, compiled
from farkas.models.eris.prices import Prices, posted, resource_price, transfer_price
from farkas.numbers import Floats, Ints, floats
from farkas.online import driver
from farkas.online.driver import Demo, Outcome, environment
from farkas.online.run import Bound, Sense
from farkas.relaxations.eris.payoff_bound import JobSlots, SchedulePlan, job_slots, new_plan
from farkas.tolerances import ROUNDING

if TYPE_CHECKING:
    from farkas.replay.eris import PieceEntry


@dataclasses.dataclass(frozen=True, slots=True)
class SlotArrivals:
    """A slot and the jobs that arrive in it."""

    slot: int  #: Index of the slot.
    jobs: tuple[tuple[int, Job], ...]  #: Numbers in the whole instance, with the jobs.


@dataclasses.dataclass(frozen=True, slots=True)
class Piece:
    """What a job runs in one slot."""

    #: job, slot: indices.
    job: int
    slot: int
    server: int  #: Site of the parameter server.
    workers: tuple[tuple[int, int], ...]  #: Pairs (site, number of workers > 0).
    moved: int  #: Chunks moved between sites.


@dataclasses.dataclass(frozen=True, slots=True)
class Award:
    """What becomes of a job."""

    job: int  #: Index.
    accepted: bool  #: Whether it counts as served.
    #: Slot in which its last chunk is processed; None unless accepted.
    completed: int | None = None
    payment: float = 0.0  #: What it pays.
    #: Upper bound on the payoff of every schedule that fitted; None when there is none.
    payoff_bound: float | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class SlotDecision:
    """Decisions of one slot: awards, and pieces of this slot or of later ones."""

    awards: tuple[Award, ...] = ()
    pieces: tuple[Piece, ...] = ()


def usage(auction: Auction, decisions: Sequence[SlotDecision]) -> tuple[Floats, Floats]:
    """Add up transfer, shape (slots,), and resources, shape (sites, resources, slots), in use."""
    transfer = np.zeros(auction.slots)
    resource = np.zeros((auction.sites, auction.num_resources, auction.slots))
    for piece in (p for decision in decisions for p in decision.pieces):
        add_use(auction, auction.jobs[piece.job], piece, transfer, resource)
    return transfer, resource


def add_use(
    auction: Auction, job: Job, piece: Piece | PieceEntry, transfer: Floats, resource: Floats
) -> None:
    """Add what a piece uses to arrays as `usage` returns them."""
    worker = np.array(job.worker_demand)
    for site, count in piece.workers:
        resource[site, :, piece.slot] += count * worker
    resource[piece.server, :, piece.slot] += job.server_demand
    remote = sum(count for site, count in piece.workers if site != piece.server)
    transfer[piece.slot] += auction.chunk_size * piece.moved + job.parameter_size * remote


@functools.lru_cache(maxsize=64)
def welfare_bound(auction: Auction) -> Bound:
    """Prove an upper bound on every run; remembered, since all algorithms share it."""
    from farkas.relaxations.eris.welfare_bound import certify_welfare

    proved, method = certify_welfare(auction)
    return Bound.of(Fraction(proved.bound), method, proved.plain())


@environment("eris", demo=Demo("eris.eris", "eris.offline", "eris.schedule_lp"))
class Environment(driver.Environment):
    """Slots in order, each with the jobs that arrive in it; begins empty."""

    sense: Sense = "max"
    arrives = "a `SlotArrivals`: the slot, and the jobs that arrive in it with their numbers"
    decides = "a `SlotDecision`: an `Award` of every job that arrives and the `Piece`s that run"

    def known(self, instance: Auction) -> Auction:
        """Return the sites without any job, on an empty system."""
        return instance.replace(jobs=(), occupied=None, expected=None, description=None)

    def arrivals(self, instance: Auction) -> list[SlotArrivals]:
        """Return one entry a slot; jobs of a slot in file order."""
        by_slot: list[list[tuple[int, Job]]] = [[] for _ in range(instance.slots)]
        for index, job in enumerate(instance.jobs):
            by_slot[job.arrival].append((index, job))
        return [SlotArrivals(slot, tuple(jobs)) for slot, jobs in enumerate(by_slot)]

    def steps(self, instance: Auction) -> int:
        """Return the number of slots."""
        return instance.slots

    def shown(self, instance: Auction, step: int, numbers: Sequence[int]) -> SlotArrivals:
        """Return the slot with its jobs."""
        return SlotArrivals(step, tuple(zip(numbers, instance.jobs, strict=True)))

    def undecided(self, instance: Auction, steps: int) -> list[SlotDecision]:
        """Return one empty decision for every slot to come."""
        return [SlotDecision()] * (instance.slots - steps)

    def worth(self, instance: Auction, decisions: Sequence[SlotDecision]) -> Outcome:
        """Count worth by completion."""
        transfer, resource = usage(instance, decisions)
        total = instance.capacity.sum(axis=0).tolist()
        costs = [
            {
                f"use of {name}": _share(used, most)
                for name, used, most in zip(instance.resource_names, row, total, strict=True)
            }
            | {
                "use of transfer": _share(mb, instance.transfer_budget),
                "welfare": 0.0,
                "revenue": 0.0,
            }
            for row, mb in zip(resource.sum(axis=0).T.tolist(), transfer.tolist(), strict=True)
        ]
        awards = [award for decision in decisions for award in decision.awards]
        accepted = [award for award in awards if award.accepted]
        for award in accepted:
            assert award.completed is not None, f"job {award.job} is accepted and never completes"
            job = instance.jobs[award.job]
            slot = costs[award.completed]
            slot["welfare"] += job.utility[award.completed - job.arrival]
            slot["revenue"] += award.payment
        numbers = {
            "accepted": float(len(accepted)),
            "rejected": float(instance.num_jobs - len(accepted)),
            "revenue": sum((award.payment for award in accepted), 0.0),
        }
        bounds = [award.payoff_bound for award in awards]
        if bounds and None not in bounds and len(bounds) == instance.num_jobs:
            numbers["sum of payoff bounds"] = sum((b for b in bounds if b is not None), 0.0)
        welfare = sum((slot["welfare"] for slot in costs), 0.0)
        return Outcome(costs, value=welfare, numbers=numbers, remarks=_losses(instance, accepted))

    def value_of(self, costs: Mapping[str, float]) -> float:
        """Return the welfare of a slot; its other parts say what is used and paid."""
        return costs["welfare"]

    def bound(self, instance: Auction) -> Bound:
        """Prove an upper bound from prices that are the same at all sites."""
        return welfare_bound(instance)


def _losses(auction: Auction, accepted: Sequence[Award]) -> list[str]:
    """Say how many accepted jobs pay more than they are worth, and how much more."""
    losses = []
    for award in accepted:
        job = auction.jobs[award.job]
        worth = job.utility[(award.completed or 0) - job.arrival]
        if award.payment > worth + ROUNDING * award.payment:
            losses.append(award.payment - worth)
    if not losses:
        return []
    who = f"{len(losses)} of {len(accepted)} accepted jobs"
    return [f"{who} pay more than they are worth, {sum(losses):g} more in all"]


def _share(amount: float, total: float) -> float:
    return float(amount / total) if total > 0 else 0.0


class Ledger:
    """State ρ, η of the auction with its posted prices; begins empty.

    ``floor``: share of what jobs heard of offer for a unit, on top of every resource price.  Raises
    `InvalidOption` for one below 0.
    """

    def __init__(self, auction: Auction, floor: float = 0.0) -> None:
        if not floor >= 0:
            raise InvalidOption(f"price_floor = {floor}; a price cannot be negative")
        self.auction, self.floor = auction, floor
        self.transferred = np.zeros(auction.slots)
        self.used = np.zeros((auction.sites, auction.num_resources, auction.slots))
        self.prices: Prices = posted(auction, self.transferred, self.used)
        self.offered, self.asked = 0.0, np.zeros(auction.num_resources)

    @classmethod
    def in_state_of(cls, auction: Auction) -> Ledger:
        """Begin in the state that the instance says every job meets."""
        found = cls(auction)
        found.transferred[:], found.used[:] = auction.transferred, auction.used
        found.prices = posted(auction, found.transferred, found.used)
        return found

    def copy(self) -> Ledger:
        """Return an independent copy."""
        twin = Ledger.__new__(Ledger)
        twin.auction, twin.floor = self.auction, self.floor
        twin.transferred, twin.used = self.transferred.copy(), self.used.copy()
        twin.prices = Prices(self.prices.transfer.copy(), self.prices.resource.copy())
        twin.offered, twin.asked = self.offered, self.asked.copy()
        return twin

    def hear(self, job: Job) -> None:
        """Learn what a job offers and how much it asks for; only later jobs pay another price."""
        work = job.epochs * sum(job.data) / job.worker_rate
        asked = work * np.array(job.worker_demand)
        if not self.floor or not asked.any():
            return
        self.offered += job.utility[0]
        self.asked += asked
        self.prices.resource[:] = resource_price(self.auction, self.used, self.unit_floor())

    def unit_floor(self) -> Floats:
        """Floor of each resource's price, utility per unit, shape (resources,).

        At these all that was asked for costs the share ``floor`` of what was offered, in equal
        parts by resource.
        """
        known = self.asked > 0
        per_unit = np.zeros_like(self.asked)
        np.divide(self.offered, self.asked, out=per_unit, where=known)
        return floats(self.floor * per_unit / max(1, int(known.sum())))

    def meet(self, job: Job) -> JobSlots:
        """Collect what ``job`` meets now."""
        return job_slots(self.auction, job, self.prices, self.transferred, self.used)

    def book(self, job: Job, pieces: Sequence[Piece]) -> None:
        """Add what an accepted job uses and raise the prices where it runs."""
        for piece in pieces:
            add_use(self.auction, job, piece, self.transferred, self.used)
        at = [piece.slot for piece in pieces]
        self.prices.transfer[at] = transfer_price(self.auction, self.transferred[at])
        self.prices.resource[:, :, at] = resource_price(
            self.auction, self.used[:, :, at], self.unit_floor()
        )


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """The best schedule a scheduler found for a job at posted prices."""

    payoff: float  #: Worth less posted cost as the scheduler books it, >= 0; 0 proposes nothing.
    finish: int  #: Slot of completion, counted from the arrival; -1 when nothing is proposed.
    cost: float  #: Posted cost, which an accepted job pays.
    workers: Ints  #: Shape (window, sites); g.
    server: Ints  #: Shape (window,), site of the server, -1 where nothing runs; z.
    moved: Ints  #: Shape (window,), chunks moved between sites; Σ h.
    #: Upper bound on the payoff of any schedule that fits; infinite when the scheduler has none.
    bound: float = float("inf")

    @property
    def worth(self) -> float:
        """Booked worth, payoff plus cost."""
        return self.payoff + self.cost

    @property
    def pays(self) -> bool:
        """Whether it is worth more than it costs, and not by rounding only."""
        return self.payoff > ROUNDING * self.worth

    @property
    def slots(self) -> Ints:
        """Slots in which something runs, counted from the arrival."""
        return np.flatnonzero(self.server >= 0)

    def transfer(self, chunk_size: float, parameter_size: float) -> Floats:
        """MB per slot, shape (window,); ψ."""
        beside = self.workers[np.arange(len(self.server)), self.server]
        remote = np.where(self.server >= 0, self.workers.sum(axis=1) - beside, 0)
        used: Floats = chunk_size * self.moved + parameter_size * remote
        return used


def pieces_of(index: int, job: Job, plan: SchedulePlan | Proposal) -> tuple[Piece, ...]:
    """Pieces of an accepted schedule."""
    return tuple(
        Piece(
            job=index,
            slot=job.arrival + slot,
            server=int(plan.server[slot]),
            workers=tuple((r, n) for r, n in enumerate(plan.workers[slot].tolist()) if n > 0),
            moved=int(plan.moved[slot]),
        )
        for slot in np.flatnonzero(plan.server >= 0).tolist()
    )


def can_run(job: Job, proposal: Proposal) -> bool:
    """Whether the workers and moves of a schedule process all data of the job."""
    from farkas.replay.eris import processed

    return processed(job, pieces_of(0, job, proposal)) >= sum(job.data)


def nothing(window: int, sites: int, bound: float = float("inf")) -> Proposal:
    """No schedule earns anything."""
    return Proposal(0.0, -1, 0.0, *new_plan.interpret(window, sites), bound)


def without_data(job: JobSlots) -> Proposal:
    """Propose for a job without data: it completes on arrival, uses and pays nothing."""
    worth = float(job.worth[0])
    empty = nothing(job.window, len(job.data), max(0.0, worth))
    if worth <= 0:
        return empty
    return dataclasses.replace(empty, payoff=worth, finish=0)


@compiled
def coarse(values: Floats1, sizes: Floats1) -> Floats1:
    """Round to a 2**-30 of the power of 2 below ``sizes``, so that prices tie in spite of noise."""
    units = np.spacing(sizes) * 2.0**22
    return np.rint(values / units) * units
