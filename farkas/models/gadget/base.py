"""What the programs of one slot share: participants and sizes."""

import itertools

import numpy as np

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, constraint, objective
from farkas.models.gadget.slot import SlotView


class SlotProgram(Program):
    """Best rings of one slot, at most one for each job."""

    kind = "gadget"
    sense = "max"

    @objective
    def total_gain(m):
        """Marginal reward of the rings that run."""
        return Sum(m.gain[i, k] * m.chosen[i, k] for i, k in m.sizes)

    @constraint("13", "jobs")
    def one_size(m, i):
        """A job runs one ring at most."""
        return Sum(m.chosen[i, k] for k in m.sizes_of[i]) <= 1


@constraint("14", "jobs")
def all_workers_placed(m, i):
    """The nodes host as many workers as the ring has."""
    placed = Sum(m.workers[i, u] for u in m.nodes)
    return placed == Sum(k * m.chosen[i, k] for k in m.sizes_of[i])


@constraint("18", "limits")
def node_capacity(m, u, r):
    """Workers fit on their node."""
    return Sum(m.demand[i, r] * m.workers[i, u] for i in m.jobs) <= m.capacity[u, r]


def declare_participants(m, slot: SlotView) -> None:
    """Declare who may run with which sizes, and what that is worth."""
    m.jobs = Set(slot.jobs, label="job")
    m.sizes = Set(slot.pairs, label=("job", "size"))
    at = np.searchsorted(slot.pairs[:, 0], np.append(slot.jobs, slot.cluster.num_jobs))
    groups = [slot.pairs[low:high, 1] for low, high in itertools.pairwise(at)]
    m.sizes_of = IndexedSet(m.jobs, groups, label="size")
    m.gain = Param(m.sizes, values=slot.pair_gains)
