"""Claims about ring sizes: q, and Lemma 7."""

import math
from collections.abc import Callable, Iterator

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.slot import SlotView, snapshot
from farkas.numbers import Floats
from farkas.proofs.claim import Verdict, claim, refuted
from farkas.proofs.gadget.small import among, random_clusters, shipped
from farkas.proofs.said import Saying, Stated, said
from farkas.proofs.trials import Trials, optimum, refuted_by, require, require_zero, sp
from farkas.relaxations.gadget.embedding import NodeLP
from farkas.solvers import solve
from farkas.tolerances import LOOSE_GAP, ROUNDING, SHARE, SOLVER_GAP


def _up_to_relaxed(cluster: Cluster) -> Saying:
    from farkas.relaxations.gadget.workers import WorkerRelaxation
    from farkas.solvers.convex import solve_problem

    model = WorkerRelaxation().model(cluster)
    solve_problem(model.problem).require_optimal()
    q = np.ceil(model.point()["workers"].sum(axis=1) - LOOSE_GAP)
    slot = snapshot(cluster)
    sizes = np.arange(1, slot.allowed.shape[1] + 1)
    printed = slot.restrict(slot.allowed & (sizes[None, :] <= q[slot.jobs, None]))
    low, best = optimum(Gvne().form(printed)), optimum(Gvne().form(slot))
    return said(Stated(low, ">=", best, SOLVER_GAP), printed=low, optimum=best)


@claim(
    "gadget.relaxed_workers_bound_ring_sizes",
    source="GADGET V-C, Q_i",
    says=_up_to_relaxed,
    among=among(),
)
def relaxed_workers_bound_ring_sizes() -> Verdict:
    """The rounded-up workers of the relaxation bound the size of every useful ring."""
    note = "sizes up to ceil(q) leave job 1 nothing"
    return refuted_by(_up_to_relaxed, "gadget/worker_bound_trap", note)


def shares(slot: SlotView) -> Floats:
    """Share of each size in the relaxation, shape (jobs, sizes)."""
    form = NodeLP().form(slot)
    share = np.zeros(slot.gains.shape)
    share[slot.allowed] = form.values(solve(form).require_optimal().point, "chosen")
    return share


def kept(seed: int, choose: Callable[[SlotView], SlotView]) -> Iterator[tuple[SlotView, float]]:
    """Share of the relaxation that chosen sizes keep, and on what, where it is worth anything."""
    for cluster in random_clusters(80, seed, network="any", jobs=4):
        slot = snapshot(cluster)
        whole = optimum(NodeLP().form(slot)) if len(slot.jobs) else 0.0
        if whole > 0:
            yield slot, optimum(NodeLP().form(choose(slot))) / whole


def selected(slot: SlotView) -> SlotView:
    """Sizes of largest gain x share in the relaxation."""
    share = shares(slot)
    weight = np.where(slot.allowed & (share > SHARE), slot.gains * share, -np.inf)
    return slot.fixed(np.where(np.isfinite(weight.max(axis=1)), weight.argmax(axis=1) + 1, 0))


@claim("gadget.ring_selection_relaxed", source="GADGET Lemma 7, relaxation at the chosen sizes")
def ring_selection_relaxed() -> Verdict:
    """The relaxation at the selected sizes keeps 1/Γ of the relaxation, Γ = max |Q_i|.

    The largest of at most Γ terms gain × share of a job is at least a Γ-th of their sum, and
    dropping the others keeps feasibility: of its workers on each node the share of its own stays.
    """
    largest, less = sp.symbols("a s", nonnegative=True)  # the other terms are a − s on average
    others, own, rest = sp.symbols("n k r", positive=True)
    total = largest + others * (largest - less)
    require(a_part_of_the_sum=sp.expand((others + 1) * largest - total).is_nonnegative)
    require(workers_only_leave=sp.factor(1 - own / (own + rest)).is_positive)
    trials, least = Trials(), math.inf
    for slot, share in kept(21, selected):
        trials.add(slot.cluster, Stated(share, ">=", 1 / slot.largest_size, ROUNDING))
        least = min(least, share)
    note = "the largest of Γ terms is at least a Γ-th of their sum"
    return trials.proved(note, least_share=least)


def _printed_selection(cluster: Cluster) -> Saying:
    sizes = _printed_sizes(snapshot(cluster))
    value, best = optimum(Gvne().form(selected(sizes))), optimum(Gvne().form(cluster))
    kept = best / sizes.largest_size
    return said(Stated(value, ">=", kept, size=best), value=value, optimum=best)


