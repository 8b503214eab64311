"""Whether workers and moves process all data, by a flow of scipy: held against the replay."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from farkas.instances.eris import Job
from farkas.numbers import Ints
from farkas.online.eris.environment import Piece


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
