"""What decisions of an auction break, by doubles and a flow of scipy: held against the replay."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from farkas.instances.eris import Auction, Job
from farkas.numbers import Ints
from farkas.online.eris.environment import Award, Piece, SlotDecision, Usage, usage
from farkas.tolerances import allowed


def violations(auction: Auction, decisions: Sequence[SlotDecision]) -> list[str]:
    """Requirements that decisions break, in words."""
    found = overuse(auction, usage(auction, decisions))
    pieces = [piece for decision in decisions for piece in decision.pieces]
    awards = [award for decision in decisions for award in decision.awards]
    for award in awards:
        if award.accepted:
            own = [piece for piece in pieces if piece.job == award.job]
            found += broken_job(auction.jobs[award.job], award, own)
    seen = [award.job for award in awards]
    return found + [f"job {job} is decided twice" for job in set(seen) if seen.count(job) > 1]


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


def schedule_arrays(job: Job, pieces: Sequence[Piece], sites: int) -> tuple[Ints, Ints]:
    """Workers, shape (slots from the arrival, sites), and chunks moved of a job's pieces."""
    workers = np.zeros((len(job.utility), sites), np.int64)
    moved = np.zeros(len(job.utility), np.int64)
    for piece in pieces:
        for site, count in piece.workers:
            workers[piece.slot - job.arrival, site] += count
        moved[piece.slot - job.arrival] += piece.moved
    return workers, moved


def broken_job(job: Job, award: Award, pieces: Sequence[Piece]) -> list[str]:
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


def overuse(auction: Auction, used: Usage) -> list[str]:
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
