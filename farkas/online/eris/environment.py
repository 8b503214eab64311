"""What an auction's algorithms meet, slot by slot; and what their decisions are worth."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from farkas.errors import InvalidOption
from farkas.instances.eris import Auction, Job
from farkas.models.eris.prices import Prices, posted, resource_price, transfer_price
from farkas.numbers import Floats, Ints, floats
from farkas.online import driver
from farkas.online.driver import Demo, Outcome, environment
from farkas.online.eris.proposal import Proposal
from farkas.online.policy import Policy
from farkas.online.run import Bound, Sense
from farkas.relaxations.eris.payoff_bound import JobSlots, job_slots
from farkas.relaxations.eris.welfare_bound import Effort, certify_welfare
from farkas.tolerances import allowed


def executable(job: Job, workers: Ints, moved: Ints) -> bool:
    """Whether chunks can be assigned so that every site's data are processed exactly once.

    Looks for q ≤ ⌊P g/E⌋, l ≤ q, Σ_t l ≤ D, Σ q = D̄, Σ_r (q - l)(t) ≤ moved(t).  These are the
    rows of a flow: a site's chunks go to its own slots, moved chunks go to any site of their slot,
    and every (slot, site) passes on what its workers process.

    Parameters
    ----------
    workers
        Shape (slots, sites).
    moved
        Shape (slots,), chunks moved between sites in each slot.
    """
    slots, sites = np.nonzero(workers)
    total = sum(job.data)
    if len(slots) == 0:
        return total == 0
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    cells = len(slots)
    room = workers[slots, sites] * job.worker_rate // job.epochs
    source, first_slot = len(job.data), len(job.data) + 1
    first_cell = first_slot + len(moved)
    sink = first_cell + cells
    cell = first_cell + np.arange(cells)
    tails = [np.full(source, source), np.full(len(moved), source), sites, first_slot + slots, cell]
    heads = [
        np.arange(source),
        first_slot + np.arange(len(moved)),
        cell,
        cell,
        np.full(cells, sink),
    ]
    limits = [np.array(job.data), np.minimum(moved, total), room, room, room]
    edges = np.concatenate(limits)
    if total > np.iinfo(np.int32).max:
        raise OverflowError(f"a job with {total} chunks is too large for the flow")
    graph = csr_array(
        (np.minimum(edges, total).astype(np.int32), (np.concatenate(tails), np.concatenate(heads))),
        shape=(sink + 1, sink + 1),
    )
    # a larger flow can be cut down: moved chunks and stored ones are two ways to fill the workers
    return bool(maximum_flow(graph, source, sink).flow_value >= total)


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


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Usage:
    """What all pieces use: transfer, shape (slots,), resources, shape (sites, resources, slots)."""

    transfer: Floats
    resource: Floats


def usage(auction: Auction, decisions: Sequence[SlotDecision]) -> Usage:
    """Add up what the pieces use, from the instance alone."""
    transfer = np.zeros(auction.slots)
    resource = np.zeros((auction.sites, auction.num_resources, auction.slots))
    for piece in (p for decision in decisions for p in decision.pieces):
        job = auction.jobs[piece.job]
        for site, count in piece.workers:
            resource[site, :, piece.slot] += count * auction.worker_demand[piece.job]
        resource[piece.server, :, piece.slot] += auction.server_demand[piece.job]
        remote = sum(count for site, count in piece.workers if site != piece.server)
        transfer[piece.slot] += auction.chunk_size * piece.moved + job.parameter_size * remote
    return Usage(transfer, resource)


def utilisation(auction: Auction, decisions: Sequence[SlotDecision]) -> Floats:
    """Share of all sites' capacity in use, shape (resources, slots); 0 where there is none."""
    used = usage(auction, decisions).resource.sum(axis=0)
    total = auction.capacity.sum(axis=0)[:, None]
    share: Floats = np.divide(used, total, out=np.zeros_like(used), where=total > 0)
    return share


@functools.lru_cache(maxsize=64)
def welfare_bound(auction: Auction, effort: Effort) -> Bound:
    """Prove an upper bound on every run; remembered, since all algorithms share it."""
    proved, method = certify_welfare(auction, effort)
    return Bound.of(Fraction(proved.bound), method, proved.plain())


