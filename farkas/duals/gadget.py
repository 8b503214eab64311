"""Duals of kind gadget.  Whole sizes that fit into all servers together are a path, a knapsack.

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

from farkas.algebra import (
    IndexedSet,
    Param,
    Program,
    Set,
    Sum,
    Var,
    constraint,
    objective,
    programs,
)
from farkas.certificates.doubles import double
from farkas.certificates.gadget import PricedCluster
from farkas.certificates.gadget_slot import SlotCertificate
from farkas.certificates.priced_tree import PricedTree
from farkas.duals.restated import Restatement, best_replies, restatements
from farkas.errors import NotACertificate, NotApplicable
from farkas.forms import LinearForm
from farkas.instances.gadget import Cluster
from farkas.models.gadget.column import ColumnLP, Columns, all_columns
from farkas.models.gadget.slot import SlotView, snapshot
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

        Raises `NotApplicable` when there are more than `MOST_ARCS` arcs.  ``weight`` are units of a
        worker of each job, ``largest`` its largest size, ``room`` the units of all.
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

        ``worth`` is of each arc, >= 0.
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

    ``form`` is built from the slot; ``node_price`` is the reward per unit by node and resource, λ
    >= 0.  Multipliers are derivatives of the optimal value by each right-hand side.
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


#: What the program of another slot than the instance's own leaves to the certificate.
SLOT = "That its rings are those of that slot is shown by `farkas check`, not by this file."

#: What a program with whole sizes leaves to the certificate.
SIZES = (
    "That the sizes of rings that fit into servers fit so is shown by `farkas check`, not by this"
    " file."
)

#: What a program without rings leaves to the certificate.
WORTHS = (
    "That no ring of a size is worth more at these prices, and that the sizes of rings that fit"
    " into servers fit so, is shown by `farkas check`, not by this file."
)


@restatements.register("gadget.gadget.slot")
def restated(certificate: SlotCertificate, cluster: Cluster) -> Restatement:
    """Price nodes and links; a job pays what its best ring earns beyond.

    Whole sizes that share servers are a path through all rings' sizes; where there are too many
    rings to list, through sizes that are worth what the certificate proves at its prices.
    """
    received = certificate.received(cluster)
    node, link = certificate.read_prices(cluster)
    own = certificate.slot == cluster.at_slot and not received.any()
    slot = snapshot(cluster, certificate.slot, received)
    where = certificate.says(cluster).removeprefix(certificate.program)
    name, paths = f"gadget.column_lp{where}", None
    if certificate.shared is not None:
        weight, room = certificate.shared.units(cluster, slot.jobs)
        paths = SizePaths.of(weight, slot.largest.tolist(), room)
        name += f", sizes sharing resource {certificate.shared.resource} in {room} units"
    try:
        if paths is not None:
            form = SizedRings().form(SizedColumns(all_columns(slot), paths))
        else:
            form = programs.build("gadget.column_lp").form(cluster if own else all_columns(slot))
    except NotApplicable:
        if paths is None:
            raise
        return _sizes_at_prices(certificate, cluster, paths)
    multipliers = np.zeros(form.num_rows)
    nodes, links = form.row_block("node_capacity"), form.row_block("link_capacity")
    multipliers[nodes.where] = node[tuple(nodes.axes[0].members.T)]
    multipliers[links.where] = link[links.axes[0].members[:, 0]]
    form = form.replace(name=name)
    if paths is None:
        multipliers = best_replies(form, multipliers, "one_ring")
        return Restatement(form, multipliers, "" if own else SLOT)
    multipliers = best_replies(form, multipliers, "size_is_chosen")
    sizes = form.row_block("size_is_chosen")
    worth = np.zeros((len(slot.jobs), slot.largest_size + 1))
    job, size = sizes.axes[0].members.T
    worth[slot.jobs.searchsorted(job), size] = multipliers[sizes.where]
    multipliers[form.row_block("one_path").where] = paths.potentials(paths.worth_of(worth))
    return Restatement(form, multipliers, SIZES if own else f"{SLOT}  {SIZES}")


def _sizes_at_prices(
    certificate: SlotCertificate, cluster: Cluster, paths: SizePaths
) -> Restatement:
    """State the knapsack of sizes that are worth what the certificate proves, and its rent."""
    rent, _, profits = certificate.priced(cluster)
    worth = np.zeros((len(profits), max(map(len, profits))))
    for row, exact in zip(worth, profits, strict=True):
        row[: len(exact)] = np.array([double(value, up=True) for value in exact], float)
    each = paths.worth_of(worth)
    form = BestSizes().form(PricedSizes(paths, each))
    name = f"{certificate.says(cluster)} at the certificate's prices, sizes sharing a resource"
    offset = double(rent, up=True)
    if offset is None or not np.isfinite([offset, *each]).all():
        raise NotACertificate("a rent or worth is beyond all doubles")
    return Restatement(form.replace(name=name, offset=offset), paths.potentials(each), WORTHS)


@restatements.register("gadget.priced_tree")
def restated_horizon(certificate: PricedTree, cluster: Cluster) -> Restatement:
    """Price the blocks and classes of the linear bound; a worker-slot is worth its job's last one.

    Prices are averaged over the slots and servers that the program merges.  It replaces utilities
    by their concave envelopes, so that it may prove less than the certificate does.
    """
    program = programs.build("gadget.offline_bound")
    form = program.form(cluster)
    price = _merged_prices(certificate, cluster)
    multipliers = np.zeros(form.num_rows)
    limits = form.row_block("node_capacity")
    multipliers[limits.where] = price[tuple(limits.axes[0].members.T)]
    received, sizes = form.row_block("received"), form.row_block("ring_size")
    places, pieces = form.column_block("workers"), form.column_block("piece")
    job, block, kind = places.axes[0].members.T
    cost = (cluster.demand[job] * price[block, kind]).sum(axis=1)
    seats, most = form.upper[places.where], form.row_upper[sizes.where]
    owner = pieces.axes[0].members[:, 0]
    slope, length = form.cost[pieces.where], form.upper[pieces.where]
    blocks_of, block_of = sizes.axes[0].members.T
    for i in np.unique(job).tolist():
        mine = job == i
        open_blocks = np.flatnonzero(blocks_of == i)
        seen = [
            _cheapest_seats(cost[here], seats[here], float(most[q]))
            for q in open_blocks.tolist()
            for here in [np.flatnonzero(mine & (block == block_of[q]))]
        ]
        rewards = owner == i
        worth = _last_worth(slope[rewards], length[rewards], seen)
        multipliers[received.start + i] = worth
        ends = np.array([end for *_, end in seen])
        multipliers[sizes.start + open_blocks] = np.maximum(worth - ends, 0.0)
    return Restatement(form, multipliers)


def _merged_prices(certificate: PricedTree, cluster: Cluster) -> Floats:
    """Mean prices of the program's blocks and classes, shape (blocks, classes, resources).

    Its blocks begin at arrivals, and the servers of a class are all that are alike.
    """
    program = certificate.stated(cluster)
    assert isinstance(program, PricedCluster)
    shape = program.shape
    given = certificate.single_prices(cluster).reshape(shape)
    class_of = np.zeros(cluster.num_nodes, np.int64)
    for c, members in enumerate(program.classes):
        class_of[members] = c
    servers = np.flatnonzero(cluster.is_server)
    kinds, which = np.unique(cluster.capacity[servers], axis=0, return_inverse=True)
    groups = [servers[which.ravel() == kind] for kind in range(len(kinds))]
    merged = np.zeros((shape[0], len(groups), shape[2]))
    for kind, members in enumerate(groups):
        merged[:, kind] = given[:, class_of[members]].mean(axis=1)
    cuts = np.append(program.starts, cluster.horizon)
    starts = np.unique([0, *cluster.arrival[cluster.arrival < cluster.horizon].tolist()])
    ends = np.append(starts[1:], cluster.horizon)
    first, last = starts[:, None], ends[:, None]
    shared = np.maximum(np.minimum(cuts[1:], last) - np.maximum(cuts[:-1], first), 0)
    share = shared / (ends - starts)[:, None]
    mean: Floats = (share[:, :, None, None] * merged[None]).sum(axis=1)
    return mean


Seats = tuple[Floats, Floats, float]


def _cheapest_seats(cost: Floats, seats: Floats, most: float) -> Seats:
    """Costs and numbers of the cheapest ``most`` seats, and the cost at which they end.

    That cost is infinite where all seats are taken together.
    """
    order: Ints = np.argsort(cost, kind="stable")
    upto = np.minimum(np.cumsum(seats[order]), most)
    full = np.searchsorted(np.cumsum(seats[order]), most)
    end = float(cost[order[full]]) if full < len(order) else np.inf
    return cost[order], np.diff(upto, prepend=0.0), end


def _last_worth(slope: Floats, length: Floats, seen: list[Seats]) -> float:
    """Worth >= 0 of a worker-slot where falling slopes meet rising costs."""
    nothing = np.zeros(0)
    cost = np.concatenate([nothing, *(costs for costs, _, _ in seen)])
    number = np.concatenate([nothing, *(numbers for _, numbers, _ in seen)])
    rising, falling = np.argsort(cost, kind="stable"), np.argsort(-slope, kind="stable")
    given = np.cumsum(number[rising])
    taken, paid = 0.0, 0.0
    for one in falling.tolist():
        while True:
            k = int(np.searchsorted(given, taken, side="right"))
            dear = float(cost[rising[k]]) if k < len(rising) else np.inf
            if dear >= slope[one]:
                return max(float(slope[one]), paid)
            step = min(float(given[k]) - taken, float(length[one]))
            taken, paid = taken + step, dear
            length[one] -= step
            if length[one] <= 0:
                break
    return paid
