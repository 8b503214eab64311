"""One slot's problem: who may run, with rings of which sizes, and what each size is worth."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from farkas.errors import InvalidOption
from farkas.instances.gadget import Cluster
from farkas.numbers import Bools, Floats, Ints, floats, ints

Gains = Literal["printed", "envelope"]


@dataclasses.dataclass(frozen=True, eq=False)
class RingLimits:
    """Most of everything that a ring of each participant may use, where that is less than fits."""

    workers: Ints  #: Shape (participants, nodes).
    uses: Ints  #: Shape (participants, links).

    def take(self, places: Ints | Bools) -> RingLimits:
        """Limits of some participants."""
        return RingLimits(self.workers[places], self.uses[places])


@dataclasses.dataclass(frozen=True, eq=False)
class SlotView:
    """A cluster in one slot."""

    cluster: Cluster  #: The instance.
    slot: int  #: t in the paper.
    progress: Floats  #: Shape (jobs,), worker-slots received before ``slot``; z.
    jobs: Ints  #: Shape (participants,), ascending: active jobs that can run at least one worker.
    #: Shape (participants, largest size): worth of size k in column k - 1; π. Every program takes
    #: its objective from here, never from the utilities.
    gains: Floats
    allowed: Bools  #: Shape (participants, largest size): which sizes may be chosen; Q.
    #: Of rings, in a part of the slot's decisions; None where rings may use what fits.
    limits: RingLimits | None = None

    @cached_property
    def pairs(self) -> Ints:
        """Allowed (job, size), shape (pairs, 2), sorted."""
        place, column = np.nonzero(self.allowed)
        return np.column_stack([self.jobs[place], column + 1])

    @cached_property
    def pair_gains(self) -> Floats:
        """Worth of every allowed pair, shape (pairs,)."""
        return self.gains[self.allowed]

    @cached_property
    def largest(self) -> Ints:
        """Largest allowed size, shape (participants,), 0 if none."""
        sizes = np.arange(1, self.allowed.shape[1] + 1)
        return ints(np.where(self.allowed, sizes, 0).max(axis=1, initial=0))

    @property
    def largest_size(self) -> int:
        return int(self.largest.max(initial=0))

    @cached_property
    def cap(self) -> Ints:
        """Workers of the largest allowed ring that a node holds, shape (participants, nodes)."""
        most = np.minimum(self.cluster.host_cap[self.jobs], self.largest[:, None])
        return most if self.limits is None else np.minimum(most, self.limits.workers)

    @cached_property
    def uses(self) -> Ints:
        """How often a ring may use each link, shape (participants, links).

        No ring that is worth looking at uses a link more often than it has hosts.
        """
        most = np.minimum(self.cluster.link_cap(self.jobs), self.largest[:, None]).astype(np.int64)
        return most if self.limits is None else np.minimum(most, self.limits.uses)

    def keep(self, places: Ints | Bools) -> SlotView:
        """Look at some of the participants, in order."""
        return dataclasses.replace(
            self,
            jobs=self.jobs[places],
            gains=self.gains[places],
            allowed=self.allowed[places],
            limits=None if self.limits is None else self.limits.take(places),
        )

    def within(self, limits: RingLimits) -> SlotView:
        """Let rings use no more than so much."""
        return dataclasses.replace(self, limits=limits)

    def restrict(self, allowed: Bools) -> SlotView:
        """Keep the given sizes only; jobs without any leave."""
        some: Bools = np.asarray(allowed.any(axis=1))
        return dataclasses.replace(self, allowed=allowed).keep(some)

    def fixed(self, sizes: npt.ArrayLike) -> SlotView:
        """Allow one size per participant, shape (participants,); 0 removes the job."""
        columns = np.arange(1, self.allowed.shape[1] + 1)
        return self.restrict(columns[None, :] == np.asarray(sizes)[:, None])

    def value(self, counts: npt.ArrayLike) -> float:
        """Worth of one ring size per job of the instance, shape (jobs,)."""
        sizes = np.asarray(counts)[self.jobs]
        runs = np.flatnonzero(sizes)
        return float(self.gains[runs, sizes[runs] - 1].sum())


def snapshot(
    data: Cluster | SlotView,
    slot: int | None = None,
    progress: npt.ArrayLike | None = None,
    gains: Gains = "printed",
) -> SlotView:
    """Look at one slot, by default the instance's own before any progress, shape (jobs,).

    Gains are ``printed``, μ(ζ(z + k)) - μ(ζ z) of GADGET (12), or of the concave ``envelope`` of
    what the job can still reach, so that a convex start is not invisible.  A snapshot is returned
    as it is.
    """
    if isinstance(data, SlotView):
        return data
    if gains not in ("printed", "envelope"):
        raise InvalidOption.near(f"unknown gains {gains!r}", gains, ("printed", "envelope"))
    at = data.at_slot if slot is None else slot
    received = np.zeros(data.num_jobs) if progress is None else np.asarray(progress, dtype=float)
    limit = np.where(data.active(at, received), data.ring_limit(received), 0)
    jobs = np.flatnonzero(limit)
    widest = int(limit.max(initial=0))
    table = np.zeros((len(jobs), widest))
    for place, job in enumerate(jobs.tolist()):
        table[place] = _gains(data, job, at, received[job], widest, gains)
    allowed = np.arange(1, widest + 1)[None, :] <= limit[jobs][:, None]
    return SlotView(data, at, received, jobs, table, allowed)


def _gains(
    cluster: Cluster, job: int, slot: int, received: float, widest: int, gains: Gains
) -> Floats:
    if gains == "printed":
        worth = cluster.reward(job, received + np.arange(widest + 1))
    else:
        from farkas.models.gadget.envelope import envelope  # seldom

        left = min(
            cluster.most_slots[job] - received,
            (cluster.horizon - slot) * cluster.max_workers[job],
        )
        worth = envelope(cluster.reward(job, received + np.arange(int(left) + 1)))
        worth = worth[np.minimum(np.arange(widest + 1), len(worth) - 1)]
    return floats(worth[1:] - worth[0])