class CertifiedRun(Policy):
    """Mixin of policies with an option ``effort``: how the bound on their run is found."""

    effort: Effort

    def certify(self, instance: Auction, state: object, decisions: Sequence[SlotDecision]) -> Bound:
        """Prove an upper bound on the welfare of every run."""
        return welfare_bound(instance, self.effort)


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

    def stays(self, job: Job, step: int) -> bool:
        """No job comes twice."""
        return False

    def prolonged(self, job: Job, data: object) -> Job:
        """Refuse: what a job needs is known when it comes."""
        raise InvalidOption("jobs of kind eris say all they need on arrival; none goes on")

    def so_far(self, instance: Auction, steps: int) -> Auction:
        """Return the same auction: schedules reach beyond the slots so far."""
        return instance

    def undecided(self, instance: Auction, steps: int) -> list[SlotDecision]:
        """Return one empty decision for every slot to come."""
        return [SlotDecision()] * (instance.slots - steps)

    def worth(self, instance: Auction, decisions: Sequence[SlotDecision]) -> Outcome:
        """Count worth by completion, and check capacities and that all data are processed."""
        used = usage(instance, decisions)
        violations = _overuse(instance, used)
        share = utilisation(instance, decisions)
        costs = [
            {
                f"use of {name}": float(part)
                for name, part in zip(instance.resource_names, row, strict=True)
            }
            | {
                "use of transfer": _share(mb, instance.transfer_budget),
                "welfare": 0.0,
                "revenue": 0.0,
            }
            for row, mb in zip(share.T, used.transfer, strict=True)
        ]
        pieces: dict[int, list[Piece]] = {}
        for piece in (p for decision in decisions for p in decision.pieces):
            pieces.setdefault(piece.job, []).append(piece)
        awards = [award for decision in decisions for award in decision.awards]
        accepted = [award for award in awards if award.accepted]
        unfit = 0
        for award in accepted:
            assert award.completed is not None
            job = instance.jobs[award.job]
            broken = _broken(job, award, pieces.get(award.job, []))
            unfit += bool(broken)
            violations += broken
            slot = costs[award.completed]
            slot["welfare"] += job.utility[award.completed - job.arrival]
            slot["revenue"] += award.payment
        seen = [award.job for award in accepted]
        violations += [
            f"job {job} is accepted twice" for job in sorted(set(seen)) if seen.count(job) > 1
        ]
        numbers = {
            "accepted": float(len(accepted)),
            "rejected": float(instance.num_jobs - len(accepted)),
            "not executable": float(unfit),
            "revenue": sum((award.payment for award in accepted), 0.0),
        }
        bounds = [award.payoff_bound for award in awards]
        if bounds and None not in bounds and len(bounds) == instance.num_jobs:
            numbers["sum of payoff bounds"] = sum((b for b in bounds if b is not None), 0.0)
        welfare = sum((slot["welfare"] for slot in costs), 0.0)
        return Outcome(costs, violations, welfare, numbers)

    def bound(self, instance: Auction) -> Bound:
        """Prove an upper bound from the prices of the pooled linear program."""
        return welfare_bound(instance, "aggregated")


def schedule_arrays(job: Job, pieces: Sequence[Piece], sites: int) -> tuple[Ints, Ints]:
    """Workers, shape (slots from the arrival, sites), and chunks moved of a job's pieces."""
    workers = np.zeros((len(job.utility), sites), np.int64)
    moved = np.zeros(len(job.utility), np.int64)
    for piece in pieces:
        for site, count in piece.workers:
            workers[piece.slot - job.arrival, site] += count
        moved[piece.slot - job.arrival] += piece.moved
    return workers, moved


def _broken(job: Job, award: Award, pieces: Sequence[Piece]) -> list[str]:
    """Say what is wrong with an accepted job, at most one sentence."""
    who = f"job {award.job}"
    slots = [piece.slot for piece in pieces]
    if slots and min(slots) < job.arrival:
        return [f"{who} runs in slot {min(slots)}, before its arrival"]
    if len(set(slots)) < len(slots):
        return [f"{who} has two servers in one slot"]
    if sum(job.data) == 0:
        return [] if award.completed == job.arrival else [f"{who} has no data and completes late"]
    if not slots or max(slots) != award.completed:
        return [f"{who} does not run in slot {award.completed}, in which it is said to complete"]
    if not executable(job, *schedule_arrays(job, pieces, len(job.data))):
        return [f"{who} cannot process all its data with its workers and moves"]
    return []


