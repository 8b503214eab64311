"""Decisions of an auction, replayed in integers: capacities, windows, data, welfare.

Every amount is written out in units of a power of two, so that use is a sum of integers.  Whether
workers and moves process all data is a maximum flow, found here by augmenting paths.

All jobs together may exceed a capacity by a rounding error.  A piece by itself runs no workers and
no server that the instance says do not fit at a site (`hosted`), by which bounds go too.  So a
schedule is one that bounds price, and what is taken beyond a capacity is worth that share of its
price at most.

Payments go from bidders to sites; welfare does not depend on them.  None is negative, and their sum
is the profit that the run states: what is left of the welfare are the payoffs of the bidders.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Protocol

import msgspec
import numpy as np

from farkas.certificates.doubles import nearest
from farkas.instances.eris import Auction, Job, hosted, left_over
from farkas.numbers import Array
from farkas.replay.base import (
    Entry,
    Replay,
    Requirements,
    RunDecisions,
    decoded,
    exact,
    replays,
    unread,
    whole,
)
from farkas.tolerances import ROUNDING

Index = Annotated[int, msgspec.Meta(ge=0)]
Positive = Annotated[int, msgspec.Meta(gt=0)]
Amount = Annotated[float, msgspec.Meta(ge=0)]


class PieceEntry(Entry, frozen=True, kw_only=True):
    """What a job runs in one slot; see `farkas.online.eris.environment.Piece`."""

    job: Index
    slot: Index
    server: Index
    workers: tuple[tuple[Index, Positive], ...]
    moved: Index


class Runs(Protocol):
    """What a piece says of a slot in which a job runs."""

    @property
    def slot(self) -> int: ...
    @property
    def workers(self) -> tuple[tuple[int, int], ...]: ...
    @property
    def moved(self) -> int: ...


class AwardEntry(Entry, frozen=True, kw_only=True):
    """What becomes of a job; see `farkas.online.eris.environment.Award`."""

    job: Index
    accepted: bool
    completed: Index | None
    payment: Amount
    payoff_bound: float | None


class SlotEntry(Entry, frozen=True, kw_only=True):
    """Decisions of one slot, about it or later ones."""

    awards: tuple[AwardEntry, ...]
    pieces: tuple[PieceEntry, ...]


unread.add("eris", ("payoff_bound",))


@replays.register("eris")
def replay(auction: Auction, run: RunDecisions) -> Replay:
    """Add up what accepted jobs are worth, and check what all pieces use."""
    slots = decoded(run.decisions, list[SlotEntry])
    kept = Requirements()
    if len(slots) != auction.slots:
        kept.broken.append(f"{len(slots)} decisions for {auction.slots} slots")
    kept.broken += _ahead_of_time(auction, slots)
    pieces: list[list[PieceEntry]] = [[] for _ in auction.jobs]
    for piece in (piece for slot in slots for piece in slot.pieces):
        wrong = _misplaced(auction, piece)
        if wrong:
            kept.broken.append(wrong)
        else:
            pieces[piece.job].append(piece)
    _check_use(auction, pieces, kept)
    if not kept.broken:
        kept.broken += _crowded(auction, itertools.chain.from_iterable(pieces))
    worth, paid, seen = Fraction(0), Fraction(0), set()
    for award in (award for slot in slots for award in slot.awards):
        if award.job in seen or award.job >= auction.num_jobs:
            kept.broken.append(f"job {award.job} is decided about twice, or does not exist")
            continue
        seen.add(award.job)
        if award.accepted:
            paid += exact(award.payment)
            job = auction.jobs[award.job]
            wrong = _unserved(job, award, pieces[award.job])
            if wrong:
                kept.broken.append(f"job {award.job} {wrong}")
            else:
                worth += exact(job.utility[(award.completed or 0) - job.arrival])
        elif award.completed is not None or award.payment:
            kept.broken.append(f"job {award.job} is rejected, and completes or pays")
    profit = getattr(run, "numbers", {}).get("revenue")
    if profit is not None and abs(exact(profit) - paid) > Fraction(ROUNDING) * paid:
        kept.broken.append(f"the profit is said to be {profit:g}, and jobs pay {nearest(paid):g}")
    return Replay.of(worth, kept)


def _misplaced(auction: Auction, piece: PieceEntry) -> str:
    """Say what is outside the instance, or before the job's arrival."""
    sites = [piece.server, *(site for site, _ in piece.workers)]
    if piece.job >= auction.num_jobs or piece.slot >= auction.slots or max(sites) >= auction.sites:
        return f"a piece of job {piece.job} in slot {piece.slot} is outside the instance"
    if piece.slot < auction.jobs[piece.job].arrival:
        return f"job {piece.job} runs in slot {piece.slot}, before its arrival"
    return ""


def _crowded(auction: Auction, pieces: Iterable[PieceEntry]) -> Iterator[str]:
    """Say what would not fit on an empty site, although its capacity is exceeded by little."""
    demand, most = auction.worker_demand[:, None], 1 << 53
    beside = left_over(auction.capacity, auction.server_demand[:, None])
    with np.errstate(over="ignore"):  # so many fit that no count is too large
        room = hosted(auction.capacity, demand, most), hosted(beside, demand, most)
    for piece in pieces:
        said = f"a piece of job {piece.job} in slot {piece.slot} has"
        if not auction.server_fits[piece.job, piece.server]:
            yield f"{said} its server at site {piece.server}, which does not hold it"
        held: Counter[int] = Counter()
        for site, count in piece.workers:
            held[site] += count
        for site, count in held.items():
            if count > room[site == piece.server][piece.job, site]:
                yield f"{said} {count} workers at site {site}, which holds fewer"


