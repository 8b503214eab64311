"""Slots by column generation: the relaxation over rings, whole rings near its value, and proofs.

Certificates of slots, and of runs by the prices of their slots, are made of its prices alone.
"""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import msgspec
import numpy as np

from farkas.certificates.gadget import certify_horizon
from farkas.certificates.gadget_slot import (
    SharedServers,
    SlotBound,
    SlotCertificate,
    certify_slot,
)
from farkas.certificates.gadget_slot_tree import SlotTree, certify_slot_tree
from farkas.certificates.priced_tree import PricedTree
from farkas.errors import NotApplicable
from farkas.instances.gadget import Cluster
from farkas.models.gadget.column import ColumnIP, Columns, all_columns
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import SlotView, snapshot
from farkas.numbers import Bools, Floats
from farkas.online.gadget.environment import Baseline, Decision, Room, Seen, as_rings, received
from farkas.online.gadget.exchange import exchanged
from farkas.online.gadget.fixed_rings import DominantResourceFairness, Fifo, LeastAttainedService
from farkas.online.gadget.slot_tree import Cases, SlotSearch, dive, repaired, whole_mix
from farkas.online.run import Bound
from farkas.relaxations.gadget.generation import CapacityPrices, Generated, closed, generate_columns
from farkas.relaxations.gadget.offline_bound import ServerClasses, Timeline
from farkas.relaxations.gadget.ring_pricing import LOOSE_LABELS, LabelBudget, RingSearch
from farkas.relaxations.gadget.whole_sizes import whole_sizes
from farkas.relaxations.integrality import price_bounds
from farkas.rounding.rings import admit
from farkas.solvers.session import optimum_by_any
from farkas.solvers.subproblem import Subproblem, SubproblemAnswer, own_solver
from farkas.tolerances import LOOSE_GAP, ROUNDING, SIMPLEX, SOLVER_GAP

#: What a slot is never worse than.
BASELINES: tuple[Baseline, ...] = (Fifo(), LeastAttainedService(), DominantResourceFairness())

#: Parts in which the unsettled jobs of a dive are settled, before the search by cases and after.
FIRST_DIVE, MORE_DIVES = 8, (16, 32)

#: How often some of the rings are taken away, and rings found anew in the room they leave.
REPAIRS = 8

#: How far the best rings of jobs are searched, where walks that remember nothing do not suffice.
#:
#: Exactly only where all rings can be listed, else loosely once more: an exact search may take
#: minutes for a bound that cases improve.
SEARCHES: tuple[RingSearch, ...] = ("loose", "exact")

#: Labels of all searches for rings of one slot together, but for those of exchanges.
SLOT_LABELS = 1 << 22

PARTS = 20  #: One in so many parts of the gap is left to the relaxation, the others to whole rings.

#: Share above which a ring of several hosts runs if it fits, and a size on one server is wanted.
LIKELY = 0.3

#: Rings, and a bound that may be better, from the best rings and bound so far.
Attempt = Callable[[Rings, float], tuple[Rings, float]]

MOST_LISTED = 2_000  #: Sets of hosts, and rings, up to which all rings are listed.

#: Relative gap that certificates of slots may leave before they are proved by cases.
SLOT_GAP = 1e-3

MOST_COLUMNS = 1_000  #: Rings up to which an integer program looks for a better subset.


@own_solver("gadget.circulation", "columns")
@own_solver("gadget.tree", "columns")
def columns(subproblem: Subproblem) -> SubproblemAnswer:
    """Solve a slot within the gap that it is given; see `column_rings`."""
    slot: SlotView = subproblem.data
    rings, bound = column_rings(slot, float(subproblem.options["gap"]))
    return SubproblemAnswer(rings, worth(slot, rings), bound)


def column_rings(slot: SlotView, gap: float, known: Rings | None = None) -> tuple[Rings, float]:
    """Rings of one slot, within ``gap`` of an upper bound where that can be reached.

    Begins with the placements of the baselines and is never worse than any of them.  Where one of
    them gives every job its best size, nothing is left to search.  Where all rings can be listed,
    the rings returned are within ``gap`` of the best.

    Parameters
    ----------
    known
        Rings that fit together, to be no worse than these either.

    Returns
    -------
    The rings, and a bound on the worth of all: of column generation, or of whole sizes.
    """
    placed: list[Rings] = []
    for rings in usual(slot, known):
        if all_at_best(slot, rings):
            return rings, worth(slot, rings)
        placed.append(rings)
    first = max(SOLVER_GAP, gap / PARTS)
    # no search for rings where those of the relaxation without links are enough
    generated = generate_columns(
        slot, Rings.join(placed, slot.cluster), gap=first, most_rounds=0, search="walks"
    )
    placed.append(rounded(generated))
    best, bound = max(placed, key=lambda rings: worth(slot, rings)), generated.bound
    for attempt in attempts(generated, gap):
        if closed(slot.pair_gains, worth(slot, best), bound, gap * abs(bound)):
            break
        rings, proved = attempt(best, bound)
        best, bound = max(best, rings, key=lambda each: worth(slot, each)), min(bound, proved)
    return best, bound


