"""Which ring sizes fit into one slot together, by enumeration, and what can be made of them.

The set of feasible count vectors is closed downwards: dropping a worker keeps a closed walk, and
visiting fewer hosts keeps all loads within bounds.
"""

from __future__ import annotations

import dataclasses
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from farkas.errors import NotApplicable
from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings, enumerate_rings
from farkas.models.gadget.slot import SlotView, snapshot
from farkas.numbers import Floats, Ints
from farkas.tolerances import ROUNDING, allowed

N = TypeVar("N", np.float64, np.int64)


@dataclasses.dataclass(frozen=True, eq=False)
class FeasibleCounts:
    """All vectors of ring sizes that fit into an empty cluster together."""

    cluster: Cluster  #: The instance.
    vectors: Ints  #: Shape (vectors, jobs), lexicographically sorted, closed downwards.

    @classmethod
    def of(cls, cluster: Cluster, *, most: int = 400_000) -> FeasibleCounts:
        """Enumerate, job by job, keeping for each vector the loads that no other load undercuts.

        Raises `NotApplicable` beyond ``most`` partial vectors with loads.
        """
        limit = np.where(cluster.reachable_slots > 0, cluster.ring_limit(), 0)
        if count_vectors(cluster) > most // 2:
            raise NotApplicable(f"more than {most // 2} ring size vectors; too many to list")
        rings = enumerate_rings(cluster, limit, most=most)
        load, room = _loads(cluster, rings)
        states: dict[tuple[int, ...], Floats] = {(): np.zeros((1, len(room)))}
        for job in range(cluster.num_jobs):
            wider: dict[tuple[int, ...], Floats] = {}
            for counts, loads in states.items():
                wider[(*counts, 0)] = loads
                for size in range(1, int(limit[job]) + 1):
                    here = load[(rings.job == job) & (rings.size == size)]
                    joined = _join(loads, here, room)
                    if not len(joined):
                        break  # a larger ring does not fit either
                    wider[(*counts, size)] = joined
            states = wider
            if sum(len(loads) for loads in states.values()) > most:
                raise NotApplicable(f"more than {most} ways to fill a slot; too many to list")
        vectors = np.array(sorted(states), np.int64)
        return cls(cluster, vectors.reshape(len(states), cluster.num_jobs))

    def within(self, limit: npt.ArrayLike) -> Ints:
        """Vectors with at most ``limit`` workers per job, shape (some vectors, jobs)."""
        return self.vectors[(self.vectors <= np.asarray(limit)).all(axis=1)]

    def limit(self, slot: int, progress: npt.ArrayLike) -> Ints:
        """Largest size per job in ``slot``, 0 for jobs that are not active, shape (jobs,)."""
        active = self.cluster.active(slot, progress)
        return np.where(active, self.cluster.ring_limit(progress), 0)

    def best(self, slot: SlotView) -> tuple[float, Ints]:
        """Largest sum of gains in a slot, and the counts that reach it, shape (jobs,).

        Among vectors within a share 1e-9 of the best the lexicographically largest is taken.
        """
        limit = np.zeros(self.cluster.num_jobs, np.int64)
        limit[slot.jobs] = slot.largest
        vectors = self.within(limit)
        total = np.zeros(len(vectors))
        for place, job in enumerate(slot.jobs.tolist()):
            total += np.append(0.0, slot.gains[place])[vectors[:, job]]
        best = float(total.max())
        last = np.flatnonzero(total >= best - ROUNDING * abs(best))[-1]
        return best, vectors[last]


def count_vectors(cluster: Cluster) -> float:
    """Count the vectors of ring sizes, feasible or not."""
    limit = np.where(cluster.reachable_slots > 0, cluster.ring_limit(), 0)
    return float(np.prod(limit + 1.0))