def _check_use(auction: Auction, pieces: list[list[PieceEntry]], kept: Requirements) -> None:
    """Compare transfer and resources with what there is, in integers."""
    sizes = [job.parameter_size for job in auction.jobs]
    (fixed_sizes, exchange), after = whole([auction.chunk_size, auction.transfer_budget], sizes)
    chunk, budget = fixed_sizes.tolist()
    demands = auction.capacity, auction.worker_demand, auction.server_demand
    (capacity, by_worker, by_server), digits = whole(*demands)
    transfer: Array = np.zeros(auction.slots, dtype=object)
    use: Array = np.zeros((auction.sites, auction.slots, auction.num_resources), dtype=object)
    own = [piece for one in pieces for piece in one]
    for piece in own:
        remote = sum(count for site, count in piece.workers if site != piece.server)
        transfer[piece.slot] += chunk * piece.moved + exchange[piece.job] * remote
    servers = [(piece.server, piece.slot, piece.job) for piece in own]
    workers = [(site, piece.slot, piece.job) for piece in own for site, _ in piece.workers]
    count = np.array([number for piece in own for _, number in piece.workers], dtype=object)
    for where, number, units in ((servers, 1, by_server), (workers, count[:, None], by_worker)):
        at = np.reshape(where, (-1, 3)).astype(int)
        np.add.at(use, (at[:, 0], at[:, 1]), number * units[at[:, 2]])
    for slot, moved in enumerate(transfer.tolist()):
        if not kept.within(moved, budget):
            kept.broken.append(
                f"slot {slot} transfers {_words(moved, after)} of {auction.transfer_budget:g} MB"
            )
    for k, site, slot in np.argwhere((use > capacity[:, None]).transpose(2, 0, 1)).tolist():
        used = use[site, slot, k]
        if not kept.within(used, capacity[site, k]):
            kept.broken.append(
                f"slot {slot} uses {_words(used, digits)} of {auction.capacity[site, k]:g} "
                f"{auction.resource_names[k]} at site {site}"
            )


def _words(amount: int, places: int) -> str:
    """Write an amount in units of 2**-places as a decimal of at most six digits."""
    return f"{nearest(Fraction(amount, 1 << places)):g}"


def _ahead_of_time(auction: Auction, slots: Sequence[SlotEntry]) -> Iterator[str]:
    """Decisions about jobs that are still to arrive, or about slots that are over."""
    for now, slot in enumerate(slots):
        for award in slot.awards:
            if award.job < auction.num_jobs and auction.jobs[award.job].arrival > now:
                yield f"job {award.job} is decided about in slot {now}, before it arrives"
        for piece in slot.pieces:
            if piece.slot < now:
                yield f"slot {piece.slot} is decided about in slot {now}, when it is over"


def _unserved(job: Job, award: AwardEntry, pieces: list[PieceEntry]) -> str:
    """Say why an accepted job is not served as its award says."""
    slots = {piece.slot for piece in pieces}
    if len(slots) < len(pieces):
        return "has two servers in one slot"
    last = max(slots, default=job.arrival)
    if award.completed != last or (not sum(job.data) and last != job.arrival):
        return f"is said to complete in slot {award.completed}, and runs until {last}"
    if processed(job, pieces) < sum(job.data):
        return "cannot process all its data with its workers and moves"
    return ""


def processed(job: Job, pieces: Iterable[Runs]) -> int:
    """Most chunks that can be processed: a maximum flow.

    A slot's workers at a site are a cell, with room for ⌊P g/E⌋ chunks.  Chunks come to it from its
    site, which stores D in all, or through its slot, which moves as many as the pieces say.  They
    enter a cell that has room left, or replace those from its other node, which then go to another
    of that node's cells.  When no such path is left, the flow is largest.
    """
    left: dict[tuple[str, int], int] = {("site", r): d for r, d in enumerate(job.data)}
    cells: list[tuple[tuple[str, int], tuple[str, int]]] = []
    room: list[int] = []
    for piece in pieces:
        left["slot", piece.slot] = piece.moved
        workers: dict[int, int] = {}
        for site, count in piece.workers:
            workers[site] = workers.get(site, 0) + count
        for site, count in workers.items():
            cells.append((("site", site), ("slot", piece.slot)))
            room.append(count * job.worker_rate // job.epochs)
    taken = [{node: 0 for node in cell} for cell in cells]
    at: dict[tuple[str, int], list[int]] = {node: [] for node in left}
    for number, cell in enumerate(cells):
        for node in cell:
            at[node].append(number)
            amount = min(left[node], room[number])
            taken[number][node] = amount
            left[node] -= amount
            room[number] -= amount
    while True:
        came: dict[tuple[str, int], int] = {node: -1 for node, amount in left.items() if amount}
        queue = deque(came)
        end = -1
        while queue and end < 0:
            node = queue.popleft()
            for number in at[node]:
                other = cells[number][cells[number][0] == node]
                if room[number]:
                    end = number
                    break
                if other not in came and taken[number][other]:
                    came[other] = number
                    queue.append(other)
        if end < 0:
            return sum(sum(cell.values()) for cell in taken)
        path = [(end, node)]
        while came[node] >= 0:
            number = came[node]
            node = cells[number][cells[number][0] == node]
            path.append((number, node))
        amount = min(
            left[node], room[end], *(taken[number][before] for number, before in _replaced(path))
        )
        left[node] -= amount
        room[end] -= amount
        for number, node in path:
            taken[number][node] += amount
        for number, node in _replaced(path):
            taken[number][node] -= amount


def _replaced(
    path: list[tuple[int, tuple[str, int]]],
) -> list[tuple[int, tuple[str, int]]]:
    """Cells in which a node gives way to the one before it, with that node."""
    return [(path[step + 1][0], path[step][1]) for step in range(len(path) - 1)]