def usual(slot: SlotView, known: Rings | None) -> Iterator[Rings]:
    """Rings that a slot is never worse than: those of the baselines, one by one, and known ones."""
    yield from (baseline_rings(slot, baseline) for baseline in BASELINES)
    if known is not None:
        yield known


def all_at_best(slot: SlotView, rings: Rings) -> bool:
    """Whether every job has the size that gains most, or no ring where none gains.

    Then no rings are worth more, whatever fits: this is the bound of prices 0.
    """
    most = np.where(slot.allowed, slot.gains, 0.0).max(axis=1, initial=0.0)
    gained = np.zeros(len(slot.jobs))
    gained[slot.jobs.searchsorted(rings.job)] = Columns(slot, rings).gains
    return bool((gained >= most).all())


def rounded(generated: Generated) -> Rings:
    """Rings of the relaxation if they are whole, else what fits of them."""
    columns, share = generated.columns, generated.share
    if (np.minimum(share, 1.0 - share) <= SIMPLEX).all():
        return columns.rings.take(share > 0.5)
    return greedy(columns, share)


def attempts(generated: Generated, gap: float) -> Iterator[Attempt]:
    """Ways to find better rings, or a better bound, one after the other."""
    slot = generated.columns.slot
    if not len(slot.jobs):
        return
    first = max(SOLVER_GAP, gap / PARTS)
    loose, labels = max(LOOSE_GAP, first), LabelBudget(SLOT_LABELS)

    def exchange(labels: int, best: Rings, bound: float) -> tuple[Rings, float]:
        sizes = whole_sizes(slot, generated.prices, labels)
        if sizes is None:
            return best, bound
        bound = min(bound, sizes.bound)
        return exchanged(slot, sizes, best, bound - first * abs(bound)), bound

    def generate(search: RingSearch, best: Rings, bound: float) -> tuple[Rings, float]:
        nonlocal generated
        known = Rings.join([generated.columns.rings, best], slot.cluster)
        generated = generate_columns(
            slot, known, generated.prices, gap=first, search=search, labels=labels
        )
        return rounded(generated), generated.bound

    def dived(parts: int, best: Rings, bound: float) -> tuple[Rings, float]:
        return dive(slot, generated, parts, loose, labels), bound

    def cases(best: Rings, bound: float) -> tuple[Rings, float]:
        most = gap * (1.0 - 1.0 / PARTS)
        found = by_cases(slot, best, most, generated.prices, labels)
        return found.rings, min(bound, found.bound)

    yield functools.partial(exchange, 0)
    every, rng = listed(slot), np.random.default_rng(0)
    for search in SEARCHES:
        yield functools.partial(generate, search if every is not None else "loose")
        yield functools.partial(exchange, LOOSE_LABELS)
    yield functools.partial(dived, FIRST_DIVE)
    if every is None:
        yield cases
    for parts in MORE_DIVES:
        yield functools.partial(dived, parts)
    for _ in range(REPAIRS if every is None else 0):
        yield lambda best, bound: (repaired(generated, best, loose, rng, labels), bound)
    yield lambda best, bound: (best_subset(generated, best, every, gap), bound)


def by_cases(
    slot: SlotView,
    rings: Rings,
    gap: float,
    prices: CapacityPrices,
    labels: LabelBudget | None = None,
) -> Cases:
    """Search by cases for better rings than these, and a bound; see `SlotSearch`."""

    def improve(relaxed: Generated, thorough: bool) -> Rings:
        found = [rounded(relaxed), packed(slot, relaxed.columns.rings, relaxed.share)]
        if thorough:
            found.append(best_subset(relaxed, Rings.none(slot.cluster), None, gap / PARTS))
        return max(found, key=lambda each: worth(slot, each))

    return SlotSearch(slot, rings, gap, improve, labels or LabelBudget(SLOT_LABELS)).run(prices)


def worth(slot: SlotView, rings: Rings) -> float:
    """Sum of the gains of rings."""
    return float(Columns(slot, rings).gains.sum())


def baseline_rings(slot: SlotView, baseline: Baseline) -> Rings:
    """Rings that a baseline would run in the slot, those of allowed sizes."""
    jobs = np.arange(slot.cluster.num_jobs)
    seen = Seen(slot.cluster, jobs, slot.progress, slot.slot)
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


