"""Round the fractional workers and servers of one slot.  mlBroker Algorithms 2 and 3.

Noise of a solver is removed first, so that it is not rounded up to a whole worker.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from farkas.errors import InvalidOption
from farkas.numbers import Floats, Ints, Rng, floats, ints
from farkas.rounding.dependent import round_keeping_weight
from farkas.tolerances import WHOLE

COMBINE = ("max", "round2")
Combine = Literal["max", "round2"]


def snap(values: npt.ArrayLike) -> Floats:
    """Move entries within `WHOLE` of an integer onto it, and negative ones to zero.

    Parameters
    ----------
    values
        Any shape.

    Returns
    -------
    Same shape, >= 0.

    Examples
    --------
    >>> snap([2.9999999, 0.4, -1e-9]).tolist()
    [3.0, 0.4, 0.0]
    """
    array = np.maximum(np.asarray(values, dtype=float), 0.0)
    nearest = np.round(array)
    return floats(np.where(np.abs(array - nearest) <= WHOLE, nearest, array))


def snap_workers(workers: npt.ArrayLike, needed: npt.ArrayLike) -> Floats:
    """Snap workers per site and give every job back the total that noise took or added.

    A total below ``needed``, or above it by no more than `WHOLE` per site, is moved onto
    ``needed`` by scaling the fractional entries (all entries where none is fractional).

    ``workers``: Shape (jobs, sites), >= 0 but for noise; y of the fractional solution.  ``needed``:
    Shape (jobs,), integer; Y.  Returns: shape (jobs, sites), >= 0, with row sums >= needed up to
    the last bits.  Raises `ValueError`: A job that needs workers has none at all; that is no noise.
    """
    snapped = snap(np.atleast_2d(np.asarray(workers, dtype=float)))
    for row, total in zip(snapped, np.atleast_1d(needed), strict=True):
        if total != row.sum() <= total + WHOLE * len(row):
            _rescale(row, float(total))
    return snapped


def _rescale(row: Floats, total: float) -> None:
    """Bring the sum of ``row`` to ``total`` in place."""
    open_ = row != np.round(row)
    rest = total - row[~open_].sum()
    if open_.any() and rest > 0:
        row[open_] *= rest / row[open_].sum()
    elif row.sum() > 0:
        row *= total / row.sum()
    else:
        raise ValueError(f"a job that needs {total:g} workers has none")


def round_sites(workers: Floats, weight: npt.ArrayLike, rng: Rng) -> Ints:
    """Round site by site, keeping each site's use of one resource.  Round1(k).

    ``workers``: Shape (jobs, sites), >= 0; ỹ.  ``weight``: Shape (jobs,), units of the resource per
    worker; n of one k.  ``rng``: Sites draw in ascending order.  Returns: shape (jobs,
    sites).  A job may end with fewer workers than it had (Lemma 1 needs Round2).
    """
    columns = [round_keeping_weight(column, weight, rng) for column in workers.T]
    return np.stack(columns, axis=1) if columns else np.zeros(workers.shape, dtype=np.int64)


def round_jobs(workers: Floats, rng: Rng) -> Ints:
    """Round job by job, keeping each job's number of workers.  Round2.

    ``workers``: Shape (jobs, sites), >= 0; ỹ.  ``rng``: Jobs draw in ascending order.  Returns:
    shape (jobs, sites).  With a sum >= Y, Y integer, a job keeps >= Y workers.
    """
    ones = np.ones(workers.shape[1])
    rows = [round_keeping_weight(row, ones, rng) for row in workers]
    return np.stack(rows) if rows else np.zeros(workers.shape, dtype=np.int64)


def round_workers(
    workers: Floats, worker_demand: Floats, rng: Rng, *, combine: Combine = "max"
) -> Ints:
    """Round the workers of all jobs of a slot to integers that still train all data.

    ``workers``: Shape (jobs, sites), >= 0, free of solver noise (`snap_workers`); ỹ.
    ``worker_demand``: Shape (jobs, resources), units per worker; n.  ``rng``: Draws for Round1 of
    every resource in order, then for Round2; all independent.  ``combine``: ``"max"``: the largest
    of all roundings, as in the paper.  ``"round2"``: Round2 alone, which is feasible already and
    adds less than one worker per job.  Returns: shape (jobs, sites); row sums >= the row sums of
    ``workers``, up to 1e-9 per entry.  Raises `InvalidOption`: ``combine`` is unknown.
    """
    if combine not in COMBINE:
        raise InvalidOption.near(f"unknown combine {combine!r}", combine, COMBINE)
    if combine == "round2":
        return round_jobs(workers, rng)
    roundings = [round_sites(workers, demand, rng) for demand in worker_demand.T]
    roundings.append(round_jobs(workers, rng))
    return ints(np.max(roundings, axis=0))


def draw_servers(shares: Floats, rng: Rng) -> Ints:
    """Draw one server site per job with the fractional solution as probabilities.

    ``shares``: Shape (jobs, sites); rows sum to 1 but for noise; s̃.  ``rng``: One number per job.
    Returns: shape (jobs,), site of each job's parameter server; never one of share 0.
    """
    clipped = np.maximum(shares, 0.0)
    total = np.cumsum(clipped, axis=1)
    if np.any(total[:, -1:] <= 0):
        raise ValueError("a job has no share at any site")
    drawn = rng.random(len(shares))[:, None] * total[:, -1:]
    # A product that rounds up to the total would fall behind the last site.
    drawn = np.minimum(drawn, np.nextafter(total[:, -1:], 0.0))
    return ints(np.argmax(total > drawn, axis=1).astype(np.int64))


def add_missing_workers(workers: Ints, needed: int, volume: Floats, capacity: float) -> Ints:
    """Add workers, one at a time, where most data are still untrained.

    Parameters
    ----------
    workers
        Shape (sites,), integer workers of one job in one slot.
    needed
        Workers the job needs in total; Y.
    volume
        Shape (sites,), GB at each site; D.
    capacity
        GB per worker; P.

    Returns
    -------
    Shape (sites,), >= workers, with a sum >= needed; ties go to the first site.

    Examples
    --------
    >>> add_missing_workers(np.array([0, 1]), 2, np.array([5.0, 20.0]), 10.0).tolist()
    [0, 2]
    """
    repaired = np.array(workers, dtype=np.int64)
    for _ in range(needed - int(repaired.sum())):
        repaired[np.argmax(volume - capacity * repaired)] += 1
    return repaired
