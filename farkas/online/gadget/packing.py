"""Whole rings from shares: those of several hosts first, the others packed on single servers."""

from __future__ import annotations

import numpy as np

from farkas.models.gadget.column import Columns
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Floats
from farkas.online.gadget.diving import whole_mix
from farkas.online.gadget.placement import PlacedRing, Room, as_rings
from farkas.rounding.rings import admit

#: Share above which a ring of several hosts runs if it fits, and a size on one server is wanted.
LIKELY = 0.3


def packed(slot: SlotView, rings: Rings, share: Floats) -> Rings:
    """Rings that fit together: wide ones by share, then sizes on single servers, largest first.

    A relaxation may lay halves of rings on servers of which others hold one half; their sizes may
    still fit, after those of other jobs have moved together.  Jobs that are left take what is free,
    by gain per worker.

    Parameters
    ----------
    slot
        Whose gains count.
    rings
        Of the relaxation, of allowed sizes.
    share
        Shape (rings,).
    """
    cluster = slot.cluster
    wide = (rings.workers > 0).sum(axis=1) > 1
    likely = np.flatnonzero(wide & (share > LIKELY))
    first = rings.take(likely)
    mix = whole_mix(Columns(slot, first))
    kept = first.take(admit(mix, np.argsort(-share[likely], kind="stable"))[0])
    room, placed = Room(cluster), dict[int, PlacedRing]()
    for at, job in enumerate(kept.job.tolist()):
        links = np.repeat(np.arange(cluster.num_links), kept.flow[at]).tolist()
        placed[job] = PlacedRing(kept.workers[at], links)
        room.free -= kept.workers[at][:, None] * cluster.demand[job]
        for link in links:
            room.residual[link] -= float(cluster.bandwidth[job])
    place = slot.jobs.searchsorted(rings.job)
    wanted = np.zeros((len(slot.jobs), slot.gains.shape[1] + 1))
    np.add.at(wanted, (place[~wide], rings.size[~wide]), share[~wide])
    size = np.where(wanted.max(axis=1) > LIKELY, wanted.argmax(axis=1), 0)
    sure = np.flatnonzero(size)
    sure = sure[np.lexsort((-wanted[sure, size[sure]], -size[sure]))]
    rate = np.where(slot.allowed, slot.gains, 0.0) / np.arange(1, slot.gains.shape[1] + 1)
    rest = np.argsort(-rate, axis=None, kind="stable")
    rest = rest[rate.ravel()[rest] > 0]
    pairs = np.column_stack(np.unravel_index(rest, rate.shape)) + np.array([0, 1])
    first_pairs = np.column_stack([sure, size[sure]])
    most_fit = dict[int, int]()  # workers on one node, when last looked at: room only shrinks
    for i, k in np.concatenate([first_pairs, pairs]).tolist():
        job = int(slot.jobs[i])
        if job in placed or most_fit.get(job, k) < k:
            continue
        most_fit[job] = int(room.fit(job).max(initial=0))
        if most_fit[job] < k:
            continue
        ring = room.place(job, k)
        if ring is not None:
            placed[job] = ring
    return as_rings(cluster, placed)
