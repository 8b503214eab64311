"""Slots by column generation: the relaxation over rings, then the best subset of its rings."""

import numpy as np

from farkas.models.gadget.column import ColumnIP, Columns
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Bools, Floats
from farkas.portable.sums import matmul
from farkas.relaxations.gadget.generation import Generated, closed, generate_columns
from farkas.rounding.rings import Mix, admit
from farkas.solvers.fallback import optimum_by_any
from farkas.tolerances import ROUNDING, SIMPLEX


def column_rings(slot: SlotView, gap: float) -> tuple[Rings, Generated]:
    """Rings of one slot within ``gap`` of the best subset of the rings generated.

    Returns
    -------
    The rings, and the column generation with its bound.
    """
    generated = generate_columns(slot)
    columns, share = generated.columns, generated.share
    if not len(share):
        return columns.rings, generated
    if (np.minimum(share, 1.0 - share) <= SIMPLEX).all():
        return columns.rings.take(share > 0.5), generated
    mix = whole_mix(columns, share)
    rate = columns.gains / columns.rings.size
    # what the relaxation likes first, then by gain per worker
    order = np.lexsort((columns.rings.job, -rate, -np.round(share, 6)))
    greedy, value = admit(mix, order)
    if closed(columns.gains, value, generated.bound, gap * abs(generated.bound)):
        return columns.rings.take(greedy), generated
    keep = promising(columns, generated, value)
    keep[greedy] = True
    kept = Columns(slot, columns.rings.take(keep))
    start = np.zeros(len(columns.rings))
    start[greedy] = 1.0
    form = ColumnIP().form(kept)
    answer = optimum_by_any(form, gap=gap, start=start[keep])
    return kept.rings.take(answer.point > 0.5), generated


def whole_mix(columns: Columns, share: Floats) -> Mix:
    """Rings as items with loads, for greedy admission."""
    cluster, rings = columns.slot.cluster, columns.rings
    nodes = np.isfinite(cluster.capacity) & cluster.is_server[:, None]
    links = np.isfinite(cluster.link_bandwidth)
    load = [rings.node_load(cluster)[:, nodes], rings.link_load(cluster)[:, links]]
    room = np.concatenate([cluster.capacity[nodes], cluster.link_bandwidth[links]])
    return Mix(rings.job, share, columns.gains, np.concatenate(load, axis=1), room)


def promising(columns: Columns, generated: Generated, value: float) -> Bools:
    """Mark rings that a better subset than ``value`` may contain, by their loss at the prices."""
    cluster, rings, prices = columns.slot.cluster, columns.rings, generated.prices
    cost = (rings.node_load(cluster) * prices.node).sum(axis=(1, 2))
    surplus = columns.gains - cost - matmul(rings.link_load(cluster), prices.link)
    best = np.zeros(cluster.num_jobs)
    np.maximum.at(best, rings.job, surplus)
    loss: Floats = best[rings.job] - surplus
    near: Bools = loss <= generated.bound - value + ROUNDING * abs(generated.bound)
    return near
