"""What baselines share that place integers directly and remember only where jobs were."""

import dataclasses

import numpy as np

from farkas.models.mlbroker.snapshot import Snapshot
from farkas.numbers import Bools, Ints
from farkas.online.mlbroker.environment import Known, PlacedSlot, present


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """Presence of every job that was active in the slot before, shape (sites,) each."""

    rng: np.random.Generator
    before: dict[int, Bools]


@dataclasses.dataclass(frozen=True)
class Placing:
    """Baseline that decides from one slot and the presence one slot before."""

    def start(self, known: Known, seed: int) -> Memory:
        """Nothing is deployed."""
        return Memory(np.random.default_rng(seed), {})

    def step(self, state: Memory, arrivals: Snapshot) -> tuple[Memory, PlacedSlot]:
        """Place the slot's jobs."""
        none = np.zeros(arrivals.market.num_sites, bool)
        before = [state.before.get(job, none) for job in arrivals.jobs.tolist()]
        deployed = np.reshape(before, (len(before), len(none))).astype(bool)
        now = dataclasses.replace(arrivals, deployed=deployed)
        workers, server = self.place(now, state)
        decision = PlacedSlot(arrivals.jobs, workers, server)
        after = dict(zip(arrivals.jobs.tolist(), present(decision), strict=True))
        return dataclasses.replace(state, before=after), decision

    def place(self, now: Snapshot, state: Memory) -> tuple[Ints, Ints]:
        """Workers, shape (jobs, sites), and server site, shape (jobs,)."""
        raise NotImplementedError