@claim("gadget.ring_selection", source="GADGET Lemma 7", says=_printed_selection, among=among())
def ring_selection() -> Verdict:
    """The selected ring sizes keep 1/Γ of the integer optimum.

    The printed proof bounds the sum of gains of all selected jobs and never asks whether they fit.
    """
    numbers: dict[str, float] = {}
    picked = []
    for name in ("half_server", "unlinked_pair"):
        chosen = selected(_printed_sizes(snapshot(shipped(name))))
        picked.append(f"{chosen.largest.max()} on {name}")
        found = _printed_selection(shipped(name))
        numbers |= {f"{name}_{word}": value for word, value in found.numbers.items()}
    note = f"of the printed sizes the relaxation picks {', '.join(picked)}, which never fit"
    found = _printed_selection(shipped("half_server"))
    return refuted("gadget/half_server", found.shown, note, **numbers)


def _printed_sizes(slot: SlotView) -> SlotView:
    """Allow 1..N, as ceil(q) does when the relaxation fills the cluster."""
    cluster = slot.cluster
    widest = int(cluster.max_workers[slot.jobs].max())
    gains = np.zeros((len(slot.jobs), widest))
    for place, job in enumerate(slot.jobs.tolist()):
        worth = cluster.reward(job, slot.progress[job] + np.arange(widest + 1))
        gains[place] = worth[1:] - worth[0]
    allowed = np.arange(1, widest + 1)[None, :] <= cluster.max_workers[slot.jobs][:, None]
    return SlotView(cluster, slot.slot, slot.progress, slot.jobs, gains, allowed)


def _number_of_sizes(cluster: Cluster) -> Saying | None:
    """One job without a budget, and its number of sizes in the first slot."""
    slot = snapshot(cluster)
    if cluster.num_jobs != 1 or not len(slot.jobs) or not cluster.demand[0].all():
        return None
    room = cluster.capacity[cluster.is_server] / cluster.demand[0]
    smallest = min(float(cluster.max_workers[0]), float(room.min()))
    sizes = float(slot.largest_size)
    return said(Stated(sizes, "<=", smallest), printed_bound=smallest, sizes=sizes)


@claim(
    "gadget.gamma_bounds_sizes",
    source="GADGET Lemma 7, proof (Π_i)",
    says=_number_of_sizes,
    among=among(jobs=1, budgets=False),
)
def gamma_bounds_sizes() -> Verdict:
    """Π_i = min over servers of capacity over demand, N and budget bounds the number of sizes.

    Rings span servers: two one-GPU servers hold a ring of two.
    """
    return refuted_by(_number_of_sizes, "gadget/two_ring_star", "a ring of two runs")


@claim("gadget.floor_and_ceiling_keep_half", source="GADGET Lemma 7, improved (ours)")
def floor_and_ceiling_keep_half() -> Verdict:
    """For concave gains, the better of the two sizes around a job's mean keeps half of the LP.

    Mixing both loses nothing of it.  With n <= m <= n + 1 and the slope of the gain between n and
    n + 1, concave gains lie below that line at all sizes, also at 0, so that the mean of the gains
    is at most the line at m, which is the mixture of both sizes.  The mixture has m workers, and
    so has none of its parts more: what one node held of the job is scaled down.
    """
    low, slope = sp.symbols("g s", real=True)
    size, steps, bend, odds = sp.symbols("n j b z", nonnegative=True)
    part = 1 / (1 + odds)  # m − n
    line = low + slope * part
    mixed = (1 - part) * low + part * (low + slope)
    beyond = low + slope + steps * (slope - bend)
    below = low - steps * (slope + bend)
    require_zero(
        mixture=mixed - line,
        workers=(1 - part) * size + part * (size + 1) - size - part,
        half=(2 * sp.Max(low, slope) - low - slope - sp.Abs(low - slope)).rewrite(sp.Piecewise),
    )
    require(
        larger_sizes=sp.expand(low + slope * (1 + steps) - beyond).is_nonnegative,
        smaller_sizes=sp.expand(low - slope * steps - below).is_nonnegative,
        the_lower_part=sp.factor(size + part - (1 - part) * size).is_nonnegative,
        the_upper_part=sp.factor(size + part - part * (size + 1)).is_nonnegative,
    )
    trials = Trials()
    for slot, share in kept(22, around_mean):
        trials.add(slot.cluster, Stated(share, ">=", 0.5, ROUNDING))
    return trials.proved("concave gains lie below the line through the sizes around the mean")


def around_mean(slot: SlotView) -> SlotView:
    """Better of the two sizes around each job's mean size in the relaxation."""
    share = shares(slot)
    sizes = np.arange(1, slot.gains.shape[1] + 1)
    mean = (share * sizes).sum(axis=1)
    low = np.floor(mean + ROUNDING).astype(int)
    part = np.clip(mean - low, 0.0, 1.0)
    gains = np.column_stack([np.zeros(len(mean)), slot.gains])
    each = np.arange(len(mean))
    high = np.minimum(low + 1, slot.largest)
    better = gains[each, high] * part > gains[each, low] * (1 - part)
    return slot.fixed(np.where(better, high, low))
