"""Slots by column generation: the relaxation over rings, then whole rings near its value."""

import math

import numpy as np

from farkas.errors import NotApplicable
from farkas.models.gadget.column import ColumnIP, Columns, all_columns
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Bools, Floats
from farkas.online.gadget.diving import dive, whole_mix
from farkas.online.gadget.drf import DominantResourceFairness
from farkas.online.gadget.fixed_rings import Fifo, LeastAttainedService
from farkas.online.gadget.placement import as_rings
from farkas.online.gadget.seen import Baseline, Seen
from farkas.portable.sums import matmul
from farkas.relaxations.gadget.generation import Generated, closed, generate_columns
from farkas.rounding.rings import admit
from farkas.solvers.fallback import optimum_by_any
from farkas.tolerances import ROUNDING, SIMPLEX

BASELINES: tuple[Baseline, ...] = (Fifo(), LeastAttainedService(), DominantResourceFairness())
"""What a slot is never worse than."""

DIVES = (8, 16, 32)
"""Parts in which the unsettled jobs of successive dives are settled."""

MOST_LISTED = 2_000
"""Sets of hosts, and rings, up to which all rings are listed."""

MOST_COLUMNS = 1_000
"""Rings up to which an integer program looks for a better subset."""


def column_rings(slot: SlotView, gap: float) -> tuple[Rings, Generated]:
    """Rings of one slot, within ``gap`` of the relaxation where that can be reached.

    Begins with the placements of the baselines and is never worse than any of them.  Where all
    rings can be listed, the rings returned are within ``gap`` of the best.

    Returns
    -------
    The rings, and the column generation with its bound.
    """
    placed = [baseline_rings(slot, baseline) for baseline in BASELINES]
    generated = generate_columns(slot, Rings.join(placed, slot.cluster))
    columns, share = generated.columns, generated.share
    if not len(share):
        return columns.rings, generated
    if (np.minimum(share, 1.0 - share) <= SIMPLEX).all():
        placed.append(columns.rings.take(share > 0.5))
    else:
        placed.append(greedy(columns, share))
    best = max(placed, key=lambda rings: worth(slot, rings))
    for parts in DIVES:
        if _settled(generated, worth(slot, best), gap):
            return best, generated
        best = max(best, dive(slot, generated, parts), key=lambda rings: worth(slot, rings))
    if not _settled(generated, worth(slot, best), gap):
        best = max(best, best_subset(generated, best, gap), key=lambda rings: worth(slot, rings))
    return best, generated


def _settled(generated: Generated, value: float, gap: float) -> bool:
    slot, bound = generated.columns.slot, generated.bound
    return closed(slot.pair_gains, value, bound, gap * abs(bound))


def worth(slot: SlotView, rings: Rings) -> float:
    """Sum of the gains of rings."""
    return float(Columns(slot, rings).gains.sum())


def baseline_rings(slot: SlotView, baseline: Baseline) -> Rings:
    """Rings that a baseline would run in the slot, those of allowed sizes."""
    jobs = np.arange(slot.cluster.num_jobs)
    rng = np.random.default_rng(0)  # never asked
    seen = Seen(slot.cluster, jobs, slot.progress, slot.slot, rng)
    rings = as_rings(slot.cluster, baseline.fill(seen))
    if not len(rings):
        return rings
    place = np.minimum(slot.jobs.searchsorted(rings.job), len(slot.jobs) - 1)
    known = (slot.jobs[place] == rings.job) & (rings.size <= slot.allowed.shape[1])
    rings, place = rings.take(known), place[known]
    return rings.take(slot.allowed[place, rings.size - 1])


def greedy(columns: Columns, share: Floats) -> Rings:
    """Rings that fit together, what the relaxation likes first, then by gain per worker."""
    rate = columns.gains / columns.rings.size
    order = np.lexsort((columns.rings.job, -rate, -np.round(share, 6)))
    return columns.rings.take(admit(whole_mix(columns), order)[0])


def best_subset(generated: Generated, known: Rings, gap: float) -> Rings:
    """Best rings, within ``gap``, of all that can be in something better than ``known``.

    Those rings are listed where they are few; otherwise the rings generated stand for all.
    """
    columns, slot = generated.columns, generated.columns.slot
    every = Rings.join([known, listed(slot) or columns.rings], slot.cluster)
    pool = Columns(slot, every)
    keep = promising(pool, generated, worth(slot, known))
    keep[: len(known)] = True
    if keep.sum() > MOST_COLUMNS:
        return known
    start = np.zeros(len(every))
    start[: len(known)] = 1.0
    kept = Columns(slot, every.take(keep))
    answer = optimum_by_any(ColumnIP().form(kept), gap=gap, start=start[keep])
    return kept.rings.take(answer.point > 0.5)


def listed(slot: SlotView) -> Rings | None:
    """All rings that no other dominates, or None where they are too many."""
    sets = 0.0
    for cap, most in zip(slot.cap, slot.largest.tolist(), strict=True):
        hosts = int((cap > 0).sum())
        sets += sum(math.comb(hosts, width) for width in range(1, min(most, hosts) + 1))
    if sets > MOST_LISTED:
        return None
    try:
        return all_columns(slot, most=MOST_LISTED).rings
    except NotApplicable:
        return None


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
