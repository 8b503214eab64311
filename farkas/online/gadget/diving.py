"""Whole rings from shares: settle what is nearly settled, price again in what is left."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import msgspec
import numpy as np

from farkas.certificates.gadget_slot_tree import SlotBox, SlotBranch
from farkas.models.gadget.column import Columns
from farkas.models.gadget.links import link_cap
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Bools, Floats, Ints
from farkas.relaxations.gadget.generation import Generated, generate_columns
from farkas.relaxations.gadget.ring_pricing import LabelBudget
from farkas.rounding.rings import Mix, admit
from farkas.tolerances import LOOSE_GAP, SIMPLEX, WHOLE


def dive(
    slot: SlotView,
    generated: Generated,
    parts: int,
    gap: float = LOOSE_GAP,
    labels: LabelBudget | None = None,
) -> Rings:
    """Rings that fit together, near the value of the relaxation.

    Rings with a share of 1 run, and of the others those with the largest shares; then the
    relaxation of the other jobs is solved in the room that is left, with new rings where they pay.

    Parameters
    ----------
    generated
        Column generation of the slot.
    parts
        One in so many of the unsettled jobs is settled before rings are priced again.
    gap
        Of the relaxations on the way.
    labels
        Of all searches for rings together, without a limit by default.
    """
    found: list[Rings] = []
    while len(generated.share):
        rings = settled(generated, parts)
        if not len(rings):
            break
        found.append(rings)
        slot = without(slot, rings)
        if not len(slot.jobs):
            break
        others = generated.columns.rings
        generated = generate_columns(
            slot,
            others.take(still_fits(slot, others)),
            generated.prices,
            gap=gap,
            search="loose",
            labels=labels,
        )
    return Rings.join(found, slot.cluster)


def repaired(
    generated: Generated,
    rings: Rings,
    gap: float,
    rng: np.random.Generator,
    labels: LabelBudget | None = None,
) -> Rings:
    """Take a third of the rings away at random, and dive in the room that they leave.

    Parameters
    ----------
    generated
        Column generation of the slot.
    rings
        Rings that fit together.
    gap
        Of the relaxations on the way.
    labels
        Of all searches for rings together, without a limit by default.
    """
    slot = generated.columns.slot
    kept = rings.take(np.sort(rng.permutation(len(rings))[len(rings) // 3 :]))
    left = without(slot, kept)
    others = generated.columns.rings
    others = others.take(still_fits(left, others))
    again = generate_columns(left, others, generated.prices, gap=gap, search="loose", labels=labels)
    return Rings.join([kept, dive(left, again, 16, gap, labels)], slot.cluster)


def settled(generated: Generated, parts: int) -> Rings:
    """Rings that run from now on: whole ones, and those with the largest shares."""
    columns, share = generated.columns, generated.share
    order = np.lexsort((columns.rings.job, -np.round(share, 6)))
    order = order[share[order] > SIMPLEX]
    whole = int((share[order] >= 1.0 - SIMPLEX).sum())
    unsettled = len(np.unique(columns.rings.job[order[whole:]]))
    first = columns.rings.take(order[: whole + -(-unsettled // parts)])
    mix = whole_mix(Columns(columns.slot, first))
    return first.take(admit(mix, np.arange(len(first)))[0])


def whole_mix(columns: Columns) -> Mix:
    """Rings as items with loads, for greedy admission."""
    cluster, rings = columns.slot.cluster, columns.rings
    nodes = np.isfinite(cluster.capacity) & cluster.is_server[:, None]
    links = np.isfinite(cluster.link_bandwidth)
    load = [rings.node_load(cluster)[:, nodes], rings.link_load(cluster)[:, links]]
    room = np.concatenate([cluster.capacity[nodes], cluster.link_bandwidth[links]])
    share = np.ones(len(rings))
    return Mix(rings.job, share, columns.gains, np.concatenate(load, axis=1), room)


def without(slot: SlotView, rings: Rings) -> SlotView:
    """Look at the slot with ``rings`` in place: less room, and their jobs gone."""
    cluster = slot.cluster
    used = rings.node_load(cluster).sum(axis=0)
    reserved = rings.link_load(cluster).sum(axis=0)
    nodes = [
        msgspec.structs.replace(node, capacity=_left(node.capacity, taken))
        for node, taken in zip(cluster.nodes, used.tolist(), strict=True)
    ]
    links = [
        msgspec.structs.replace(link, bandwidth=_left((link.bandwidth,), [taken])[0])
        for link, taken in zip(cluster.real_links, reserved.tolist(), strict=True)
    ]
    left = msgspec.structs.replace(cluster, nodes=tuple(nodes), links=tuple(links))
    stay = ~np.isin(slot.jobs, rings.job)
    return dataclasses.replace(slot.keep(stay), cluster=left)


def _left(room: Sequence[float | None], taken: Sequence[float]) -> tuple[float | None, ...]:
    return tuple(
        None if most is None else max(0.0, most - used)
        for most, used in zip(room, taken, strict=True)
    )


def still_fits(slot: SlotView, rings: Rings) -> Bools:
    """Which rings of jobs that are still there fit into the room that is left."""
    fits = np.isin(rings.job, slot.jobs)
    cluster = slot.cluster
    at = rings.job
    fits &= (rings.workers <= cluster.host_cap[at]).all(axis=1)
    fits &= (rings.flow <= link_cap(cluster, at)).all(axis=1)
    return fits


WEAK = 1e-3  #: Score below which a branch changes nothing.


def branch_of(box: SlotBox, rings: Rings, share: Floats) -> SlotBranch | None:
    """Branch of a box on its relaxation; None where nothing is left to split.

    First the size of a ring, where it is not whole.  Then the use of a link, or workers on a
    node, of a job with several hosts: shares of rings that both parts cut off count, those of the
    job itself that use it in the first, those of others that do not fit beside it in the second.

    Parameters
    ----------
    box
        Decisions.
    rings
        Of the relaxation.
    share
        Shape (rings,).
    """
    some = share > WHOLE
    rings, share = rings.take(some), share[some]
    place = box.jobs.searchsorted(rings.job)
    chosen = np.zeros(box.sizes.shape)
    np.add.at(chosen, (place, rings.size), share)
    chosen[:, 0] = np.maximum(0.0, 1.0 - chosen[:, 1:].sum(axis=1))
    upto = chosen.cumsum(axis=1)
    split = np.minimum(upto, 1.0 - upto)
    split[:, -1] = 0.0
    if split.max(initial=0.0) > WEAK:
        job, size = divmod(int(split.argmax()), split.shape[1])
        return SlotBranch(prices=-1, of="size", job=job, place=0, count=size)
    score, (job, at, times) = _use(box, rings, share, place, True)
    other, found = _use(box, rings, share, place, False)
    if max(score, other) <= WEAK:
        return None
    if other > score:
        job, at, times = found
        return SlotBranch(prices=-1, of="workers", job=job, place=at, count=times - 1)
    return SlotBranch(prices=-1, of="uses", job=job, place=at, count=times - 1)


def _use(
    box: SlotBox, rings: Rings, share: Floats, place: Ints, of_links: bool
) -> tuple[float, tuple[int, int, int]]:
    """Best score, and participant, link or node, and how often it is used at least then."""
    cluster = box.cluster
    if of_links:
        used, least, needs = rings.flow, box.least_uses, cluster.bandwidth[box.jobs][:, None]
        rooms = cluster.link_bandwidth[:, None]
    else:
        used, least, needs = rings.workers, box.least_workers, cluster.demand[box.jobs]
        rooms = cluster.capacity
    wide: Bools = np.zeros(len(box.jobs), np.bool_)
    wide[place[(rings.workers > 0).sum(axis=1) > 1]] = True
    taken = least.T.astype(float) @ needs
    best, where = 0.0, (0, 0, 0)
    for times in range(1, int(used.max(initial=0)) + 1):
        own = np.zeros(least.shape)
        np.add.at(own, place, (used >= times) * share[:, None])
        for i, at in np.argwhere((own > WEAK) & (least < times) & wide[:, None]).tolist():
            left = rooms[at] - taken[at] - (times - least[i, at]) * needs[i]
            with np.errstate(divide="ignore", invalid="ignore"):
                fit = np.where(needs[place] > 0, left / needs[place], np.inf).min(axis=1)
            over = (used[:, at] > least[place, at] + fit + WHOLE) & (place != i)
            score = min(1.0, own[i, at]) * min(1.0, float(share[over].sum()))
            if score > best * (1.0 + WHOLE):
                best, where = score, (i, at, times)
    return best, where
