"""Whole sizes that fit into all servers together, as a path: a knapsack as a linear program.

Jobs are asked one after the other, and a state is how many units those before have taken.  A unit
of flow leaves state 0 of the first job, and every arc is a size of a job.  The program is
totally unimodular; potentials of states, the most that the jobs still to come can earn from there,
are its multipliers.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from typing import Any

import numpy as np

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, Var, constraint, objective
from farkas.errors import NotApplicable
from farkas.forms import LinearForm
from farkas.models.gadget.column import ColumnLP, Columns
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Floats, Ints

MOST_ARCS = 200_000  #: Arcs that are written, at most.


@dataclasses.dataclass(frozen=True, eq=False)
class SizePaths:
    """States and arcs of a knapsack."""

    arcs: Ints  #: Shape (arcs, 4): job by place, size, state before and state after; by job.
    states: Ints  #: Shape (states, 2): job by place, units taken before; by job.

    @classmethod
    def of(cls, weight: list[int], largest: list[int], room: int) -> SizePaths:
        """All states that are reached.

        Parameters
        ----------
        weight
            Units of a worker of each job.
        largest
            Largest size of each job.
        room
            Units of all.

        Raises
        ------
        NotApplicable
            When there are more than `MOST_ARCS` arcs.
        """
        arcs: list[tuple[int, int, int, int]] = []
        states: list[tuple[int, int]] = []
        here = [0]
        for place, (need, most) in enumerate(zip(weight, largest, strict=True)):
            states += [(place, taken) for taken in here]
            before = len(arcs)
            for taken in here:
                fit = most if not need else min(most, (room - taken) // need)
                arcs += [(place, k, taken, taken + k * need) for k in range(fit + 1)]
                if len(arcs) > MOST_ARCS:
                    raise NotApplicable(f"sizes fit in more than {MOST_ARCS} ways")
            here = sorted({after for *_, after in arcs[before:]})
        found = np.array(arcs, np.int64), np.array(states, np.int64)
        return cls(found[0].reshape(-1, 4), found[1].reshape(-1, 2))

    @functools.cached_property
    def into(self) -> Ints:
        """State that each arc leads to, shape (arcs,); -1 behind the last job."""
        found = {tuple(state): v for v, state in enumerate(self.states.tolist())}
        return np.array([found.get((i + 1, s), -1) for i, _, _, s in self.arcs.tolist()], np.int64)

    @functools.cached_property
    def out_of(self) -> Ints:
        """State that each arc leaves, shape (arcs,)."""
        found = {tuple(state): v for v, state in enumerate(self.states.tolist())}
        return np.array([found[i, s] for i, _, s, _ in self.arcs.tolist()], np.int64)

    def worth_of(self, sizes: Floats) -> Floats:
        """Worth of the size of every arc, shape (arcs,), of ``sizes``, shape (jobs, sizes + 1)."""
        return np.asarray(sizes[self.arcs[:, 0], self.arcs[:, 1]])

    def potentials(self, worth: Floats) -> Floats:
        """Most that is earned from each state on, shape (states,), rounded up.

        Parameters
        ----------
        worth
            Of each arc, shape (arcs,), >= 0.
        """
        found = np.zeros(len(self.states) + 1)  # the last is behind the last job: 0
        ways = zip(self.out_of.tolist(), self.into.tolist(), worth.tolist(), strict=True)
        for before, after, earned in reversed(list(ways)):
            later = float(found[after])
            total = math.nextafter(earned + later, math.inf) if earned and later else earned + later
            found[before] = max(found[before], total)
        return found[:-1]


def declare_paths(m: Any, paths: SizePaths) -> None:
    """Declare states, arcs, and the flow on them."""
    m.states = Set(range(len(paths.states)), label="state")
    m.arcs = Set(range(len(paths.arcs)), label="arc")
    size = len(paths.states)
    m.leaving_state = IndexedSet(m.states, _by_state(paths.out_of, size), label="arc")
    m.entering_state = IndexedSet(m.states, _by_state(paths.into, size), label="arc")
    first = np.zeros(len(paths.states))
    first[:1] = 1.0
    m.begins = Param(m.states, values=first)
    m.flow = Var(m.arcs, doc="The size is chosen in this state.")


def _by_state(state: Ints, size: int) -> list[Ints]:
    """Arcs of every state, ascending."""
    order = np.argsort(state, kind="stable")
    ends = np.searchsorted(state[order], np.arange(size + 1))
    return [order[low:high] for low, high in itertools.pairwise(ends.tolist())]


@constraint("", "states")
def one_path(m, v):
    """What leaves a state has entered it, or begins there."""
    left = Sum(m.flow[a] for a in m.leaving_state[v])
    return left <= Sum(m.flow[a] for a in m.entering_state[v]) + m.begins[v]


@dataclasses.dataclass(frozen=True, eq=False)
class PricedSizes:
    """Sizes as paths, and what they are worth."""

    paths: SizePaths  #: Which sizes fit.
    worth: Floats  #: Shape (arcs,), of the size of each.


class BestSizes(Program):
    """Best sizes that fit, at given worths: a knapsack."""

    kind = "gadget"
    sense = "max"
    one_path = one_path

    def declare(self, m: Any, data: PricedSizes) -> None:
        """Flow, and its worth."""
        declare_paths(m, data.paths)
        m.worth = Param(m.arcs, values=data.worth)

    @objective
    def total_worth(m):
        """Worth of the sizes that are chosen."""
        return Sum(m.worth[a] * m.flow[a] for a in m.arcs)


@dataclasses.dataclass(frozen=True, eq=False)
class SizedColumns:
    """All rings of a slot, and which of their sizes fit."""

    columns: Columns  #: The rings.
    paths: SizePaths  #: Of the participants' sizes.


class SizedRings(ColumnLP):
    """All rings of a slot whose sizes fit into all servers together, whole ones."""

    def declare(self, m: Any, data: SizedColumns) -> None:
        """Rings, and flow for their sizes."""
        super().declare(m, data.columns)
        declare_paths(m, data.paths)
        rings, places = data.columns.rings, data.columns.slot.jobs.searchsorted
        pairs = np.unique(np.column_stack([rings.job, rings.size]), axis=0)
        m.ring_sizes = Set(pairs, label=("job", "size"))
        kept = [((rings.job == i) & (rings.size == k)).nonzero()[0] for i, k in pairs.tolist()]
        m.rings_of_size = IndexedSet(m.ring_sizes, kept, label="ring")
        at = data.paths.arcs[:, 0], data.paths.arcs[:, 1]
        ways = [((at[0] == places(i)) & (at[1] == k)).nonzero()[0] for i, k in pairs.tolist()]
        m.arcs_of_size = IndexedSet(m.ring_sizes, ways, label="arc")

    one_path = one_path

    @constraint("", "ring_sizes")
    def size_is_chosen(m, i, k):
        """A ring runs where its size is chosen."""
        run = Sum(m.used[c] for c in m.rings_of_size[i, k])
        return run <= Sum(m.flow[a] for a in m.arcs_of_size[i, k])


# Dual point of the embedding relaxation from server prices alone.  GADGET (12)-(19).
#
# The dual has multipliers γ of (13), η of (14), φ of (15), λ of (18) and ν of (19).  At any λ >= 0
# the choice φ = ν = 0, η = -min_u Σ_r l λ_u and γ = max(0, max_k π_k + k η) is feasible, and at the
# prices of the node relaxation it is optimal: links carry no price, the relaxation ignores them.


def network_free_multipliers(slot: SlotView, form: LinearForm, node_price: Floats) -> Floats:
    """Row multipliers of ``gadget.gvne_lp`` at prices of nodes.

    Parameters
    ----------
    slot
        The slot that ``form`` was built from.
    form
        Linear form of ``gadget.gvne`` or ``gadget.gvne_lp``.
    node_price
        Shape (nodes, resources), reward per unit, >= 0; λ.

    Returns
    -------
    Shape (rows,), derivatives of the optimal value with respect to each right-hand side.
    """
    cluster = slot.cluster
    rent = (cluster.demand[slot.jobs][:, None] * node_price).sum(axis=2)
    rent = np.where(cluster.host_cap[slot.jobs] > 0, rent, np.inf).min(axis=1)
    sizes = np.arange(1, slot.gains.shape[1] + 1)
    profit = np.where(slot.allowed, slot.gains - sizes * rent[:, None], 0.0)
    multipliers = np.zeros(form.num_rows)
    multipliers[form.row_block("one_size").where] = profit.max(axis=1, initial=0.0)
    seats = form.row_block("every_worker_sits_somewhere")
    jobs = seats.axes[0].members[:, 0]
    multipliers[seats.where] = -rent[slot.jobs.searchsorted(jobs)]
    limited = form.row_block("node_capacity")
    node, resource = limited.axes[0].members.T
    multipliers[limited.where] = node_price[node, resource]
    return multipliers
