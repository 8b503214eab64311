"""A schedule that a scheduler proposes for one job, and what it uses."""

import dataclasses
from typing import NamedTuple

import numpy as np

from farkas.instances.eris import Job
from farkas.kernels import Ints1, Ints2, compiled
from farkas.numbers import Floats, Ints
from farkas.online.eris.environment import Piece
from farkas.relaxations.eris.payoff_bound import JobSlots
from farkas.replay.eris import processed
from farkas.tolerances import ROUNDING


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """The best schedule a scheduler found for a job at posted prices."""

    payoff: float  #: Worth less posted cost as the scheduler books it, >= 0; 0 proposes nothing.
    finish: int  #: Slot of completion, counted from the arrival; -1 when nothing is proposed.
    cost: float  #: Posted cost, which an accepted job pays.
    workers: Ints  #: Shape (window, sites); g.
    server: Ints  #: Shape (window,), site of the server, -1 where nothing runs; z.
    moved: Ints  #: Shape (window,), chunks moved between sites; Σ h.
    #: Upper bound on the payoff of any schedule that fits; infinite when the scheduler has none.
    bound: float = float("inf")

    @property
    def worth(self) -> float:
        """Booked worth, payoff plus cost."""
        return self.payoff + self.cost

    @property
    def pays(self) -> bool:
        """Whether it is worth more than it costs, and not by rounding only."""
        return self.payoff > ROUNDING * self.worth

    @property
    def slots(self) -> Ints:
        """Slots in which something runs, counted from the arrival."""
        return np.flatnonzero(self.server >= 0)

    def remote(self) -> Ints:
        """Workers away from the server, shape (window,)."""
        total = self.workers.sum(axis=1)
        beside = self.workers[np.arange(len(self.server)), np.maximum(self.server, 0)]
        return np.where(self.server >= 0, total - beside, 0)

    def transfer(self, chunk_size: float, parameter_size: float) -> Floats:
        """MB per slot, shape (window,); ψ."""
        used: Floats = chunk_size * self.moved + parameter_size * self.remote()
        return used


class SchedulePlan(NamedTuple):
    """The arrays of a `Proposal`, as kernels make them."""

    workers: Ints2
    server: Ints1
    moved: Ints1


@compiled
def new_plan(window: int, sites: int) -> SchedulePlan:
    """Make room for a schedule; nothing runs."""
    server = np.empty(window, np.int64)
    server[:] = -1
    return SchedulePlan(np.zeros((window, sites), np.int64), server, np.zeros(window, np.int64))


def pieces_of(index: int, job: Job, proposal: Proposal) -> tuple[Piece, ...]:
    """Pieces of an accepted schedule."""
    return tuple(
        Piece(
            job=index,
            slot=int(job.arrival + slot),
            server=int(proposal.server[slot]),
            workers=tuple(
                (int(site), int(proposal.workers[slot, site]))
                for site in np.flatnonzero(proposal.workers[slot])
            ),
            moved=int(proposal.moved[slot]),
        )
        for slot in proposal.slots
    )


def can_run(job: Job, proposal: Proposal) -> bool:
    """Whether the workers and moves of a schedule process all data of the job."""
    return processed(job, pieces_of(0, job, proposal)) >= sum(job.data)


def nothing(window: int, sites: int, bound: float = float("inf")) -> Proposal:
    """No schedule earns anything."""
    return Proposal(0.0, -1, 0.0, *new_plan.interpret(window, sites), bound)


def without_data(job: JobSlots) -> Proposal:
    """Propose for a job without data: it completes on arrival, uses and pays nothing."""
    worth = float(job.worth[0])
    empty = nothing(job.window, len(job.data), max(0.0, worth))
    if worth <= 0:
        return empty
    return dataclasses.replace(empty, payoff=worth, finish=0)