def _overuse(auction: Auction, used: Usage) -> list[str]:
    found = []
    limit = allowed(auction.transfer_budget)
    for slot in np.flatnonzero(used.transfer > limit).tolist():
        found.append(
            f"slot {slot} transfers {used.transfer[slot]:g} of {auction.transfer_budget:g} MB"
        )
    room = allowed(auction.capacity)
    for site, k, slot in np.argwhere(used.resource > room[:, :, None]).tolist():
        found.append(
            f"slot {slot} uses {used.resource[site, k, slot]:g} of {auction.capacity[site, k]:g} "
            f"{auction.resource_names[k]} at site {site}"
        )
    return found


def _share(amount: float, total: float) -> float:
    return float(amount / total) if total > 0 else 0.0


class Ledger:
    """State ρ, η of the auction with its posted prices; begins empty.

    Parameters
    ----------
    auction
        Sites and budgets; jobs and state of the file are not looked at.
    floor
        Share of what `heard` jobs offer for a unit, on top of every resource price.

    Raises
    ------
    InvalidOption
        For a floor below 0.
    """

    def __init__(self, auction: Auction, floor: float = 0.0) -> None:
        if not floor >= 0:
            raise InvalidOption(f"price_floor = {floor}; a price cannot be negative")
        self.auction, self.floor = auction, floor
        self.transferred = np.zeros(auction.slots)
        self.used = np.zeros((auction.sites, auction.num_resources, auction.slots))
        self.prices: Prices = posted(auction, self.transferred, self.used)
        self.offered, self.asked = 0.0, np.zeros(auction.num_resources)

    def copy(self) -> Ledger:
        """Return an independent copy."""
        twin = Ledger.__new__(Ledger)
        twin.auction, twin.floor = self.auction, self.floor
        twin.transferred, twin.used = self.transferred.copy(), self.used.copy()
        twin.prices = Prices(self.prices.transfer.copy(), self.prices.resource.copy())
        twin.offered, twin.asked = self.offered, self.asked.copy()
        return twin

    def hear(self, job: Job) -> None:
        """Learn what a job offers and how much it asks for; only later jobs pay another price.

        A job that asks for nothing offers nothing for a unit.
        """
        work = job.epochs * sum(job.data) / job.worker_rate
        asked = work * np.array(job.worker_demand)
        if not self.floor or not asked.any():
            return
        self.offered += job.utility[0]
        self.asked += asked
        self.prices.resource[:] = resource_price(self.auction, self.used, self.unit_floor())

    def unit_floor(self) -> Floats:
        """Floor of each resource's price, utility per unit, shape (resources,).

        What was asked for, at these prices, costs the share ``floor`` of what was offered, to equal
        parts for every resource that was asked for.
        """
        known = self.asked > 0
        per_unit = np.zeros_like(self.asked)
        np.divide(self.offered, self.asked, out=per_unit, where=known)
        return floats(self.floor * per_unit / max(1, int(known.sum())))

    def meet(self, job: Job) -> JobSlots:
        """Collect what ``job`` meets now."""
        return job_slots(self.auction, job, self.prices, self.transferred, self.used)

    def book(self, job: Job, seen: JobSlots, proposal: Proposal) -> None:
        """Add a schedule's use and raise the prices where it runs."""
        slots = proposal.slots
        if len(slots) == 0:
            return
        at = job.arrival + slots
        workers = proposal.workers[slots].T.astype(float)  # (sites, slots)
        servers = np.zeros_like(workers)
        servers[proposal.server[slots], np.arange(len(slots))] = 1.0
        self.transferred[at] += proposal.transfer(seen)[slots]
        self.used[:, :, at] += np.array(job.worker_demand)[:, None] * workers[:, None]
        self.used[:, :, at] += np.array(job.server_demand)[:, None] * servers[:, None]
        self.prices.transfer[at] = transfer_price(self.auction, self.transferred[at])
        self.prices.resource[:, :, at] = resource_price(
            self.auction, self.used[:, :, at], self.unit_floor()
        )