def greedy(feasible: FeasibleCounts) -> Ints:
    """Worker-slots after Algorithm 1 with exact slots, shape (jobs,).  GADGET Algorithm 1."""
    received = np.zeros(feasible.cluster.num_jobs, np.int64)
    for slot in range(feasible.cluster.horizon):
        received += feasible.best(snapshot(feasible.cluster, slot, received))[1]
    return received


def offline_optimum(feasible: FeasibleCounts, *, most: int = 400_000) -> tuple[float, Ints]:
    """Best total reward of all schedules, and worker-slots that reach it.

    A dynamic program over the slots.  What can be received is closed downwards, so only maximal
    states are kept, and at the end every job stops where its reward is largest.  Raises
    `NotApplicable` beyond ``most`` states.
    """
    cluster = feasible.cluster
    if cluster.num_jobs == 0:
        return 0.0, np.zeros(0, np.int64)
    states = np.zeros((1, cluster.num_jobs), np.int64)
    choices: dict[bytes, Ints] = {}
    budget = cluster.reachable_slots
    for slot in range(cluster.horizon):
        arrived = cluster.arrival <= slot
        key = arrived.tobytes()
        if key not in choices:
            limit = np.where(arrived, cluster.ring_limit(), 0)
            choices[key] = _maximal(feasible.within(limit))
        moves = choices[key]
        if len(states) * len(moves) > 50 * most:
            raise NotApplicable(f"more than {most} states; too many for the dynamic program")
        reached = np.minimum(states[:, None, :] + moves[None, :, :], budget)
        states = _maximal(np.unique(reached.reshape(-1, cluster.num_jobs), axis=0))
        if len(states) > most:
            raise NotApplicable(f"more than {most} states; too many for the dynamic program")
    total = np.zeros(len(states))
    stops = np.zeros_like(states)
    for job in range(cluster.num_jobs):
        rewards = cluster.reward(job, np.arange(budget[job] + 1))
        best = np.maximum.accumulate(rewards)
        place = np.searchsorted(best, best, side="left")  # first count with the running best
        total += best[states[:, job]]
        stops[:, job] = place[states[:, job]]
    winner = int(total.argmax())
    return float(total[winner]), stops[winner]


def _loads(cluster: Cluster, rings: Rings) -> tuple[Floats, Floats]:
    """Return loads on everything that can fill up, (rings, limits), and the room there."""
    servers = np.isfinite(cluster.capacity) & cluster.is_server[:, None]
    links = np.isfinite(cluster.link_bandwidth)
    load = np.concatenate(
        [rings.node_load(cluster)[:, servers], rings.link_load(cluster)[:, links]], axis=1
    )
    return load, np.concatenate([cluster.capacity[servers], cluster.link_bandwidth[links]])


def _join(loads: Floats, more: Floats, room: Floats) -> Floats:
    """All sums that fit, without those that another undercuts."""
    if not len(room):  # nothing can fill up: one way is as good as another
        return np.zeros((min(1, len(loads) * len(more)), 0))
    sums = (loads[:, None, :] + more[None, :, :]).reshape(-1, len(room))
    sums = sums[(sums <= allowed(room)).all(axis=1)]
    if len(sums) < 2:
        return sums
    # sums in another order differ in the last bits only
    shares = sums / np.where(room > 0, room, 1.0)
    _, first = np.unique(np.round(shares / ROUNDING), axis=0, return_index=True)
    return -_maximal(-sums[first])


def _maximal(vectors: npt.NDArray[N]) -> npt.NDArray[N]:
    """Rows that no other row exceeds in every entry; rows are distinct."""
    order = np.argsort(-vectors.sum(axis=1), kind="stable")
    kept = np.zeros((0, vectors.shape[1]), vectors.dtype)
    left = vectors[order]
    while len(left):
        # a row of largest sum among the rest is maximal; it removes what lies below it
        kept = np.concatenate([kept, left[:1]])
        left = left[1:][~(left[1:] <= left[0]).all(axis=1)]
    return kept