def best_subset(generated: Generated, known: Rings, every: Rings | None, gap: float) -> Rings:
    """Best rings, within ``gap``, of all that can be in something better than ``known``.

    Parameters
    ----------
    every
        All rings, if they are few; otherwise the rings generated stand for all.
    """
    columns, slot = generated.columns, generated.columns.slot
    rings = Rings.join([known, columns.rings if every is None else every], slot.cluster)
    pool = Columns(slot, rings)
    keep = promising(pool, generated, worth(slot, known))
    keep[: len(known)] = True
    if keep.sum() > MOST_COLUMNS:
        return known
    start = np.zeros(len(rings))
    start[: len(known)] = 1.0
    kept = Columns(slot, rings.take(keep))
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
    surplus = columns.gains - cost - rings.link_load(cluster) @ prices.link
    best = np.zeros(cluster.num_jobs)
    np.maximum.at(best, rings.job, surplus)
    loss: Floats = best[rings.job] - surplus
    near: Bools = loss <= generated.bound - value + ROUNDING * abs(generated.bound)
    return near


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
    room = Room(cluster)
    placed = room.hold(kept)
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


def run_certificate(cluster: Cluster, decisions: Sequence[Decision]) -> PricedTree:
    """Certificate at the slot prices of a run, averaged over the slots of each block.

    Every slot is priced by column generation at what its jobs had received.  No program of the
    horizon is solved, so the prices are known as the run goes; those of links are left out.
    Prices of the horizon's own program never prove less.

    Parameters
    ----------
    decisions
        Rings of every slot.
    """
    timeline, classes = Timeline.of(cluster), ServerClasses.of(cluster).members
    shape = (len(timeline.length), len(classes), cluster.num_resources)
    total = np.zeros(shape)
    for slot, before in enumerate(received(cluster, decisions)[:-1]):
        prices = generate_columns(snapshot(cluster, slot, before)).prices.node
        block = np.searchsorted(timeline.start, slot, side="right") - 1
        for c, members in enumerate(classes):
            total[block, c] += prices[members].mean(axis=0)
    average = total / timeline.length[:, None, None]
    return certify_horizon(cluster, timeline.start, classes, average)


def run_bound(cluster: Cluster, decisions: Sequence[Decision]) -> Bound:
    """Proved bound on every schedule by the prices of a run, with its certificate."""
    certificate = run_certificate(cluster, decisions)
    return Bound(
        exact=certificate.bound,
        method="slot prices averaged over blocks, each job's best reply in exact arithmetic",
        certificate=msgspec.to_builtins(certificate),
    )


@price_bounds.register("gadget.slot_prices")
def slot_prices(cluster: Cluster, seconds: float) -> SlotCertificate:
    """As `slot_certificate`, of the slot that the instance stands at."""
    return slot_certificate(cluster)


def slot_certificate(
    cluster: Cluster, slot: int | None = None, progress: np.ndarray | None = None
) -> SlotCertificate:
    """Certificate of one slot at the prices of column generation, or of whole sizes at these.

    Whole sizes are looked at where they prove less by more than what column generation leaves.
    """
    view = snapshot(cluster, slot, progress)
    generated = generate_columns(view)
    prices, received = generated.prices, view.progress.astype(np.int64)
    plain = certify_slot(cluster, view.slot, received, prices.node, prices.link)
    sizes = whole_sizes(view, prices, LOOSE_LABELS)
    if sizes is None or sizes.bound >= generated.bound - SOLVER_GAP * abs(generated.bound):
        return plain
    rest, knapsack = sizes.prices, sizes.knapsack
    shared = SharedServers(resource=knapsack.resource, unit=knapsack.unit)
    whole = certify_slot(cluster, view.slot, received, rest.node, rest.link, shared)
    return min(whole, plain, key=lambda made: Fraction(made.bound))


def best_slot_certificate(
    cluster: Cluster, slot: int, progress: np.ndarray, gap: float = SLOT_GAP
) -> SlotBound:
    """As `slot_certificate`, by cases where that is further than ``gap`` above the rings found."""
    made = slot_certificate(cluster, slot, progress)
    view = snapshot(cluster, slot, progress)
    rings, _ = column_rings(view, gap)
    bound = float(Fraction(made.bound))
    if closed(view.pair_gains, worth(view, rings), bound, gap * bound):
        return made
    cases = tree_certificate(view, rings, gap)
    return min(made, cases, key=lambda each: Fraction(each.bound))


def tree_certificate(view: SlotView, rings: Rings, gap: float) -> SlotTree:
    """Certificate of a slot by cases, from rings to begin with."""
    found = by_cases(view, rings, gap, generate_columns(view).prices)
    received = view.progress.astype(np.int64)
    return certify_slot_tree(view.cluster, view.slot, received, found.level, *found.written())
