"""What a scheduler knows: the jobs seen so far and what they have received."""

import dataclasses
from typing import Any, Self

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import Gains, SlotView, snapshot
from farkas.numbers import Floats, Ints
from farkas.online.gadget.environment import Arrival, Decision, Ring, with_jobs
from farkas.online.gadget.placement import PlacedRing, as_rings
from farkas.online.policy import Policy


@dataclasses.dataclass(frozen=True, eq=False)
class Seen:
    """State of every scheduler of this kind; never changed in place."""

    cluster: Cluster  #: Nodes, links, and the jobs seen so far in the order of the instance.
    index: Ints  #: Shape (jobs seen,), their positions in the instance.
    received: Floats  #: Shape (jobs seen,), worker-slots; z.
    slot: int  #: The next slot.
    #: What a slot asks for again: the state with its new jobs, and its problem.
    _known: dict[object, Any] = dataclasses.field(init=False, default_factory=dict, repr=False)

    @classmethod
    def start(cls, known: Cluster) -> Self:
        """Know nobody."""
        nobody = np.zeros(0)
        return cls(known, nobody.astype(np.int64), nobody, 0)

    def meet(self, arrivals: tuple[Arrival, ...]) -> Self:
        """Add new jobs in their place; those that are known already stay as they are."""
        new = tuple(arrival for arrival in arrivals if arrival.index not in self.index)
        if not new:
            return self
        numbers = tuple(arrival.index for arrival in new)
        if numbers not in self._known:
            self._known[numbers] = self._with(new)
        met: Self = self._known[numbers]
        return met

    def _with(self, arrivals: tuple[Arrival, ...]) -> Self:
        index = np.append(self.index, [a.index for a in arrivals])
        received = np.append(self.received, np.zeros(len(arrivals)))
        jobs = [*self.cluster.jobs, *(a.job for a in arrivals)]
        order = np.argsort(index)
        cluster = with_jobs(self.cluster, tuple(jobs[place] for place in order))
        return dataclasses.replace(
            self, cluster=cluster, index=index[order], received=received[order]
        )

    def now(self, gains: Gains = "printed") -> SlotView:
        """Return the slot's problem."""
        if gains not in self._known:
            self._known[gains] = snapshot(self.cluster, self.slot, self.received, gains)
        view: SlotView = self._known[gains]
        return view

    def run(self, rings: Rings) -> tuple[Self, Decision]:
        """Run ``rings`` (jobs numbered as seen) and go to the next slot."""
        received = self.received.copy()
        np.add.at(received, rings.job, rings.size)
        after = dataclasses.replace(self, received=received, slot=self.slot + 1)
        order = np.argsort(rings.job, kind="stable").tolist()
        return after, [_decided(rings, place, self.index) for place in order]


class Baseline(Policy):
    """Base of the baselines: a subclass fills one slot after the other."""

    def start(self, known: Cluster, seed: int) -> Seen:
        """Know nobody."""
        return Seen.start(known)

    def step(self, state: Seen, arrivals: tuple[Arrival, ...]) -> tuple[Seen, Decision]:
        """Meet the new jobs and fill the slot."""
        seen = state.meet(arrivals)
        return seen.run(as_rings(seen.cluster, self.fill(seen)))

    def fill(self, seen: Seen) -> dict[int, PlacedRing]:
        """Return the rings that run in the slot, by job."""
        raise NotImplementedError


def _decided(rings: Rings, place: int, index: Ints) -> Ring:
    def used(counts: Ints) -> tuple[tuple[int, int], ...]:
        return tuple((at, int(counts[at])) for at in np.flatnonzero(counts).tolist())

    job = int(index[rings.job[place]])
    return Ring(job=job, workers=used(rings.workers[place]), links=used(rings.flow[place]))
