"""Completion times of a plan, drawn: the law of the exact quantiles by samples."""

import dataclasses

import numpy as np

from farkas.errors import InvalidOption
from farkas.instances.coded import CodedComputing
from farkas.models.coded.completion_times import Allocation
from farkas.numbers import Floats, Rng
from farkas.tolerances import TIE

CHUNK = 20_000  #: Draws at a time: bounds memory, and fixes the order of draws.
ENOUGH = 1.0 - TIE  #: Real loads that sum to the rows needed but for rounding are enough.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Completion times of every draw."""

    times: Floats  #: Shape (draws, masters); infinite where a master never gets enough rows.

    @property
    def last(self) -> Floats:
        """Time of the last master of every draw, shape (draws,)."""
        last: Floats = self.times.max(axis=1)
        return last


def simulate(data: CodedComputing, plan: Allocation, draws: int, rng: Rng) -> Sample:
    """Draw completion times.

    Order of draws per chunk: uniforms of the shared workers, then exponentials of all workers.

    Parameters
    ----------
    data
        The instance.
    plan
        Shares and loads; a worker that draws no master stays idle.
    draws
        Number of draws, >= 1.
    rng
        Source of randomness.
    """
    if draws < 1:
        raise InvalidOption(f"draws = {draws}; give at least 1")
    parts = [_chunk(data, plan, min(CHUNK, draws - start), rng) for start in range(0, draws, CHUNK)]
    return Sample(np.concatenate(parts))


def _chunk(data: CodedComputing, plan: Allocation, draws: int, rng: Rng) -> Floats:
    shared = np.flatnonzero(((plan.share > 0) & (plan.share < 1)).any(axis=0))
    choice = rng.random((draws, len(shared)))
    delay = -np.log1p(-rng.random((draws, data.workers)))
    upper = np.cumsum(plan.share[:, shared], axis=0)
    times = np.empty((draws, data.num_masters))
    for master in range(data.num_masters):
        used = np.flatnonzero((plan.share[master] > 0) & (plan.loads[master] > 0))
        loads = plan.loads[master, used]
        need = data.rows[master] * ENOUGH
        if loads.sum() < need:
            times[:, master] = np.inf
            continue
        finish = delay[:, used] * (loads / data.rates[master, used])
        finish += loads * data.shifts[master, used]
        for place, worker in enumerate(used):
            if plan.share[master, worker] < 1:
                at = int(np.searchsorted(shared, worker))
                below = upper[master - 1, at] if master else 0.0
                away = (choice[:, at] < below) | (choice[:, at] >= upper[master, at])
                finish[away, place] = np.inf
        times[:, master] = _first_enough(finish, loads, need)
    return times


def _first_enough(finish: Floats, loads: Floats, need: float) -> Floats:
    """Time at which the sorted loads first reach ``need``, shape (draws,); infinite if never.

    Parameters
    ----------
    finish
        Shape (draws, workers), infinite where a worker does not take part.
    loads
        Shape (workers,), together at least ``need``.
    """
    order = np.argsort(finish, axis=1)  # only infinite times are equal, so any order will do
    place = (np.cumsum(loads[order], axis=1) >= need).argmax(axis=1)
    return np.take_along_axis(finish, np.take_along_axis(order, place[:, None], 1), 1)[:, 0]
