"""What to split a slot's decisions by, where a relaxation over rings is not whole."""

from __future__ import annotations

import numpy as np

from farkas.certificates.gadget_boxes import SlotBox, SlotBranch
from farkas.models.gadget.rings import Rings
from farkas.numbers import Bools, Floats, Ints
from farkas.tolerances import WHOLE

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
