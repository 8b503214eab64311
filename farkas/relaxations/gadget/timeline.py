"""The horizon in blocks of slots that are alike, with rewards as concave envelopes in pieces."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, Var, objective
from farkas.instances.gadget import Cluster
from farkas.models.gadget.envelope import envelope
from farkas.numbers import Floats, Ints
from farkas.tolerances import TIE


@dataclasses.dataclass(frozen=True, eq=False)
class Timeline:
    """The horizon cut at arrivals: between two of them all slots are alike."""

    cluster: Cluster  #: The instance.
    start: Ints  #: Shape (blocks,), first slot.
    length: Ints  #: Shape (blocks,), slots; L.

    @classmethod
    def of(cls, cluster: Cluster) -> Timeline:
        """Cut the horizon of ``cluster``."""
        cuts = np.unique(np.append(0, cluster.arrival[cluster.arrival < cluster.horizon]))
        return cls(cluster, cuts, np.diff(np.append(cuts, cluster.horizon)))

    @cached_property
    def open_blocks(self) -> Ints:
        """(job, block) after the job's arrival, for jobs that can run; shape (pairs, 2)."""
        runs = self.cluster.reachable_slots > 0
        return np.argwhere(runs[:, None] & (self.start[None, :] >= self.cluster.arrival[:, None]))

    @cached_property
    def slopes(self) -> list[Floats]:
        """Positive slopes of each job's concave envelope, decreasing, one per worker-slot."""
        found = []
        for job, most in enumerate(self.cluster.reachable_slots.tolist()):
            hull = envelope(self.cluster.reward(job, np.arange(most + 1)))
            rises = np.diff(hull)
            found.append(rises[rises > 0])
        return found

    @cached_property
    def pieces(self) -> tuple[Ints, Floats, Floats]:
        """(job, number), length and slope of every straight piece of the envelopes.

        Worker-slots of equal slope are one piece.
        """
        keys, lengths, rates = [], [], []
        for job, slopes in enumerate(self.slopes):
            if not len(slopes):
                continue
            cuts = np.flatnonzero(np.append(np.inf, -np.diff(slopes)) > TIE * slopes[0])
            ends = np.append(cuts[1:], len(slopes))
            keys += [(job, number) for number in range(len(cuts))]
            lengths.append(ends - cuts)
            rates.append(np.add.reduceat(slopes, cuts) / (ends - cuts))
        nothing = np.zeros(0)
        return (
            np.array(keys, np.int64).reshape(len(keys), 2),
            np.concatenate([nothing, *lengths]),
            np.concatenate([nothing, *rates]),
        )


class HorizonBound(Program):
    """Totals of worker-slots with the concave envelopes of their rewards, slots merged."""

    kind = "gadget"
    sense = "max"

    @objective
    def total_reward(m):
        """Rewards of never running, and what the worker-slots add to them at most."""
        return m.idle_reward + Sum(m.slope[i, p] * m.piece[i, p] for i, p in m.pieces)


def declare_rewards(m, timeline: Timeline) -> None:
    """Declare jobs, blocks, and the straight pieces of the concave envelopes."""
    cluster = timeline.cluster
    m.jobs = Set(range(cluster.num_jobs), label="job")
    m.blocks = Set(range(len(timeline.length)), label="block")
    m.length = Param(m.blocks, values=timeline.length)
    m.open_blocks = Set(timeline.open_blocks, label=("job", "block"))
    keys, lengths, slopes = timeline.pieces
    m.pieces = Set(keys, label=("job", "piece"))
    groups = groups_by_key(keys[:, 0], keys[:, 1], cluster.num_jobs)
    m.pieces_of = IndexedSet(m.jobs, groups, label="piece")
    m.slope = Param(m.pieces, values=slopes)
    m.piece = Var(m.pieces, upper=lengths, doc="Worker-slots rewarded at this slope.")
    m.idle_reward = Param(values=cluster.idle_reward.sum())


def groups_by_key(keys, members, count: int):
    """Members by key; ``keys`` is sorted and lies in 0..count - 1."""
    if count == 0:
        return []
    return np.split(np.asarray(members), np.searchsorted(keys, np.arange(1, count)))
