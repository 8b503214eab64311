"""Prices of a cluster as multipliers of linear programs: over all rings of a slot, over blocks."""

from __future__ import annotations

import numpy as np

from farkas.algebra import programs
from farkas.certificates.doubles import double
from farkas.certificates.gadget import HorizonCertificate
from farkas.certificates.gadget_slot import SlotCertificate
from farkas.duals.gadget.size_paths import (
    BestSizes,
    PricedSizes,
    SizedColumns,
    SizedRings,
    SizePaths,
)
from farkas.duals.restated import Restatement, best_replies, restatements
from farkas.errors import NotACertificate, NotApplicable
from farkas.instances.gadget import Cluster
from farkas.models.gadget.column import all_columns
from farkas.models.gadget.slot import snapshot
from farkas.numbers import Floats, Ints

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


@restatements.register("gadget.gadget.horizon")
def restated_horizon(certificate: HorizonCertificate, cluster: Cluster) -> Restatement:
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


def _merged_prices(certificate: HorizonCertificate, cluster: Cluster) -> Floats:
    """Mean prices of the program's blocks and classes, shape (blocks, classes, resources).

    Its blocks begin at arrivals, and the servers of a class are all that are alike.
    """
    shape = len(certificate.starts), len(certificate.classes), cluster.num_resources
    given = np.array(certificate.prices, float).reshape(shape)
    class_of = np.zeros(cluster.num_nodes, np.int64)
    for c, members in enumerate(certificate.classes):
        class_of[list(members)] = c
    servers = np.flatnonzero(cluster.is_server)
    kinds, which = np.unique(cluster.capacity[servers], axis=0, return_inverse=True)
    groups = [servers[which.ravel() == kind] for kind in range(len(kinds))]
    merged = np.zeros((shape[0], len(groups), shape[2]))
    for kind, members in enumerate(groups):
        merged[:, kind] = given[:, class_of[members]].mean(axis=1)
    cuts = np.array([*certificate.starts, cluster.horizon])
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
